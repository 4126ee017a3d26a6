"""Which mind speaks: the choice of provider, model, address and key, and the test that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from agent.minds.choose import secret_name
from agent.minds.trial import try_mind
from agent.services import Services
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.storage.settings import MindSettings
from ui.edge import IN_TURN, QUIET, at_edge, stream_at_edge
from ui.locales import Texts
from ui.opening import Opening
from ui.sight import PERSONA, Sight, create_sight, meant, meant_stream
from ui.turns import Turns

PROVIDERS = ("auto", "builtin", "gemini", "openai")
REMOTE = frozenset({"gemini", "openai"})
"""Those that have a model to name and a key."""
CHOSEN = ("provider", "base_url", "model", "internal_processing_model")
"""What is chosen here, of the settings of the mind."""
COMMON, OWN = "everybody", "one"
"""Whose choice is shown: everybody's, or that of the persona that is talked to."""


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
    opening: Opening


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


def create_mind_section(services: Services, t: Texts, current: gr.State) -> MindSection:
    """Build the section; it is filled whenever one enters the room, and follows the persona that is talked to."""
    changed = gr.State(0)
    gr.HTML(f"<h2>{escape(t('mind.title'))}</h2><p>{escape(t('mind.intro'))}</p>", elem_classes="intro")
    whose = gr.Radio(
        [(t("options.common"), COMMON)],
        value=COMMON,
        label=t("options.for_whom"),
        show_label=False,
        visible=False,
        elem_id="mind-whose",
        elem_classes="segments",
    )
    fields = create_mind_fields(t, "mind")
    small = gr.Textbox(value="", label=t("mind.small"), info=t("mind.small_info"), visible=False, elem_id="mind-small")
    fields.provider.change(at_edge(t)(lambda chosen: _visibility(chosen)[1]), [fields.provider], [small], **QUIET)
    with gr.Row(elem_classes="buttons"):
        save = gr.Button(t("mind.save_and_try"), variant="primary", elem_id="mind-save")
        forget = gr.Button(t("mind.forget_key"), elem_id="mind-forget")
        back = gr.Button(t("options.back_common"), visible=False, elem_id="mind-back")
    result = gr.HTML(
        elem_id="mind-result", js_on_load="utatane.clicks(element, trigger) // 'select'", apply_default_css=False
    )
    handlers = MindHandlers(services, t)
    edge, sight = at_edge(t), create_sight()
    shown, seen = [sight, whose, *fields.all, small, back, result], [current, sight, sight]
    opening = Opening(handlers.open, [current, whose], shown)
    whose.input(edge(handlers.open), opening.given, shown, **IN_TURN)
    save.click(
        stream_at_edge(t)(meant_stream(handlers.save)),
        [*seen, *fields.all, small, changed],
        [result, fields.key, back, changed],
        **IN_TURN,
    )
    forget.click(edge(meant(handlers.forget_key)), [*seen, changed], [result, fields.key, changed], **IN_TURN)
    back.click(edge(meant(handlers.give_back)), [*seen, changed], [*shown, changed], **IN_TURN)
    result.select(edge(meant(handlers.accept)), [*seen, changed], [*shown, changed], **IN_TURN)
    return MindSection(fields, changed, opening)


