"""The head of the page: whom one talks to, and which mind speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr
from gradio.events import Dependency

from agent.services import Services
from ui import presenters
from ui.edge import QUIET, at_edge
from ui.faces import face_of
from ui.locales import Texts


@dataclass(frozen=True, slots=True)
class Head:
    """The head.

    Attributes:
        follow: makes it look again at which mind speaks whenever a state changes.
        look_after: makes it look again after an event.
    """

    follow: Callable[[gr.State], None]
    look_after: Callable[[Dependency], None]


def create_head(services: Services, t: Texts, current: gr.State, touched: gr.State) -> Head:
    """Build the head."""
    with gr.Row(elem_id="head", equal_height=True):
        persona = gr.HTML(elem_id="persona", js_on_load="utatane.head(element)", apply_default_css=False)
        mind = gr.HTML(elem_id="mind-status", js_on_load="utatane.head(element)", apply_default_css=False)
    edge = at_edge(t)

    def show_persona(name: str) -> str:
        return presenters.persona_head(face_of(services, name), t) if name else ""

    def show_mind(name: str) -> str:
        # Apart from the conversation: looking for a model's server may take a moment.
        return presenters.mind_chip(services.companion(name).mind_status(), t) if name else ""

    def follow(state: gr.State) -> None:
        state.change(edge(show_mind), [current], [mind], **QUIET)

    def look_after(event: Dependency) -> None:
        event.then(edge(show_mind), [current], [mind], **QUIET)

    gr.on([current.change, touched.change], edge(show_persona), [current], [persona], **QUIET)
    follow(current)
    follow(touched)
    return Head(follow, look_after)
