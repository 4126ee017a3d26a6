"""Tell what a model says from what it thinks, when both come in one text.

Servers that do not separate the two send the reasoning between tags. Spellings differ, tags are cut
anywhere between two pieces of the stream, some models never close them, and some templates open
them in the prompt, so that only the closing tag is seen.
"""

import re
from collections.abc import Iterator

from managers.mind import ReasoningPiece, TextPiece

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "reason", "analysis", "seed:think")
_OPEN = (
    *(f"<{name}>" for name in _NAMES),
    "[think]",
    "◁think▷",
    "<|begin_of_thought|>",
    "<|channel|>analysis<|message|>",
)
_CLOSE = (
    *(f"</{name}>" for name in _NAMES),
    "[/think]",
    "◁/think▷",
    "<|end_of_thought|>",
    "<|channel|>final<|message|>",
)
_OPENING = re.compile("|".join(re.escape(tag) for tag in _OPEN), re.IGNORECASE)
_CLOSING = re.compile("|".join(re.escape(tag) for tag in _CLOSE), re.IGNORECASE)
_EITHER = re.compile(f"{_OPENING.pattern}|{_CLOSING.pattern}", re.IGNORECASE)

_OPENED_BY_TEMPLATE = re.compile(r"(^|[/_:-])(r1|qwq)([/_:-]|$)|deepseek-r1|-thinking", re.IGNORECASE)


def may_start_thinking(model: str) -> bool:
    """Say whether a model of this name may begin inside a thought that its template has opened."""
    return _OPENED_BY_TEMPLATE.search(model) is not None


class ThoughtSplitter:
    """Cuts a streamed text into speech and thought. Feed it pieces, then `finish` it.

    Attributes:
        unopened: a closing tag came with no opening one: this model starts inside a thought.
    """

    def __init__(self, *, starts_thinking: bool = False) -> None:
        """Begin; `starts_thinking` if the text may begin inside a thought."""
        self.unopened = False
        self._inside = False
        self._undecided = starts_thinking
        """Nothing says yet whether the beginning is thought or speech: shown as thought, and kept."""
        self._kept = ""
        self._held = ""
        self._at_start = True

    def thought_elsewhere(self) -> None:
        """Note that the server sends thoughts in a field of their own, so that text is speech."""
        if not self._kept:
            self._undecided = False

    def feed(self, text: str) -> Iterator[TextPiece | ReasoningPiece]:
        """Take the next piece and yield what is certain."""
        held, start = self._held + text, 0
        while match := (_CLOSING if self._inside else _EITHER).search(held, start):
            before, start = held[start : match.start()], match.end()
            closes = _CLOSING.fullmatch(match[0]) is not None
            if closes and not self._inside and not self._undecided:
                self.unopened = True
            yield from self._out(before, thought=self._inside or (closes and self._undecided))
            self._undecided = False
            self._kept = ""
            self._inside = not closes
            self._at_start = True
        certain = len(held) - _tag_begun(held[start:])
        piece, self._held = held[start:certain], held[certain:]
        yield from self._out(piece, thought=self._inside or self._undecided)

    def finish(self) -> Iterator[TextPiece | ReasoningPiece]:
        """Yield what was held back; an unclosed thought stays a thought."""
        yield from self._out(self._held, thought=self._inside or self._undecided)
        self._held = ""
        if self._undecided and self._kept:
            self._undecided = False
            yield from self._out(self._kept, thought=False)  # no tag came at all: it was speech

    def _out(self, text: str, *, thought: bool) -> Iterator[TextPiece | ReasoningPiece]:
        if self._undecided and thought:
            self._kept += text
        if thought:
            if text:
                yield ReasoningPiece(text)
            return
        if self._at_start:
            text = text.lstrip()
        if text:
            self._at_start = False
            yield TextPiece(text)


def _tag_begun(text: str) -> int:
    """Return how many characters at the end of the text may be the beginning of a tag."""
    tail = text[-max(map(len, _OPEN + _CLOSE)) :].lower()
    for start in range(len(tail)):
        if any(tag.startswith(tail[start:]) for tag in _OPEN + _CLOSE):
            return len(tail) - start
    return 0
