"""`import` and `knowledge`: what comes from outside."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from commands.errors import CommandError
from commands.exporting import import_archive
from commands.import_progress import ImportProgress, Manner
from commands.language import terminal_language
from commands.passphrases import PassphraseFileOption
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell, warn_of
from commands.terminal import warn, write_line
from managers.memory.errors import NoSuchFileError
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.importing import Imported
    from agent.services import Services
    from managers.exchange.import_engine import ImportPreview, ImportReport
    from managers.exchange.items import Kind, NotTaken, ReadingWishes
    from managers.recall.knowledge import Document
    from managers.sleep.cost import DreamCost
    from managers.storage.errors import Notice

commands = typer.Typer()
knowledge_commands = typer.Typer(help="The documents that a persona may look things up in.")
_say = Texts("notices/imports")


@commands.command("import")
def import_source(  # noqa: PLR0917  # the options of a command
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
    companion: Annotated[
        str, typer.Option(help="Who of those who speak is the persona, where it goes by another name there.")
    ] = "",
    let_in: Annotated[
        bool,
        typer.Option("--let-in", help="Let it in whole: its words count like those that you two say here."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what is there, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; without a terminal nobody is asked anyway.")] = False,
    passphrase_file: PassphraseFileOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a conversation, a persona or its memories; doing it twice does no harm.

    What was found is told first, and at a terminal you are asked. Ctrl-C stops it; the same command goes on from there.
    """
    from managers.exchange.archives.reading import is_archive
    from managers.exchange.items import ReadingWishes

    kind, source = _what(what)
    manner = Manner(dry_run, yes, as_json)
    if kind == "archive" or (kind is None and is_archive(source)):
        import_archive(source, persona, manner, passphrase_file, home)
        return
    if not persona:
        raise CommandError("import-for-nobody")
    wishes = ReadingWishes(persona=persona, user=user, roles={companion: "persona"} if companion else {})
    with services_at(home) as services:
        report = _import(services, source, kind, wishes, manner, is_let_in=let_in)
    if report is not None and report.kind == "transcript" and not report.is_whole:
        raise typer.Exit(1)  # a line of it is no message


def _import(
    services: Services, source: Path, kind: Kind | None, wishes: ReadingWishes, manner: Manner, *, is_let_in: bool
) -> ImportReport | None:
    """Look at a source, ask where somebody is there, and take it over; return what came of it.

    Raises:
        CommandError: somebody was asked, and said no.
        UtataneError
    """
    from agent.importing import bring_in, check_speakers, dream_cost, follow_up, informed, look
    from managers.exchange.import_engine import SourceImport

    progress = ImportProgress()
    with closing(SourceImport(services.home, source, services.clock, progress.is_cancelled, progress.note)) as work:
        with progress.under_way(work.interrupt):
            work.read(kind, informed(services, wishes))
        found = None
        if manner.dry_run or not manner.as_json:
            found = look(services, work, wishes.persona)
            _tell_preview(found, as_json=manner.as_json)
            if not is_let_in and not manner.as_json:
                lang = terminal_language()
                write_line(_say("let_in_how", lang, about=_say("let_in_about", lang)))
        if not manner.dry_run:
            check_speakers(work)
        if not manner.goes_on(wishes.persona):
            return None
        with progress.under_way():
            done = bring_in(services, work, wishes.persona, is_let_in=is_let_in)
        _tell_report(done, dream_cost(services, done), found, as_json=manner.as_json)
    warn_of(follow_up(services, done.persona))
    return done.report


def _what(given: list[str]) -> tuple[Kind | None, Path]:
    """Return the kind, if one is named, and the path.

    Raises:
        CommandError, NoSuchFileError
    """
    from managers.exchange.items import Kind

    kinds = get_args(Kind)
    if not 1 <= len(given) <= len(("KIND", "PATH")) or (len(given) > 1 and given[0] not in kinds):
        raise CommandError("import-misuse", kinds=", ".join(kinds))
    path = Path(given[-1]).expanduser()
    if not path.exists():
        raise NoSuchFileError(path=path)
    return (given[0] if len(given) > 1 else None), path  # type: ignore[return-value]  # it is one of them


def _tell_preview(found: ImportPreview, *, as_json: bool) -> None:
    from agent import import_told as told

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
    speakers = [
        _say("speaker", lang, name=one.shown, role=told.role_name(one.role, lang), count=one.count)
        for one in told.speakers(found, lang)
    ]
    words = [_say("found", lang, source=found.source), told.kind_name(found.kind, lang)]
    _tell_lines(facts, [*words, *told.facts(found, lang), *speakers], as_json=as_json)
    _warn_of_left(found.left_out)


def _tell_report(done: Imported, cost: DreamCost | None, found: ImportPreview | None, *, as_json: bool) -> None:
    """Tell what came of it, and what a dream would cost; what was left out, as far as `found` has not told it."""
    from agent import import_told as told

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
        "dream": asdict(cost) if cost else None,
    }
    words = [_say("done", lang, source=report.source, persona=done.persona), *told.outcome(done, lang)]
    _tell_lines(facts, words + (_dream_offer(done.persona, cost) if cost else []), as_json=as_json)
    _warn_of_left([one for one in report.left_out if found is None or one not in found.left_out])


def _dream_offer(persona: str, cost: DreamCost) -> list[str]:
    from agent import import_told as told

    lang, command = terminal_language(), f"app.py dream {shlex.quote(persona)}"
    offer = told.dream_offer(cost, lang)
    if cost.calls:
        offer.append(_say("dream.now", lang, command=command))
    return [*offer, _say("dream.free", lang, command=f"{command} --built-in")]


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
