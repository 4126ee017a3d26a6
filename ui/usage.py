"""The section "Tokens and cost" of the settings room: what was spent, the caps, and the prices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

import gradio as gr

from agent.minds.language_model import LanguageModelMind
from agent.minds.language_model.metering import model_at
from agent.services import Services
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.usage.ledger import Call
from managers.usage.prices import Model, Price
from ui import usage_view
from ui.edge import IN_TURN, at_edge, say_error
from ui.locales import Texts
from ui.opening import Opening
from ui.options import COMMON, OWN, OptionHandlers, Scope, row, scopes, worded
from ui.shelves import answer_to, empty
from ui.sight import is_here, mark, told_in
from ui.usage_view import GROUPINGS, MEASURES, SPANS, Known, Look

_RECENT_MODELS = 12


def create_usage_section(services: Services, t: Texts, current: gr.State) -> tuple[Opening, gr.State]:
    """Build the section; returns how it is filled, and the state that changes when a cap may speak or be silent."""
    look, changed = gr.State(Look()), gr.State(0)
    gr.HTML(
        f'<h2 id="usage-title">{escape(t("usage.title"))}</h2><p>{escape(t("usage.intro"))}</p>', elem_classes="intro"
    )
    shown = gr.HTML(
        elem_id="usage", js_on_load="utataneShelves(element, trigger, watch) // 'select'", apply_default_css=False
    )
    handlers, edge = UsageHandlers(services, t), at_edge(t)
    shown.select(edge(handlers.act), [current, look, changed], [look, shown, changed], **IN_TURN)
    return Opening(handlers.open, [current, look], [shown]), changed


class UsageHandlers:
    """The section's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._options = OptionHandlers(services, t)

    def open(self, persona: str, look: Look) -> str:
        """Show what was spent, as it stands in the ledger now."""
        t, known = self._t, self._known(persona, look)
        spent = usage_view.tiles(known, t) + usage_view.bars(known, t)
        if self._services.meter.ledger.months():
            spent += (
                f"<h3>{escape(t('usage.course'))}</h3>"
                f"{usage_view.choice('measure', MEASURES, look.measure, t('usage.measure'), t)}"
                f"{usage_view.course(known, look, t)}<h3>{escape(t('usage.tables'))}</h3>"
                f'<div class="looks">{usage_view.choice("grouping", GROUPINGS, look.grouping, t("usage.group"), t)}'
                f"{usage_view.choice('span', SPANS, look.span, t('usage.span'), t)}</div>"
                f"{usage_view.table(known, look, t)}"
            )
        else:
            spent += empty(t("usage.nothing"))
        return (
            f'<section class="shelf usage" aria-labelledby="usage-title" data-place="usage">{spent}'
            f"{self._caps(persona, look)}{self._prices(known)}</section>{mark(persona, OWN if look.own else COMMON)}"
        )

    def act(self, persona: str, look: Look, changed: int, event: gr.EventData) -> tuple[Look, str, int]:
        """Do what was asked for on the page."""
        told, is_changed = event.told, False
        name = told_in(persona, told)
        seen = replace(look, own=told["seen"] == OWN) if told.get("seen") else look
        try:
            seen, is_changed = self.do(name, seen, told)
        except UtataneError as error:  # said here, so that the field shows again what holds
            say_error(worded(error, self._t), self._t)
        look, shown = (seen, name) if is_here(name, persona) else (look, persona)
        return look, self.open(shown, look) + answer_to(told), changed + is_changed

    def do(self, persona: str, look: Look, told: Mapping[str, Any]) -> tuple[Look, bool]:
        """Look at it another way, or change a cap or a price; returns whether another mind may speak now."""
        action = told.get("action")
        if action == "look":
            return usage_view.looked(look, told), False
        if action == "scope":
            return replace(look, own=told.get("scope") == OWN and bool(persona)), False
        if action in {"set", "reset"} and str(told.get("name", "")).startswith("usage."):
            self._options.do(persona, Scope(own=look.own), told)
            return look, True
        if action in {"price", "price-back"}:
            self._set_price(str(told.get("model", "")), told, keep=action == "price")
            return look, True
        return look, False

    def _set_price(self, model: str, told: Mapping[str, Any], *, keep: bool) -> None:
        prices = dict(self._services.settings().usage.prices)
        if keep:
            prices[model] = (self._number(told.get("read")), self._number(told.get("written")))
        else:
            prices.pop(model, None)
        plain = {name: list(pair) for name, pair in prices.items()}
        self._services.settings_file.change("usage", prices=plain or None)

    def _number(self, text: object) -> float:
        try:
            value = float(str(text).strip())
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise InvalidSettingError(key="usage.prices", value=text, reason=self._t("usage.price_needed"))
        return value

    def _known(self, persona: str, look: Look) -> Known:
        services = self._services
        calls = services.meter.ledger.calls(usage_view.first_day(look, services.clock.now().date()))
        return Known(
            calls=calls,
            cost=services.meter.cost,
            limits=services.settings().usage,
            today=services.clock.now().date(),
            persona=persona,
            here=frozenset(services.personas.list_names()),
            standings=services.meter.standings(persona),
            prices=self._models(persona, calls),
        )

    def _models(self, persona: str, calls: list[Call]) -> list[tuple[Model, Price | None]]:
        """Return the models that were asked of late and the one that would be asked now, with their prices."""
        meter, services = self._services.meter, self._services
        found: dict[str, Model] = {}
        if persona:
            settings, language = services.companion(persona).memories.settings().mind, self._t.lang
            for choose in (services.minds.choose, services.minds.choose_small):
                if (model := model_of(choose(settings, language, persona=persona).mind)) is not None:
                    found[model.name] = model
        for call in reversed(calls):
            if len(found) >= _RECENT_MODELS:
                break
            found.setdefault(call.model, Model(call.model, call.service, call.host, call.is_local))
        for name in services.settings().usage.prices:
            found.setdefault(name, Model(name))
        return [(model, meter.price(model)) for model in found.values() if model.name]

    def _caps(self, persona: str, look: Look) -> str:
        t = self._t
        own = look.own and bool(persona)
        rows = "".join(
            row(option, t, own=own)
            for option in self._options.options(persona, Scope(own=own))
            if option.section == "usage"
        )
        return (
            f'<h3 id="usage-caps">{escape(t("usage.caps"))}</h3><p class="quiet">{escape(t("usage.caps_intro"))}</p>'
            f'{scopes(persona, t, own=own)}<div class="options">{rows}</div>'
        )

    def _prices(self, known: Known) -> str:
        rows, t = usage_view.prices(known, self._t), self._t
        if not rows:
            return ""
        return (
            f'<h3>{escape(t("usage.prices"))}</h3><p class="quiet">{escape(t("usage.prices_intro"))}</p>'
            f'<div class="options">{rows}</div>'
        )


def model_of(mind: object) -> Model | None:
    """Return the model behind a mind; None for the built-in one."""
    return model_at(mind.endpoint) if isinstance(mind, LanguageModelMind) else None
