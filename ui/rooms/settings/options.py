"""The settings as they stand, one by one, for everybody or for one persona, and how one is changed."""

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from agent.group.opened_sessions import without_password
from agent.services import Services
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.storage.files import digest
from managers.storage.setting_sections import Data, GrowthSettings, MemorySettings
from managers.storage.settings import Settings
from ui.locales import Texts

GROUPS: Final = ("user", "conversation", "recall", "memory", "privacy", "sleep", "autonomy", "details", "page")
"""The groups in the order in which they are shown; autonomy is a part of the settings' `sleep`, details of `mind`."""
_AUTONOMY: Final = frozenset(
    [
        "autonomous_actions",
        "autonomous_actions_per_day",
        "silence",
        "boredom_threshold",
        "curiosity_threshold",
        "goal_achievement_threshold",
        "devotion_threshold",
        "boredom_full_hours",
        "devotion_half_life_hours",
    ]
)
_HIDDEN: Final = frozenset(
    {"page.onboarded", "page.offers_models", "usage.prices"}
    | {f"group.{key}" for key in ("domain", "domain_about", "domain_keywords", "names", "remarks")}
)
"""What nobody sets by hand, or not here."""
_ELSEWHERE: Final = frozenset(
    {"mind.provider", "mind.model", "mind.base_url", "mind.internal_processing_model"}
    | {f"recall.embedder{part}" for part in ("", "_address", "_dimensions", "_model")}
)
"""What is chosen in "Mind and model" and "Comparing meanings", for everybody and for one persona."""
_ONLY_COMMON: Final = frozenset(
    {"user", "page", "programs", "group", "sessions", "backup", "engine"}
    | {"usage.currency", "usage.per_dollar", "usage.answer_tokens"}
    | {f"usage.{span}_{unit}" for span in ("day", "month") for unit in ("tokens", "money")}
)
"""What has no meaning for one persona alone (its own name for the user is a part of the persona)."""
_NEEDS: Final[Mapping[str, str]] = {
    **{
        f"memory.{key}": "memory.hygiene"
        for key in set(MemorySettings.model_fields) - {"shared", "hygiene", "retention"}
    },
    **{f"memory.{data}_days": "memory.retention=own" for data in get_args(Data)},
    **{f"growth.{key}": "growth.base" for key in GrowthSettings.model_fields if key != "base"},
    "sleep.autonomous_actions_per_day": "sleep.autonomous_actions",
}
"""What a setting means something with: another that is on or not empty, or has a value. Without it the page leaves it out."""
_LINES: Final = frozenset({"user.profile"})
"""What may have several lines."""
_REOPENING: Final = frozenset(
    {f"recall.embedder{part}" for part in ("", "_address", "_dimensions", "_model")}
    | {f"recall.{key}" for key in ("mask_embeddings", "chunk_size", "chunk_overlap")}
)
"""What the search takes in when it is opened: a persona that is awake is woken anew."""


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
    def group(self) -> str:
        if self.section in {"mind", "engine", "growth"} or self.name == "user.uid":
            return "details"
        if self.name == "recall.mask_embeddings":
            return "privacy"
        if self.section in {"group", "sessions"}:
            return "conversation"
        return "autonomy" if self.section == "sleep" and self.key in _AUTONOMY else self.section

    @property
    def field(self) -> FieldInfo:
        return fields(self.section)[self.key]

    @property
    def kind(self) -> Literal["switch", "choice", "number", "lines", "text"]:
        """How it is set on the page."""
        if self.field.annotation is bool:
            return "switch"
        if get_origin(self.field.annotation) is Literal:
            return "choice"
        if self.name in _LINES:
            return "lines"
        return "number" if self.field.annotation in {int, float} else "text"

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.field.annotation) if self.kind == "choice" else ()

    @property
    def step(self) -> str:
        return "1" if self.field.annotation is int else "any"

    @property
    def least(self) -> object:
        return next((one.ge for one in self.field.metadata if isinstance(one, annotated_types.Ge)), "")

    @property
    def most(self) -> object:
        return next((one.le for one in self.field.metadata if isinstance(one, annotated_types.Le)), "")

    @property
    def mark(self) -> str:
        """What its form carries, so that a value that was set elsewhere meanwhile is not written over."""
        return digest(str(self.value))

    @property
    def shown(self) -> str:
        """The value as its field holds it."""
        return f"{self.value:.10g}" if isinstance(self.value, float) else _written(self.value)


def fields(section: str) -> Mapping[str, FieldInfo]:
    """Return the fields of a section; none for a name that is no section's."""
    held = Settings.model_fields.get(section)
    return held.annotation.model_fields if held is not None and held.annotation is not None else {}


