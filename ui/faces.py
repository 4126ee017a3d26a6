"""How a persona looks: its picture, kept small and served from the persona's own folder."""

from __future__ import annotations

from agent.services import Services
from ui.presenters import Face, persona_address


def face_of(services: Services, name: str) -> Face:
    """Return name and address of the picture (the address changes with the picture, so caches stay right)."""
    persona = services.personas.get(name)
    if persona.avatar is None:
        return Face(name, "")
    return Face(name, f"{persona_address(name)}/avatar?v={persona.avatar.stat().st_mtime_ns}")
