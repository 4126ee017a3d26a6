"""The options of the settings room: every setting, explained, with its default and the way back to it.

They are made from the models in `managers.storage.settings`; a setting that is added there appears
here once both locales have words for it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal, get_args, get_origin

import annotated_types
import gradio as gr
from pydantic.fields import FieldInfo

from agent.services import Services
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.storage.settings import Settings
from ui.edge import IN_TURN, at_edge, say_error
from ui.locales import Texts
from ui.opening import Opening
from ui.shelves import answer_to, button
from ui.sight import is_here, mark, told_in

SECTIONS = ("conversation", "recall", "sleep", "autonomy", "mind", "user", "page")
"""The groups in the order in which they are shown; autonomy is a part of the settings' `sleep`."""
AUTONOMY = frozenset(
    {
        "autonomous_actions",
        "autonomous_actions_per_day",
        "silence",
        "boredom_threshold",
        "curiosity_threshold",
        "goal_achievement_threshold",
        "devotion_threshold",
        "boredom_full_hours",
        "devotion_half_life_hours",
    }
)
HIDDEN = frozenset({"page.onboarded", "usage.prices"})
"""What nobody sets by hand, or not here."""
ELSEWHERE = frozenset({"mind.provider", "mind.model", "mind.base_url", "mind.internal_processing_model"})
"""What is chosen in the section "Mind and model", for everybody and for one persona."""
ONLY_COMMON = frozenset(
    {"user", "page", "usage.currency", "usage.per_dollar", "usage.answer_tokens"}
    | {f"usage.{span}_{unit}" for span in ("day", "month") for unit in ("tokens", "money")}
)
"""What has no meaning for one persona alone (its own name for the user is a part of the persona)."""
BESIDE = {"autonomy": "<utatane-letters></utatane-letters>", "page": "<utatane-install></utatane-install>"}
"""What a browser keeps for itself about a group: its scripts draw it (assets/page/letters.js, app.js)."""
REOPENING = frozenset({"recall.embedder", "recall.embedder_model", "recall.chunk_size", "recall.chunk_overlap"})
"""What the search takes in when it is opened: a persona that is awake is woken anew."""

COMMON, OWN = "common", "own"
"""Whose settings are shown: everybody's, or those of the persona that is talked to."""


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom the settings are shown: for everybody, or for one persona; and which groups lie open."""

    own: bool = False
    group: str = SECTIONS[0]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as it stands.

    Attributes:
        section, key: its name.
        value: what holds.
        default: what would hold if it were not set in this scope.
        is_set: it is set in this scope.
    """

    section: str
    key: str
    value: Any
    default: Any
    is_set: bool

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def field(self) -> FieldInfo:
        return fields(self.section)[self.key]


def create_options_section(services: Services, t: Texts, current: gr.State) -> tuple[Opening, gr.State]:
    """Build the section; returns how it is filled, and the state that changes when another mind may speak."""
    scope, changed = gr.State(Scope()), gr.State(0)
    gr.HTML(f"<h2>{escape(t('options.title'))}</h2><p>{escape(t('options.intro'))}</p>", elem_classes="intro")
    shown = gr.HTML(
        elem_id="options", js_on_load="utataneShelves(element, trigger, watch) // 'select'", apply_default_css=False
    )
    handlers, edge = OptionHandlers(services, t), at_edge(t)
    shown.select(edge(handlers.act), [current, scope, changed], [scope, shown, changed], **IN_TURN)
    return Opening(handlers.open, [current, scope], [shown]), changed


