"""Second versions of files that sync services and editors leave beside the first ("conflicted copy", " (1)", "~").

One rule for every folder: such a file has a name of a known form (`assets/copies.toml`), and an original of
the name that the form tells lies beside it. Where people give such names too, the contents must show it as
well: what marks them as this log, this list or this text is shared. So a file of a person's own is never taken
for one, and a copy whose original is gone is read like any other file.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from managers.storage.errors import UnreadableError
from managers.storage.files import entries, read_bytes
from managers.storage.opening import look
from managers.storage.paths import CHECKOUT

_FILE: Final = CHECKOUT / "assets" / "copies.toml"
_ENDING: Final = r"(?:\.[^.\s()（）]{1,12})?"
_DEPTH: Final = 5
"""A copy may have been copied again, and a computer's name may have several parts."""

_OWN = re.compile(r"\d{4}-\d\d(?:-\d\d)?\.\w+")
_COULD_BE = re.compile(
    r"[-~#()（）\[\] ]|conflict|copy|コピー|副本|Kopie|\..*\.|\.(?:bak|orig|old|save|back)", re.IGNORECASE
)
"""Every name that fits a form has one of these: ten thousand names are looked through when a folder has changed."""

_TRAILER = re.compile(rb"^\d{4}-\d\d-\d\d \([^()\n]{1,16}\) \d\d:\d\d:\d\d ?\|[^|\n]*\| *([^|\s]+)", re.MULTILINE)
_TITLE = re.compile(rb"^(?:\xef\xbb\xbf)?# Entity Memory: ([^\s].*)$", re.MULTILINE)
_ID = re.compile(rb'"id": ?"([^"]+)"')


class Mark(NamedTuple):
    """A form of names: who gives them, and whether nobody else does."""

    by: str
    pattern: re.Pattern[str]
    is_plain: bool


class Guess(NamedTuple):
    """What a name tells: of what it may be a copy, who leaves such names, and whether nobody else does."""

    original: str
    by: str
    is_plain: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A file or folder that is a second version of another one beside it."""

    path: Path
    original: Path
    by: str


Proof = Callable[[Path, Path], bool]
"""Tells of a file and its supposed original whether their contents show that one is a copy of the other."""


@cache
def data() -> dict[str, Any]:
    """Return what `assets/copies.toml` says; it ships with the program."""
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def marks() -> tuple[Mark, ...]:
    """Return the forms of names."""
    words = "|".join(map(re.escape, data()["conflict"]))
    return tuple(
        Mark(
            one["by"],
            re.compile(one["pattern"].replace("{conflict}", f"(?:{words})").replace("{end}", _ENDING), re.IGNORECASE),
            one.get("plain", False),
        )
        for one in data()["mark"]
    )


@lru_cache(maxsize=1 << 14)
def guesses(name: str) -> tuple[Guess, ...]:
    """Return of which names a file or folder of this name may be a copy, the plainest first."""
    found: dict[str, Guess] = {}
    waiting = [Guess(unicodedata.normalize("NFC", name), "", is_plain=False)]
    for _ in range(_DEPTH):
        waiting = [further for one in waiting for further in _steps(one) if further.original not in found]
        for one in waiting:
            found.setdefault(one.original, one)
    return tuple(sorted(found.values(), key=lambda one: not one.is_plain))


def _steps(name: Guess) -> Iterator[Guess]:
    if _OWN.fullmatch(name.original) or not _COULD_BE.search(name.original):
        return
    for mark in marks():
        match = mark.pattern.fullmatch(name.original)
        if match is not None:
            yield Guess(match["stem"] + match["rest"], name.by or mark.by, name.is_plain or mark.is_plain)


def copies_in(folder: Path, names: Collection[str], proof: Proof | None = None) -> dict[str, Copy]:
    """Return which of a folder's files (or folders) are copies of others in it, by name.

    Names are looked at again only when the folder has changed, contents only when their files have.

    Args:
        folder: where they lie; it is there if there are names.
        names: what somebody has just found in it, all or some.
        proof: what shows that a name that people give too is a copy's; `share_content` if not given.
    """
    found: dict[str, Copy] = {}
    if not names:
        return found
    for name, guessed in _look(folder, names)[0]:
        for guess in guessed:
            path, original = folder / name, folder / guess.original
            if guess.is_plain or (proof or share_content)(path, original):
                found[name] = Copy(path, original, guess.by)
                break
    return found


def without_copies(folder: Path, names: Collection[str]) -> list[str]:
    """Return the names that are no copies' (see `copies_in`), in their order."""
    copies = copies_in(folder, names)
    return [name for name in names if name not in copies]


def orphans_in(folder: Path, names: Collection[str]) -> list[Copy]:
    """Return the files that only a sync service names so, and whose originals are not there: read, but misnamed."""
    return [Copy(folder / name, folder / one.original, one.by) for name, one in _look(folder, names)[1]]


_Looked = tuple[list[tuple[str, tuple[Guess, ...]]], list[tuple[str, Guess]]]
"""Names that have the form of a copy's with what is there that they may be copies of; those whose original is not."""


def _look(folder: Path, names: Collection[str]) -> _Looked:
    # Some file systems keep no time for folders: there the number of names tells that one came or went.
    return _look_at(folder, folder.stat().st_mtime_ns, len(names))


@lru_cache(maxsize=64)
def _look_at(folder: Path, *_: int) -> _Looked:
    there = {unicodedata.normalize("NFC", entry.name): entry.name for entry in entries(folder, None)}
    candidates, orphans = [], []
    for name in there.values():
        if name.startswith(".") or _OWN.fullmatch(name) or not _COULD_BE.search(name):
            continue
        guessed = guesses(name)
        near = tuple(
            one._replace(original=there[one.original]) for one in guessed if there.get(one.original, name) != name
        )
        if near:
            candidates.append((name, near))
        elif guessed and guessed[0].is_plain:
            orphans.append((name, guessed[0]))
    return candidates, orphans


def share_content(copy: Path, original: Path) -> bool:
    """Whether at least half of what marks the smaller of two files is in the other too, or they are the same."""
    return _compared(copy, original)[1]


def are_same(copy: Path, original: Path) -> bool:
    """Whether two files hold the same bytes."""
    return _compared(copy, original)[0]


def _compared(copy: Path, original: Path) -> tuple[bool, bool]:
    try:
        found = look(copy), look(original)
    except OSError:  # a link is on the way: nothing is shown
        return False, False
    stamps = [(status.st_mtime_ns, status.st_size) for status in found if status is not None]
    return _compare(copy, original, *stamps)


@lru_cache(maxsize=256)
def _compare(copy: Path, original: Path, *_: tuple[int, int]) -> tuple[bool, bool]:
    """Return whether two files are the same, and whether they share content; read again only when one has changed."""
    try:
        one, other = read_bytes(copy), read_bytes(original)
    except UnreadableError:
        return False, False
    if one is None or other is None:
        return False, False
    if one == other:
        return True, True
    mine, theirs = _marks_of(copy.suffix, one), _marks_of(copy.suffix, other)
    return False, len(mine & theirs) * 2 >= max(1, min(len(mine), len(theirs)))


def _marks_of(suffix: str, content: bytes) -> frozenset[bytes]:
    """Return what tells a content from others: a log's message ids, a card's title, a list's ids, else its lines."""
    for pattern in (_TRAILER, _TITLE, *([_ID] if suffix == ".json" else [])):
        if found := pattern.findall(content):
            return frozenset(map(bytes.strip, found))
    return frozenset(line for raw in content.splitlines() if (line := raw.strip()))
