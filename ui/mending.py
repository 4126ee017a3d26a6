"""What the persona room says of a persona whose own files are broken, and the way back to their last good version."""

from __future__ import annotations

from html import escape

import gradio as gr

from agent.services import Services
from managers.personas import Persona
from ui.edge import IN_TURN, at_edge, say_done
from ui.locales import Texts
from ui.shelves import button

BROKEN = frozenset({"persona-broken", "prompt-broken"})
"""Notices of files that the history may have a good version of."""


def create_mending(services: Services, t: Texts, current: gr.State, touched: gr.State, tab: gr.Tab) -> gr.HTML:
    """Build what stands above the room while something is broken; nothing otherwise."""
    shown = gr.HTML(
        elem_id="mending", js_on_load="utatane.clicks(element, trigger) // 'select'", apply_default_css=False
    )
    edge = at_edge(t)

    def show(name: str) -> str:
        return broken(services.personas.get(name), t) if name else ""

    def mend(name: str, count: int) -> int:
        kept = [notice.sentence(t.lang) for notice in services.personas.mend(name).notices]
        say_done(" ".join([t("mending.done"), *kept]), t)
        return count + 1

    gr.on([tab.select, current.change, touched.change], edge(show), [current], [shown], **IN_TURN)
    shown.select(edge(mend), [current, touched], [touched], **IN_TURN)
    return shown


def broken(persona: Persona, t: Texts) -> str:
    """Return which files are broken, and the button that brings their last good versions back."""
    found = [notice for notice in persona.notices if notice.code in BROKEN]
    if not found:
        return ""
    sentences = "".join(f"<p>{escape(notice.sentence(t.lang))}</p>" for notice in found)
    return (
        f'<div class="conflict" role="alert"><h3>{escape(t("mending.title"))}</h3>{sentences}'
        f'<p class="quiet">{escape(t("mending.intro"))}</p>{button(t("mending.mend"), "mend")}</div>'
    )


def ways(t: Texts) -> dict[str, str]:
    """Return, by a notice's code, the button that leads to what can be done about it."""
    lead = f'<button type="button" class="small" data-to-room="persona" data-to-part="mending">{escape(t("mending.way"))}</button>'
    return dict.fromkeys(BROKEN, lead)
