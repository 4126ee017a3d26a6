"""Count what each call of a model takes, before it is made and after it, however it ends.

A mind without an account (in tests and scripts) is not counted; the minds that `MindChooser` hands out
in the app all have one.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from agent.minds.endpoint import Endpoint
from agent.minds.errors import NOTHING_SPENT, MindError
from agent.minds.language_model.hearing import Hearing
from agent.minds.tokens import MESSAGE_OVERHEAD
from managers.usage.caps import Wish
from managers.usage.ledger import Outcome
from managers.usage.meter import Account, OpenCall

LEAST_ANSWER = 512
"""Tokens; with less room than this a model that thinks first would say nothing, and be paid for it."""

Count = Callable[[str], int]


class Counting:
    """One call, being counted; `output_tokens` is how long its answer may be (None: as long as it likes)."""

    def __init__(self, call: OpenCall | None, input_tokens: int, count: Count) -> None:
        """Hold the open call, what it reads by estimate, and how to estimate."""
        self.output_tokens = call.output_tokens if call else None
        self._call = call
        self._input_tokens = input_tokens
        self._count = count

    def live(self) -> None:
        """Note that a piece has come."""
        if self._call is not None:
            self._call.live()

    def end(self, hearing: Hearing, error: MindError | None, *, is_whole: bool) -> None:
        """Note what was spent.

        Args:
            hearing: what came.
            error: how it failed.
            is_whole: the answer was heard to its end.
        """
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


def open_call(
    account: Account | None,
    endpoint: Endpoint,
    *,
    input_tokens: int,
    room: int,
    can_limit: bool,
    seconds: float,
    count: Count,
) -> Counting:
    """Let a call begin, if no cap can be passed by it.

    Args:
        account: on which it is counted.
        endpoint: where it goes.
        input_tokens: what it reads, estimated and never too low.
        room: how much the model could write besides, in tokens.
        can_limit: the model can be told how much it may write.
        seconds: the time limit for each next piece.
        count: estimates the tokens of a text.

    Raises:
        CapReachedError: it must not be made.
    """
    if account is None:
        return Counting(None, input_tokens, count)
    wish = Wish(input_tokens, room, LEAST_ANSWER if can_limit else room, can_limit=can_limit)
    return Counting(account.open(endpoint.priced, wish, 2 * seconds + 30), input_tokens, count)


def form_tokens(asked: dict[str, object], count: Count) -> int:
    """Return what the form of an answer takes, where it is sent as a form of its own, and a little for safety."""
    return 2 * MESSAGE_OVERHEAD + (count(json.dumps(asked, ensure_ascii=False, default=str)) if asked else 0)
