"""`serve`, and `access`: who may open what it serves."""

from __future__ import annotations

import getpass
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.browser import has_browser, open_page
from commands.errors import CommandError
from commands.language import terminal_language
from commands.second_start import entry
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import write
from managers.storage.paths import Home, find_home

if TYPE_CHECKING:
    from managers.storage.access import Access

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
    from managers.storage.access import Access
    from managers.storage.locks import Served, serving
    from managers.storage.residence import keep_together

    keep_together()
    found = find_home(home)
    access = Access(found, os.environ.pop("UTATANE_PASSWORD", ""))  # no program that is started from here is told it
    show = None
    if window:  # what it lacks is said before anything begins
        from ui.server.window import prepare_window

        show = prepare_window(found, terminal_language()).show
    from ui.server.app import launch

    with services_at(found.folder) as services, nullcontext() if services.only_look else serving(found) as note:
        opens = not no_browser and not window and has_browser()

        def announce(origin: str) -> None:
            if note is not None:
                note(Served(origin, given=access.is_given))
            _say_address(found, access, origin, opens=opens)
            services.notices.post(*access.notices)

        page = services.settings().page
        port = page.port if port is None else port
        if not services.only_look:
            services.begin_ticking()
        launch(services, access, host or page.host, port, on_ready=announce, show=show)


def _say_address(home: Home, access: Access, origin: str, *, opens: bool) -> None:
    address = access.address(origin)
    write(f"うたた寝 {address}" if terminal_language() == "ja" else f"Utatane is at {address}")
    if opens:
        threading.Thread(target=partial(open_page, home, address), daemon=True).start()


@commands.command()
def access(
    home: HomeOption = None,
    new: Annotated[
        bool, typer.Option("--new", help="Make a new address; the old one and every browser are let go.")
    ] = False,
    password: Annotated[
        bool,
        typer.Option("--password", help="Ask for a password from now on (typed here, or a line of standard input)."),
    ] = False,
    no_password: Annotated[bool, typer.Option("--no-password", help="Ask for no password any more.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the address that opens the page; make a new one, or ask for a password instead."""
    from managers.storage.access import Access
    from managers.storage.locks import is_served, served_at

    found = find_home(home)
    keys = Access(found)
    if new:
        keys.renew_token()
    if password:
        keys.set_password(_typed_password())
    elif no_password:
        keys.remove_password()
    served = served_at(found) if is_served(found) else None
    facts = {
        "address": entry(found, served) if served else keys.address(_usual_origin(found)),
        "running": served is not None,
        "password": keys.needs_password or bool(served and served.given),
    }
    tell(facts, _in_words(facts), as_json=as_json)


def _typed_password() -> str:
    """Return what is typed, unseen; what stands on standard input where nobody types."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    japanese = terminal_language() == "ja"
    typed = getpass.getpass("新しい合言葉: " if japanese else "New password: ")
    if getpass.getpass("もう一度: " if japanese else "Once more: ") != typed:
        raise CommandError("passwords-differ")
    return typed


def _usual_origin(home: Home) -> str:
    from managers.storage.settings import SettingsFile

    page = SettingsFile(home.settings).load()[0].page
    return f"http://{page.host}:{page.port}/"


def _in_words(facts: Mapping[str, Any]) -> str:
    if terminal_language() == "ja":
        asks = "(合言葉をたずねます)" if facts["password"] else ""
        return f"{facts['address']}{asks}" + ("" if facts["running"] else " (いまは動いていません)")
    asks = " (asks for the password)" if facts["password"] else ""
    return f"{facts['address']}{asks}" + ("" if facts["running"] else " (not running now)")
