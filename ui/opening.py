"""A room of several sections that is filled in one go, whenever one enters it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.edge import IN_TURN, at_edge
from ui.locales import Texts


@dataclass(frozen=True, slots=True)
class Opening:
    """How a section is filled: a handler, what it is given and what it gives values for."""

    show: Callable[..., Any]
    given: Sequence[Any]
    shown: Sequence[Any]


def open_together(openings: Sequence[Opening], t: Texts, current: gr.State, tab: gr.Tab) -> None:
    """Fill all sections whenever one enters the room, or another persona is chosen; one that fails leaves the others."""
    edge = at_edge(t)

    def show(*values: Any) -> list[Any]:  # noqa: ANN401  # whatever the sections' components hold
        answers: list[Any] = []
        for opening in openings:
            own, values = values[: len(opening.given)], values[len(opening.given) :]
            answer = edge(opening.show)(*own)
            answers += answer if isinstance(answer, tuple) else [answer] * len(opening.shown)
        return answers

    given = [component for opening in openings for component in opening.given]
    shown = [component for opening in openings for component in opening.shown]
    gr.on([tab.select, current.change], show, given, shown, **IN_TURN)
