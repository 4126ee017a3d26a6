"""The settings room. Each section is a factory of its own module."""

from __future__ import annotations

import gradio as gr

from agent.services import Services
from ui.locales import Texts
from ui.mind import create_mind_section
from ui.opening import open_together
from ui.options import create_options_section
from ui.usage import create_usage_section


def create_settings_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> list[gr.State]:
    """Build the room inside `tab`; returns the states that change when another mind may speak."""
    with gr.Column(elem_classes="room"):
        mind = create_mind_section(services, t, current)
        usage, caps_changed = create_usage_section(services, t, current)
        options, changed = create_options_section(services, t, current)
    open_together([mind.opening, usage, options], t, current, tab)
    return [mind.changed, caps_changed, changed]
