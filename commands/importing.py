"""`import` and `knowledge`: what comes from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from commands.errors import ImportForNobodyError, ImportMisuseError
from commands.exporting import import_archive
from commands.language import terminal_language
from commands.passphrases import PassphraseFileOption
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell, warn_of
from commands.terminal import warn, write_line
from managers.memory.errors import NoSuchFileError
from managers.memory.messages import NAMELESS
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.importing import Imported
    from managers.exchange.import_engine import ImportPreview
    from managers.exchange.items import Kind, NotTaken
    from managers.recall.knowledge import Document
    from managers.storage.errors import Notice

commands = typer.Typer()
knowledge_commands = typer.Typer(help="The documents that a persona may look things up in.")
_say = Texts("notices/imports")


@commands.command("import")
def import_source(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="[KIND] PATH",
            help="A file, a folder or a ZIP file. KIND is one of "
            "transcript, nexus-ark, card, sillytavern, chatgpt, claude, text, archive; left out, it is recognised.",
        ),
    ],
    persona: Annotated[
        str, typer.Option(help="Whom it is for; made if there is no such persona. An archive knows its own name.")
    ] = "",
    user: Annotated[
        str,
        typer.Option(help="Who of those who speak is you, where the source does not say it and the guess is wrong."),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what is there, and change nothing.")] = False,
    passphrase_file: PassphraseFileOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a conversation, a persona or its memories; doing it twice does no harm."""
    from agent.importing import bring_in, follow_up, look
    from managers.exchange.archives.reading import is_archive
    from managers.exchange.import_engine import SourceImport
    from managers.exchange.items import ReadingWishes

    kind, source = _what(what)
    if kind == "archive" or (kind is None and is_archive(source)):
        import_archive(source, persona, dry_run, passphrase_file, home, as_json)
        return
    if not persona:
        raise ImportForNobodyError
    with (
        services_at(home) as services,
        closing(SourceImport(services.home, source, services.clock)) as work,
    ):
        work.read(kind, ReadingWishes(persona=persona, user=user))
        if dry_run:
            _tell_preview(look(services, work, persona), persona, as_json=as_json)
            return
        done = bring_in(services, work, persona)
        _tell_report(done, as_json=as_json)
        work.close()
        warn_of(follow_up(services, done.persona))
    if done.report.kind == "transcript" and not done.report.is_whole:
        raise typer.Exit(1)  # a line of it is no message


def _what(given: list[str]) -> tuple[Kind | None, Path]:
    """Return the kind, if one is named, and the path.

    Raises:
        ImportMisuseError, NoSuchFileError
    """
    from managers.exchange.items import Kind

    kinds = get_args(Kind)
    if not 1 <= len(given) <= len(("KIND", "PATH")) or (len(given) > 1 and given[0] not in kinds):
        raise ImportMisuseError(kinds=", ".join(kinds))
    path = Path(given[-1]).expanduser()
    if not path.exists():
        raise NoSuchFileError(path=path)
    return (given[0] if len(given) > 1 else None), path  # type: ignore[return-value]  # it is one of them


def _tell_preview(found: ImportPreview, persona: str, *, as_json: bool) -> None:
    lang = terminal_language()
    facts = {
        "kind": found.kind,
        "persona": found.persona.name,
        "user": found.persona.user_name,
        "messages": found.messages,
        "already_there": found.already_there,
        "first": found.first.isoformat() if found.first else None,
        "last": found.last.isoformat() if found.last else None,
        "speakers": [{"role": role, "name": name, "messages": count} for role, name, count in found.speakers],
        "threads": found.threads,
        "files": found.files,
        "memories": dict(found.memories),
        "left_out": _left(found.left_out),
    }
    words = [_say("found", lang, source=found.source, kind=_say(f"kinds.{found.kind}", lang))]
    if found.messages:
        words.append(_say("messages", lang, count=f"{found.messages:,}", known=f"{found.already_there:,}"))
    if found.first and found.last:
        words.append(_say("days", lang, first=found.first.date(), last=found.last.date()))
    unnamed = {
        "user": found.persona.user_name or NAMELESS[lang],
        "persona": found.persona.name or persona,
        "system": "-",
    }
    words += [
        _say("speaker", lang, name=name or unnamed[role], role=_say(f"roles.{role}", lang), count=f"{count:,}")
        for role, name, count in found.speakers
    ]
    words += [
        _say("memory", lang, kind=_say(f"memories.{kind}", lang), count=count) for kind, count in found.memories.items()
    ]
    words.append(_say("nothing-changed", lang, persona=persona))
    _tell_lines(facts, words, as_json=as_json)
    _warn_of_left(found.left_out)


def _tell_report(done: Imported, *, as_json: bool) -> None:
    lang, report = terminal_language(), done.report
    facts = {
        "persona": done.persona,
        "kind": report.kind,
        "added": report.added,
        "already_there": report.already_there,
        "problems": sum(one.count for one in report.left_out),
        "memories": dict(report.memories),
        "memories_there": dict(report.memories_there),
        "files": report.files,
        "left_out": _left(report.left_out),
    }
    known = f"{report.already_there:,}"
    is_talk = bool(report.first or not (report.memories or report.memories_there))
    words = [
        _say("added" if is_talk else "added-none", lang, persona=done.persona, count=f"{report.added:,}", known=known)
    ]
    for kind in {**report.memories, **report.memories_there}:
        count, there = report.memories.get(kind, 0), report.memories_there.get(kind, 0)
        words.append(_say("memory-added", lang, kind=_say(f"memories.{kind}", lang), count=count, known=there))
    _tell_lines(facts, words, as_json=as_json)
    _warn_of_left(report.left_out)


def _tell_lines(facts: Mapping[str, Any], words: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        tell(facts, "", as_json=True)
        return
    for line in words:
        write_line(line)


def _left(left: Sequence[NotTaken]) -> list[dict[str, Any]]:
    from managers.exchange.import_words import told_of

    lang = terminal_language()
    return [
        {"code": one.code, "place": one.place, "count": one.count, "taken": one.is_changed, "why": told_of(one)[lang]}
        for one in left
    ]


def _warn_of_left(left: Sequence[NotTaken]) -> None:
    from managers.exchange.import_words import told_of

    for one in left:
        why = told_of(one)[terminal_language()]
        warn(f"{one.place}: {why}" if one.place else why)


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