class OptionHandlers:
    """The section's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t

    def open(self, persona: str, scope: Scope) -> str:
        """Show the settings of a scope as they stand in the files."""
        listed = page(self.options(persona, scope), persona, scope, self._t)
        return listed + mark(persona, OWN if scope.own else COMMON)

    def act(self, persona: str, scope: Scope, changed: int, event: gr.EventData) -> tuple[Scope, str, int]:
        """Do what was asked for on the page."""
        is_mind, told = False, event.told
        name = told_in(persona, told)
        seen = replace(scope, own=told["seen"] == OWN) if told.get("seen") else scope
        try:
            seen, is_mind = self.do(name, seen, told)
        except UtataneError as error:  # said here, so that the field shows again what holds
            say_error(worded(error, self._t), self._t)
        scope, shown = (seen, name) if is_here(name, persona) else (scope, persona)
        return scope, self.open(shown, scope) + answer_to(told), changed + is_mind

    def do(self, persona: str, scope: Scope, told: Mapping[str, Any]) -> tuple[Scope, bool]:
        """Show another scope or group, or change one setting; returns whether the mind may be another one."""
        action = told.get("action")
        if action == "scope":
            return replace(scope, own=told.get("scope") == OWN and bool(persona)), False
        if action == "group":
            return replace(scope, group=str(told.get("group", ""))), False
        if action in {"set", "reset"}:
            section, _, key = str(told.get("name", "")).partition(".")
            if key not in fields(section):
                raise InvalidSettingError(key=told.get("name"), value=told.get("value"), reason="")
            value = typed(fields(section)[key], told.get("value")) if action == "set" else None
            self._change(persona, scope, section, key, value)
            return scope, section == "mind"
        return scope, False

    def _change(self, persona: str, scope: Scope, section: str, key: str, value: object) -> None:
        if scope.own:
            self._services.personas.set_settings(persona, section, **{key: value})
        else:
            if value == fields(section)[key].get_default(call_default_factory=True):
                value = None  # the file holds only what differs, so that a better default reaches everyone
            self._services.settings_file.change(section, **{key: value})
        if persona:
            if f"{section}.{key}" in REOPENING and self._services.companion(persona).turn is None:
                self._services.let_sleep(persona)
            self._services.companion(persona).memories.settings()  # those who hold them follow

    def options(self, persona: str, scope: Scope) -> list[Option]:
        """Return the settings of a scope as they stand."""
        common = self._services.settings()
        own = self._services.personas.get(persona).settings if scope.own and persona else {}
        holding = common
        if scope.own and persona:
            holding = self._services.companion(persona).memories.settings()
        return list(options(common, holding, own if scope.own else None))


def fields(section: str) -> Mapping[str, FieldInfo]:
    """Return the fields of a section; none for a name that is no section's."""
    held = Settings.model_fields.get(section)
    return held.annotation.model_fields if held is not None and held.annotation is not None else {}


def options(common: Settings, holding: Settings, own: Mapping[str, Any] | None) -> Iterable[Option]:
    """Yield the settings of a scope.

    Args:
        common: everybody's.
        holding: those that hold in the scope.
        own: a persona's own, by section; None for everybody's scope.
    """
    for section in Settings.model_fields:
        for key, field in fields(section).items():
            name = f"{section}.{key}"
            if name in HIDDEN or name in ELSEWHERE or (own is not None and ONLY_COMMON & {section, name}):
                continue
            value = getattr(getattr(holding, section), key)
            if own is None:
                default = field.get_default(call_default_factory=True)
                yield Option(section, key, value, default, is_set=value != default)
            else:
                theirs = own.get(section)
                is_set = isinstance(theirs, Mapping) and key in theirs
                yield Option(section, key, value, getattr(getattr(common, section), key), is_set=is_set)


def typed(field: FieldInfo, value: object) -> object:
    """Return what a field of the page holds as the setting's own type; what does not fit is left to be refused."""
    if field.annotation is bool:
        return value in {True, "true"}
    text = str(value).strip()
    try:
        if field.annotation is int:
            return int(text)
        if field.annotation is float:
            number = float(text)
            return number if math.isfinite(number) else text
    except ValueError:
        return text
    return text


def worded(error: UtataneError, t: Texts) -> UtataneError:
    """Return what is said of a setting's value that was refused, in the page's own words and language."""
    section, _, key = str(error.facts.get("key", "")).partition(".")
    if not isinstance(error, InvalidSettingError) or key not in fields(section) or f"{section}.{key}" in HIDDEN:
        return error
    limits = fields(section)[key].metadata
    value, reason = str(error.facts["value"]), t("options.unfitting")
    with contextlib.suppress(ValueError):  # words, where a number is asked for
        for one in limits:
            if isinstance(one, annotated_types.Ge) and float(value) < float(str(one.ge)):
                reason = t("options.at_least", limit=one.ge)
            elif isinstance(one, annotated_types.Le) and float(value) > float(str(one.le)):
                reason = t("options.at_most", limit=one.le)
    return InvalidSettingError(key=t(f"options.{section}.{key}"), value=value, reason=reason)


def group_of(option: Option) -> str:
    """Return the group that a setting is shown in."""
    return "autonomy" if option.section == "sleep" and option.key in AUTONOMY else option.section


