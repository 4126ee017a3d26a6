"""The command line: settings → services → serve, chat, recall, dream, import, export, doctor. No logic."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from managers.storage.errors import Lang, UtataneError
from managers.storage.paths import find_home

if TYPE_CHECKING:
    from agent.companion import Companion
    from agent.services import Services
    from agent.turn import Turn

# No library may report anything to anybody: set before any of them is imported.
os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    DO_NOT_TRACK="1",
)

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, help="Utatane (うたた寝): a companion that remembers."
)
personas_app = typer.Typer(help="List, create, rename, duplicate, delete and restore personas.", no_args_is_help=True)
knowledge_app = typer.Typer(help="The documents that a persona may look things up in.", no_args_is_help=True)
import_app = typer.Typer(help="Bring conversations in.", no_args_is_help=True)
app.add_typer(personas_app, name="personas")
app.add_typer(knowledge_app, name="knowledge")
app.add_typer(import_app, name="import")

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="The data folder (default: UTATANE_HOME or ~/Utatane).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
PersonaArgument = Annotated[str, typer.Argument(help="The persona's name.")]


def main() -> None:
    """Run the command line; without a command, serve."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")  # a Windows console may be set to anything
    commands = {"personas", "knowledge", "import"} | {
        c.name or c.callback.__name__ for c in app.registered_commands if c.callback
    }
    arguments = sys.argv[1:]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in {"--help", "-h"}):
        arguments = ["serve", *arguments]
    elif arguments[0] not in commands | {"--help", "-h"}:
        sys.exit(_complain_unknown(arguments[0], sorted(commands)))
    try:
        app(args=arguments, prog_name="app.py")
    except UtataneError as error:
        print(error.sentence(terminal_language()), file=sys.stderr)
        sys.exit(1)
    except Exception as error:  # the edge: whatever nobody foresaw is logged whole and said in one line
        from agent.errors import UnexpectedError

        logging.getLogger("utatane").exception("a command failed")
        cause = f"{type(error).__name__}: {error}"
        print(UnexpectedError(cause=cause).sentence(terminal_language()), file=sys.stderr)
        sys.exit(1)


