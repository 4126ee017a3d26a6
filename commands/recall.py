"""`recall`, and the `index` that it searches."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from commands.errors import CommandError
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell
from commands.terminal import show_progress, write, write_line
from managers.memory.errors import NoSuchFileError
from managers.recall.hits import Hit
from managers.storage.files import read_bytes
from managers.storage.json_text import load_json

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
    *,
    whole: Annotated[
        bool, typer.Option("--whole", help="Of long answers show all, not the piece that was found.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Search a persona's memories."""
    from agent import as_json as shapes
    from agent.retrieval import as_types, retrieve_as_turn

    with services_at(home) as services, damage_told(services, persona):
        memories = services.companion(persona).memories
        memories.recall.keep_up()
        memories.recall.get_ready()
        for wanted in _queries(query, queries):
            started = time.perf_counter()
            hits = (
                retrieve_as_turn(memories, wanted)
                if as_turn
                else memories.recall.search(wanted, k, types=as_types(kind))
            )
            elapsed = 1000 * (time.perf_counter() - started)
            hits = memories.recall.with_pieces(hits, whole=whole)
            if as_json:
                tell(shapes.search(wanted, hits, elapsed), "", as_json=True)
            else:
                _show(wanted, hits, elapsed)


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


def _show(query: str, hits: Sequence[Hit], elapsed: float) -> None:
    """Write what was found, a line each, and how many milliseconds that took."""
    write(f"{query}  ({elapsed:.0f} ms)")
    for rank, hit in enumerate(hits, 1):
        when = f"{hit.time:%Y-%m-%d} " if hit.time else ""
        write_line(f"{rank:3}  {hit.score:.3f}  {when}{hit.type}  {hit.text[:100]!r}")


def _queries(query: str | None, file: Path | None) -> Iterator[str]:
    """Yield the queries.

    Raises:
        CommandError, NoSuchFileError, UnreadableError
    """
    if file is None:
        if not query:
            raise CommandError("nothing-to-search")
        yield query
        return
    data = read_bytes(file)
    if data is None:
        raise NoSuchFileError(path=file)
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            wanted = load_json(line)["query"]
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError("bad-queries", path=file, line=number) from error
        if not isinstance(wanted, str):
            raise CommandError("bad-queries", path=file, line=number)
        yield wanted
