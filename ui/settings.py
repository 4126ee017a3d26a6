"""The settings room. Each section is a factory of its own module."""

from __future__ import annotations

import gradio as gr

from agent.services import Services
from ui.locales import Texts
from ui.mind import MindSection, create_mind_section


def create_settings_room(services: Services, t: Texts, tab: gr.Tab) -> MindSection:
    """Build the room inside `tab`."""
    with gr.Column(elem_classes="room"):
        return create_mind_section(services, t, tab)