def terminal_language() -> Lang:
    """Return the language of the terminal's user: UTATANE_LANG, else the system's locale."""
    chosen = os.environ.get("UTATANE_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "ja" if chosen.lower().startswith("ja") else "en"


def _complain_unknown(command: str, known: list[str]) -> int:
    listing = ", ".join(known)
    print(
        f"「{command}」というコマンドはありません。使えるのは {listing} です。"
        if terminal_language() == "ja"
        else f'There is no command "{command}". There are: {listing}.',
        file=sys.stderr,
    )
    return 2


@contextmanager
def services_at(home: Path | None) -> Iterator[Services]:
    """Open the services of a home folder; whatever is under way is finished on leaving."""
    from agent.services import open_services
    from managers.storage.program_log import log_to_file

    found = find_home(home)
    log_to_file(found)
    services = open_services(found)
    try:
        yield services
    finally:
        services.close()


@app.command()
def serve(
    home: HomeOption = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; others than loopback demand a password.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Start the page (the default command)."""
    from managers.storage.locks import serving
    from ui.server import launch

    with services_at(home) as services, serving(services.home):
        page = services.settings().page
        services.sleep.start()
        launch(
            services,
            host or page.host,
            page.port if port is None else port,
            os.environ.get("UTATANE_PASSWORD") or services.secrets.get("page_password"),
            on_ready=_announce,
            open_browser=not no_browser and _has_browser(),
        )


def _announce(address: str) -> None:
    print(f"うたた寝 {address}" if terminal_language() == "ja" else f"Utatane is at {address}", flush=True)


def _has_browser() -> bool:
    """Tell whether a window could open: not on a server without a screen."""
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@app.command()
def chat(
    persona: PersonaArgument,
    message: Annotated[
        str | None, typer.Option("-m", "--message", help="Say this, print the answer, and leave.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk to a persona: one turn with -m, else a conversation, one line a message."""
    with services_at(home) as services:
        companion = services.companion(persona)
        failed = False
        for text in [message] if message is not None else _lines(companion, quiet=as_json):
            if text.strip():
                failed = _show_turn(companion, companion.say(text), as_json=as_json) or failed
        if failed and message is not None:
            raise typer.Exit(1)


def _lines(companion: Companion, *, quiet: bool) -> Iterator[str]:
    """Yield what the person types, until the end of the input."""
    if quiet or not sys.stdin.isatty():
        for line in sys.stdin:
            yield line.rstrip("\r\n")
        return
    name = companion.memories.sheet().user_name or ("あなた" if terminal_language() == "ja" else "You")
    while True:
        try:
            yield input(f"{name}> ")
        except (EOFError, KeyboardInterrupt):
            print()
            return


def _show_turn(companion: Companion, turn: Turn, *, as_json: bool) -> bool:
    """Print a turn as it happens; return whether it failed."""
    from agent import as_json as shapes
    from agent.events import Failed, Noticed, Speaking, ToolUsed

    lang, failed = terminal_language(), False
    for event in turn.events():
        if as_json:
            if (shape := shapes.event(event, lang)) is not None:
                print(shapes.line(shape), flush=True)
        elif isinstance(event, Speaking):
            print(event.text, end="", flush=True)
        elif isinstance(event, ToolUsed):
            print(event.announcement.text, file=sys.stderr)
        if isinstance(event, Failed | Noticed):
            told = event.error if isinstance(event, Failed) else event.notice
            print(told.sentence(lang), file=sys.stderr)
        failed = failed or isinstance(event, Failed)
    if not as_json:
        print()
    companion.settle()
    return failed


@app.command()
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
        bool, typer.Option("--as-turn", help="What a prompt would get, with threshold and layers.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Search a persona's memories."""
    from agent import as_json as shapes
    from agent.queries import as_types, read_queries

    with services_at(home) as services:
        memories = services.companion(persona).memories
        memories.recall.catch_up()
        for wanted in read_queries(query, queries):
            started = time.perf_counter()
            hits = (
                memories.recall.for_turn(wanted, window=memories.window())
                if as_turn
                else memories.recall.search(wanted, k, types=as_types(kind))
            )
            elapsed = 1000 * (time.perf_counter() - started)
            if as_json:
                print(shapes.line(shapes.search(wanted, hits, elapsed)), flush=True)
                continue
            print(f"{wanted}  ({elapsed:.0f} ms)")
            for rank, hit in enumerate(hits, 1):
                when = f"{hit.time:%Y-%m-%d} " if hit.time else ""
                print(f"{rank:3}  {hit.score:.3f}  {when}{hit.type}  {hit.text[:100]!r}")


@app.command()
def index(
    persona: PersonaArgument,
    home: HomeOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the indexes away and make them anew.")] = False,
) -> None:
    """Bring a persona's indexes up to date."""
    from agent.doctor import describe_index

    with services_at(home) as services:
        found = services.companion(persona).memories.recall
        if rebuild:
            found.rebuild(_progress)
        else:
            found.catch_up()
        print(describe_index(persona, found.status()).sentence(terminal_language()))


@app.command()
def dream(
    persona: PersonaArgument,
    home: HomeOption = None,
    level: Annotated[str, typer.Option(help="auto, 1 (day), 2 (week) or 3 (month).")] = "auto",
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Dream of every day that is missing, one by one.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Dream now."""
    from agent.as_json import line
    from agent.sleeper import as_level

    with services_at(home) as services:
        report = (
            services.sleeper(persona)
            .dreamer()
            .dream(level=as_level(level), catch_up=catch_up, dry_run=dry_run, progress=None if as_json else _progress)
        )
        lang = terminal_language()
        if as_json:
            print(line(report.plain()))
        else:
            for change in report.changes:
                print(f"{change.what:10}  {change.target}: {change.text}")
        for failure in report.failures:
            print(f"{failure.task} {failure.day}: {failure.error.sentence(lang)}", file=sys.stderr)
        for notice in report.notices:
            print(notice.sentence(lang), file=sys.stderr)


@app.command()
def history(
    persona: PersonaArgument,
    home: HomeOption = None,
    undo: Annotated[str | None, typer.Option(help="Take this entry back.")] = None,
    redo: Annotated[str | None, typer.Option(help="Make an entry that was taken back again.")] = None,
    leave_changed: Annotated[
        bool,
        typer.Option("--leave-changed", help="On --undo or --redo: leave files alone that something later changed."),
    ] = False,
    show: Annotated[str | None, typer.Option(help="Show what this entry changed.")] = None,
    limit: Annotated[int, typer.Option("-n", min=1, help="How many entries.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show what changed in a persona's memories, by whom and why; undo and redo."""
    from agent import as_json as shapes

    with services_at(home) as services:
        found = services.companion(persona).memories.history
        if show:
            for diff in found.diff(show):
                print(diff.unified)
            return
        done = None
        if undo or redo:
            change = found.undo if undo else found.redo
            done = change(undo or redo or "", author="user", leave_changed=leave_changed)
        for entry in found.entries(1 if done else limit):
            if as_json:
                print(shapes.line(shapes.history_entry(entry)))
            else:
                mark = " (undone)" if entry.undone_by else ""
                print(
                    f"{entry.id[:10]}  {entry.time:%Y-%m-%d %H:%M}  {entry.author}: {entry.reason}{mark}  {', '.join(entry.files)}"
                )


@app.command()
def export(
    persona: PersonaArgument,
    file: Annotated[Path, typer.Argument(help="The ZIP file to make.")],
    home: HomeOption = None,
) -> None:
    """Write a persona with all memories into one ZIP file."""
    from managers.storage.exports import export_persona

    with services_at(home) as services:
        count = export_persona(services.personas.get(persona).paths, file)
        print(f"{file}: {count}")


@app.command()
def doctor(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Look whether everything is in order: data, index, model, disk, versions."""
    from agent.as_json import line
    from agent.doctor import examine

    marks, problems = {"ok": "✓", "warning": "!", "problem": "✗"}, 0
    with services_at(home) as services:
        for finding in examine(services):
            problems += finding.state == "problem"
            sentence = finding.sentence(terminal_language())
            if as_json:
                print(line({"about": finding.about, "state": finding.state, "sentence": sentence}))
            else:
                print(f"{marks[finding.state]} {finding.about}: {sentence}")
    if problems:
        raise typer.Exit(1)


@import_app.command("transcript")
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
        services.companion(name).memories.recall.catch_up()
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


@personas_app.command("list")
def list_personas(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List personas, and those in the trash."""
    from agent.as_json import line

    with services_at(home) as services:
        for persona in services.personas.list():
            print(line({"name": persona.name, "language": persona.language}) if as_json else persona.name)
        for gone in services.personas.trashed():
            print(line({"trash": gone.id, "name": gone.name}) if as_json else f"({gone.id})")


@personas_app.command("create")
def create_persona(
    name: PersonaArgument,
    home: HomeOption = None,
    language: Annotated[str, typer.Option(help="ja or en; default: the terminal's.")] = "",
    prompt: Annotated[Path | None, typer.Option(help="A text file with the system prompt.")] = None,
) -> None:
    """Make a persona."""
    with services_at(home) as services:
        tongue: Lang = "ja" if (language or terminal_language()) == "ja" else "en"
        text = prompt.read_text("utf-8") if prompt else ""
        print(services.personas.create(name, language=tongue, system_prompt=text).name)


@personas_app.command("rename")
def rename_persona(name: PersonaArgument, new_name: str, home: HomeOption = None) -> None:
    """Give a persona another name."""
    with services_at(home) as services:
        print(services.personas.rename(name, new_name).name)


@personas_app.command("duplicate")
def duplicate_persona(name: PersonaArgument, new_name: str, home: HomeOption = None) -> None:
    """Make a copy of a persona with all memories."""
    with services_at(home) as services:
        print(services.personas.duplicate(name, new_name).name)


@personas_app.command("delete")
def delete_persona(name: PersonaArgument, home: HomeOption = None) -> None:
    """Move a persona to the trash, from where it can be restored."""
    with services_at(home) as services:
        print(services.personas.delete(name).id)


@personas_app.command("mend")
def mend_persona(name: PersonaArgument, home: HomeOption = None) -> None:
    """Put a broken persona.json or system prompt aside, and its newest good version in its place."""
    with services_at(home) as services:
        for notice in services.personas.mend(name).notices:
            print(notice.sentence(terminal_language()))


@personas_app.command("restore")
def restore_persona(
    trash_id: Annotated[str, typer.Argument(help="As `personas list` shows it, without the brackets.")],
    home: HomeOption = None,
    new_name: Annotated[str | None, typer.Option("--as", help="Another name, if the old one is taken.")] = None,
) -> None:
    """Bring a persona back from the trash."""
    with services_at(home) as services:
        print(services.personas.restore(trash_id, new_name).name)


@knowledge_app.command("add")
def add_knowledge(persona: PersonaArgument, files: list[Path], home: HomeOption = None) -> None:
    """Add documents (.txt, .md, .pdf)."""
    with services_at(home) as services:
        knowledge = services.companion(persona).memories.knowledge
        for file in files:
            print(knowledge.add(file).name)
        services.companion(persona).memories.recall.catch_up()


@knowledge_app.command("list")
def list_knowledge(persona: PersonaArgument, home: HomeOption = None) -> None:
    """List documents."""
    with services_at(home) as services:
        for document in services.companion(persona).memories.knowledge.list():
            print(document.name)


@knowledge_app.command("remove")
def remove_knowledge(persona: PersonaArgument, files: list[str], home: HomeOption = None) -> None:
    """Remove documents; they go to the trash."""
    with services_at(home) as services:
        for name in files:
            services.companion(persona).memories.knowledge.remove(name)
        services.companion(persona).memories.recall.catch_up()


def _progress(done: int, total: int) -> None:
    print(f"\r{done}/{total}", end="" if done < total else "\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
