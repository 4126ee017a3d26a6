"""The head of the page: whom one talks to, and which mind speaks."""

from __future__ import annotations

import gradio as gr

from agent.services import Services
from ui import presenters
from ui.edge import QUIET, at_edge
from ui.faces import face_of
from ui.locales import Texts


def create_head(services: Services, t: Texts, current: gr.State, changed: list[gr.events.EventListener]) -> None:
    """Build the head; `changed` are further events after which another mind may speak."""
    with gr.Row(elem_id="head", equal_height=True):
        persona = gr.HTML(elem_id="persona", js_on_load="utatane.head(element)", apply_default_css=False)
        mind = gr.HTML(elem_id="mind-status", js_on_load="utatane.head(element)", apply_default_css=False)
    edge = at_edge(t)

    def show_persona(name: str) -> str:
        return presenters.persona_head(face_of(services, name), t) if name else ""

    def show_mind(name: str) -> str:
        # Apart from the conversation: looking for a model's server may take a moment.
        return presenters.mind_chip(services.companion(name).mind_status(), t) if name else ""

    current.change(edge(show_persona), [current], [persona], **QUIET)
    gr.on([current.change, *changed], edge(show_mind), [current], [mind], **QUIET)
