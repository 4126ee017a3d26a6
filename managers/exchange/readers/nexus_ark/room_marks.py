"""What stands under a header, taken apart: what was said, and what the app wrote between it (thoughts, faces, files, results)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from managers.exchange.readers.nexus_ark.room_dates import DateLine, date_line
from managers.memory.messages import Role

_STRAY_ENDS: Final = r"\[/(?:THOUGHT|RAW_RESULT)\]|【/Thoughts】|</(?:think(?:ing)?|memory_trace|persona_emotion)>"
_FILE_WORDS: Final = "ファイル添付|画像添付|VIEW_IMAGE|Generated Image"
_FILE: Final = rf"\[(?:{_FILE_WORDS})[:\uff1a][ \t]?(?P<file>[^\]\n]{{1,1000}})\]"
_MARKS: Final = (
    r"(?P<fence>^```)",
    r"\[(?P<thought1>THOUGHT)\]|【(?P<thought2>Thoughts)】|<(?P<thought3>think|thinking)>",
    f"(?P<stray>{_STRAY_ENDS})",
    r"\[(?P<raw>RAW_RESULT)\]",
    r"(?P<details><details\b[^<>\n]{0,200}>)",
    r"【表情】[…‥.]{0,6}(?P<face>\w{1,40}?)(?:[…‥.]{1,6}|(?=\s)|\Z)",
    r"<persona_emotion\b(?P<felt>[^<>\n]*?)/?>",
    r"<memory_trace\b(?P<trace>[^<>\n]*?)/?>",
    _FILE,
)
_MARK: Final = re.compile("|".join(_MARKS), re.MULTILINE | re.IGNORECASE)
_DETAILS: Final = re.compile(r"<(/?)details\b[^<>\n]{0,200}>", re.IGNORECASE)
_THOUGHT_LINE: Final = re.compile(r"^[ \t]*THOUGHT:[ \t]*(.*)(?:\n|\Z)", re.MULTILINE | re.IGNORECASE)
_CATEGORY: Final = re.compile(r"category\s*=\s*[\"'“”]?([^\"'“”\s]+)")
_CLOSES: Final = {
    "thought1": re.compile(r"\[/THOUGHT\]", re.IGNORECASE),
    "thought2": re.compile(r"【/Thoughts】", re.IGNORECASE),
    "thought3": re.compile(r"</think(?:ing)?>", re.IGNORECASE),
    "raw": re.compile(r"\[/RAW_RESULT\]", re.IGNORECASE),
    "fence": re.compile(r"^```[ \t]*$", re.MULTILINE),
}
_THOUGHTS: Final = frozenset({"thought1", "thought2", "thought3"})
_OF_PERSONA: Final = _THOUGHTS | {"stray", "face", "felt", "trace"}
"""Only the persona writes these; in what somebody else says they are words."""


@dataclass(slots=True)
class ReadBody:
    """What stands under a header.

    Attributes:
        text: what was said, word for word.
        date: the line that says when, if there is one.
        thought, emotion: what was thought and felt with it.
        files: the files that it names, as it names them.
        notes: all else, by kind.
    """

    text: str = ""
    date: DateLine | None = None
    thought: str = ""
    emotion: str = ""
    files: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def read_body(role: Role, body: str) -> ReadBody:
    """Take apart what stands under a header."""
    found = ReadBody()
    rest = _without_date(body.strip("\n"), found)
    rest = _Marks(rest, role, found).text().strip("\n")
    if found.date is None:
        rest = _without_date(rest, found)
    while role == "persona" and (line := date_line(rest.rpartition("\n")[2])) and line.is_formal and line.has_second:
        found.notes.append(("date_line", rest.rpartition("\n")[2]))  # models imitate what they read
        rest = rest.rpartition("\n")[0].rstrip("\n")
    if found.date is None:
        rest = _without_first_date(rest, found)
    if role == "persona" and "thought:" in rest.lower():
        lines = [one[1] for one in _THOUGHT_LINE.finditer(rest)]
        found.thought = "\n".join([*filter(None, [found.thought]), *lines])
        rest = _THOUGHT_LINE.sub("", rest)
    found.text = rest.strip("\n")
    return found


def date_of(role: Role, body: str) -> DateLine | None:
    """Return the line of a body that says when; nearly always it is the last one, and nothing else need be looked at."""
    last = body[body.rfind("\n") + 1 :]
    line = date_line(last)
    return line if line is not None and line.is_formal and line.has_clock else read_body(role, body).date


def _without_date(text: str, found: ReadBody) -> str:
    """Note the date that a text ends with, and return the text before it."""
    before, _, last = text.rpartition("\n")
    line = date_line(last)
    if line is None or not (line.is_formal or not before or before.endswith("\n")):
        return text
    if not line.has_clock and before and not before.endswith("\n"):
        return text
    _note_date(line, last, found)
    return before.rstrip("\n")


def _without_first_date(text: str, found: ReadBody) -> str:
    first, _, rest = text.partition("\n")
    line = date_line(first)
    if line is None or not line.has_clock:
        return text
    _note_date(line, first, found)
    return rest


def _note_date(line: DateLine, words: str, found: ReadBody) -> None:
    found.date = line
    if line.time is None:
        found.notes.append(("date_line", words))


class _Marks:
    """Goes through a body once and puts what it finds where it belongs."""

    def __init__(self, body: str, role: Role, found: ReadBody) -> None:
        self._body, self._role, self._found = body, role, found
        self._said: list[str] = []
        self._thoughts: list[str] = []
        self._endless: dict[str, bool] = {}  # which kinds of blocks have no end, and whether their marks are no words
        self._at = 0

    def text(self) -> str:
        """Return the body without its marks."""
        looked = 0
        while (mark := _MARK.search(self._body, looked)) is not None:
            end = self._end_of(mark)
            if end is None:
                looked = mark.end()
            elif mark["fence"]:
                looked = end
            else:
                self._say(self._body[self._at : mark.start()])
                self._at = looked = self._beyond_line(end)
        self._said.append(self._body[self._at :])
        self._found.thought = "\n\n".join(self._thoughts)
        return "".join(self._said)

    def _say(self, words: str) -> None:
        if words:
            self._said.append(words)

    def _end_of(self, mark: re.Match[str]) -> int | None:
        """Take a mark in and return where it ends; None where it is nothing but words."""
        kind = mark.lastgroup or ""
        if kind in _OF_PERSONA and self._role != "persona":
            return None
        if kind in _CLOSES:
            return self._block(mark, kind)
        if kind == "details":
            return None if self._role == "user" else self._details(mark)
        takes: dict[str, Callable[[str], None]] = {
            "stray": lambda words: self._note("stray_mark", words),
            "face": self._face,
            "felt": self._felt,
            "trace": lambda words: self._note("memory_trace", words),
            "file": lambda words: self._found.files.append(words.strip()),
        }
        takes[kind](mark[kind])
        return mark.end()

    def _block(self, mark: re.Match[str], kind: str) -> int | None:
        if kind in self._endless:
            return self._stray(mark) if self._endless[kind] else None
        close = _CLOSES[kind].search(self._body, mark.end())
        is_word = kind == "thought3" and not self._body[: mark.start()].isspace() and mark.start() > 0
        if close is None and (kind == "fence" or is_word):
            self._endless[kind] = False
            return None
        if close is None and kind in _THOUGHTS and not self._has_said(mark.start()):
            self._endless[kind] = True
            return self._stray(mark)
        if kind == "fence":
            return close.end() if close else None
        inside = self._body[mark.end() : close.start() if close else len(self._body)]
        if kind == "raw":
            self._note_with_files("raw_result", inside)
        elif inside.strip():
            self._thoughts.append(inside.strip("\n"))
        return close.end() if close else len(self._body)

    def _has_said(self, until: int) -> bool:
        """Tell whether anything is spoken before a place: if all the rest were thoughts, nobody would see an answer."""
        return any(map(str.strip, [*self._said, self._body[self._at : until]]))

    def _stray(self, mark: re.Match[str]) -> int:
        self._note("stray_mark", mark[0])
        return mark.end()

    def _details(self, mark: re.Match[str]) -> int | None:
        if "details" in self._endless:
            return None
        depth = 0
        for found in _DETAILS.finditer(self._body, mark.start()):
            depth += -1 if found[1] else 1
            if depth == 0:
                self._note_with_files("details", self._body[mark.end() : found.start()])
                return found.end()
        self._endless["details"] = False
        return None

    def _face(self, name: str) -> None:
        self._note("expression", name)
        self._found.emotion = self._found.emotion or name

    def _felt(self, words: str) -> None:
        self._note("persona_emotion", words)
        if category := _CATEGORY.search(words):
            self._found.emotion = category[1]

    def _note(self, kind: str, words: str) -> None:
        if words.strip():
            self._found.notes.append((kind, words.strip()))

    def _note_with_files(self, kind: str, words: str) -> None:
        """Note what stands in a block; the pictures that a tool drew are named in there alone."""
        self._note(kind, words)
        self._found.files += [found["file"].strip() for found in re.finditer(_FILE, words, re.IGNORECASE)]

    def _beyond_line(self, end: int) -> int:
        """Return where what is said goes on behind a mark: a line that the mark had for itself goes with it."""
        said = self._said[-1] if self._said else "\n"
        if not said.endswith("\n"):
            return end
        while self._body.startswith("\n", end) and (end == 0 or said.endswith("\n")):
            end += 1
            if not said.endswith("\n\n") and self._said:
                break
        return end
