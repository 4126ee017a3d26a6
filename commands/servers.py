"""`servers`: the model servers of this computer, and whether personas talk through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import decided, warn, write, write_line

if TYPE_CHECKING:
    from agent.companion import Companion
    from agent.minds.choose import MindChooser
    from managers.known_servers import Server

commands = typer.Typer()

_STATES: dict[bool | None, tuple[str, str]] = {
    True: ("これで話します", "personas talk through it"),
    False: ("使いません", "not used"),
    None: ("返事を待っています", "waits for your answer"),
}


@commands.command()
def servers(
    names: Annotated[list[str] | None, typer.Argument(help="Which, such as Ollama; default: all of them.")] = None,
    home: HomeOption = None,
    yes: Annotated[
        bool | None, typer.Option("--yes/--no", help="Talk through them, or not; whatever was said before.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the model servers found on this computer, and ask whether to talk through them; --json asks nothing."""
    wanted = {name.casefold() for name in names or ()}
    with services_at(home) as services:
        minds = services.minds
        found = [one for one in minds.local_servers() if not wanted or one[0].service.casefold() in wanted]
        for server, said in found:
            answer = said
            if yes is not None:
                minds.answer(server, yes=yes)
                answer = yes
            elif said is None and not as_json:
                answer = _asked(minds, server)
            _tell(server, answer, as_json=as_json)
    if not found and not as_json:
        write("見つかりませんでした。" if terminal_language() == "ja" else "None was found.")
    if not found and wanted:
        raise typer.Exit(1)


def ask_about_servers(minds: MindChooser, companion: Companion) -> None:
    """Ask about a server that would speak for a persona; no answer leaves it waiting."""
    while server := next((offer.server for offer in companion.choice().offers if offer.server is not None), None):
        if _asked(minds, server) is None:
            return


def say_of_servers(companion: Companion) -> None:
    """Say on standard error that a server waits for a yes, and how to give it."""
    for notice in companion.choice().notices:
        warn(notice.sentence(terminal_language()))


def _asked(minds: MindChooser, server: Server) -> bool | None:
    """Ask about a server and keep the answer; None where there is none."""
    lang = terminal_language()
    write_line(minds.offer(server).sentence(lang))
    try:
        answer = decided("[y/n、Enterならあとで]" if lang == "ja" else "[y/n, Enter: later]")
    except (EOFError, KeyboardInterrupt):
        write()
        return None
    if answer is not None:
        minds.answer(server, yes=answer)
    return answer


def _tell(server: Server, answer: bool | None, *, as_json: bool) -> None:
    from agent.minds.offers import run_by

    lang = 0 if terminal_language() == "ja" else 1
    facts = {"service": server.service, "address": server.address, "account": server.account, "answer": answer}
    tell(facts, f"{server.service}  {server.place}  ({run_by(server)[lang]}): {_STATES[answer][lang]}", as_json=as_json)
