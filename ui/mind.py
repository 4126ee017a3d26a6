"""Which mind speaks: the choice of provider, model, address and key, and the test that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from agent.minds.choose import secret_name
from agent.minds.trial import try_mind
from agent.services import Services
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.storage.settings import MindSettings
from ui.edge import QUIET, at_edge, stream_at_edge
from ui.locales import Texts

PROVIDERS = ("auto", "builtin", "gemini", "openai")


@dataclass(frozen=True, slots=True)
class MindFields:
    """The fields of the choice, as they stand on the settings and the welcome page."""

    provider: gr.Radio
    address: gr.Textbox
    model: gr.Textbox
    key: gr.Textbox

    @property
    def all(self) -> list[Any]:
        return [self.provider, self.address, self.model, self.key]


@dataclass(frozen=True, slots=True)
class MindSection:
    """The section of the settings room; `changed` fires when another mind may speak."""

    fields: MindFields
    changed: gr.State


def create_mind_fields(t: Texts, prefix: str, *, titled: bool = True) -> MindFields:
    """Build the fields; only those that the chosen provider needs are shown."""
    provider = gr.Radio(
        [(t(f"mind.{name}"), name) for name in PROVIDERS],
        value="auto",
        label=t("mind.provider"),
        show_label=titled,
        elem_id=f"{prefix}-provider",
        elem_classes="choices",
    )
    explained = gr.HTML(_explanation("auto", t), elem_classes="explained", apply_default_css=False)
    address = gr.Textbox(
        value="", label=t("mind.address"), info=t("mind.address_info"), visible=False, elem_id=f"{prefix}-address"
    )
    model = gr.Textbox(
        value="", label=t("mind.model"), info=t("mind.model_info"), visible=False, elem_id=f"{prefix}-model"
    )
    key = gr.Textbox(
        value="",
        label=t("mind.key"),
        info=t("mind.key_info"),
        type="password",
        visible=False,
        elem_id=f"{prefix}-key",
        html_attributes=gr.InputHTMLAttributes(autocomplete="off"),
    )

    def show(chosen: str) -> tuple[Any, ...]:
        return _explanation(chosen, t), *_visibility(chosen)

    provider.change(at_edge(t)(show), [provider], [explained, address, model, key], **QUIET)
    return MindFields(provider, address, model, key)


def create_mind_section(services: Services, t: Texts, tab: gr.Tab) -> MindSection:
    """Build the section; it is filled whenever one enters the room."""
    changed = gr.State(0)
    gr.HTML(f"<h2>{escape(t('mind.title'))}</h2><p>{escape(t('mind.intro'))}</p>", elem_classes="intro")
    fields = create_mind_fields(t, "mind")
    with gr.Row(elem_classes="buttons"):
        save = gr.Button(t("mind.save_and_try"), variant="primary", elem_id="mind-save")
        forget = gr.Button(t("mind.forget_key"), elem_id="mind-forget")
    result = gr.HTML(
        elem_id="mind-result", js_on_load="utatane.clicks(element, trigger) // 'select'", apply_default_css=False
    )
    handlers = MindHandlers(services, t)
    edge = at_edge(t)
    tab.select(edge(handlers.open), None, [*fields.all, result], **QUIET)
    save.click(stream_at_edge(t)(handlers.save), [*fields.all, changed], [result, fields.key, changed], **QUIET)
    forget.click(edge(handlers.forget_key), [changed], [result, changed], **QUIET)
    result.select(edge(handlers.accept), [changed], [*fields.all, result, changed], **QUIET)
    return MindSection(fields, changed)


class MindHandlers:
    """The section's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t

    def open(self) -> tuple[Any, ...]:
        """Show the settings as they stand, and what could be said yes to."""
        mind = self._services.settings().mind
        _, model_seen, key_seen = _visibility(mind.provider)
        return (
            mind.provider,
            gr.update(value=mind.base_url, visible=mind.provider == "openai"),
            {**model_seen, "value": mind.model},
            {**key_seen, "value": "", "placeholder": self._key_hint(mind)},
            offers_of(self._services, mind, self._t),
        )

    def save(self, provider: str, address: str, model: str, key: str, changed: int) -> Iterator[tuple[Any, ...]]:
        """Keep the choice, then try it."""
        t = self._t
        mind = save_mind(self._services, provider, address, model, key)
        yield _line(t("mind.trying"), "busy"), gr.update(value="", placeholder=self._key_hint(mind)), changed + 1
        try:
            choice = self._services.minds.choose(mind, t.lang)
            trial = try_mind(choice.mind, t("mind.trial_greeting"), t.lang, self._services.clock)
        except UtataneError as error:
            yield _line(error.sentence(t.lang), "wrong"), gr.skip(), changed + 2
            return
        seconds = f"{trial.first_words_ms / 1000:.1f}"
        sentence = t("mind.works", sentence=choice.status.sentence(t.lang), seconds=seconds)
        quote = f"<blockquote>{escape(trial.answer)}</blockquote>"
        yield _line(sentence, "right") + quote + offers_of(self._services, mind, self._t), gr.skip(), changed + 2

    def forget_key(self, changed: int) -> tuple[str, int]:
        """Delete the key of the server that is chosen."""
        self._services.secrets.set(secret_name(self._services.settings().mind), "")
        return _line(self._t("mind.key_forgotten"), "right"), changed + 1

    def accept(self, changed: int, event: gr.EventData) -> tuple[Any, ...]:
        """Say yes to an offer."""
        accept_offer(self._services, str(event.offer), self._t)
        return *self.open(), changed + 1

    def _key_hint(self, mind: MindSettings) -> str:
        stored = mind.provider in {"gemini", "openai"} and self._services.secrets.get(secret_name(mind))
        return self._t("mind.key_stored") if stored else ""


def offers_of(services: Services, mind: MindSettings, t: Texts) -> str:
    """Return what the person may say yes to, such as using a key that stands in the environment."""
    return "".join(
        f'<div class="offer"><p>{escape(offer.sentence(t.lang))}</p>'
        f'<button type="button" class="small" data-action="accept" data-offer="{escape(offer.code)}">'
        f"{escape(t('mind.accept'))}</button></div>"
        for offer in services.minds.choose(mind, t.lang).offers
    )


def accept_offer(services: Services, code: str, t: Texts) -> MindSettings:
    """Do what an offer offers; return the settings as they are then."""
    mind = services.settings().mind
    for offer in services.minds.choose(mind, t.lang).offers:
        if offer.code == code:
            return services.settings_file.change("mind", **offer.changes).mind
    return mind


def save_mind(services: Services, provider: str, address: str, model: str, key: str) -> MindSettings:
    """Write the choice to the settings and the key, where one was typed, to the secrets."""
    if provider not in PROVIDERS:
        raise InvalidSettingError(key="mind.provider", value=provider, reason="")
    if provider not in {"gemini", "openai"}:
        model = ""
    settings = services.settings_file.change(
        "mind",
        provider=provider,
        base_url=(address.strip() or None) if provider == "openai" else None,
        model=model.strip() or None,
    )
    if key.strip():
        services.secrets.set(secret_name(settings.mind), key)
    return settings.mind


def _visibility(provider: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the updates that show address, model and key where the provider needs them."""
    remote = provider in {"gemini", "openai"}
    return gr.update(visible=provider == "openai"), gr.update(visible=remote), gr.update(visible=remote)


def _explanation(provider: str, t: Texts) -> str:
    return f"<p>{escape(t(f'mind.{provider}_info'))}</p>"


def _line(sentence: str, kind: str) -> str:
    return f'<p class="result {kind}" role="status">{escape(sentence)}</p>'
