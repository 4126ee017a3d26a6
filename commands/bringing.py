"""`import` and `knowledge`: what comes from outside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, terminal_language

if TYPE_CHECKING:
    pass

import_commands = typer.Typer(help="Bring conversations in.", no_args_is_help=True)
knowledge_commands = typer.Typer(help="The documents that a persona may look things up in.", no_args_is_help=True)


@import_commands.command("transcript")
def import_transcript(
    file: Annotated[Path, typer.Argument(help='JSON lines: {"id", "time", "role", "speaker", "text"}.')],
    persona: Annotated[str, typer.Option(help="Whose conversation it is; made if there is no such persona.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a transcript; ids and times stay as they are, and doing it twice does no harm."""
    from agent.as_json import line
    from managers.memory import transcripts

    with services_at(home) as services:
        name = services.persona_for(persona, file).name
        report = transcripts.import_transcript(services.companion(name).memories.log, file)
        recall = services.companion(name).memories.recall
        recall.catch_up()
        if report.added:
            recall.refresh_weights(1)  # whatever was indexed while the first months came in knew only those
        lang = terminal_language()
        if as_json:
            print(
                line({"added": report.added, "already_there": report.already_there, "problems": len(report.problems)})
            )
        else:
            added, known = f"{report.added:,}", f"{report.already_there:,}"
            print(
                f"{name}: {added} 件を取り込みました(すでにあったもの {known} 件)。"
                if lang == "ja"
                else f"{name}: {added} messages imported, {known} were there already."
            )
        for problem in report.problems:
            print(problem.sentence(lang), file=sys.stderr)
    if any(not problem.imported for problem in report.problems):
        raise typer.Exit(1)


@knowledge_commands.command("add")
def add_knowledge(persona: PersonaArgument, files: list[Path], home: HomeOption = None) -> None:
    """Add documents (.txt, .md, .pdf)."""
    with services_at(home) as services:
        knowledge = services.companion(persona).memories.knowledge
        for file in files:
            print(knowledge.add(file).name)
        services.companion(persona).memories.recall.catch_up()


@knowledge_commands.command("list")
def list_knowledge(persona: PersonaArgument, home: HomeOption = None) -> None:
    """List documents."""
    with services_at(home) as services:
        for document in services.companion(persona).memories.knowledge.list():
            print(document.name)


@knowledge_commands.command("remove")
def remove_knowledge(persona: PersonaArgument, files: list[str], home: HomeOption = None) -> None:
    """Remove documents; they go to the trash."""
    with services_at(home) as services:
        for name in files:
            services.companion(persona).memories.knowledge.remove(name)
        services.companion(persona).memories.recall.catch_up()
