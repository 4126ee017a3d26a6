"""Marks of time in a talk: a model cannot see when something was said, and days run into one another without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.prompts.system_prompt import is_apart, mark
from managers.mind import ChatTurn
from managers.storage.errors import Lang


def with_marks(turns: Sequence[ChatTurn], lang: Lang) -> list[ChatTurn]:
    """Return the turns with a mark before the first, and where a new day begins or hours have passed."""
    marked: list[ChatTurn] = []
    for before, turn in zip([None, *turns], turns, strict=False):
        is_first = before is None or before.time is None
        if turn.time is None or (
            before is not None and before.time is not None and not is_apart(before.time, turn.time)
        ):
            marked.append(turn)
        else:
            own = turn.role == "persona" and not is_first
            marked.append(replace(turn, quoted=f"{mark(lang, turn.time, is_own=own)}\n{turn.quoted}".strip()))
    return marked
