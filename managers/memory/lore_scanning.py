"""Which entries of a lorebook a conversation calls up."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from managers.memory.lore_keys import Bounds, Key, PatternKey, Scanned, WordKey, key_of
from managers.memory.lorebook import SCAN_DEPTH, Lorebook, LoreEntry

MAX_ROUNDS: Final = 3
"""How often the entries that were called up are themselves looked through for keys."""
MAX_ENTRIES: Final = 20_000
_GROUP_WEIGHT: Final = 100
MAX_SCANNED: Final = 50_000
"""Characters that are looked through, of the newest messages and of entries; more is no conversation."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the conversation; a mind is asked after those of the user."""

    text: str
    is_users: bool


@dataclass(frozen=True, slots=True)
class _Compiled:
    """An entry with its keys made ready.

    Attributes:
        depth: how many of the newest messages it looks through.
        content: what is told, without the lines for programs at its head.
    """

    entry: LoreEntry
    content: str
    keys: tuple[Key, ...]
    secondary: tuple[Key, ...]
    excluding: tuple[Key, ...]
    depth: int


class LoreScanner:
    """A lorebook made ready to be asked; made once for each version of the file."""

    def __init__(self, book: Lorebook) -> None:
        self.book = book
        live = [one for one in [*book.entries.values()][:MAX_ENTRIES] if one.enabled]
        made = (_compiled(one, book) for one in live)
        self._entries = [one for one in made if one is not None]
        self._standing = [one for one in self._entries if one.entry.constant]
        self._waiting = [one for one in self._entries if not one.entry.constant]
        self._deepest = max((one.depth for one in self._waiting), default=0)
        self._by_beginning: dict[str, list[int]] = {}
        self._always: set[int] = set()
        for number, one in enumerate(self._waiting):
            self._file_under(number, one)

    def _file_under(self, number: int, one: _Compiled) -> None:
        """Note under which beginnings of words an entry is looked at; one with a pattern, or that stays, is in any case."""
        if one.entry.more.sticky or one.entry.more.cooldown:
            self._always.add(number)
        for key in one.keys:
            if isinstance(key, WordKey):
                self._by_beginning.setdefault(key.beginning, []).append(number)
            else:
                self._always.add(number)

    def _candidates(self, words: Scanned) -> list[_Compiled]:
        """Return the entries that words may call up; the others have no key that begins as anything in them does."""
        found = set(self._always)
        for beginning in words.beginnings():
            found.update(self._by_beginning.get(beginning, ()))
        return [self._waiting[number] for number in sorted(found)]

    @property
    def slow(self) -> set[str]:
        """The keys that took too long to look for and are not tried any more, as they are written."""
        keys = (key for one in self._entries for key in (*one.keys, *one.secondary))
        return {key.text for key in keys if isinstance(key, PatternKey) and key.is_too_slow}

    def standing(self) -> list[LoreEntry]:
        """Return the entries that are told always, in their order."""
        return _told(self._standing)

    def called_up(self, said: Sequence[Said]) -> list[LoreEntry]:
        """Return the entries that the conversation calls up, in their order; those that are told always are not among them.

        Args:
            said: the conversation, oldest first, the message that is to be answered last.
        """
        if not said:
            return []
        asked = _Asked(said)
        found = [one for one in self._candidates(asked.newest(self._deepest)) if asked.holds(one)]
        if self.book.settings.recursive_scanning:
            found = self._with_called_by_entries(asked, found)
        return _told(_one_of_each_group(found, said[-1].text))

    def _with_called_by_entries(self, asked: _Asked, found: Sequence[_Compiled]) -> list[_Compiled]:
        """Return also what the words of entries call up, and what the words of those do, a few times over."""
        known, newest = [*found], [*self._standing, *found]
        for _ in range(MAX_ROUNDS):
            told = "\n".join(one.content for one in newest if not one.entry.more.prevent_recursion)[:MAX_SCANNED]
            if not told:
                break
            among = {id(one) for one in known}
            by_depth = _BothWords(asked, Scanned.of(told))
            candidates = self._candidates(by_depth[self._deepest])
            rest = (one for one in candidates if id(one) not in among and not one.entry.more.exclude_recursion)
            newest = [one for one in rest if asked.fits(one, by_depth[one.depth])]
            known += newest
        return known


