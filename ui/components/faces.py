"""How a persona looks: its picture, kept small and served from the persona's own folder."""

from dataclasses import dataclass

from agent.services import Services
from managers.personas import Persona
from ui.server.addresses import address_of


@dataclass(frozen=True, slots=True)
class Face:
    """A persona's name, and the address of its picture; empty where it has none, then its first letter stands there."""

    name: str
    picture: str = ""


def face_of(services: Services, name: str) -> Face:
    """Return how a persona looks.

    Raises:
        PersonaNotFoundError, GuestError, UnsafeNameError
    """
    return face(services.personas.get(name))


def face(persona: Persona) -> Face:
    """Return how a persona looks; the picture's address changes with it, so that browsers may keep it."""
    if persona.avatar is None:
        return Face(persona.name)
    return Face(persona.name, address_of(persona.name, "avatar", v=persona.avatar.stat().st_mtime_ns))
