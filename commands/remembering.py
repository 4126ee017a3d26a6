"""`recall`, `index`, `dream`, `history`, `export` and `doctor`."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import terminal_language
from commands.shared import (
    HomeOption,
    JsonOption,
    PersonaArgument,
    damage_told,
    services_at,
    tell,
    warn_of,
)
from commands.terminal import show_progress, warn, write, write_line

if TYPE_CHECKING:
    pass

commands = typer.Typer()


@commands.command()
def recall(
    persona: PersonaArgument,
    query: Annotated[str | None, typer.Argument(help="What to look for.")] = None,
    home: HomeOption = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many results.")] = 10,
    queries: Annotated[Path | None, typer.Option(help='A file of {"query": ...} lines.')] = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="Only this type of memory (current_log, diary, ...).")
    ] = None,
    as_turn: Annotated[
        bool, typer.Option("--as-turn", help="What a turn would hand to its prompt, if it recalls at all.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Search a persona's memories."""
    from agent import as_json as shapes
    from agent.queries import as_types, read_queries
    from agent.retrieval import retrieve_as_turn

    with services_at(home) as services, damage_told(services, persona):
        memories = services.companion(persona).memories
        memories.recall.keep_up()
        memories.recall.get_ready()
        for wanted in read_queries(query, queries):
            started = time.perf_counter()
            hits = (
                retrieve_as_turn(memories, wanted)
                if as_turn
                else memories.recall.search(wanted, k, types=as_types(kind))
            )
            elapsed = 1000 * (time.perf_counter() - started)
            if as_json:
                write(shapes.line(shapes.search(wanted, hits, elapsed)))
                continue
            write(f"{wanted}  ({elapsed:.0f} ms)")
            for rank, hit in enumerate(hits, 1):
                when = f"{hit.time:%Y-%m-%d} " if hit.time else ""
                write_line(f"{rank:3}  {hit.score:.3f}  {when}{hit.type}  {hit.text[:100]!r}")
        warn_of(notice for notice in memories.recall.status().notices if notice.level == "warning")


@commands.command()
def index(
    persona: PersonaArgument,
    home: HomeOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the indexes away and make them anew.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a persona's indexes up to date."""
    from commands.doctor import describe_index

    with services_at(home) as services, damage_told(services, persona):
        found = services.companion(persona).memories.recall
        if rebuild:
            found.rebuild(None if as_json else show_progress)
        else:
            found.catch_up()
        status = found.status()
        facts = {
            "persona": persona,
            "passages": status.total,
            "indexes": dict(status.chunks),
            "embedder": status.embedder,
            "without_vector": status.unembedded,
        }
        tell(facts, describe_index(persona, status).sentence(terminal_language()), as_json=as_json)


@commands.command()
def dream(
    persona: PersonaArgument,
    home: HomeOption = None,
    level: Annotated[str, typer.Option(help="auto, 1 (day), 2 (week) or 3 (month).")] = "auto",
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Dream of every day that is missing, one by one.")
    ] = False,
    day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Dream of this day alone, anew.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="With --day: episode, entities, questions or answers.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Dream now: of the days that wait, and of what was said today so far."""
    from agent.as_json import line
    from agent.errors import OnlyWithDayError
    from agent.sleeper import as_level
    from commands.dreams import write_cost, write_dream
    from managers.mind import Cancel
    from ui.locales import texts

    if only and not day:
        raise OnlyWithDayError
    wanted = as_level(level)
    with services_at(home) as services, damage_told(services, persona):
        sleeper = services.sleeper(persona)
        if day:
            report = sleeper.dream_of(day.date(), only, dry_run=dry_run)
        else:
            if not as_json:
                write_cost(sleeper.cost(catch_up=catch_up), terminal_language())
            report = sleeper.dream(
                Cancel(),
                level=wanted,
                catch_up=catch_up,
                dry_run=dry_run,
                progress=None if as_json else show_progress,
            )
        lang = terminal_language()
        if as_json:
            write(line(report.plain()))
        else:
            write_dream(report, texts(lang), dry_run=dry_run)
        for failure in report.failures:
            warn(f"{failure.task} {failure.day}: {failure.error.sentence(lang)}")
        for notice in report.notices:
            warn(notice.sentence(lang))


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
    from ui.locales import texts
    from ui.rooms.history.view import author_name, reason_of

    t = texts(terminal_language())
    with services_at(home) as services, damage_told(services, persona):
        found = services.companion(persona).memories.history
        if show:
            for diff in found.diff(show, part):
                write(shapes.line({"path": diff.path, "diff": diff.unified}) if as_json else diff.unified)
            return
        done = None
        if undo or redo:
            change = found.undo if undo else found.redo
            done = change(undo or redo or "", author="user", leave_changed=leave_changed, part=part)
        for entry in found.entries(1 if done else limit, part="" if done else part):
            if as_json:
                write(shapes.line(shapes.history_entry(entry)))
            else:
                mark = f" ({t('history.undone')})" if entry.undone_by else ""
                who, why = author_name(entry.author, t), reason_of(entry, t)
                when = f"{entry.time:%Y-%m-%d %H:%M}"
                write_line(f"{entry.id[:10]}  {when}  {who}: {why}{mark}  {', '.join(entry.files)}")


@commands.command()
def export(
    persona: PersonaArgument,
    file: Annotated[Path, typer.Argument(help="The ZIP file to make.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a persona with all memories into one ZIP file."""
    from managers.storage.exports import export_persona

    with services_at(home) as services, damage_told(services, persona):
        count = export_persona(services.personas.get(persona).paths, file)
        words = (
            f"{file} に {count:,} 個のファイルを書き出しました。"
            if terminal_language() == "ja"
            else f"{count:,} files written into {file}."
        )
        tell({"file": str(file), "files": count}, words, as_json=as_json)


@commands.command()
def doctor(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Look whether everything is in order: data, index, model, disk, versions."""
    from agent.as_json import line
    from commands.doctor import examine

    marks, problems = {"ok": "✓", "warning": "!", "problem": "✗"}, 0
    with services_at(home, only_look=True) as services:
        for finding in examine(services):
            problems += finding.state == "problem"
            sentence = finding.sentence(terminal_language())
            if as_json:
                write(line({"about": finding.about, "state": finding.state, "sentence": sentence}))
            else:
                write_line(f"{marks[finding.state]} {finding.about}: {sentence}")
    if problems:
        raise typer.Exit(1)