class _Asked:
    """A conversation that is looked through for keys; each stretch of it is made ready once."""

    def __init__(self, said: Sequence[Said]) -> None:
        self._said = said
        self._bounds = Bounds()
        self._stretches: dict[tuple[int, int], Scanned] = {}

    def holds(self, one: _Compiled) -> bool:
        """Tell whether an entry is told now: called up now, or a while ago and to stay."""
        more, last = one.entry.more, len(self._said) - 1
        if len(self._said) <= (more.delay or 0):
            return False
        if not (more.sticky or more.cooldown):
            return self._is_called(one, last)
        stays, rests, is_on = -1, -1, False
        for at in [at for at, said in enumerate(self._said[:-1]) if said.is_users] + [last]:
            if at <= stays:
                is_on = True
                continue
            is_on = at > rests and self._is_called(one, at)
            if is_on:
                stays = at + (more.sticky or 0)
                rests = stays + (more.cooldown or 0)
        return is_on

    def newest(self, depth: int) -> Scanned:
        """Return the words of so many of the newest messages."""
        return self._stretch(len(self._said) - 1, depth)

    def _is_called(self, one: _Compiled, at: int) -> bool:
        return self.fits(one, self._stretch(at, one.depth)) and _is_drawn(one.entry, self._said[at].text)

    def fits(self, one: _Compiled, words: Scanned) -> bool:
        """Tell whether the keys of an entry stand in words as they must."""

        def stands(key: Key) -> bool:
            return key.is_in(words, self._bounds)

        if not any(stands(key) for key in one.keys) or any(stands(key) for key in one.excluding):
            return False
        return not (one.entry.selective and one.secondary) or _second_keys(one, stands)

    def _stretch(self, at: int, depth: int) -> Scanned:
        """Return the words of so many messages up to a place."""
        begin = max(0, at + 1 - depth)
        if (begin, at) not in self._stretches:
            text = "\n".join(one.text for one in self._said[begin : at + 1]) if depth else ""
            self._stretches[begin, at] = Scanned.of(text[-MAX_SCANNED:])
        return self._stretches[begin, at] if depth else Scanned("", "", "")


class _BothWords(dict[int, Scanned]):
    """What other entries say, behind the conversation: by how many of its messages."""

    def __init__(self, asked: _Asked, words: Scanned) -> None:
        super().__init__()
        self._asked = asked
        self._words = words

    def __missing__(self, depth: int) -> Scanned:
        self[depth] = both = self._asked.newest(depth).with_more(self._words)
        return both


def within_budget(entries: Sequence[LoreEntry], tokens: int, count: Callable[[str], int]) -> list[LoreEntry]:
    """Return the entries that fit into so many tokens, the most important ones if not all do, in the order given."""
    ranked = sorted(entries, key=lambda one: (-(one.priority or 0), -one.order))
    kept: set[int] = set()
    for one in ranked:
        size = count(one.content) + 1
        if size <= tokens:
            tokens -= size
            kept.add(id(one))
    return [one for one in entries if id(one) in kept]


def unreadable_keys(entry: LoreEntry) -> list[str]:
    """Return the patterns of an entry that cannot be read."""
    several = (*entry.keys, *entry.secondary_keys)
    return [text for text in several if text.strip() and _key(entry, text) is None]


