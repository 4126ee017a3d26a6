"""`erase`: what is to be gone for good, shown first, and destroyed on a yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import CommandError
from commands.language import page_texts
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell
from commands.terminal import agrees, may_ask, write_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from managers.hygiene.erasure import Left, Plan, Report
    from ui.locales import Texts

commands = typer.Typer()


@commands.command()
def erase(  # the options of a command
    persona: PersonaArgument,
    what: Annotated[
        str | None, typer.Argument(help="The id of a memory (see memories, archive) or of a message.")
    ] = None,
    home: HomeOption = None,
    about: Annotated[str, typer.Option(help="Everything about somebody or something, by name.")] = "",
    preview: Annotated[bool, typer.Option("--preview", help="Show what would go, and erase nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Destroy a memory, a message, or everything about somebody, wherever it lies: no undo brings it back."""
    from agent.erasing import erase as erase_for_good
    from agent.erasing import plan_erasure

    if bool(what) == bool(about):
        raise CommandError("erase-one-thing")
    t = page_texts()
    with services_at(home) as services:
        memories = services.memories(persona)
        plan = plan_erasure(memories, what or "", about=about)
        if preview or not yes:
            _show(plan, t, as_json=as_json)
        if preview:
            return
        word = t("erasing.word")  # a whole one, for nothing brings it back
        if not yes and not (may_ask(as_json=as_json) and agrees(t("erasing.ask", word=word), {word})):
            raise CommandError("erase-not-confirmed")
        _report(erase_for_good(memories, plan), t, as_json=as_json)


def _show(plan: Plan, t: Texts, *, as_json: bool) -> None:
    from ui.rooms.memories.erasing import counted

    if as_json:
        for one in plan.taken:
            tell({"takes": one.what, "file": one.file, "text": one.text}, "", as_json=True)
        _leave(plan.left, t, as_json=True)
        return
    write_line(f"{t('erasing.will_take')}:")
    for one in plan.taken:
        write_line(f"  {one.file}: {one.text}" if one.text else f"  {one.file}")
    write_line(f"{counted(plan.counts, t)}. {t('erasing.versions')}")
    _leave(plan.left, t, as_json=False)


def _report(report: Report, t: Texts, *, as_json: bool) -> None:
    from ui.rooms.memories.erasing import counted

    if as_json:
        tell({"erased": dict(report.counts), "left": [one.file for one in report.left]}, "", as_json=True)
        return
    write_line(t("erasing.done", kinds=counted(report.counts, t)))
    _leave(report.left, t, as_json=False)
    write_line(t("erasing.outside"))


def _leave(left: Iterable[Left], t: Texts, *, as_json: bool) -> None:
    from ui.rooms.memories.erasing import stays

    for one in left:
        tell({"stays": one.why, "file": one.file}, f"! {stays(one, t)}", as_json=as_json)
