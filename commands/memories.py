"""`memories`: what a persona remembers beside the conversation, one line a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.errors import UnknownMemoryTypeError
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at
from commands.terminal import write, write_line

if TYPE_CHECKING:
    from datetime import date

    from managers.hygiene.inventory import Memory

commands = typer.Typer()


@commands.command()
def memories(
    persona: PersonaArgument,
    home: HomeOption = None,
    kind: Annotated[str, typer.Option("--type", help="day, event, insight or fact; default: all.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List the memories that dreams have made: how far each is trusted, what it rests on, when it was last used."""
    from agent.as_json import line
    from managers.hygiene.inventory import KINDS
    from managers.hygiene.inventory import memories as active

    if kind and kind not in KINDS:
        raise UnknownMemoryTypeError(given=kind, known=", ".join(KINDS))
    with services_at(home) as services, damage_told(services, persona):
        today = services.clock.now().date()
        for memory in active(services.memories(persona).working_copy()):
            if kind in ("", memory.kind):
                if as_json:
                    write(line(_plain(memory, today)))
                else:
                    pin = "*" if memory.is_pinned else " "
                    write_line(f"{memory.id:<12}{pin} {memory.kind:<8}{memory.confidence(today):.2f}  {memory.text}")


def _plain(memory: Memory, today: date) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": memory.kind,
        "text": memory.text,
        "place": memory.place,
        "confidence": memory.confidence(today),
        "generation": memory.standing.generation,
        "last_accessed": memory.standing.last_accessed,
        "pinned": memory.is_pinned,
        "yours": memory.is_users,
        "evidence": list(memory.evidence),
        "moves": [move.model_dump() for move in memory.standing.moves],
    }
