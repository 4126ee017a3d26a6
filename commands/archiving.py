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
    from ui.locales import Texts

commands = typer.Typer()


@commands.command()
def archive(
    persona: PersonaArgument,
    step: Annotated[str, typer.Argument(help="list, or restore.")] = "list",
    ids: Annotated[list[str] | None, typer.Argument(help="With restore: which; all, if none is named.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the memories that were put away, out of search and prompts; bring some or all of them back."""
    from agent.as_json import line
    from ui.locales import texts

    if step not in {"list", "restore"}:
        raise UnknownArchiveStepError(given=step)
    with services_at(home) as services, damage_told(services, persona):
        memories, t = services.memories(persona), texts(terminal_language())
        keeping = memories.housekeeping()
        if step == "restore":
            found = keeping.restore(ids or None)
            warn_of(memories.recall.keep_up())
        else:
            found = list(keeping.archive.entries(memories.working_copy()))
        for one in found:
            if as_json:
                write(line(one.model_dump(exclude={"value"})))
            else:
                write_line(_told(one, t))
        warn_of(keeping.archive.notices)
        if not found and not as_json:
            write_line(t("archive.empty"))


def _told(one: PutAway, t: Texts) -> str:
    return f"{one.id:<12} {one.when[:10]}  {t(f'archive.why_{one.why}')}  {one.place}: {one.text}"
