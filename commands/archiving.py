"""`archive`: the memories that were put away, and how they come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import CommandError
from commands.language import page_texts
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell, warn_of
from commands.terminal import write_line

if TYPE_CHECKING:
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
    if step not in {"list", "restore", "preview", "now"}:
        raise CommandError("unknown-archive-step", given=step)
    with services_at(home) as services, damage_told(services, persona):
        memories, t = services.memories(persona), page_texts()
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
            told = f"{one.id:<12} {one.when[:10]}  {t(f'archive.why_{one.why}')}  {one.place}: {one.text}"
            tell(one.model_dump(exclude={"value"}), told, as_json=as_json)
        warn_of(keeping.archive.notices)
        if not found and not as_json:
            write_line(t("archive.empty"))


def _tell_due(keeping: Housekeeping, t: Texts, *, puts_away: bool, as_json: bool) -> None:
    """Write what is older than it stays in use, a line each; put it away, if that is asked for."""
    due = [one.memory for one in keeping.due()]
    for memory in due:
        facts = {"id": memory.id, "kind": memory.kind, "place": memory.place, "text": memory.text}
        tell(facts, f"{memory.id:<12} {memory.place}: {memory.text}", as_json=as_json)
    if puts_away and due:
        keeping.expire()
    if not as_json:
        write_line(
            t("archive.done" if puts_away else "archive.due_count", count=len(due)) if due else t("archive.due_none")
        )