def _second_keys(one: _Compiled, stands: Callable[[Key], bool]) -> bool:
    """Tell whether the secondary keys allow an entry: any of them, not all, none, or all, by SillyTavern's numbers."""
    match one.entry.more.selective_logic:
        case 1:
            return not all(stands(key) for key in one.secondary)
        case 2:
            return not any(stands(key) for key in one.secondary)
        case 3:
            return all(stands(key) for key in one.secondary)
        case _:
            return any(stands(key) for key in one.secondary)


def _is_drawn(entry: LoreEntry, text: str) -> bool:
    """Tell whether an entry that comes up only sometimes does so with a message: decided by its words, so it stays so."""
    chance = entry.more.probability
    if chance is None or not entry.more.use_probability:
        return True
    return zlib.crc32(f"{entry.content}\n{text}".encode()) % 100 < chance


def _one_of_each_group(found: Sequence[_Compiled], text: str) -> list[_Compiled]:
    """Return entries, of those that share a group the one that overrides, or one that a message's words draw by weight."""
    groups: dict[str, list[_Compiled]] = {}
    for one in found:
        for name in _listed(one.entry.more.group):
            groups.setdefault(name, []).append(one)
    out: set[int] = set()
    for name, several in groups.items():
        rivals = [one for one in several if id(one) not in out]
        out |= {id(one) for one in rivals if one is not _winner(rivals, f"{name}\n{text}")}
    return [one for one in found if id(one) not in out]


def _winner(rivals: Sequence[_Compiled], drawn_by: str) -> _Compiled:
    if any(one.entry.more.group_override for one in rivals):
        return max((one for one in rivals if one.entry.more.group_override), key=lambda one: one.entry.order)
    weights = [_GROUP_WEIGHT if one.entry.more.group_weight is None else one.entry.more.group_weight for one in rivals]
    at = zlib.crc32(drawn_by.encode()) % max(sum(weights), 1)
    return next((one for one, end in zip(rivals, accumulate(weights), strict=True) if at < end), rivals[0])


def _told(several: Sequence[_Compiled]) -> list[LoreEntry]:
    """Return entries with what is told of them, in their order."""
    ordered = sorted(several, key=lambda one: one.entry.order)
    return [one.entry.model_copy(update={"content": one.content}) for one in ordered if one.content]


def _compiled(entry: LoreEntry, book: Lorebook) -> _Compiled | None:
    """Return an entry made ready; None if it can never be told."""
    content, marks = _without_marks(entry.content)
    if not content or "dont_activate" in marks:
        return None
    depth = entry.more.scan_depth
    if depth is None:
        depth = _number(marks.get("scan_depth"))
    if depth is None:
        depth = book.settings.scan_depth
    also = [*entry.keys, *_listed(marks.get("additional_keys"))]
    if "constant" in marks:
        entry = entry.model_copy(update={"constant": True})
    return _Compiled(
        entry,
        content,
        _keys(entry, also),
        _keys(entry, entry.secondary_keys),
        _keys(entry, _listed(marks.get("exclude_keys"))),
        SCAN_DEPTH if depth is None else depth,
    )


def _without_marks(content: str) -> tuple[str, Mapping[str, str]]:
    """Return what an entry tells, and the lines for programs at its head (`@@name value`, version 3), by name."""
    lines, marks = content.split("\n"), dict[str, str]()
    while lines and lines[0].startswith("@@"):
        name, _, value = lines.pop(0).lstrip("@").strip().partition(" ")
        marks.setdefault(name, value)
    return "\n".join(lines).strip(), marks


def _keys(entry: LoreEntry, texts: Sequence[str]) -> tuple[Key, ...]:
    return tuple(key for text in texts if (key := _key(entry, text)) is not None)


def _key(entry: LoreEntry, text: str) -> Key | None:
    whole = entry.more.match_whole_words
    return key_of(text, is_pattern=entry.use_regex, is_cased=entry.case_sensitive, whole_words=whole)


def _listed(value: str | None) -> list[str]:
    return [one.strip() for one in (value or "").split(",") if one.strip()]


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() and len(value) < 4 else None  # noqa: PLR2004  # messages
