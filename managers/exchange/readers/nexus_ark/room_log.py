"""A log taken apart into its messages: where one ends and the next begins.

A header (`## USER:…`, `## AGENT:…`, `## SYSTEM:…`) begins a message, but people and models write lines that look like one.
The app ends what is spoken with a line that holds the date, and an empty line, so a header behind these is certain. Of the
others those are taken for text that stand in the middle of a block, of a paragraph, or under a name that nobody has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from sys import intern
from typing import Final, NamedTuple

from managers.exchange.readers.nexus_ark.room_dates import date_line
from managers.memory.messages import Role

_HEADER: Final = re.compile(r"^##[ \t]?(USER|AGENT|SYSTEM):(.*)$", re.MULTILINE)
_OLD_HEADER: Final = re.compile(r"^## ([^:\uff1a\n#]{1,60})[:\uff1a][ \t]*$", re.MULTILINE)
"""What the first versions wrote: `## ユーザー:` and `## <persona>:`."""
UNNAMED: Final = frozenset({"ユーザー", "user", "あなた", "you"})
"""What a user is called, in small letters, whose name nobody said."""
_OLD_PROGRAM: Final = ("システム", "system")
_ROLES: Final[dict[str, Role]] = {"USER": "user", "AGENT": "persona", "SYSTEM": "system"}
_BLOCK_MARKS: Final = (
    r"(?P<fence>^```)",
    r"\[(?P<open1>THOUGHT|RAW_RESULT)\]",
    r"\[/(?P<close1>THOUGHT|RAW_RESULT)\]",
    r"<(?P<open2>details|think|thinking)\b",
    r"</(?P<close2>details|think|thinking)>",
    r"【(?P<open3>Thoughts)】",
    r"【/(?P<close3>Thoughts)】",
)
_BLOCK: Final = re.compile("|".join(_BLOCK_MARKS), re.MULTILINE | re.IGNORECASE)
_MOST_SPEAKERS: Final = 6
_MOST: Final = 0.6
"""Such a share makes a habit."""
_ENOUGH: Final = 8
"""So many messages show whether all have a date; of so many one may lack it."""


@dataclass(frozen=True, slots=True)
class LogPiece:
    """A message as it stands in a log of perhaps hundreds of thousands, from the `line` of its header on (from 1)."""

    role: Role
    speaker: str
    line: int
    _log: str
    _start: int
    _end: int

    @property
    def body(self) -> str:
        """All that stands under the header, but for the empty lines around."""
        return self._log[self._start : self._end].strip("\n")

    def alone(self) -> LogPiece:
        """Return it without the log around it, which then need not be kept."""
        body = self.body
        return LogPiece(self.role, self.speaker, self.line, body, 0, len(body))


@dataclass(frozen=True, slots=True)
class LogPieces:
    """A log that was taken apart: the messages, and what stands before the first one."""

    before: str
    pieces: tuple[LogPiece, ...]


@dataclass(slots=True)
class _Candidate:
    """A line that looks like a header; `is_dated`: the line before it that says something is the app's date."""

    role: Role
    speaker: str
    start: int
    end: int
    is_dated: bool = False
    is_apart: bool = False


class RoomNames(NamedTuple):
    """Under which names user and persona speak in the logs of the first versions."""

    users: frozenset[str] = frozenset()
    personas: frozenset[str] = frozenset()


_NOBODY: Final = RoomNames()


def split_log(text: str, who: RoomNames = _NOBODY) -> LogPieces:
    """Take a log apart; line ends are line feeds."""
    candidates = [
        _Candidate(_ROLES[found[1]], found[2].strip(), found.start(), found.end()) for found in _HEADER.finditer(text)
    ]
    for candidate, end in zip(candidates, [0, *(one.end for one in candidates)], strict=False):
        said = date_line(_last_line(text, end, candidate.start))
        candidate.is_dated = said is not None and said.has_clock and said.is_formal
        line = text.rfind("\n", 0, max(0, candidate.start - 1)) + 1
        candidate.is_apart = not text[line : candidate.start].strip()
    headers = _real(text, candidates)
    before, old = _old_pieces(text[: headers[0].start] if headers else text, who)
    return LogPieces(before, (*old, *_cut(text, headers)))


def _last_line(text: str, begin: int, end: int) -> str:
    """Return the last line of a part of a text that says something."""
    while end > begin and text[end - 1] in "\n ":
        end -= 1
    return text[max(begin, text.rfind("\n", begin, end) + 1) : end]


