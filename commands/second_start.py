"""A second start: said and answered before anything is imported that takes time."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from commands.browser import has_browser, open_page
from commands.errors import AlreadyServedError
from commands.language import terminal_language
from commands.terminal import warn
from managers.storage.access import Access
from managers.storage.errors import AlreadyRunningError, UtataneError
from managers.storage.locks import Served, is_served, served_at
from managers.storage.paths import Home, find_home


def answer_second_start(arguments: Sequence[str]) -> int | None:
    """Say that the page is being served already, and open it where a start would have.

    Returns:
        the exit status; None where nobody serves that home yet.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--window", action="store_true")
    parser.add_argument("--help", action="store_true")
    try:
        asked, _ = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        return None
    home = find_home(asked.home)
    if asked.help or not is_served(home):
        return None
    try:
        return _say(home, opens=not asked.no_browser and not asked.window and has_browser())
    except UtataneError as error:
        warn(error.sentence(terminal_language()))
        return error.status


def _say(home: Home, *, opens: bool) -> int:
    served = served_at(home)
    if served is None:
        raise AlreadyRunningError(home=home.folder)
    address = entry(home, served)
    told = AlreadyServedError(home=home.folder, address=address)
    warn(told.sentence(terminal_language()))
    if opens:
        open_page(home, address)
    return told.status


def entry(home: Home, served: Served) -> str:
    """Return the address that opens a page which is being served: with its token, where that opens it."""
    return served.address if served.given else Access(home).address(served.address)
