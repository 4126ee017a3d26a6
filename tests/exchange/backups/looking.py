"""What a home holds and what a backup of it holds, side by side."""

from pathlib import Path
from random import Random

from managers.exchange.backups.keeping import Backups
from managers.exchange.backups.listing import Head
from managers.exchange.backups.restoring import restore_file
from managers.storage.paths import Home

DERIVED = frozenset({"rag_index", "backups", "models", ".logs", ".uploads", ".exports"})
KEYS = frozenset({"secrets.toml", ".access.json", ".installation.key", ".installation.key.copy"})
OWN = KEYS | {".made-private", ".lock", ".export.lock", ".backups.json"}


def held(home: Home) -> dict[str, bytes]:
    """Return the files of a home that belong into a backup, and their bytes."""
    found = {}
    for path in home.folder.rglob("*"):
        name = path.relative_to(home.folder)
        if path.is_file() and not DERIVED & set(name.parts) and name.name not in OWN and ".lock" not in name.suffixes:
            found[name.as_posix()] = path.read_bytes()
    return {name: data for name, data in found.items() if not name.endswith("lock") and "utatane-tmp" not in name}


def restored(backups: Backups, head: Head, target: Path) -> dict[str, bytes]:
    """Restore all of a backup into a folder; return the files that lie there then, and their bytes."""
    for file in backups.files_in(head):
        restore_file(backups.repository(), file, target)
    files = (path for path in target.rglob("*") if path.is_file())
    found = {path.relative_to(target).as_posix(): path.read_bytes() for path in files}
    found.pop(".backups.json", None)
    return found


def edit(home: Home, rng: Random) -> None:
    """Make, remove, rename or write anew some file of a persona's: longer, shorter or with something put in."""
    folder = home.folder / "characters" / "Nemu" / "attachments"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    what = rng.choice(("insert", "cut", "make", "remove", "rename")) if len(files) > 2 else "make"
    path = rng.choice(files) if what != "make" else folder / f"{rng.getrandbits(24):06x}" / "ファイル.bin"
    data = path.read_bytes() if what != "make" else rng.randbytes(rng.choice((0, 10, 5_000, 400_000)))
    at = rng.randrange(len(data) + 1)
    if what == "remove":
        path.unlink()
    elif what == "rename":
        path.rename(path.with_name(f"{rng.getrandbits(24):06x}"))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes({"insert": data[:at] + b"+" + data[at:], "cut": data[:at], "make": data}[what])
