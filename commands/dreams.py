"""`dream`, and what it brought: the days' stories first, then what else changed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import CommandError
from commands.language import page_texts, terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell, warn_of
from commands.terminal import show_progress, warn, write, write_line
from managers.storage.texts import Texts as Sentences

if TYPE_CHECKING:
    from managers.sleep.changes import Change
    from managers.sleep.cost import DreamCost
    from managers.sleep.report import DreamReport
    from managers.storage.errors import Lang
    from ui.locales import Texts

commands = typer.Typer()

_say = Sentences("notices/commands")
_NAMED = frozenset({"entity", "question", "resolution"})
"""A goal's target is its id, and an insight's is its topic, which its text says."""


@commands.command()
def dream(  # noqa: PLR0917  # the options of a command
    persona: PersonaArgument,
    home: HomeOption = None,
    level: Annotated[str, typer.Option(help="auto, 1 (day), 2 (week) or 3 (month).")] = "auto",
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Dream of every day that is missing, one by one.")
    ] = False,
    built_in: Annotated[
        bool, typer.Option("--built-in", help="The built-in mind dreams, whatever the settings name: that is free.")
    ] = False,
    day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Dream of this day alone, anew.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="With --day: episode, entities, questions or answers.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Dream now: of the days that wait, and of what was said today so far."""
    from agent.sleeper import as_level
    from managers.mind import Cancel

    if only and not day:
        raise CommandError("only-with-day")
    wanted = as_level(level)
    with services_at(home) as services, damage_told(services, persona):
        sleeper = services.sleeper(persona)
        if day:
            report = sleeper.dream_of(day.date(), only, dry_run=dry_run, built_in=built_in)
        else:
            if not as_json and not built_in:
                _write_cost(sleeper.cost(catch_up=catch_up), terminal_language())
            report = sleeper.dream(
                Cancel(),
                level=wanted,
                catch_up=catch_up,
                dry_run=dry_run,
                progress=None if as_json else show_progress,
                built_in=built_in,
            )
        _tell_of(report, dry_run=dry_run, as_json=as_json)


def _tell_of(report: DreamReport, *, dry_run: bool, as_json: bool) -> None:
    lang = terminal_language()
    if as_json:
        tell(report.plain(), "", as_json=True)
    else:
        _write_dream(report, page_texts(), dry_run=dry_run)
    for failure in report.failures:
        warn(f"{failure.task} {failure.day}: {failure.error.sentence(lang)}")
    behind = [one.en for one in report.notices if one.code == "index-behind"]  # which is said in the end
    warn_of(one for one in report.notices if not any(one.en in why for why in behind))


def _write_cost(cost: DreamCost, lang: Lang) -> None:
    """Write what a dream is going to cost, before it begins; nothing where no model is asked."""
    if cost.calls:
        write_line(_say("dream.cost", lang, days=cost.days, mind=cost.mind, calls=cost.calls, tokens=cost.tokens))


def _write_dream(report: DreamReport, t: Texts, *, dry_run: bool) -> None:
    told = report.told
    for story in told.stories:
        write_line(story.target)
        write(f"  {story.text}\n")
    if told.count:
        write_line(_say("dream.would-change" if dry_run else "dream.changed", t.lang, count=told.count))
        for change in (*told.stories, *told.changed):
            write_line(f"  {_line(change, t)}")
    elif not report.failures:
        write_line(_say("dream.nothing", t.lang))


def _line(change: Change, t: Texts) -> str:
    kind, text = t(f"dreams.what_{change.what}"), change.text or _say("dream.taken-away", t.lang)
    if change.what == "episode":
        return f"{kind}  {change.target}"
    return f"{kind}  {change.target}: {text}" if change.what in _NAMED else f"{kind}  {text}"
