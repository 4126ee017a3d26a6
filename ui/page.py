"""The page: who is here at the side, the rooms in the middle. Wiring across rooms lives here."""

from __future__ import annotations

from typing import Any

import gradio as gr

from agent.services import Services
from managers.storage.errors import Lang, PersonaNotFoundError, UnsafeNameError
from ui.chat import create_chat
from ui.dreams import create_dreams_room
from ui.edge import QUIET, at_edge
from ui.head import create_head
from ui.heart import create_heart_room
from ui.knowledge import create_knowledge_room
from ui.locales import Texts, texts
from ui.memories import create_memories_room
from ui.notes import create_notes_room
from ui.onboarding import create_onboarding
from ui.personas import create_persona_room
from ui.settings import create_settings_room
from ui.sidebar import create_sidebar

_TIDY_SECONDS = 600
"""How often uploads that nobody sent are deleted."""


def create_page(services: Services, lang: Lang) -> gr.Blocks:
    """Build the page in one language.

    `current` holds the name of the persona that one talks to; each room listens to it, or reads it
    when it is entered.
    """
    t = texts(lang)
    page = gr.Blocks(
        title=t("page.name"), fill_width=True, analytics_enabled=False, delete_cache=(_TIDY_SECONDS, _TIDY_SECONDS)
    )
    with page:
        current, touched = gr.State(""), gr.State(0)
        wanted = gr.Textbox(visible=False)
        with gr.Row(elem_id="house"):
            create_sidebar(services, t, current, touched)
            with gr.Column(elem_id="main", min_width=0):
                head = create_head(services, t, current, touched)
                with gr.Tabs(elem_id="rooms"):
                    with _room("talk", t):
                        chat = create_chat(services, t, current)
                    with _room("heart", t) as tab:
                        create_heart_room(services, t, current, tab)
                    with _room("dreams", t) as tab:
                        create_dreams_room(services, t, current, tab)
                    with _room("memories", t) as tab:
                        create_memories_room(services, t, current, tab)
                    with _room("knowledge", t) as tab:
                        create_knowledge_room(services, t, current, tab)
                    with _room("notes", t) as tab:
                        create_notes_room(services, t, current, tab)
                    with _room("persona", t) as tab:
                        create_persona_room(services, t, current, touched, tab)
                    with _room("settings", t) as tab:
                        minds = create_settings_room(services, t, current, tab)
        welcome = create_onboarding(services, t, current, touched)
        for other_mind in minds:
            head.follow(other_mind)
        for answer in chat.answered:
            head.look_after(answer)

        def open_page(name: str) -> tuple[str, Any]:
            return persona_to_open(services, name, lang), gr.update(visible=not services.settings().page.onboarded)

        page.load(
            at_edge(t)(open_page), [wanted], [current, welcome.cover], js="() => [utatane.wantedPersona()]", **QUIET
        )
    return page


def _room(name: str, t: Texts) -> gr.Tab:
    """Return a room's tab; the script finds it by its name."""
    return gr.Tab(t(f"rooms.{name}"), id=name, elem_id=f"{name}-room")


def persona_to_open(services: Services, wanted: str, lang: Lang) -> str:
    """Return the persona that the browser asks for, else the first that speaks its language, else the first."""
    if wanted:
        try:
            return services.personas.get(wanted).name
        except (PersonaNotFoundError, UnsafeNameError):
            pass  # renamed or deleted since the browser was last here
    personas = sorted(services.personas.list(), key=lambda persona: persona.language != lang)
    return personas[0].name if personas else ""
