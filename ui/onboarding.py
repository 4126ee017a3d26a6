"""The first meeting: choose a persona and a mind on one short page, or skip it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from agent.services import Services
from ui import presenters
from ui.edge import IN_TURN, QUIET, at_edge
from ui.faces import face_of
from ui.locales import Texts
from ui.mind import accept_offer, create_mind_fields, offers_of, save_mind


@dataclass(frozen=True, slots=True)
class Onboarding:
    """The page laid over everything until it is answered or skipped."""

    cover: gr.Column
    personas: gr.HTML


def create_onboarding(services: Services, t: Texts, current: gr.State, touched: gr.State) -> Onboarding:
    """Build the first meeting; nothing in it must be answered."""
    with gr.Column(visible=False, elem_id="onboarding") as cover, gr.Column(elem_classes="card"):
        gr.HTML(
            f'<img src="/page/moon.svg" alt="" width="64" height="64"><h2>{escape(t("welcome.title"))}</h2>'
            f"<p>{escape(t('welcome.intro'))}</p>",
            elem_classes="welcome",
            apply_default_css=False,
        )
        gr.HTML(f"<h3>{escape(t('welcome.who'))}</h3>", elem_classes="intro")
        personas = gr.HTML(
            elem_id="welcome-personas",
            js_on_load="utatane.clicks(element, trigger) // 'select'",
            apply_default_css=False,
        )
        gr.HTML(f"<h3>{escape(t('welcome.mind'))}</h3>", elem_classes="intro")
        mind = create_mind_fields(t, "welcome", titled=False)
        offers = gr.HTML(
            elem_id="welcome-offers",
            js_on_load="utatane.clicks(element, trigger) // 'select'",
            apply_default_css=False,
        )
        with gr.Row(elem_classes="buttons"):
            begin = gr.Button(t("welcome.begin"), variant="primary", elem_id="welcome-begin")
            skip = gr.Button(t("welcome.skip"), elem_id="welcome-skip")
    edge = at_edge(t)

    def choose(event: gr.EventData) -> str:
        return services.personas.get(str(event.persona)).name

    def finish(provider: str, address: str, model: str, key: str, count: int) -> tuple[Any, int]:
        save_mind(services, provider, address, model, key)
        services.settings_file.change("page", onboarded=True)
        return gr.update(visible=False), count + 1

    def leave() -> Any:  # noqa: ANN401  # gradio's updates are plain dictionaries
        services.settings_file.change("page", onboarded=True)
        return gr.update(visible=False)

    def show(name: str) -> str:
        return welcome_personas(services, name)

    def offer(_name: str) -> str:
        settings = services.settings()
        return "" if settings.page.onboarded else offers_of(services, settings.mind, t)

    def accept(event: gr.EventData) -> tuple[str, str]:
        return accept_offer(services, str(event.offer), t).provider, ""

    current.change(edge(offer), [current], [offers], **QUIET)
    offers.select(edge(accept), None, [mind.provider, offers], **IN_TURN)
    personas.select(edge(choose), None, [current], **IN_TURN)
    current.change(edge(show), [current], [personas], **QUIET)
    begin.click(edge(finish), [*mind.all, touched], [cover, touched], **IN_TURN)
    skip.click(edge(leave), None, [cover], **IN_TURN)
    return Onboarding(cover, personas)


def welcome_personas(services: Services, current: str) -> str:
    """Return the personas as cards; nothing where the first meeting is over."""
    if services.settings().page.onboarded:
        return ""
    cards = "".join(
        presenters.persona_card(face_of(services, persona.name), persona.greeting, chosen=persona.name == current)
        for persona in services.personas.list()
    )
    return f'<div class="cards">{cards}</div>'
