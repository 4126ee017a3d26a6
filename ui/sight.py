"""What one has before one's eyes in a room: whatever is done there is meant for it.

The server learns whom one talks to when somebody is chosen; what the room shows follows a moment later. What is clicked
in between was decided in view of the persona that was shown, so the browser says whose things it showed when it was
clicked, and the deed is done to those. What came of it is shown if that persona is still the one that is talked to.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

import gradio as gr

PERSONA = "persona"
Sight = Mapping[str, Any]
"""What a room shows: the `persona`, and whatever else tells what its fields hold."""


def create_sight() -> gr.HTML:
    """Build what remembers it, in the browser: nothing to be seen."""
    return gr.HTML(
        {},
        html_template="",
        elem_classes="sight",
        js_on_load="utatane.sight(element, props, watch)",
        apply_default_css=False,
    )


def showing(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Let what a handler shows of a persona, its first argument, end with the sight of it."""

    @functools.wraps(handler)
    def shown(persona: str, *rest: Any) -> tuple[Any, ...]:  # noqa: ANN401  # whatever the room's components hold
        return *handler(persona, *rest), {PERSONA: persona}

    return shown


def meant(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Let a handler do what it does to the persona that was shown when it was asked for.

    Its inputs begin with the persona that is talked to and the sight; the handler gets a name for both.
    """

    @functools.wraps(handler)
    def done(current: str, sight: Sight | None, *rest: Any) -> Any:  # noqa: ANN401  # whatever the room's components hold
        name = _whom(current, sight)
        answer = handler(name, *rest)
        return answer if is_here(name, current) else gr.skip()

    return _with_current(done, handler)


def meant_stream(handler: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Do the same for a handler that yields."""

    @functools.wraps(handler)
    def done(current: str, sight: Sight | None, *rest: Any) -> Iterator[Any]:  # noqa: ANN401  # as above
        name = _whom(current, sight)
        for answer in handler(name, *rest):
            yield answer if is_here(name, current) else gr.skip()

    return _with_current(done, handler)


def while_shown(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Let a handler that a clock calls look at nobody whom one has turned away from, or who is gone."""

    @functools.wraps(handler)
    def looked(current: str, sight: Sight | None, *rest: Any) -> Any:  # noqa: ANN401  # as above
        name = _whom(current, sight)
        return handler(name, *rest) if is_here(name, current) else gr.skip()

    return _with_current(looked, handler)


def told_in(persona: str, told: Sight) -> str:
    """Return the persona that was shown where something was clicked; the one given, where that is not told."""
    return str(told.get(PERSONA) or persona)


def is_here(name: str, current: str) -> bool:
    """Tell whether a persona is the one that is talked to; a server that was started anew knows of none."""
    return current in {"", name}


def mark(persona: str, seen: str = "") -> str:
    """Return what says in a room that the server draws whole (`assets/page/shelves.js`) whose things it shows, and which."""
    return f'<i hidden data-sight data-persona="{escape(persona)}" data-seen="{escape(seen)}"></i>'


def _whom(current: str, sight: Sight | None) -> str:
    return str((sight or {}).get(PERSONA) or current)


def _with_current(done: Callable[..., Any], handler: Callable[..., Any]) -> Callable[..., Any]:
    """Let Gradio see the inputs as they are: it gives events and requests their places by the signature."""
    signature = inspect.signature(handler)
    current = inspect.Parameter("current_persona", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    done.__signature__ = signature.replace(parameters=[current, *signature.parameters.values()])  # type: ignore[attr-defined]
    return done
