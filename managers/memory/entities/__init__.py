"""Entities: people, pets, places, works, organisations and recurring things, one `<name>.md` each.

A file is the specification's: a heading, `Created:`, and text. What a dream knows is a list of bullet
lines, each with a trailing HTML comment (invisible where Markdown is rendered) that says in JSON where
it comes from. Everything else in the file, and every bullet whose words a person changed, is the
person's: kept to the letter, never changed by a dream.

    # Entity Memory: 田中さん
    Created: 2026-01-01 12:00:00
    <!-- entity {"kind": "person", "aliases": ["田中", "Tanaka"]} -->

    - 京都に住んでいる <!-- fact {"id": "f_12ab34cd", "evidence": ["m1"], "since": "2025-12-31", ...} -->
"""

from managers.memory.entities.entity_facts import (
    KEPT_FACTS,
    KINDS,
    Entity,
    Fact,
    Kind,
    bounded,
    ended,
    revived,
    reworded,
    with_fact,
)
from managers.memory.entities.entity_names import is_safe, kanji_alone, name_key
from managers.memory.entities.entity_store import EntityStore, about_misnamed, find_by_name, misnamed_entities
from managers.memory.entities.entity_text import format_entity, format_fact, parse_entity

__all__ = [
    "KEPT_FACTS",
    "KINDS",
    "Entity",
    "EntityStore",
    "Fact",
    "Kind",
    "about_misnamed",
    "bounded",
    "ended",
    "find_by_name",
    "format_entity",
    "format_fact",
    "is_safe",
    "kanji_alone",
    "misnamed_entities",
    "name_key",
    "parse_entity",
    "revived",
    "reworded",
    "with_fact",
]