def options_of(services: Services, persona: str = "") -> list[Option]:
    """Return the settings as they stand: everybody's, or with a name those of one persona.

    Raises:
        PersonaNotFoundError, GuestError
    """
    common = services.settings()
    if not persona:
        return list(_options(common, common, None))
    holding = services.companion(persona).memories.settings()
    return list(_options(common, holding, services.personas.get(persona).settings))


def set_elsewhere(services: Services, name: str, value: object, persona: str, based_on: str) -> Option | None:
    """Return a setting that holds another value than when its form was shown, and than the form holds; None: it may be set."""
    now = next((option for option in options_of(services, persona) if option.name == name), None)
    if now is None or based_on in {"", now.mark}:
        return None
    wanted = now.default if value is None else typed(now.field, value)
    is_refused = now.kind == "choice" and wanted not in now.choices
    return None if is_refused or wanted == now.value else now


def change(services: Services, name: str, value: object, persona: str = "", current: str = "") -> None:
    """Set one setting, or with None let its default hold again.

    Args:
        services: whose settings.
        name: such as `recall.k`.
        value: as a field of a form holds it.
        persona: for whom alone; empty for everybody.
        current: who is talked to, and follows at once.

    Raises:
        InvalidSettingError: there is no such setting, or it cannot have this value.
    """
    section, _, key = name.partition(".")
    if key not in fields(section):
        raise InvalidSettingError(key=name, value=value, reason="")
    if value is not None:
        value = typed(fields(section)[key], value)
    if name == "sessions.redis_url":
        value = without_password(services, str(value or ""))
    if persona:
        services.personas.set_settings(persona, section, **{key: value})
    else:
        if value == fields(section)[key].get_default(call_default_factory=True):
            value = None  # the file holds only what differs, so that a better default reaches everyone
        services.settings_file.change(section, **{key: value})
    if follower := persona or current:
        if name in _REOPENING and services.companion(follower).turn is None:
            services.let_sleep(follower)
        services.companion(follower).memories.settings()  # those who hold them follow


def typed(field: FieldInfo, value: object) -> object:
    """Return what a form holds as the setting's own type; what does not fit is left to be refused."""
    if field.annotation is bool:
        return value in {True, "true"}
    text = str(value).strip()
    if get_origin(field.annotation) is list:
        return value if isinstance(value, list) else text.replace(",", " ").split()
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
    if not isinstance(error, InvalidSettingError) or key not in fields(section) or f"{section}.{key}" in _HIDDEN:
        return error
    value, reason = _written(error.facts["value"]), t("options.unfitting")
    with contextlib.suppress(ValueError):  # words, where a number is asked for
        for one in fields(section)[key].metadata:
            if isinstance(one, annotated_types.Ge) and float(value) < float(str(one.ge)):
                reason = t("options.at_least", limit=one.ge)
            elif isinstance(one, annotated_types.Le) and float(value) > float(str(one.le)):
                reason = t("options.at_most", limit=one.le)
    return InvalidSettingError(key=t(f"options.{section}.{key}"), value=value, reason=reason)


def spoken(option: Option, value: object, t: Texts) -> str:
    """Return a setting's value in words."""
    if option.kind == "switch":
        return t("options.on" if value else "options.off")
    if option.kind == "choice":
        return t(f"options.choice.{str(value).replace('-', '_')}")
    if isinstance(value, float):
        return f"{value:.10g}"
    return _written(value) or t("options.nothing")


def _written(value: object) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _options(common: Settings, holding: Settings, own: Mapping[str, Any] | None) -> Iterator[Option]:
    for section in Settings.model_fields:
        for key, field in fields(section).items():
            name = f"{section}.{key}"
            if name in _HIDDEN or name in _ELSEWHERE or (own is not None and _ONLY_COMMON & {section, name}):
                continue
            value = getattr(getattr(holding, section), key)
            if own is None:
                default = field.get_default(call_default_factory=True)
                yield Option(section, key, value, default, is_set=value != default)
            else:
                theirs = own.get(section)
                is_set = isinstance(theirs, Mapping) and key in theirs
                yield Option(section, key, value, getattr(getattr(common, section), key), is_set=is_set)


def by_group(found: Iterable[Option]) -> dict[str, list[Option]]:
    """Return the settings by the group that they are shown in.

    Those with a page of their own are left out, and those that mean nothing as the others stand, unless they were set.
    """
    options = list(found)
    values = {option.name: option.value for option in options}
    grouped: dict[str, list[Option]] = {name: [] for name in GROUPS}
    for option in options:
        if option.group in grouped and (option.is_set or _applies(option.name, values)):
            grouped[option.group].append(option)
    return {name: options for name, options in grouped.items() if options}


def _applies(name: str, values: Mapping[str, Any]) -> bool:
    if name == "sessions.redis_url":
        return find_spec("redis") is not None
    needed, _, wanted = _NEEDS.get(name, "").partition("=")
    held = values.get(needed, True)
    return held == wanted if wanted else bool(held)
