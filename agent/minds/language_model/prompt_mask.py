"""Hide what is private in one request to a model, and put it back in what the model answers."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agent.minds.language_model.request import Prompt
from managers.language.masking.placeholders import Mask, Showing
from managers.mind import ChatTurn, ReasoningPiece, ReplyPiece, TextPiece, ToolCall
from managers.storage.texts import Texts

_say = Texts("prompts/minds")


class PromptMask:
    """One request: its prompt with placeholders, and its answer without them. Without a mask both stay as they are."""

    def __init__(self, mask: Mask | None) -> None:
        self._mask = mask
        self._showing: dict[type[TextPiece | ReasoningPiece], Showing] = {}
        self._last: type[TextPiece | ReasoningPiece] = TextPiece

    def hide(self, prompt: Prompt) -> Prompt:
        """Return the prompt as the model may see it: its instructions, every turn, what was quoted, tools' arguments."""
        given = replace(prompt.given, is_masked=self._mask is not None)
        if self._mask is None:
            return replace(prompt, given=given)
        system, turns = self._mask.hide(prompt.system), [self._hidden(turn, self._mask) for turn in prompt.turns]
        if self._mask.replacements:
            system = f"{system}\n\n{_say('placeholders', prompt.language)}".lstrip()
        return replace(prompt, system=system, turns=turns, given=given)

    def show(self, pieces: Iterable[ReplyPiece]) -> Iterator[ReplyPiece]:
        """Yield the pieces with what their placeholders stand for; a placeholder that is cut waits for its rest."""
        if self._mask is None:
            yield from pieces
            return
        for piece in pieces:
            if isinstance(piece, TextPiece | ReasoningPiece):
                yield from self._rest(unless=type(piece))
                said = self._showing.setdefault(type(piece), Showing(self._mask)).feed(piece.text)
                self._last = type(piece)
                if said:
                    yield type(piece)(said)
                continue
            yield from self.rest()
            if isinstance(piece, ToolCall):
                yield replace(piece, arguments=self._mask.show_in(piece.arguments))
            else:
                yield piece

    def rest(self) -> Iterator[ReplyPiece]:
        """Yield what still waited: the answer has ended, or broken off."""
        yield from self._rest(unless=None)

    def _rest(self, unless: type[TextPiece | ReasoningPiece] | None) -> Iterator[ReplyPiece]:
        if self._last in self._showing and self._last is not unless and (held := self._showing[self._last].finish()):
            yield self._last(held)

    @staticmethod
    def _hidden(turn: ChatTurn, mask: Mask) -> ChatTurn:
        calls = tuple(replace(call, arguments=mask.hide_in(call.arguments)) for call in turn.tool_calls)
        quoted = mask.hide(turn.quoted)  # it stands before the words
        return replace(turn, quoted=quoted, text=mask.hide(turn.text), tool_calls=calls)
