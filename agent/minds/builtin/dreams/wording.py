"""The words that a dream writes, from `assets/language/{ja,en}/dreams.toml`, and what it quotes."""

from __future__ import annotations

from collections.abc import Sequence

from agent.minds.builtin.talk.quotation import marks
from managers.language.lexicons import load, word_list
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.storage.errors import Lang

UNNAMED = frozenset({"あなた", "You", "you", "ユーザー", "User"})


def phrase(lang: Lang, key: str, **slots: str) -> str:
    """Return a phrase with its slots filled in; `{Who}` stands for the slot `who` with a capital.

    Raises:
        KeyError: there is no such phrase, or it needs a slot that was not given.
    """
    template: str = load(f"{lang}/dreams")[key]
    capitals = {name.capitalize(): value[:1].upper() + value[1:] for name, value in slots.items()}
    return template.format(**slots, **capitals)


def quoted(text: str, lang: Lang, limit: int = 120) -> str:
    """Return words in quotation marks, shortened where they are longer than `limit`; marks within them give way."""
    line = text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
    inner = str.maketrans(*load(f"{lang}/dreams")["within_quote"])
    return phrase(lang, "quote", text=line.rstrip(marks(lang)["full_stop"]).translate(inner))


def call(message: Message, sheet: Sheet, lang: Lang) -> str:
    """Return how the persona refers to a speaker in its memories."""
    if message.role == "persona":
        return phrase(lang, "i")
    name = message.speaker.strip()
    name = sheet.user_name if not name or name in UNNAMED else name
    if not name:
        return phrase(lang, "you")
    is_bare = name[-1].isalnum() and not name.endswith(tuple(word_list("ja", "honorifics")))
    return phrase(lang, "named", name=name) if is_bare else name


def listed(items: Sequence[str], lang: Lang) -> str:
    """Return a list as it is written: A, B and C."""
    return phrase(lang, "and").join([phrase(lang, "comma").join(items[:-1]), items[-1]] if items[1:] else items)
