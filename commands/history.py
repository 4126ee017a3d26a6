"""`history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import page_texts
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell
from commands.terminal import write

if TYPE_CHECKING:
    from managers.storage.history.entries import Entry
    from ui.locales import Texts

commands = typer.Typer()


@commands.command()
def history(  # noqa: PLR0917  # the options of a command
    persona: PersonaArgument,
    home: HomeOption = None,
    undo: Annotated[str | None, typer.Option(help="Take this entry back.")] = None,
    redo: Annotated[str | None, typer.Option(help="Make an entry that was taken back again.")] = None,
    leave_changed: Annotated[
        bool,
        typer.Option("--leave-changed", help="On --undo or --redo: leave alone what something later changed."),
    ] = False,
    part: Annotated[
        str,
        typer.Option(
            help="Only this part of changes: a file as it is listed (goals.json), or # and a memory's id (#sh_abc12345)."
        ),
    ] = "",
    show: Annotated[str | None, typer.Option(help="Show what this entry changed.")] = None,
    limit: Annotated[int, typer.Option("-n", min=1, help="How many entries.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show what changed in a persona's memories, by whom and why; undo and redo."""
    from agent import as_json as shapes

    t = page_texts()
    with services_at(home) as services, damage_told(services, persona):
        found = services.companion(persona).memories.history
        if show:
            for diff in found.diff(show, part):
                write(shapes.line({"path": diff.path, "diff": diff.unified}) if as_json else diff.unified)
            return
        done = None
        if undo or redo:
            change, marks = found.undo if undo else found.redo, services.memories(persona).audiences
            with marks.following():
                done = change(undo or redo or "", author="user", leave_changed=leave_changed, part=part)
        for entry in found.entries(1 if done else limit, part="" if done else part):
            tell(shapes.history_entry(entry), _entry_line(entry, t), as_json=as_json)


def _entry_line(entry: Entry, t: Texts) -> str:
    from ui.rooms.history.view import author_name, reason_of

    mark = f" ({t('history.undone')})" if entry.undone_by else ""
    told = f"{author_name(entry.author, t)}: {reason_of(entry, t)}{mark}"
    return f"{entry.id[:10]}  {entry.time:%Y-%m-%d %H:%M}  {told}  {', '.join(entry.files)}"
