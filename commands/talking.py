"""`serve` and `chat`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, terminal_language

if TYPE_CHECKING:
    from agent.companion import Companion
    from agent.turn import Turn

commands = typer.Typer()


@commands.command()
def serve(
    home: HomeOption = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; others than loopback demand a password.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0: any that is free.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    window: Annotated[bool, typer.Option("--window", help="Open a window of its own (extra: window).")] = False,
) -> None:
    """Start the page (the default command)."""
    from managers.storage.locks import serving
    from managers.storage.paths import find_home

    show = None
    if window:  # what it lacks is said before anything begins
        from ui.window import prepare_window

        show = prepare_window(find_home(home), terminal_language()).show
    from ui.server import launch

    with services_at(home) as services, serving(services.home):
        page = services.settings().page
        services.sleep.start()
        launch(
            services,
            host or page.host,
            page.port if port is None else port,
            os.environ.get("UTATANE_PASSWORD") or services.secrets.get("page_password"),
            language=terminal_language(),
            on_ready=_announce,
            open_browser=not no_browser and not window and _has_browser(),
            show=show,
        )


def _announce(address: str) -> None:
    print(f"うたた寝 {address}" if terminal_language() == "ja" else f"Utatane is at {address}", flush=True)


def _has_browser() -> bool:
    """Tell whether a window could open: not on a server without a screen."""
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


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
