"""What the commands have in common: their options, the terminal's language, the services."""

from __future__ import annotations

import gc
import locale
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from managers.storage.errors import Lang, NoSuchFileError, UnreadableError
from managers.storage.files import read_bytes
from managers.storage.paths import find_home

if TYPE_CHECKING:
    from agent.services import Services

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="The data folder (default: UTATANE_HOME or ~/Utatane).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
PersonaArgument = Annotated[str, typer.Argument(help="The persona's name.")]


def terminal_language() -> Lang:
    """Return the language of the terminal's user: UTATANE_LANG, else the system's locale."""
    variables = ("UTATANE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((value for name in variables if (value := os.environ.get(name))), None)
    if chosen is None:  # Windows has a locale, and no variable that says so
        chosen = locale.getlocale()[0] or ""
    return "ja" if chosen.lower().startswith("ja") else "en"


def look_for_garbage_seldom() -> None:
    """Let Python look for reference cycles after 50,000 new objects instead of 700.

    Libraries being loaded leave none, and looking is a tenth of a start; in a conversation it would
    stop a turn for some ten milliseconds now and then.
    """
    gc.set_threshold(50_000, 20, 50)


def let_others_speak_soon() -> None:
    """Let a thread that works hard give way after 1 ms instead of 5.

    Whoever opens a room while an index is built reads many small files, and waits so long after each.
    """
    sys.setswitchinterval(0.001)


@contextmanager
def services_at(home: Path | None) -> Iterator[Services]:
    """Open the services of a home folder; whatever is under way is finished on leaving."""
    look_for_garbage_seldom()
    let_others_speak_soon()
    from agent.services import open_services
    from managers.storage.program_log import log_to_file

    found = find_home(home)
    log_to_file(found)
    services = open_services(found)
    try:
        yield services
    finally:
        services.close()


def read_text(file: Path) -> str:
    """Return a text file that was named on the command line.

    Raises:
        NoSuchFileError: it is not there.
        UnreadableError: it is no UTF-8 text.
    """
    data = read_bytes(file)
    if data is None:
        raise NoSuchFileError(path=file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(path=file, cause="not UTF-8") from error


def tell(facts: Mapping[str, Any], words: str, *, as_json: bool) -> None:
    """Print one result: for scripts as one JSON object a line, for people in words."""
    from agent.as_json import line

    print(line(facts) if as_json else words, flush=True)


def show_progress(done: int, total: int) -> None:
    """Show on standard error how far long work is."""
    print(f"\r{done}/{total}", end="" if done < total else "\n", file=sys.stderr, flush=True)
