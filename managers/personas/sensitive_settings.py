"""What a persona's folder asks for: settings that make the program call out, spend, or act by itself.

A folder may come from anybody, and its files may change under us. So these settings count as far as somebody has
said yes to their values on this computer (`managers.personas.admissions`), and the folder only proposes them.
"""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from managers.storage.errors import Lang, Notice
from managers.storage.files import digest
from managers.storage.printable import one_line
from managers.storage.settings import Settings
from managers.storage.texts import table

Wishes = Mapping[str, Mapping[str, Any]]
"""Settings that need a yes: values by section and key, as they stand in `persona.json`."""

NOTHING: Final[Wishes] = {}

HARMLESS: Final = frozenset(
    {
        "mind.temperature",
        "mind.seed",
        "recall.threshold",
        "recall.recall_memories_threshold",
        "recall.mmr_lambda",
        "recall.duplicate_similarity",
        "recall.neighbour_share",
        "conversation.light_drive_threshold",
        "group.domain",
        "group.domain_about",
        "group.domain_keywords",
        "group.names",
        "group.remarks",
        "user.name",
        "user.profile",
    }
)
"""What a folder sets without being asked about: it only shapes how the persona speaks and ranks what it finds.

Everything else needs a yes: where words go, what is read for a prompt, what is done by itself, what may be spent.
"""

_LONGEST: Final = 1000
"""So many characters of a value are shown; of a longer one it is said how many there are."""


def wishes_of(settings: Mapping[str, Any]) -> Wishes:
    """Return what of a folder's settings needs a yes; what the program does not know counts for nothing anyway."""
    return _picked(settings, wanted=True)


def counting(settings: Mapping[str, Any], agreed: Wishes) -> dict[str, Any]:
    """Return the settings that count: the harmless ones of the folder, and what somebody said yes to."""
    counted: dict[str, Any] = _picked(settings, wanted=False)
    for section, values in agreed.items():
        own = counted.get(section)
        counted[section] = {**(own if isinstance(own, Mapping) else {}), **values}
    return counted


def is_same(one: Wishes, other: Wishes) -> bool:
    """Tell whether two wishes are the same to the letter."""
    return (not one and not other) or digest_of(one) == digest_of(other)


def digest_of(wishes: Wishes) -> str:
    """Return what stands for the values: whoever says yes to this has seen these."""
    return digest(json.dumps(wishes, sort_keys=True))


def in_words(wishes: Wishes, before: Wishes = NOTHING) -> list[Notice]:
    """Return in plain words what would change if somebody said yes: one sentence a setting."""
    now, was = _flat(wishes), _flat(before)
    gone = table("notices/wishes")["other"]["gone"]
    told = [_sentence(key, value, now) for key, value in now.items() if key not in was or was[key] != value]
    return told + [_said(gone, key) for key in was if key not in now]


def _sentence(key: str, value: object, beside: Mapping[str, object]) -> Notice:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    wishes, others = (table("notices/wishes")[name] for name in ("wish", "other"))
    words = wishes.get(f"{key}={shown}") or wishes.get(key) or others["setting"]
    if key == "mind.provider" and beside.get("mind.base_url"):
        words = others["elsewhere"]
    plain = one_line(_without_login(shown)).encode("utf-8", "replace").decode("utf-8")
    if len(plain) <= _LONGEST:
        return _said(words, key, plain)
    return _said(words, key, plain[:_LONGEST], others["longer"], len(plain))


def _without_login(value: str) -> str:
    """Return an address without the name and password in it, which may look like a server; anything else as it is."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return value
    _, at, server = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=server)) if at else value


def _said(
    words: Mapping[Lang, str], key: str, value: str = "", longer: Mapping[Lang, str] | None = None, count: int = 0
) -> Notice:
    def said(lang: Lang) -> str:
        shown = longer[lang].format(value=value, count=count) if longer else value
        return words[lang].format(key=key, value=shown)

    return Notice("wish", said("ja"), said("en"))


def _flat(wishes: Wishes) -> dict[str, Any]:
    return {f"{section}.{key}": value for section, values in wishes.items() for key, value in values.items()}


def _picked(settings: Mapping[str, Any], *, wanted: bool) -> dict[str, dict[str, Any]]:
    """Return the settings that need a yes, or all the others."""
    picked: dict[str, dict[str, Any]] = {}
    for section, values in settings.items():
        if not isinstance(values, Mapping):
            if not wanted:
                picked[section] = values  # named as unusable by whoever reads settings
            continue
        found = {key: value for key, value in values.items() if _needs_yes(section, key) == wanted}
        if found:
            picked[section] = found
    return picked


def _needs_yes(section: str, key: str) -> bool:
    field = Settings.model_fields.get(section)
    known = field.annotation.model_fields if field is not None else {}  # type: ignore[union-attr]  # every section is a model
    return key in known and f"{section}.{key}" not in HARMLESS
