"""`import` and `knowledge`: what comes from outside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.exporting import import_archive
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell, warn_of
from commands.terminal import warn

if TYPE_CHECKING:
    from managers.recall.knowledge import Document
    from managers.storage.errors import Notice

import_commands = typer.Typer(help="Bring conversations in.")
knowledge_commands = typer.Typer(help="The documents that a persona may look things up in.")


import_commands.command("archive")(import_archive)


@import_commands.command("transcript")
def import_transcript(
    file: Annotated[Path, typer.Argument(help='JSON lines: {"id", "time", "role", "speaker", "text"}.')],
    persona: Annotated[str, typer.Option(help="Whose conversation it is; made if there is no such persona.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a transcript; ids and times stay as they are, and doing it twice does no harm."""
    from managers.memory import transcripts
    from managers.storage.audit import Given, record

    with services_at(home) as services:
        name = services.persona_for(persona, file).name
        memories = services.companion(name).memories
        report = transcripts.import_transcript(memories.log, file)
        record(memories.paths, services.clock.now(), "import", Given({"messages": report.added}))
        recall = memories.recall
        # Whatever was indexed while the first months came in knew only those.
        behind = recall.keep_up(1 if report.added else None)
        lang = terminal_language()
        added, known = f"{report.added:,}", f"{report.already_there:,}"
        tell(
            {"added": report.added, "already_there": report.already_there, "problems": len(report.problems)},
            f"{name}: {added} 件を取り込みました(すでにあったもの {known} 件)。"
            if lang == "ja"
            else f"{name}: {added} message{'' if report.added == 1 else 's'} imported, {known} there already.",
            as_json=as_json,
        )
        for problem in report.problems:
            warn(problem.sentence(lang))
        warn_of(behind)
    if any(not problem.imported for problem in report.problems):
        raise typer.Exit(1)


@knowledge_commands.command("add")
def add_knowledge(
    persona: PersonaArgument,
    files: Annotated[list[Path], typer.Argument(help=".txt, .md, .pdf, .html, .csv or .docx.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add documents (.txt, .md, .pdf, .html, .csv, .docx)."""
    with services_at(home) as services:
        memories = services.companion(persona).memories
        for file in files:
            _tell_document(memories.knowledge.add(file), as_json=as_json)
        warn_of(memories.recall.keep_up())


@knowledge_commands.command("list")
def list_knowledge(persona: PersonaArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List documents; of one that cannot be read it says why."""
    with services_at(home) as services:
        memories = services.companion(persona).memories
        memories.recall.catch_up()
        unread = memories.recall.unread_documents()
        for document in memories.knowledge.list():
            _tell_document(document, as_json=as_json, why=unread.get(document.name))


@knowledge_commands.command("remove")
def remove_knowledge(
    persona: PersonaArgument,
    files: Annotated[list[str], typer.Argument(help="Names, as `knowledge list` shows them.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove documents; they go to the trash."""
    with services_at(home) as services:
        memories = services.companion(persona).memories
        for name in files:
            memories.knowledge.remove(name)
            tell({"removed": name}, name, as_json=as_json)
        warn_of(memories.recall.keep_up())


def _tell_document(document: Document, *, as_json: bool, why: Notice | None = None) -> None:
    facts = {"name": document.name, "bytes": document.size, "added": f"{document.added:%Y-%m-%dT%H:%M:%S}"}
    unread = why.sentence(terminal_language()) if why else None
    tell({**facts, "unread": unread}, f"{document.name}: {unread}" if unread else document.name, as_json=as_json)