def page(found: Iterable[Option], persona: str, scope: Scope, t: Texts) -> str:
    """Return the settings: for whom, which group, and its settings."""
    grouped: dict[str, list[Option]] = {name: [] for name in SECTIONS}
    for option in found:
        if (group := group_of(option)) in grouped:  # others have a section of their own
            grouped[group].append(option)
    shown = [name for name in SECTIONS if grouped[name]]
    group = scope.group if scope.group in shown else shown[0]
    rows = "".join(row(option, t, own=scope.own) for option in grouped[group])
    intro = f'<p class="quiet">{escape(t(f"options.about_{group}"))}</p>{BESIDE.get(group, "")}'
    return (
        f'{scopes(persona, t, own=scope.own)}{_groups(shown, group, grouped, t)}<section class="shelf options" '
        f'aria-label="{escape(t(f"options.group_{group}"))}" data-place="{group}/{scope.own}">{intro}{rows}</section>'
    )


def scopes(persona: str, t: Texts, *, own: bool) -> str:
    """Return the choice for whom the settings are shown."""
    if not persona:
        return ""
    names = ((COMMON, t("options.common"), not own), (OWN, t("options.own", name=persona), own))
    buttons = "".join(
        f'<button type="button" data-action="scope" data-scope="{name}" aria-pressed="{str(here).lower()}">'
        f"{escape(label)}</button>"
        for name, label, here in names
    )
    return f'<div class="choice scopes" role="group" aria-label="{escape(t("options.for_whom"))}">{buttons}</div>'


def _groups(shown: Iterable[str], group: str, grouped: Mapping[str, list[Option]], t: Texts) -> str:
    def tab(name: str) -> str:
        here = ' aria-current="page"' if name == group else ""
        count = sum(option.is_set for option in grouped[name])
        mark = (
            f' <small aria-label="{escape(t("options.changed_count", count=count))}">{count}</small>' if count else ""
        )
        return (
            f'<button type="button" data-action="group" data-group="{name}"{here}>'
            f"{escape(t(f'options.group_{name}'))}{mark}</button>"
        )

    return f'<nav class="shelves" aria-label="{escape(t("options.groups"))}">{"".join(map(tab, shown))}</nav>'


def row(option: Option, t: Texts, *, own: bool) -> str:
    """Return one setting: its name, what it means, its field, and the way back to its default."""
    slug = f"option-{option.section}-{option.key}"
    default = t("options.common_is" if own else "options.default_is", value=spoken(option.field, option.default, t))
    back = ""
    if option.is_set:
        back = button(t("options.back_common" if own else "options.back"), "reset", name=option.name)
    return (
        f'<div class="option{" set" if option.is_set else ""}"><div><label for="{slug}">{escape(t(f"options.{option.name}"))}</label>'
        f'<p class="quiet" id="{slug}-about">{escape(t(f"options.{option.section}_info.{option.key}"))} '
        f"<span>{escape(default)}</span></p></div>"
        f'<div class="control">{_control(option, slug, t)}{back}</div></div>'
    )


def _control(option: Option, slug: str, t: Texts) -> str:
    field = option.field
    told = f'id="{slug}" aria-describedby="{slug}-about" data-change="set" data-name="{option.name}"'
    if field.annotation is bool:
        return f'<input type="checkbox" class="switch" role="switch" {told}{" checked" if option.value else ""}>'
    if get_origin(field.annotation) is Literal:
        choices = "".join(
            f'<option value="{choice}"{" selected" if choice == option.value else ""}>'
            f"{escape(spoken(field, choice, t))}</option>"
            for choice in get_args(field.annotation)
        )
        return f"<select {told}>{choices}</select>"
    if field.annotation in {int, float}:
        step = "1" if field.annotation is int else "any"
        # In a span of its own: a field for words that another group has in this place is not made into this one.
        return (
            f'<span><input type="number" {told} value="{_number(option.value)}" step="{step}"{_limits(field)}></span>'
        )
    return f'<input type="text" {told} value="{escape(str(option.value))}" autocomplete="off">'


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def _limits(field: FieldInfo) -> str:
    limits = ""
    for one in field.metadata:
        if isinstance(one, annotated_types.Ge):
            limits += f' min="{one.ge}"'
        elif isinstance(one, annotated_types.Le):
            limits += f' max="{one.le}"'
    return limits


def spoken(field: FieldInfo, value: object, t: Texts) -> str:
    """Return a setting's value in words."""
    if field.annotation is bool:
        return t("options.on" if value else "options.off")
    if get_origin(field.annotation) is Literal:
        return t(f"options.choice.{str(value).replace('-', '_')}")
    if isinstance(value, float):
        return _number(value)
    return str(value) if value != "" else t("options.nothing")