def _real(text: str, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the headers among the lines that look like one."""
    blocks, habits = _Blocks(text), _Habits(candidates)
    real: list[_Candidate] = []
    for number, one in enumerate(candidates):
        if (
            not real
            or one.is_dated
            or not (blocks.holds(one.start, habits.next_certain(number)) or habits.deny(real[-1], one))
        ):
            real.append(one)
            blocks.begin(one.end)
    return real


class _Habits:
    """What the headers of a log have in common."""

    def __init__(self, candidates: Sequence[_Candidate]) -> None:
        pairs = list(pairwise(candidates))
        spoken = [after.is_dated for before, after in pairs if before.role != "system"]
        self._dates = bool(spoken) and sum(spoken) >= _MOST * len(spoken)
        missing = len(spoken) - sum(spoken)
        self._always = len(spoken) >= _ENOUGH and missing <= max(1, len(spoken) // _ENOUGH)
        self._gaps = sum(one.is_apart for one in candidates) >= _MOST * len(candidates)
        certain = [one for one in candidates if one.is_dated or one is candidates[0]]
        self._names = {(one.role, one.speaker) for one in certain}
        self._next: list[int] = []
        ahead = candidates[-1].end + 1_000_000_000 if candidates else 0
        for after in [None, *reversed(candidates[1:])]:
            if after is not None and (after.is_dated or not self._dates):
                ahead = after.start
            self._next.append(ahead)
        self._next.reverse()

    def next_certain(self, number: int) -> int:
        """Return where the next header stands that surely is one; where no dates tell, the next that looks like one."""
        return self._next[number]

    def deny(self, current: _Candidate, one: _Candidate) -> bool:
        """Tell whether a line that looks like a header belongs to the message before it."""
        if self._gaps and not one.is_apart:
            return True
        spoken = current.role != "system" and one.role != "system"
        return self._always and spoken and (one.role, one.speaker) not in self._names


class _Blocks:
    """Follows which block (thoughts, a tool's result, code) is open, from a message's beginning on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open = ""
        self._closes: dict[str, int] = {}

    def begin(self, at: int) -> None:
        self._at, self._open = at, ""

    def holds(self, at: int, until: int) -> bool:
        """Tell whether a place is in a block that is closed before `until`."""
        for found in _BLOCK.finditer(self._text, self._at, at):
            if found["fence"]:
                self._open = "" if self._open == "```" else self._open or "```"
            elif opened := (found["open1"] or found["open2"] or found["open3"]):
                self._open = self._open or opened.lower()
            elif (found["close1"] or found["close2"] or found["close3"] or "").lower() == self._open:
                self._open = ""
        self._at = at
        return bool(self._open) and at <= self._close(at) < until

    def _close(self, at: int) -> int:
        """Return where the open block ends; beyond everything where it does not."""
        there = self._closes.get(self._open, -1)
        if there < at:
            form = "^```" if self._open == "```" else rf"[\[<【]/{self._open}[\]>】]"
            found = re.compile(form, re.MULTILINE | re.IGNORECASE).search(self._text, at)
            there = self._closes[self._open] = found.start() if found else len(self._text) + 2_000_000_000
        return there


def _cut(text: str, headers: Sequence[_Candidate]) -> list[LogPiece]:
    pieces: list[LogPiece] = []
    line, counted = 1, 0
    ends = [*(one.start for one in headers), len(text)][1:]
    for one, end in zip(headers, ends, strict=True):
        line += text.count("\n", counted, one.start)
        counted = one.start
        pieces.append(LogPiece(one.role, intern(one.speaker), line, text, one.end, end))
    return pieces


def _old_pieces(text: str, who: RoomNames) -> tuple[str, list[LogPiece]]:
    """Take apart what the first versions wrote, which is what stands before the first header of later ones.

    A document with headings looks much like it; in a conversation few speak, again and again, or under names that are known.
    """
    found = list(_OLD_HEADER.finditer(text))
    names = Counter(one[1].strip() for one in found)
    known = {name for name in names if name in who.personas | who.users or name.lower() in UNNAMED}
    if len(names) > _MOST_SPEAKERS or not (known or (len(names) > 1 and max(names.values()) > 1)):
        return text.strip("\n"), []
    headers = [
        _Candidate(_old_role(one[1].strip(), who, known), one[1].strip(), one.start(), one.end()) for one in found
    ]
    return text[: headers[0].start].strip("\n"), _cut(text, headers)


def _old_role(name: str, who: RoomNames, known: set[str]) -> Role:
    """Return who spoke: the user had any name, and where none of those is known, whoever is not the persona is the user."""
    if name.lower().startswith(_OLD_PROGRAM):
        return "system"
    if name in who.personas:
        return "persona"
    is_user = name in known or (known <= who.personas and bool(known))
    return "user" if is_user else "persona"
