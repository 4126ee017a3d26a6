"""Personas: characters that live in folders, and what can be done with such a folder."""

from managers.personas.persona import Colours, Persona
from managers.personas.persona_store import PersonaStore
from managers.personas.trash import Trashed

__all__ = ["Colours", "Persona", "PersonaStore", "Trashed"]
