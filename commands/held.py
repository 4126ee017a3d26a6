"""`held`: what a persona would write while foreign text was before it, and a person's yes or no."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell
from commands.terminal import decided, warn, write, write_line
from managers.storage.errors import UtataneError
from managers.storage.printable import escaped, marked

if TYPE_CHECKING:
    from agent.approval import Waiting
    from agent.companion import Companion
    from managers.storage.errors import Lang

commands = typer.Typer()


@commands.command()
def held(
    persona: PersonaArgument,
    allow: Annotated[list[str] | None, typer.Option(help="Write what waits under this id.")] = None,
    leave: Annotated[list[str] | None, typer.Option(help="Leave this unwritten.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a persona would write and you must allow first; allow it, or leave it."""
    lang = terminal_language()
    with services_at(home) as services:
        companion = services.companion(persona)
        for ids, is_allowed in ((allow or [], True), (leave or [], False)):
            for one in ids:
                companion.decide(one, allow=is_allowed)
                tell({"held": one, "allowed": is_allowed}, _decided(lang, allowed=is_allowed), as_json=as_json)
        companion.settle()
        if allow or leave:
            return
        if as_json:
            print_what_waits(companion)
            return
        waiting = companion.waiting()
        for line in (line for wish in waiting for line in _told(wish, persona, lang)):
            write_line(line)
        if not waiting:
            write("返事を待っているものはありません。" if lang == "ja" else "Nothing is waiting for an answer.")


def print_what_waits(companion: Companion, ids: Sequence[str] | None = None) -> None:
    """Print what waits (all of it, without ids), one JSON object a line."""
    from agent import as_json as shapes

    for wish in _of(companion, ids):
        write(shapes.line(shapes.held(wish, companion.memories.paths.name)))


def say_what_waits(companion: Companion, ids: Sequence[str]) -> None:
    """Say on standard error what a turn would write, and how to decide."""
    for wish in _of(companion, ids):
        for line in _told(wish, companion.memories.paths.name, terminal_language()):
            warn(line)


def ask_about(companion: Companion, ids: Sequence[str] | None = None) -> None:
    """Ask about what waits (all of it, without ids), one after the other; no answer leaves it waiting."""
    lang = terminal_language()
    question = "書いてよいですか？ [y/n、Enterならあとで]" if lang == "ja" else "May it be done? [y/n, Enter: later]"
    for wish in _of(companion, ids):
        for line in _told(wish, companion.memories.paths.name, lang)[:-1]:
            write_line(line)
        try:
            answer = decided(question)
        except (EOFError, KeyboardInterrupt):
            write()
            return
        if answer is not None:
            _decide(companion, wish, lang, allow=answer)


def _decide(companion: Companion, wish: Waiting, lang: Lang, *, allow: bool) -> None:
    try:
        companion.decide(wish.held.id, allow=allow, shown=wish.look.base if wish.look else None)
    except UtataneError as error:
        warn(error.sentence(lang))
    else:
        write(_decided(lang, allowed=allow))


def _of(companion: Companion, ids: Sequence[str] | None) -> Iterable[Waiting]:
    return [wish for wish in companion.waiting() if ids is None or wish.held.id in ids]


def _told(wish: Waiting, persona: str, lang: Lang) -> list[str]:
    """Return what a wish is, what it would change, and, last, how to decide."""
    from agent.approval import how_to_decide, sentence

    lines = wish.look.diff.split("\n")[:-1] if wish.look else []
    diff = [
        f"| {escaped(marked(line))}" for line in lines
    ]  # what stays begins with a blank; what would part a line is named
    problem = [wish.problem.sentence(lang)] if wish.problem else []
    return [sentence(wish, persona, lang), *diff, *problem, how_to_decide(wish, persona)]


def _decided(lang: Lang, *, allowed: bool) -> str:
    if allowed:
        return "許可したとおりにしました。" if lang == "ja" else "Done, as you allowed."
    return "書き換えずにおきました。" if lang == "ja" else "Left as it was."
