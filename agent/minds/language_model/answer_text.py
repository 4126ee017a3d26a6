"""Read a model's text as it comes: tell what is said from what is thought, and leave out what is neither.

Servers hand on what templates and models write into it (`assets/model_marks.toml`): tags of thoughts, calls of tools,
tokens, and after the answer somebody else's words. Only what may still become such a mark waits for what follows it.
"""

from collections.abc import Generator, Iterator
from typing import Any, Final

import regex

from agent.minds.language_model.model_marks import Talk, marks_for
from managers.mind import ReasoningPiece, TakenBack, TextPiece
from managers.storage.texts import table

_CANDIDATE: Final = regex.compile(r"[<\[◁◀]")
_FENCE: Final = regex.compile(r"(?P<fence>[ \t]*(?:```|~~~))")
_SENTENCE_ENDS: Final = tuple("。.!?！？…」』")
_TICKS: Final = regex.compile("(?<!`)`")
_LISTED: Final = regex.compile(r"[ \t\-*・]*[^:：\n]{1,40}[:：]|#|[^\n]*[:：]\s*$|\*\*[^*\n]+\*\*\s*$")
"""A line of a list or above one, in which a name may have its turn."""
_AT_ONCE, _TAIL, _MOST_BLANK, _LONGEST_CLOSE = 2000, 2000, 1000, 120

Piece = TextPiece | ReasoningPiece | TakenBack
Step = Generator[Piece, None, bool]
"""Yields pieces; returns whether to look on."""


def may_start_thinking(model: str) -> bool:
    """Say whether a model of this name may begin inside a thought that its template has opened."""
    return regex.search(table("model_marks")["opened_by_template"], model, regex.IGNORECASE) is not None


