"""What is true of somebody one at a time, where they live, what they do, how old they are: asked for, and told.

The patterns are those of `assets/language/dreaming.toml`, by which a dream keeps such facts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from managers.language.lexicons import load
from managers.storage.errors import Lang

Slot = Literal["home", "work", "age"]
SLOTS: tuple[Slot, ...] = ("home", "work", "age")
CHANGES: dict[str, Slot] = {"moved": "home", "hired": "work", "age": "age"}
"""What tells of a change: it replaces what was true before."""
STATES: dict[str, Slot] = {"home": "home", "work": "work"}
"""What tells how things are."""


def asked_slot(text: str, lang: Lang) -> Slot | None:
    """Return what a question by somebody asks about themselves ("where do I live?"), if it is such a fact."""
    return next((slot for slot in SLOTS if _pattern(lang, f"asks_{slot}").search(text)), None)


def told_slot(text: str, lang: Lang) -> Slot | None:
    """Return which such fact a sentence tells of its speaker."""
    if _pattern(lang, "question").search(text):
        return None
    return next((slot for name, slot in {**CHANGES, **STATES}.items() if _pattern(lang, name).search(text)), None)


@cache
def _pattern(lang: Lang, name: str) -> re.Pattern[str]:
    # Where a value is read, capitals tell a town from a state ("I live in peace").
    is_plain = lang == "ja" or name in ("home", "moved")
    return re.compile(load("dreaming")[lang][name], 0 if is_plain else re.IGNORECASE)
