"""The settings room. Each section is a factory of its own module."""

from __future__ import annotations

import gradio as gr

from agent.services import Services
from ui.locales import Texts
from ui.mind import MindSection, create_mind_section
from ui.options import create_options_section


def create_settings_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> tuple[MindSection, gr.State]:
    """Build the room inside `tab`; the state changes when an option may have made another mind speak."""
    with gr.Column(elem_classes="room"):
        mind = create_mind_section(services, t, tab)
        return mind, create_options_section(services, t, current, tab)