class MindHandlers:
    """The section's handlers; `whose` says whether the choice is everybody's or the persona's own, in the sight too."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._turns = Turns()

    def open(self, persona: str, whose: str) -> tuple[Any, ...]:
        """Show the settings as they stand, and what could be said yes to."""
        with self._turns.of(persona):
            return self._opened(persona, whose)

    def _opened(self, persona: str, whose: str) -> tuple[Any, ...]:
        t = self._t
        own = whose == OWN and bool(persona)
        mind = self._mind(persona, own=own)
        _, model_seen, key_seen = _visibility(mind.provider)
        choices = [(t("options.common"), COMMON), (t("options.own", name=persona), OWN)]
        return (
            {PERSONA: persona, "whose": OWN if own else COMMON},
            # What is chosen stays as it is: it may have been clicked since this was asked.
            gr.update(choices=choices, visible=bool(persona), **({} if persona else {"value": COMMON})),
            mind.provider,
            gr.update(value=mind.base_url, visible=mind.provider == "openai"),
            {**model_seen, "value": mind.model},
            {**key_seen, "value": "", "placeholder": self._key_hint(mind)},
            {**model_seen, "value": mind.internal_processing_model},
            gr.update(visible=own and self._has_own(persona)),
            self._whose_mind(persona, own=own) + offers_of(self._services, mind, t),
        )

    def save(
        self,
        persona: str,
        sight: Sight,
        provider: str,
        address: str,
        model: str,
        key: str,
        small: str,
        changed: int,
    ) -> Iterator[tuple[Any, ...]]:
        """Keep the choice, then try it."""
        t = self._t
        own = self._is_own(persona, sight)
        keep_mind(self._services, chosen_mind(provider, address, model, small), persona if own else "")
        mind = self._mind(persona, own=own)
        if key.strip():
            self._services.secrets.set(secret_name(mind), key)
        back = gr.update(visible=own)
        emptied = gr.update(value="", placeholder=self._key_hint(mind))
        yield _line(t("mind.trying"), "busy"), emptied, back, changed + 1
        yield "".join(self._tried(mind, persona if own else "")), gr.skip(), back, changed + 2

    def _tried(self, mind: MindSettings, persona: str) -> Iterator[str]:
        """Yield what came of trying the mind, and the small model where there is another one."""
        t, minds = self._t, self._services.minds
        ways = [(minds.choose, "mind.works")]
        if mind.internal_processing_model not in {"", mind.model} and mind.provider in REMOTE:
            ways.append((minds.choose_small, "mind.small_works"))
        for choose, key in ways:
            try:
                choice = choose(mind, t.lang, persona=persona, purpose="trial")
                trial = try_mind(choice.mind, t("mind.trial_greeting"), t.lang, self._services.clock)
            except UtataneError as error:
                yield _line(error.sentence(t.lang), "wrong")
                return
            seconds = f"{trial.first_words_ms / 1000:.1f}"
            yield _line(t(key, sentence=choice.status.sentence(t.lang), seconds=seconds), "right")
            yield f"<blockquote>{escape(trial.answer)}</blockquote>"
        yield offers_of(self._services, mind, t)

    def forget_key(self, persona: str, sight: Sight, changed: int) -> tuple[Any, ...]:
        """Delete the key of the server that is chosen."""
        mind = self._mind(persona, own=self._is_own(persona, sight))
        self._services.secrets.set(secret_name(mind), "")
        return _line(self._t("mind.key_forgotten"), "right"), gr.update(value="", placeholder=""), changed + 1

    def give_back(self, persona: str, sight: Sight, changed: int) -> tuple[Any, ...]:
        """Let the persona speak with everybody's mind again."""
        if persona:
            self._services.personas.set_settings(persona, "mind", **dict.fromkeys(CHOSEN))
        return *self.open(persona, str(sight.get("whose"))), changed + 1

    def accept(self, persona: str, sight: Sight, changed: int, event: gr.EventData) -> tuple[Any, ...]:
        """Say yes to an offer."""
        own = self._is_own(persona, sight)
        accept_offer(self._services, str(event.offer), self._t, persona if own else "")
        return *self.open(persona, str(sight.get("whose"))), changed + 1

    def _is_own(self, persona: str, sight: Sight) -> bool:
        return sight.get("whose") == OWN and bool(persona)

    def _mind(self, persona: str, *, own: bool) -> MindSettings:
        return mind_of(self._services, persona if own else "")

    def _whose_mind(self, persona: str, *, own: bool) -> str:
        """Say that what is shown is everybody's still, where a persona has no choice of its own."""
        return _line(self._t("mind.as_everybody", name=persona), "known") if own and not self._has_own(persona) else ""

    def _has_own(self, persona: str) -> bool:
        own = self._services.personas.get(persona).settings.get("mind")
        return isinstance(own, Mapping) and any(key in own for key in CHOSEN)

    def _key_hint(self, mind: MindSettings) -> str:
        stored = mind.provider in REMOTE and self._services.secrets.get(secret_name(mind))
        return self._t("mind.key_stored") if stored else ""


def mind_of(services: Services, persona: str = "") -> MindSettings:
    """Return the settings of the mind that hold for a persona; without a name, everybody's."""
    return services.companion(persona).memories.settings().mind if persona else services.settings().mind


def offers_of(services: Services, mind: MindSettings, t: Texts) -> str:
    """Return what the person may say yes to, such as using a key that stands in the environment."""
    return "".join(
        f'<div class="offer"><p>{escape(offer.sentence(t.lang))}</p>'
        f'<button type="button" class="small" data-action="accept" data-offer="{escape(offer.code)}">'
        f"{escape(t('mind.accept'))}</button></div>"
        for offer in services.minds.choose(mind, t.lang).offers
    )


def accept_offer(services: Services, code: str, t: Texts, persona: str = "") -> MindSettings:
    """Do what an offer offers, for everybody or for one persona; return the settings as they are then."""
    mind = mind_of(services, persona)
    for offer in services.minds.choose(mind, t.lang).offers:
        if offer.code == code:
            keep_mind(services, offer.changes, persona)
            return mind_of(services, persona)
    return mind


def save_mind(services: Services, provider: str, address: str, model: str, key: str) -> MindSettings:
    """Write everybody's choice to the settings and the key, where one was typed, to the secrets."""
    chosen = chosen_mind(provider, address, model)
    del chosen["internal_processing_model"]  # not asked at the first meeting
    keep_mind(services, chosen)
    settings = services.settings().mind
    if key.strip():
        services.secrets.set(secret_name(settings), key)
    return settings


def chosen_mind(provider: str, address: str, model: str, small: str = "") -> dict[str, str]:
    """Return a choice as settings: what its provider has no use for is empty."""
    if provider not in PROVIDERS:
        raise InvalidSettingError(key="mind.provider", value=provider, reason="")
    remote = provider in REMOTE
    return {
        "provider": provider,
        "base_url": address.strip() if provider == "openai" else "",
        "model": model.strip() if remote else "",
        "internal_processing_model": small.strip() if remote else "",
    }


def keep_mind(services: Services, chosen: Mapping[str, str], persona: str = "") -> None:
    """Write a choice, for everybody or for one persona.

    A persona's own empty value is written too: it must not be filled with everybody's address or model.
    """
    if persona:
        services.personas.set_settings(persona, "mind", **chosen)
    else:
        services.settings_file.change("mind", **{key: value or None for key, value in chosen.items()})


def _visibility(provider: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the updates that show address, model and key where the provider needs them."""
    remote = provider in REMOTE
    return gr.update(visible=provider == "openai"), gr.update(visible=remote), gr.update(visible=remote)


def _explanation(provider: str, t: Texts) -> str:
    return f"<p>{escape(t(f'mind.{provider}_info'))}</p>"


def _line(sentence: str, kind: str) -> str:
    return f'<p class="result {kind}" role="status">{escape(sentence)}</p>'
