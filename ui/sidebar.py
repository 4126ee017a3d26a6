"""The side of the page: who is here, the look and the language."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import gradio as gr

from agent.services import Services
from ui import presenters
from ui.edge import IN_TURN, QUIET, at_edge
from ui.faces import face_of
from ui.locales import LANGUAGES, Texts
from ui.presenters import CURRENT

OWN_NAMES = {"ja": "日本語", "en": "English"}
"""Each language by its own name: whoever cannot read the page finds theirs."""
_LOOKS = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class Sidebar:
    """The list of personas; `refresh` shows it anew."""

    personas: gr.HTML


def create_sidebar(services: Services, t: Texts, current: gr.State, touched: gr.State) -> Sidebar:
    """Build the side; choosing a persona sets `current`."""
    with gr.Column(elem_id="rail", min_width=0):
        gr.HTML(_brand(t), elem_id="brand", apply_default_css=False)
        personas = gr.HTML(
            elem_id="personas", js_on_load="utatane.rail(element, trigger) // 'select'", apply_default_css=False
        )
        gr.HTML(_foot(t), elem_id="rail-foot", js_on_load="utatane.look(element)", apply_default_css=False)
    edge = at_edge(t)

    def choose(name: str, event: gr.EventData) -> str:
        if event.action != "persona":
            return name
        return services.personas.get(str(event.persona)).name

    def show(name: str) -> str:
        faces = [face_of(services, persona.name) for persona in services.personas.list()]
        return presenters.persona_list(faces, name, t)

    personas.select(edge(choose), [current], [current], **IN_TURN)
    gr.on([current.change, touched.change], edge(show), [current], [personas], **QUIET)
    return Sidebar(personas)


def _brand(t: Texts) -> str:
    return (
        '<div class="brand"><img src="/page/moon.svg" alt="" width="34" height="34">'
        f'<span class="name">{escape(t("page.name"))}</span></div>'
    )


def _foot(t: Texts) -> str:
    looks = "".join(
        f'<button type="button" data-look="{look}" aria-pressed="false">{escape(t(f"look.{look}"))}</button>'
        for look in _LOOKS
    )
    languages = "".join(
        f'<a href="/language/{lang}" data-language="{lang}" lang="{lang}"{CURRENT if lang == t.lang else ""}>'
        f"{OWN_NAMES[lang]}</a>"
        for lang in LANGUAGES
    )
    return (
        f'<div class="choice" role="group" aria-label="{escape(t("look.label"))}">{looks}</div>'
        f'<div class="choice" role="group" aria-label="{escape(t("page.language"))}">{languages}</div>'
        "<utatane-keys></utatane-keys>"  # drawn by assets/page/keys.js
    )
