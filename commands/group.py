"""`group`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.held import ask_about, print_what_waits, say_what_waits
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import agrees, may_ask, typed, warn, write

if TYPE_CHECKING:
    from agent.events import TurnEvent
    from agent.group.conversation import GroupConversation
    from agent.group.turn import GroupTurn
    from agent.services import Services
    from managers.storage.errors import Lang, Notice

commands = typer.Typer()
_INVITE, _LEAVE = "/invite", "/leave"


@commands.command()
def group(
    personas: Annotated[
        list[str], typer.Argument(help="Two to five personas; with --end also the id of a conversation.")
    ],
    message: Annotated[
        str | None, typer.Option("-m", "--message", help="Say this, print the answers, and leave.")
    ] = None,
    home: HomeOption = None,
    end: Annotated[
        bool,
        typer.Option("--end", help="End the conversation for good; what was said stays with each who heard it."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --end: do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Talk to several personas together: one round with -m, else a conversation (/invite NAME, /leave NAME)."""
    from agent.errors import EmptyMessageError

    if message is not None and not message.strip():
        raise EmptyMessageError
    with services_at(home) as services:
        _tell_of_sessions(services)
        if end:
            _end(services, personas, yes=yes, as_json=as_json)
            return
        talk, failed = services.groups.of(personas, terminal_language()), False
        is_asked = message is None and may_ask(as_json=as_json)
        for text in [message] if message is not None else typed(services.settings().user.name, quiet=not is_asked):
            if text.strip() and not _moved(talk, text):
                turn = talk.say(text)
                failed = _show_round(turn, as_json=as_json)
                _show_what_waits(services, turn, is_asked=is_asked, as_json=as_json)
        if failed and message is not None:
            raise typer.Exit(1)


def _end(services: Services, personas: list[str], *, yes: bool, as_json: bool) -> None:
    """End a conversation for good, on a yes."""
    from commands.errors import CommandError

    found, lang = services.groups.to_end(personas), terminal_language()
    question = "話題・要約・全文の記録を完全に消します。よいですか？ [y/N]"
    if lang == "en":
        question = "This destroys its topics, summaries and full logs. Do it? [y/N]"
    if not yes and not (may_ask(as_json=as_json) and agrees(question)):
        raise CommandError("end-not-confirmed")
    services.groups.end(found)
    tell(
        {"ended": found},
        "この会話を終わりにしました。" if lang == "ja" else "The conversation is ended.",
        as_json=as_json,
    )


def _tell_of_sessions(services: Services) -> None:
    """Let standard error say what a page puts up: that Redis is gone or back, that a file was damaged."""
    put_up = services.sessions.tell

    def told(notice: Notice) -> None:
        put_up(notice)
        warn(notice.sentence(terminal_language()))

    services.sessions.tell = told


def _moved(talk: GroupConversation, text: str) -> bool:
    """Invite somebody or let them go, where a line says so; return whether it does."""
    from managers.storage.errors import UtataneError

    command, _, name = text.strip().partition(" ")
    if command not in (_INVITE, _LEAVE):
        return False
    try:
        standing = talk.invite(name) if command == _INVITE else talk.leave(name)
        warn(", ".join(standing.present))
    except UtataneError as error:
        warn(error.sentence(terminal_language()))
    return True


def _show_round(turn: GroupTurn, *, as_json: bool) -> bool:
    """Print a round as it happens; return whether nobody could answer."""
    from agent import as_json as shapes
    from agent.events import Begins, Failed, Replied

    lang, speaker, failed, answered = terminal_language(), "", False, False
    for event in turn.events():
        if isinstance(event, Begins):
            speaker = event.speaker
        failed, answered = failed or isinstance(event, Failed), answered or isinstance(event, Replied)
        if as_json and (shape := shapes.event_of_group(event, speaker, lang)) is not None:
            write(shapes.line(shape))
        _tell(event, lang, quiet=as_json)
    return failed and not answered


def _tell(event: TurnEvent, lang: Lang, *, quiet: bool) -> None:
    """Print one event for people; `quiet`: only what they should know beside it."""
    from agent.events import Begins, Failed, Noticed, Replied, Speaking, ToolUsed

    if isinstance(event, Failed | Noticed):
        warn((event.error if isinstance(event, Failed) else event.notice).sentence(lang))
    elif quiet:
        return
    elif isinstance(event, Begins):
        write(f"{event.speaker}: ", end="")
    elif isinstance(event, Speaking):
        write(event.text, end="")
    elif isinstance(event, Replied):
        write()
    elif isinstance(event, ToolUsed):
        warn(event.announcement.text)


def _show_what_waits(services: Services, turn: GroupTurn, *, is_asked: bool, as_json: bool) -> None:
    """Ask about what the personas would write and a person must allow first; or say so, and how to decide."""
    from agent.events import Begins, Held

    speaker = ""
    for event in turn.so_far:
        if isinstance(event, Begins):
            speaker = event.speaker
        elif isinstance(event, Held):
            tell = ask_about if is_asked else print_what_waits if as_json else say_what_waits
            tell(services.companion(speaker), [event.held])
