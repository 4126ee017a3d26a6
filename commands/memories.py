"""`memories`: what a persona remembers beside the conversation, one line a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.errors import CommandError
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell

if TYPE_CHECKING:
    from datetime import date

    from managers.hygiene.inventory import Memory
    from managers.memory.audience import Given
    from managers.memory.strategies import Strategies

commands = typer.Typer()

_STRATEGY = "strategy"


@commands.command()
def memories(
    persona: PersonaArgument,
    home: HomeOption = None,
    kind: Annotated[
        str, typer.Option("--type", help="day, event, insight, fact or strategy; default: what dreams made.")
    ] = "",
    memory_id: Annotated[str, typer.Argument(help="With --audience: the memory, or a message of the log.")] = "",
    audience: Annotated[str, typer.Option(help="this-computer, this-persona or any: who may be given it.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List the memories that dreams have made: how far each is trusted, what it rests on, when it was last used.

    With an id and --audience, say who may be given that memory: minds on this computer only (`!`), this persona alone
    (`=`), or any. With `--type strategy`: what was learned about
    helping, and how often it was welcome or complained of.
    """
    from agent.audience import let_be_for
    from managers.hygiene.inventory import KINDS
    from managers.hygiene.inventory import memories as active
    from managers.memory.audience import AUDIENCES

    if kind and kind not in (*KINDS, _STRATEGY):
        raise CommandError("unknown-memory-type", given=kind, known=", ".join((*KINDS, _STRATEGY)))
    with services_at(home) as services, damage_told(services, persona):
        today, held = services.clock.now().date(), services.memories(persona)
        if audience:
            chosen = next((one for one in AUDIENCES if one == audience), None)
            if chosen is None:
                raise CommandError("unknown-audience", given=audience, known=", ".join(AUDIENCES))
            let_be_for(held, memory_id, chosen)
        if kind == _STRATEGY:
            _list_strategies(held.strategies.load(), as_json=as_json)
            return
        for memory in active(held.working_copy()):
            if kind in ("", memory.kind) and memory_id in ("", memory.id):
                given = held.audiences.given(memory.evidence, memory.id, memory.place)
                marks = (
                    f"{'*' if memory.is_pinned else ' '}{'!' if given.is_here else ' '}{'=' if given.is_own else ' '}"
                )
                told = f"{memory.id:<12}{marks} {memory.kind:<8}{memory.confidence(today):.2f}  {memory.text}"
                tell(_plain(memory, today, given), told, as_json=as_json)


def _list_strategies(known: Strategies, *, as_json: bool) -> None:
    for failure in known.failures:
        told = f"{failure.id:<12}  {failure.severity}/5   {failure.pattern}: {failure.mitigation}"
        tell({**failure.model_dump(mode="json"), "type": _STRATEGY}, told, as_json=as_json)
    for way in known.decompositions:
        how = ", ".join(way.strategy)
        told = f"{way.id:<12}  {way.success_rate:.2f} ×{way.usage_count:<4} {way.query_pattern} ({how})"
        tell({**way.model_dump(mode="json"), "type": _STRATEGY}, told, as_json=as_json)


def _plain(memory: Memory, today: date, given: Given) -> dict[str, Any]:
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
        "audience": "this-computer" if given.is_here else "any",
        "personas": "this-persona" if given.is_own else "any",
    }
