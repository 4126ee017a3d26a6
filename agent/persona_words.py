"""A persona's own words with the names that stand in them as macros: of its system prompt, greetings and lorebook."""

from managers.memory.messages import NAMELESS
from managers.mind import Sheet
from managers.personas import Persona
from managers.personas.macros import fill_names
from managers.storage.errors import Lang

_ANYBODY: dict[Lang, str] = {"ja": "あなた", "en": "you"}


def filled(text: str, sheet: Sheet) -> str:
    """Return words for a mind with the names in them."""
    return fill_names(text, sheet.nickname or sheet.persona, sheet.user_name or NAMELESS[sheet.language])


def openings(persona: Persona, user_name: str) -> list[str]:
    """Return what a persona may say first, the usual one first; somebody who has given no name is met with a pronoun."""
    char, user = persona.nickname or persona.name, user_name or _ANYBODY[persona.language]
    texts = (fill_names(text, char, user) for text in (persona.greeting, *persona.alternate_greetings))
    return [text for text in texts if text.strip()]
