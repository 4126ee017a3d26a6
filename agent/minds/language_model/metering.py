"""Count what each call of a model takes, before it is made and after it, however it ends.

A mind without an account (in tests and scripts) is not counted; the minds that `MindChooser` hands out
in the app all have one.
"""

from agent.minds.errors import NOTHING_SPENT, MindError
from agent.minds.language_model.hearing import Hearing
from agent.minds.tokens import Count
from managers.usage.ledger import Outcome
from managers.usage.meter import OpenCall

LEAST_ANSWER = 512
"""Tokens; with less room than this a model that thinks first would say nothing, and be paid for it."""


class Counting:
    """One call, being counted."""

    def __init__(self, call: OpenCall | None, input_tokens: int, count: Count) -> None:
        self._call = call
        self._input_tokens = input_tokens
        self._count = count

    def live(self) -> None:
        """Note that a piece has come."""
        if self._call is not None:
            self._call.live()

    def end(self, hearing: Hearing, error: MindError | None, *, is_whole: bool) -> None:
        if self._call is None:
            return
        if isinstance(error, NOTHING_SPENT) and not hearing.began:
            self._call.release()
            return
        read, written = hearing.usage.input_tokens, hearing.usage.output_tokens
        heard = "".join(hearing.written)
        is_estimated = not read or not (is_whole or error is not None) or bool(heard and not written)
        if is_estimated:  # what was reported may be from half-way, or not be there at all
            read = read or self._input_tokens
            written = max(written, self._count(heard))
        outcome: Outcome = "failed" if error is not None else "done" if is_whole else "stopped"
        self._call.settle(read, written, is_estimated=is_estimated, outcome=outcome)
