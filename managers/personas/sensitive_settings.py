"""What a persona's folder asks for: settings that make the program call out, spend, or act by itself.

A folder may come from anybody, and its files may change under us. So these settings count as far as somebody has
said yes to their values on this computer (`managers.personas.admissions`), and the folder only proposes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from managers.storage.errors import Notice
from managers.storage.files import digest
from managers.storage.printable import one_line
from managers.storage.settings import Settings

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
        "user.name",
        "user.profile",
    }
)
"""What a folder sets without being asked about: it only shapes how the persona speaks and ranks what it finds.

Everything else needs a yes: where words go, what is read for a prompt, what is done by itself, what may be spent.
"""

_LONGEST: Final = 200

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "mind.provider=auto": (
        "このコンピューターのモデルか、内蔵のこころで話します。",
        "It talks through a model on this computer, or the built-in mind.",
    ),
    "mind.provider=builtin": ("内蔵のこころで話します。", "It talks through the built-in mind."),
    "mind.provider=gemini": (
        "Gemini で話します。話した内容は Google に送られます。",
        "It talks through Gemini: what you say is sent to Google.",
    ),
    "mind.provider=openai": (
        "モデルのサーバーで話します。話した内容は、そのサーバーに送られます。",
        "It talks through a model's server: what you say is sent there.",
    ),
    "mind.base_url": ("話した内容の送り先: {value}", "Where what you say is sent: {value}"),
    "mind.model": ("モデル: {value}", "The model: {value}"),
    "mind.internal_processing_model": ("裏で使うモデル: {value}", "The model for inner work: {value}"),
    "mind.provider=anthropic": (
        "Anthropic の Claude で話します。話した内容は Anthropic に送られます。",
        "It talks through Anthropic's Claude: what you say is sent to Anthropic.",
    ),
    "recall.embedder=gemini": (
        "検索のために、会話と資料の文章を Google に送ります。",
        "To search by meaning, it sends your conversations and documents to Google.",
    ),
    "sleep.autonomous_actions=true": (
        "話しかけられなくても、自分から書いてきます。",
        "It writes to you by itself, without being spoken to.",
    ),
    "sleep.autonomous_actions_per_day": (
        "自分から書く回数: 1日に {value} 回まで",
        "How often it writes by itself: up to {value} times a day",
    ),
    "sleep.dreaming=true": ("夜、その日のことを夢に見ます。", "At night it dreams of the day."),
    "usage.when_reached=builtin": (
        "使う量の上限に達したら、内蔵のこころで話します。",
        "When a cap is reached, the built-in mind speaks.",
    ),
}
"""Wishes in plain words, by name and value or by name; all others are told by their names."""
_ELSEWHERE = ("モデルのサーバーで話します。", "It talks through a model's server.")
"""Whichever provider's way of talking is chosen: an address of its own says where the words go."""
_SETTING = ("設定 {key}: {value}", "The setting {key}: {value}")
_GONE = ("設定 {key} を、なくします(みんなの設定に戻ります)。", "The setting {key} goes: everybody's is used instead.")


def wishes_of(settings: Mapping[str, Any]) -> Wishes:
    """Return what of a folder's settings needs a yes; what the program does not know counts for nothing anyway."""
    return _picked(settings, wanted=True)


def counting(settings: Mapping[str, Any], agreed: Wishes) -> dict[str, Any]:
    """Return the settings that count: the harmless ones of the folder, and what somebody said yes to."""
    counted: dict[str, Any] = _picked(settings, wanted=False)
    for section, values in agreed.items():
        counted[section] = {**counted.get(section, {}), **values}
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
    told = [_sentence(key, value, now) for key, value in now.items() if key not in was or was[key] != value]
    return told + [_said("wish", _GONE, key, "") for key in was if key not in now]


def _sentence(key: str, value: object, beside: Mapping[str, object]) -> Notice:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = _WORDS.get(f"{key}={shown}") or _WORDS.get(key) or _SETTING
    if key == "mind.provider" and beside.get("mind.base_url"):
        words = _ELSEWHERE
    return _said("wish", words, key, _shown(shown))


def _shown(value: str) -> str:
    return one_line(value).encode("utf-8", "replace").decode("utf-8")[:_LONGEST]


def _said(code: str, words: tuple[str, str], key: str, value: str) -> Notice:
    ja, en = (template.format(key=key, value=value) for template in words)
    return Notice(code, ja, en)


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
