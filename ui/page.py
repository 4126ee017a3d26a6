"""The page: who is here at the side, the rooms in the middle. Wiring across rooms lives here."""

from __future__ import annotations

import gradio as gr

from agent.services import Services
from managers.storage.errors import Lang, PersonaNotFoundError, UnsafeNameError
from ui.chat import create_chat
from ui.edge import QUIET, at_edge
from ui.head import create_head
from ui.locales import texts
from ui.sidebar import create_sidebar


def create_page(services: Services, lang: Lang) -> gr.Blocks:
    """Build the page in one language.

    `current` holds the name of the persona that one talks to; each room listens to it, or reads it
    when it is entered.
    """
    t = texts(lang)
    with gr.Blocks(title=t("page.name"), fill_width=True, analytics_enabled=False) as page:
        current = gr.State("")
        wanted = gr.Textbox(visible=False)
        with gr.Row(elem_id="house"):
            create_sidebar(services, t, current)
            with gr.Column(elem_id="main", min_width=0):
                create_head(services, t, current, [])
                with gr.Tabs(elem_id="rooms"), gr.Tab(t("rooms.talk"), id="talk", elem_id="talk-room"):
                    create_chat(services, t, current)

        def open_page(name: str) -> str:
            return persona_to_open(services, name)

        page.load(at_edge(t)(open_page), [wanted], [current], js="() => [utatane.wantedPersona()]", **QUIET)
    return page


def persona_to_open(services: Services, wanted: str) -> str:
    """Return the persona that the browser asks for if there is one, else the first, else nobody."""
    if wanted:
        try:
            return services.personas.get(wanted).name
        except (PersonaNotFoundError, UnsafeNameError):
            pass  # renamed or deleted since the browser was last here
    personas = services.personas.list()
    return personas[0].name if personas else ""
