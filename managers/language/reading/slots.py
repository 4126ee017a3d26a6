"""What is true of somebody one at a time, where they live, what they do, how old they are: asked for, and told.

The rules are those of `slots.toml`, by which a dream keeps such facts, too.
"""

import unicodedata
from typing import Literal

from managers.language.lexicons import load, word_list
from managers.language.reading.reading import asks_anything
from managers.language.reading.rules import fits, rule
from managers.language.words import words
from managers.storage.errors import Lang

Slot = Literal["home", "work", "age"]
SLOTS: tuple[Slot, ...] = ("home", "work", "age")
CHANGES: dict[str, Slot] = {"moved": "home", "hired": "work", "age": "age"}
"""What tells of a change: it replaces what was true before."""
STATES: dict[str, Slot] = {"home": "home", "work": "work"}
"""What tells how things are."""


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
    if asks_anything(text):
        return None
    for name, slot in {**CHANGES, **STATES}.items():
        told = rule(lang, "slots", name).search(text)
        if told is not None and not (lang == "ja" and _tells_of_another(text[: told.end()])):
            return slot
    return None


def _tells_of_another(text: str) -> bool:
    """Tell 妹は大阪に住んでる and 健太さんは…, where somebody else is the subject, from what the speaker tells of themselves."""
    known = word_list("ja", "relations") | word_list("ja", "acquainted")
    found = words(text)
    return any(
        word.surface in ("は", "が", "も")
        and word.form in ("係助詞", "格助詞")
        and any(
            before.entity == "person" or before.surface in known or before.form == "名"
            for before in found[max(0, at - 2) : at]
        )
        for at, word in enumerate(found)
    )
