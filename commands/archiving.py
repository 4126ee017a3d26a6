"""`archive`: the memories that were put away, and how they come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import UnknownArchiveStepError
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, warn_of
from commands.terminal import write, write_line

if TYPE_CHECKING:
    from managers.hygiene.archive import PutAway
    from managers.hygiene.housekeeping import Housekeeping
    from ui.locales import Texts

commands = typer.Typer()


@commands.command()
def archive(
    persona: PersonaArgument,
    step: Annotated[
        str, typer.Argument(help="list, restore, preview (what is older than it stays in use), or now (put that away).")
    ] = "list",
    ids: Annotated[list[str] | None, typer.Argument(help="With restore: which; all, if none is named.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the memories that were put away, out of search and prompts; bring some or all of them back."""
    from agent.as_json import line
    from ui.locales import texts

    if step not in {"list", "restore", "preview", "now"}:
        raise UnknownArchiveStepError(given=step)
    with services_at(home) as services, damage_told(services, persona):
        memories, t = services.memories(persona), texts(terminal_language())
        keeping = memories.housekeeping()
        if step in {"preview", "now"}:
            _tell_due(keeping, t, puts_away=step == "now", as_json=as_json)
            memories.recall.keep_up()
            return
        if step == "restore":
            found = keeping.restore(ids or None)
            memories.recall.keep_up()
        else:
            found = keeping.archive.offered(memories.working_copy())
        for one in found:
            if as_json:
                write(line(one.model_dump(exclude={"value"})))
            else:
                write_line(_told(one, t))
        warn_of(keeping.archive.notices)
        if not found and not as_json:
            write_line(t("archive.empty"))


def _tell_due(keeping: Housekeeping, t: Texts, *, puts_away: bool, as_json: bool) -> None:
    """Write what is older than it stays in use, a line each; put it away, if that is asked for."""
    from agent.as_json import line

    for one in (due := keeping.due()):
        memory = one.memory
        if as_json:
            write(line({"id": memory.id, "kind": memory.kind, "place": memory.place, "text": memory.text}))
        else:
            write_line(f"{memory.id:<12} {memory.place}: {memory.text}")
    if puts_away and due:
        keeping.expire()
    if not as_json:
        write_line(
            t("archive.done" if puts_away else "archive.due_count", count=len(due)) if due else t("archive.due_none")
        )


def _told(one: PutAway, t: Texts) -> str:
    return f"{one.id:<12} {one.when[:10]}  {t(f'archive.why_{one.why}')}  {one.place}: {one.text}"
