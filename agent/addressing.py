"""What the user is called: as the settings say, as the notes have it, as they said it, as a transcript does. Never a pronoun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.persona_words import filled
from managers.language.reading.introductions import name_given, name_noted
from managers.memory.audience import NOTES, NOTHING_KEPT, Kept
from managers.memory.entities import Entity, Fact, is_safe
from managers.memory.entity_store import EntityStore
from managers.memory.messages import NAMELESS, Message, is_unnamed
from managers.mind import Sheet
from managers.storage.errors import Lang

if TYPE_CHECKING:
    from agent.memories import Memories

_LATELY = 3
_FORMERLY: dict[Lang, str] = {"ja": "あなた", "en": "You"}
"""Under this, nights of earlier versions kept what they knew of somebody who had given no name."""


def with_name(sheet: Sheet, memories: Memories, window: Sequence[Message] = ()) -> Sheet:
    """Return the sheet with the user's name as far as anything tells it, and with both names in the persona's own words.

    Args:
        sheet: who the persona is.
        memories: its notes.
        window: the talk so far; a name that is known from it is what the next message stands under, so it stays known.
    """
    named = _named(sheet, memories, window)
    return replace(named, system_prompt=filled(named.system_prompt, named))


def _named(sheet: Sheet, memories: Memories, window: Sequence[Message]) -> Sheet:
    if sheet.user_name:
        return sheet
    kept = memories.spare("audience", memories.audiences.kept, None)  # a note for this computer only names nobody
    open_notes = [kind for kind, path in NOTES.items() if kept is not None and not kept.holds_file(path)]
    notes = "\n".join(memories.notes.read(kind).text for kind in open_notes)
    own = [one for one in window if not one.origins]
    name = name_noted(notes, sheet.persona) or _name_said_lately(own) or _name_written(own, sheet)
    return sheet if not name or is_unnamed(name) else replace(sheet, user_name=name)


def _name_said_lately(window: Sequence[Message]) -> str:
    """Return the name that somebody gave in the last few messages; the one before stands over the messages since."""
    texts, before = list[str](), list[str]()
    spoken = ""
    for message in window:
        if message.role == "user":
            texts.append(message.text)
            before.append(spoken)
            spoken = ""
        elif message.role == "persona":
            spoken = message.text
    if len(texts) > _LATELY:  # it is not the beginning of the talk, where a bare word may be a name
        texts, before = [""] * _LATELY + texts[-_LATELY:], [""] * _LATELY + before[-_LATELY:]
    return name_given(texts, before[1:])


def _name_written(window: Sequence[Message], sheet: Sheet) -> str:
    names = (one.speaker for one in reversed(window) if one.role == "user" and not is_unnamed(one.speaker))
    return next((name for name in names if name != sheet.persona), "")


def called(sheet: Sheet) -> str:
    """Return what the user's words stand under, and what prompts call them."""
    return sheet.user_name or NAMELESS[sheet.language]


def names_of_user(sheet: Sheet) -> list[str]:
    """Return the names under which the user's own facts may be: what they are called, and were while nobody knew it."""
    return list(dict.fromkeys((called(sheet), NAMELESS[sheet.language], _FORMERLY[sheet.language])))


def facts_of_user(entities: EntityStore, sheet: Sheet, kept: Kept = NOTHING_KEPT) -> list[Fact]:
    """Return what is known of the user, oldest first: what holds now, and is not kept from the mind."""
    cards = {
        card.name: kept.card(card) for name in names_of_user(sheet) if (card := card_of(entities, name)) is not None
    }
    return sorted((fact for card in cards.values() for fact in card.current_facts), key=lambda fact: fact.since)


def card_of(entities: EntityStore, name: str) -> Entity | None:
    """Return what is known under a name."""
    return (entities.get(name) if is_safe(name) else None) or entities.find(name)
