"""Set up `.venv` for `make`, `start.bat` and people: needs nothing but Python 3.11 or newer.

    python install.py                      what the app needs
    python install.py dev                  and what tests and checks need
    python install.py sentence-transformers japanese

A package of an extra in `tool.utatane.extras-without-dependencies` is installed without what it asks for.

Runs before anything is installed, so it uses the standard library alone. It reads the packages from
`pyproject.toml` and their versions from `constraints.txt`, and does nothing when neither has changed.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MINIMUM = (3, 11)


def main(extras: list[str]) -> int:
    """Make the environment and install what is missing; return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a file or a pipe on Windows may know no Japanese
    if sys.version_info < MINIMUM:
        return _say(
            "Utatane needs Python 3.11 or newer. / Python 3.11 以降が必要です。 https://www.python.org/downloads/"
        )
    import tomllib  # noqa: PLC0415 - older Pythons do not have it and must get the sentence above

    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    whole = {"": document["project"]["dependencies"], **document["project"]["optional-dependencies"]}
    bare = document["tool"]["utatane"]["extras-without-dependencies"]
    unknown = [extra for extra in extras if extra not in whole and extra not in bare]
    if unknown:
        known = ", ".join(name for name in [*whole, *bare] if name)
        return _say(f"There is no extra called {', '.join(unknown)}. Known: {known}.")
    installed = _stamps()
    wanted = {extra: _fingerprint((whole | bare)[extra]) for extra in ["", *extras]}
    missing = [extra for extra, stamp in wanted.items() if installed.get(extra) != stamp]
    if not missing:
        return 0
    if not PYTHON.exists():
        print("Setting up .venv ... / 準備しています…", flush=True)
        try:
            venv.create(FOLDER, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return _say(f"Python could not make .venv ({error}). On Debian and Ubuntu: apt install python3-venv")
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--constraint", str(ROOT / "constraints.txt")]
    print("Installing packages ... / パッケージを入れています…", flush=True)
    for options, table in (([], whole), (["--no-deps"], bare)):
        packages = [package for extra in missing for package in table.get(extra, [])]
        if packages and subprocess.call([*pip, *options, *packages]):
            return _say(
                "The packages could not be installed; see above. Is there a network? / ネットワークを確かめてください。"
            )
    for extra in missing:
        _stamp_file(extra).write_text(wanted[extra], encoding="utf-8")
    return 0


def _fingerprint(packages: list[str]) -> str:
    pins = (ROOT / "constraints.txt").read_bytes()
    return hashlib.sha256(repr(packages).encode() + pins + sys.version.encode()).hexdigest()


def _stamp_file(extra: str) -> Path:
    return FOLDER / f"installed-{extra or 'app'}"


def _stamps() -> dict[str, str]:
    if not PYTHON.exists():
        return {}
    files = FOLDER.glob("installed-*")
    return {file.name.removeprefix("installed-").replace("app", ""): file.read_text(encoding="utf-8") for file in files}


def _say(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
