"""A guest: a folder in `characters/` that nobody let in on this computer. It is looked through, and nothing in it is believed.

What is looked at are names, kinds and sizes, and `persona.json` alone is read: what it asks for is told before
anybody says yes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final

from managers.personas import persona_file
from managers.personas.errors import BrokenPersonaFileError
from managers.personas.sensitive_settings import NOTHING, Wishes, digest_of, wishes_of
from managers.storage import opening
from managers.storage.errors import Notice, UnreadableError, UnsafeNameError
from managers.storage.files import read_bytes
from managers.storage.paths import PersonaPaths, safe_name
from managers.storage.printable import one_line
from managers.storage.texts import Texts, table

_say = Texts("notices/personas")
_found = Texts("notices/guests")

MOST_ENTRIES: Final = 200_000
"""A folder with more is not looked through to its end, and not let in."""
LARGEST_SHEET: Final = 1_000_000
"""Bytes of a `persona.json`: a larger one is not read."""
_LARGE: Final = 200_000_000
_MEGABYTE: Final = 1_000_000
_NAMED: Final = 3

_OBJECT: Final = r"[0-9a-f]{2}(/[0-9a-f]{38})?|info|pack(/[^/]+\.(pack|idx))?"
_OF_HISTORY: Final = re.compile(rf"HEAD|config|seen_files\.json|refs(/heads(/main)?)?|objects(/({_OBJECT}))?")
"""What a history of ours consists of. Git looks at more: hooks, other stores of objects, other places."""
_FILES: Final = frozenset({".lock", ".export.lock", ".persona-id", "persona.json"})
"""What cannot be a folder."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A folder that waits at the door, and what was found in it.

    Attributes:
        name: the folder's name, in NFC.
        size: bytes, as far as was looked.
        count: files.
        findings: what somebody should know who lets it in, each in a sentence.
        wishes: the settings that need a yes of their own.
        obstacle: why it cannot be let in as it is; None if it can.
        misplaced: what is put aside when it is let in.
    """

    name: str
    paths: PersonaPaths
    size: int = 0
    count: int = 0
    findings: tuple[Notice, ...] = ()
    wishes: Wishes = field(default_factory=dict)
    obstacle: Notice | None = None
    misplaced: tuple[Path, ...] = field(default=(), repr=False)

    @property
    def seen(self) -> str:
        """What stands for the wishes as they were shown; a yes to them names it."""
        return digest_of(self.wishes)


def look_through(paths: PersonaPaths) -> Guest:
    """Look through a guest's folder: every name, kind and size, and what its `persona.json` asks for.

    Raises:
        UnreadableError: a folder in it cannot be listed.
    """
    name = persona_file.normal(paths.name)
    if not opening.is_folder(paths.folder):
        return Guest(name, paths, obstacle=_IS_LINK)
    found = _Found(paths)
    try:
        for path, kind in opening.walk(paths.folder):
            if found.is_too_much():
                return Guest(name, paths, found.size, found.files, obstacle=_TOO_MUCH)
            found.take(path.relative_to(paths.folder), path, kind)
    except (OSError, RecursionError) as error:
        raise UnreadableError(path=paths.folder, cause=error) from error
    wishes = NOTHING if found.sheet_is_too_large else _wishes(paths)
    return Guest(
        name, paths, found.size, found.files, tuple(found.findings()), wishes, misplaced=tuple(found.misplaced)
    )


def _wishes(paths: PersonaPaths) -> Wishes:
    try:
        document = persona_file.parse(paths.name, read_bytes(paths.persona_json) or b"{}")
        return wishes_of(persona_file.settings_of(persona_file.migrated(document)))
    except (BrokenPersonaFileError, UnreadableError):  # what cannot be read is not asked for
        return NOTHING


class _Found:
    """What a look through a folder has brought so far."""

    def __init__(self, paths: PersonaPaths) -> None:
        self.size = 0
        self.files = 0
        self.misplaced: list[Path] = []
        self.sheet_is_too_large = False
        self._paths = paths
        self._entries = 0
        self._places: Counter[str] = Counter()
        self._kept: dict[str, list[PurePath]] = {}
        """By the code of what is to be said: where it lies."""

    def is_too_much(self) -> bool:
        return self._entries >= MOST_ENTRIES

    def take(self, name: PurePath, path: Path, kind: opening.Kind) -> None:
        """Take in one entry; folders come before what is in them."""
        self._entries += 1
        if kind == "file":
            size = path.lstat().st_size
            self.size += size
            self.files += 1
            self._places[name.parts[0]] += 1
            if size > _LARGE:
                self._note("guest-large", name)
            self.sheet_is_too_large |= name.as_posix() == "persona.json" and size > LARGEST_SHEET
        if name.parts[0] == self._paths.rag_index.name:
            return  # made anew, whatever it is
        if _is_odd(name.name):
            self._note("guest-odd-name", name)
        if name.name == ".git":
            self._note("guest-git", name)
        if (reason := self._misplaced(name, kind)) and not any(path.is_relative_to(one) for one in self.misplaced):
            self.misplaced.append(path)
            self._note(reason, name)

    def _misplaced(self, name: PurePath, kind: opening.Kind) -> str:
        """Return why an entry is put aside when the folder is let in; empty if it stays."""
        if kind in {"link", "special"}:
            return f"guest-{kind}"
        top, *rest = name.parts
        if top == self._paths.history.name:
            return _misplaced_in_history(rest, kind)
        if not rest and top == "persona.json" and self.sheet_is_too_large:
            return "guest-large-sheet"
        return "guest-special" if not rest and kind == "folder" and top in _FILES else ""

    def _note(self, code: str, name: PurePath) -> None:
        self._kept.setdefault(code, []).append(name)

    def findings(self) -> Iterator[Notice]:
        """Yield what should be known, what is harmless first."""
        yield self._content()
        for code in table("notices/guests")["found"]:
            if names := self._kept.get(code):
                told = {"ja": _some(names, "、", " など"), "en": _some(names)}
                said = _found.both(f"found.{code}", count=f"{len(names):,}", names=told)
                yield Notice(code, said["ja"], said["en"])

    def _content(self) -> Notice:
        documents = self._places["knowledge"]
        size = f"{self.size / _MEGABYTE:,.1f} MB" if self.size > _MEGABYTE else f"{self.size / 1000:,.0f} KB"
        ja = [f"ファイル {self.files:,} 個", size]
        en = [f"{self.files:,} file{'' if self.files == 1 else 's'}", size]
        if any(self._places[place] for place in ("log.txt", "log_archives", "log_import_source")):
            ja.append("会話の記録あり")
            en.append("with conversations")
        if documents:
            ja.append(f"資料 {documents:,} 個")
            en.append(f"{documents:,} document{'' if documents == 1 else 's'}")
        return Notice("guest-content", f"{'、'.join(ja)}。", f"{', '.join(en)}.", level="info")


def _misplaced_in_history(rest: Sequence[str], kind: opening.Kind) -> str:
    if rest[:1] == ["pending"]:
        return "guest-journal"
    is_ours = _OF_HISTORY.fullmatch("/".join(rest)) if rest else kind == "folder"
    return "" if is_ours else "guest-history"


def _some(names: Sequence[PurePath], comma: str = ", ", more: str = " …") -> str:
    shown = comma.join(one_line(name.as_posix())[:60] for name in names[:_NAMED])
    return f"{shown}{more}" if len(names) > _NAMED else shown


def _is_odd(name: str) -> bool:
    """Tell whether a name could not be written on every system, or shows as another than it is."""
    try:
        return safe_name(name.lstrip(".~-") or "x") != persona_file.normal(name).lstrip(".~-")
    except UnsafeNameError:
        return True


_IS_LINK: Final = _say.notice("guest-is-link")
_TOO_MUCH: Final = _say.notice("guest-too-much", MOST_ENTRIES=MOST_ENTRIES)