class AnswerText:
    """Feed it pieces, then `finish` it.

    Attributes:
        unopened: a closing tag came with no opening one: this model starts inside a thought.
        is_cut: the answer is over; what comes after it is left out.
        calls: what was written as calls of tools.
    """

    def __init__(self, talk: Talk | None = None, *, starts_thinking: bool = False) -> None:
        """Begin; `starts_thinking` if the text may begin inside a thought."""
        self.unopened = self.is_cut = False
        self.calls: list[str] = []
        self._marks = marks_for(talk or Talk())
        self._undecided = starts_thinking
        """Nothing says yet whether the beginning is thought or speech: shown as thought, and kept."""
        self._inside = self._call = ""
        """The group of the mark that opened the thought, or the call."""
        self._at_start = self._at_line = True
        self._in_fence = self._is_wrapped = self._is_last = False
        self._held = self._kept = self._tail = self._blank = self._last = ""
        self._ticks = self._looked = 0

    @property
    def hidden(self) -> int:
        """How many characters are kept back."""
        return len(self._held) + sum(map(len, self.calls))

    def thought_elsewhere(self) -> None:
        """Note that the server sends thoughts in a field of their own, so that text is speech."""
        if not self._kept:
            self._undecided = False

    def feed(self, text: str) -> Iterator[Piece]:
        """Take the next piece and yield what is certain."""
        for at in range(0, len(text) or 1, _AT_ONCE):
            self._held += text[at : at + _AT_ONCE]
            goes_on = True
            while goes_on and self._held and not self.is_cut:
                step = self._in_call if self._call else self._in_thought if self._inside else self._in_text
                goes_on = yield from step()
            self._held = "" if self.is_cut else self._held

    def finish(self, *, is_whole: bool = True) -> Iterator[Piece]:
        """Yield what was held back; an unclosed thought stays a thought, and half a call that broke off is none."""
        self._is_last = True
        yield from self.feed("")
        if self._undecided and self._kept and is_whole:
            self._undecided, self._at_start, self._held = False, True, self._kept  # no tag came at all: it was speech
            yield from self.feed("")
        if self._call and is_whole:
            self.calls.append(self._held)

    def _find(self, pattern: Any, at: int = 0) -> Any:  # noqa: ANN401  # regex has no types
        return pattern.search(self._held, at, partial=not self._is_last)

    def _match(self, pattern: Any, at: int = 0) -> Any:  # noqa: ANN401  # the same
        return pattern.match(self._held, at, partial=not self._is_last)

    def _waits(self, found: Any) -> bool:  # noqa: ANN401  # the same
        """Tell whether what follows decides how long a mark is, or whether it is one."""
        return found is not None and not self._is_last and (found.partial or found.end() == len(self._held))

    def _in_call(self) -> Step:
        found = self._find(self._marks.closings[self._call], self._looked)
        self._looked = max(self._looked, len(self._held) - _LONGEST_CLOSE)
        if found is None or found.partial:
            return False
        self.calls.append(self._held[: found.end()])
        self._held, self._call, self._at_line = self._held[found.end() :], "", True
        yield from ()
        return True

    def _in_thought(self) -> Step:
        """Pass a thought on until it is closed; a tag between back quotes closes nothing."""
        found = self._find(self._marks.closings[self._inside])
        while found and not found.partial and (self._held[: found.start()] or self._last)[-1:] == "`":
            if not (behind := self._held[found.end() :][:1]) and not self._is_last:
                yield from self._thought(found.start())
                return False
            if behind != "`":
                break
            found = self._find(self._marks.closings[self._inside], found.end())
        is_closed = found is not None and not found.partial
        rest = self._held[found.end() :] if is_closed else ""
        yield from self._thought(found.start() if found else len(self._held))
        if is_closed:
            self._held, self._inside, self._at_start = rest, "", True
        return is_closed

    def _thought(self, end: int) -> Iterator[Piece]:
        text, self._held = self._held[:end], self._held[end:]
        self._last = text[-1:] or self._last
        if text:
            yield ReasoningPiece(text)

    def _in_text(self) -> Step:
        if self._at_start:
            self._held = self._held.lstrip()
            found = self._match(self._marks.start) if self._held else None
            if not self._held or self._waits(found) or self._waits(about := self._about(found)):
                return False
            if found and not about and not (self._undecided and found.lastgroup == "closing"):
                yield from self._met(found)
                return True
            self._at_start = False
        if self._undecided:
            return (yield from self._in_doubt())
        if self._at_line:
            found = self._match(_FENCE if self._in_fence else self._marks.line)
            if self._waits(found) or self._waits(about := self._about(found)):
                return False
            self._at_line = False
            if found and found.lastgroup == "fence":
                self._in_fence, self._ticks = not self._in_fence, 1
            elif found and not about and not self._is_talk(found):
                yield from self._met(found)
                return True
        return (yield from self._in_line())

    def _in_doubt(self) -> Step:
        """Pass on as a thought, and keep, what may be one that the template has opened."""
        found = self._find(self._marks.unopened)
        is_closed = found is not None and not found.partial
        certain, end = (found.start(), found.end()) if found else (len(self._held), 0)
        self._kept, rest = self._kept + self._held[:certain], self._held[end if is_closed else certain :]
        yield from self._thought(certain)
        self._held = rest
        if is_closed:
            self._undecided, self._kept, self._at_start = False, "", True
        return is_closed

    def _about(self, found: Any) -> Any:  # noqa: ANN401  # the same
        """Return what behind a thought's tag tells that the tag is talked about, or may yet tell it."""
        is_tag = found and (found.lastgroup or "").startswith(("thought", "closing", "unopened"))
        return self._match(self._marks.talked, found.end()) if is_tag else None

    def _is_talk(self, found: Any) -> bool:  # noqa: ANN401  # the same
        """Tell whether a mark is only talked about: a name in a list, the end of an example, a token on a line of its own."""
        group, before = found.lastgroup, self._tail + self._held[: found.start()]
        match group:
            case "end_of_line":
                return not before.rpartition("\n")[2].strip()
            case "wrapped":
                return not self._is_wrapped
            case "own" | "others":
                return not before.strip() or _LISTED.match(before.rstrip().rpartition("\n")[2]) is not None
            case "closing" | "unopened":
                return self._marks.openings.search(before) is not None
            case "results":
                return not self.calls
        return "</s>" in found[0] and "<s>" in before

    def _in_line(self) -> Step:
        end = self._held.find("\n") + 1 or len(self._held)
        for one in () if self._in_fence else _CANDIDATE.finditer(self._held, 0, end):
            at = one.start()
            if (self._ticks + self._runs(self._held[:at])) % 2:
                continue
            found = (self._is_last and self._marks.last.match(self._held, at)) or self._match(self._marks.inline, at)
            if found is None and (self._tail + self._held[:at]).endswith(_SENTENCE_ENDS):
                found = self._match(self._marks.after_sentence, at)
            if not found or self._is_talk(found) or ((about := self._about(found)) and not self._waits(about)):
                continue
            yield from self._say(self._held[:at])
            if self._waits(found) or self._waits(about):
                self._held = self._held[at:]
                return False
            yield from self._met(found)
            return True
        said, self._held = self._held[:end], self._held[end:]
        yield from self._say(said)
        return True

    def _met(self, found: Any) -> Iterator[Piece]:  # noqa: ANN401  # the same
        """Leave out a mark, and do what it means."""
        group = found.lastgroup or "end"
        is_first, rest = self._at_start, self._held[found.end() :]
        if group.startswith("thought"):
            self._inside, self._undecided, self._last = group, False, ""
        elif "call" in group:
            self._call, rest, self._looked = group, self._held[found.start() :], found.end() - found.start()
            self._at_start = False
        elif group in {"closing", "unopened"} and not is_first:
            self.unopened = self._at_start = True
            self._tail = self._blank = ""
            yield TakenBack()
        self._is_wrapped |= group == "wrapper"
        self._tail += found[0] if group == "own" and not is_first else ""
        self.is_cut = group in {"end", "end_of_line", "results", "others"} or (group == "mark" and not is_first)
        self._held = rest

    def _say(self, text: str) -> Iterator[Piece]:
        """Pass on what is said; blanks wait for what follows them."""
        line, is_first = text.rpartition("\n")[2], not self._tail
        self._ticks = self._runs(line, "\n") if "\n" in text else self._ticks + self._runs(text)
        self._at_line |= text.endswith("\n")
        self._tail = (self._tail + text)[-_TAIL:]
        text = self._blank + (text.lstrip() if is_first else text)
        said = text.rstrip() if len(text) - len(text.rstrip()) < _MOST_BLANK else text
        self._blank = text[len(said) :]
        if said:
            yield TextPiece(said)

    def _runs(self, text: str, before: str = "") -> int:
        """Return how many runs of back quotes begin in a text."""
        before = before or self._tail[-1:]
        return len(_TICKS.findall(before + text)) - (before == "`")
