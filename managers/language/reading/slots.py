"""What is true of somebody one at a time, where they live, what they do, how old they are: asked for, and told.

The rules are those of `slots.toml`, by which a dream keeps such facts, too.
"""

import unicodedata
from typing import Literal

from managers.language.lexicons import load
from managers.language.reading.bounds import LONGEST
from managers.language.reading.reading import asks_anything
from managers.language.reading.reality import claims, other_subject
from managers.language.reading.rules import fits
from managers.storage.errors import Lang

Slot = Literal["home", "work", "age"]
SLOTS: tuple[Slot, ...] = ("home", "work", "age")
CHANGES: dict[str, Slot] = {"moved": "home", "hired": "work", "age": "age"}
"""What tells of a change: it replaces what was true before."""
TOLD: dict[str, Slot] = {**CHANGES, "home": "home", "work": "work"}
"""What tells of a change, or how things are."""


def asked_slot(text: str, lang: Lang) -> Slot | None:
    """Return what a question by somebody asks about themselves ("where do I live?"), if it is such a fact."""
    return next((slot for slot in SLOTS if fits(lang, "slots", f"asks_{slot}", text)), None)


def asks_all(text: str, lang: Lang) -> bool:
    """Tell whether somebody asks what is known of them at all ("what do you know about me?")."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return fits(lang, "acts", "ask_known", plain)


def searches_of_all(lang: Lang) -> list[str]:
    """Return what to look for in somebody's own words to say who they are: their people, their work, their home."""
    return [query.strip() for query in load(f"{lang}/words")["words"]["about_one"].split("/")]


def told_slot(text: str, lang: Lang) -> Slot | None:
    """Return which such fact a sentence tells of its speaker."""
    return next((slot for name, slot in TOLD.items() if tells(name, text, lang)), None)


def tells(name: str, text: str, lang: Lang) -> bool:
    """Tell whether a sentence tells something of its speaker (`quit`, or of `TOLD`): no dream, no denial, nobody else."""
    text = text[:LONGEST]
    if asks_anything(text) or fits(lang, "slots", "when_young", text):
        return False
    found = claims(lang, "slots", name, text)
    return any(lang != "ja" or not other_subject(one.string[: one.end()], lang) for one in found)


def is_change(name: str, text: str, lang: Lang) -> bool:
    """Tell whether what a sentence tells replaces what was true before; what is long past was known then."""
    return name in CHANGES and not fits(lang, "events", "long_ago", text)
