"""Which files of a persona's folder the history keeps, and under which names.

Kept: who the persona is, the notes, the memories. Not kept: logs (append-only, they are their own
history), attachments, documents, indexes, and what the app writes all the time on its own
(emotions, what was recalled, what waits for an answer, counters), which would fill the history with changes that nobody made.
"""

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePath

from managers.storage.files import entries

BRANCH = "refs/heads/main"
BRANCH_FILE = f".history/{BRANCH}"
"""The history's one branch: it moves with the files, in the same transaction."""
_RECORDS = r"(?:persona|card|lorebook|goals(_archived_\d{3,})?)\.json"
_TEXTS = r"(?:SystemPrompt|core_memory|notepad)\.txt"
_SINGLE = re.compile(f"{_RECORDS}|{_TEXTS}")
_FOLDERS = ("episodic_memory", "entity_memory", "memory")
_NAMES_NEVER = r"(?:emotion_log|recall_log|held_writes|\.).*|hygiene\.json|secrets\.toml"
_ENDINGS_NEVER = r".*(?:\.jsonl|\.broken-.*|\.utatane-tmp|~)"
_NEVER = re.compile(f"{_NAMES_NEVER}|{_ENDINGS_NEVER}", re.DOTALL)
_AVATAR = re.compile(r"avatar\.(png|jpe?g|webp)")
_ON_THE_MOVE = ("memory/internal_state.json",)


def tracked_name(folder: Path, path: Path) -> str | None:
    """Return the name under which the history keeps a file (`memory/…`, NFC), None if it does not.

    NFC, because macOS may hand back the name of the same file in another normal form than it was
    written in, and a history that took the two for different files would see deletions.
    """
    return _kept(unicodedata.normalize("NFC", path.relative_to(folder).as_posix()))


def _kept(name: str) -> str | None:
    top, _, rest = name.partition("/")
    if not rest:
        return name if _SINGLE.fullmatch(name) else None
    return None if top not in _FOLDERS or "/" in rest or _NEVER.fullmatch(rest) else name


def may_be_changed(name: str) -> bool:
    """Tell whether a transaction may write a file of this name: the kept ones, those beside them, and the branch."""
    top, _, rest = name.partition("/")
    if not rest:
        return bool(_SINGLE.fullmatch(name) or _AVATAR.fullmatch(name))
    if top not in _FOLDERS:
        return name == BRANCH_FILE
    return PurePath(rest).name == rest and rest != ".." and "\0" not in rest


def is_on_the_move(name: str) -> bool:
    """Tell whether the app itself rewrites the file all the time.

    Such a file enters the history only with a change that names it (a dream), so that the change can
    be undone; what happens to it in between is nobody's edit.
    """
    return name in _ON_THE_MOVE


def tracked_files(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield name and directory entry of every file that is there and kept, in no particular order."""
    for top in ("", *_FOLDERS):
        for entry in entries(folder / top):
            name = _kept(unicodedata.normalize("NFC", f"{top}/{entry.name}" if top else entry.name))
            if name is not None and entry.is_file(follow_symlinks=False):
                yield name, entry


def locate(folder: Path, name: str) -> Path:
    """Return where a kept name lies on disk: as it is, or spelled in another normal form."""
    path = folder / name
    if name.isascii() or path.exists():
        return path
    same = (other.name for other in entries(path.parent) if unicodedata.normalize("NFC", other.name) == path.name)
    return path.with_name(next(same, path.name))
