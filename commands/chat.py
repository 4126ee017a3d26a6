"""`chat`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from commands.held import ask_about, print_what_waits, say_what_waits
from commands.language import terminal_language
from commands.servers import ask_about_servers, say_of_servers
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at
from commands.terminal import typed, warn, write

if TYPE_CHECKING:
    from agent.companion import Companion
    from agent.turn import Turn

commands = typer.Typer()


@commands.command()
def chat(
    persona: PersonaArgument,
    message: Annotated[
        str | None, typer.Option("-m", "--message", help="Say this, print the answer, and leave.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk to a persona: one turn with -m, else a conversation, one line a message."""
    from agent.errors import EmptyMessageError

    if message is not None and not message.strip():
        raise EmptyMessageError
    with services_at(home) as services, damage_told(services, persona, first=message is None and sys.stdin.isatty()):
        companion = services.companion(persona)
        for notice in companion.memories.persona().notices:
            if notice.code == "persona-asks":
                warn(notice.sentence(terminal_language()))
        failed, is_asked = False, message is None and not as_json and sys.stdin.isatty()
        if is_asked:
            ask_about(companion)
            ask_about_servers(services.minds, companion)
        else:
            say_of_servers(companion)
        name = companion.memories.sheet().user_name
        for text in [message] if message is not None else typed(name, quiet=as_json or not sys.stdin.isatty()):
            if text.strip():
                turn = companion.say(text)
                failed = _show_turn(companion, turn, as_json=as_json) or failed
                _show_what_waits(companion, turn, is_asked=is_asked, as_json=as_json)
        if failed and message is not None:
            raise typer.Exit(1)


def _show_what_waits(companion: Companion, turn: Turn, *, is_asked: bool, as_json: bool) -> None:
    """Ask about what a turn would write and a person must allow first; or say so, and how to decide."""
    from agent.events import Held

    held = [event.held for event in turn.so_far if isinstance(event, Held)]
    if held and is_asked:
        ask_about(companion, held)
    elif held and as_json:
        print_what_waits(companion, held)
    elif held:
        say_what_waits(companion, held)


def _show_turn(companion: Companion, turn: Turn, *, as_json: bool) -> bool:
    """Print a turn as it happens; return whether it failed."""
    from agent import as_json as shapes
    from agent.events import Failed, Noticed, Speaking, ToolUsed, Unsaid

    lang, failed = terminal_language(), False
    for event in turn.events():
        if as_json:
            if (shape := shapes.event(event, lang)) is not None:
                write(shapes.line(shape))
        elif isinstance(event, Speaking):
            write(event.text, end="")
        elif isinstance(event, Unsaid):
            write()
        elif isinstance(event, ToolUsed):
            warn(event.announcement.text)
        if isinstance(event, Failed | Noticed):
            told = event.error if isinstance(event, Failed) else event.notice
            warn(told.sentence(lang))
        failed = failed or isinstance(event, Failed)
    if not as_json:
        write()
    companion.settle()
    return failed
