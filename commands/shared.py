"""What the commands have in common: their options, the services."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.language import terminal_language
from commands.stop_signals import undisturbed
from commands.terminal import warn, write_line
from managers.memory.errors import NoSuchFileError
from managers.storage.errors import Notice, UnreadableError, UtataneError
from managers.storage.files import read_bytes
from managers.storage.paths import find_home

if TYPE_CHECKING:
    from agent.services import Services

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="The data folder (default: UTATANE_HOME or ~/Utatane).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
_UNDONE = frozenset({"afterwards", "gone-without"})
"""Notices of what was put off or done without."""
PersonaArgument = Annotated[str, typer.Argument(help="The persona's name.")]


def look_for_garbage_seldom() -> None:
    """Let Python look for reference cycles after 50,000 new objects instead of 700.

    Libraries being loaded leave none, and looking is a tenth of a start; in a conversation it would
    stop a turn for some ten milliseconds now and then.
    """
    gc.set_threshold(50_000, 20, 50)


@contextmanager
def services_at(home: Path | None, *, only_look: bool = False) -> Iterator[Services]:
    """Open the services of a home folder; whatever is under way is finished on leaving.

    With `only_look`, nothing is made or written: no folder, no sample, no log of the program's. So it is where nothing
    can be written, which is said in one line.
    """
    look_for_garbage_seldom()
    # A thread that works hard gives way after 1 ms instead of 5: whoever opens a room while an index is built reads many
    # small files, and waits so long after each.
    sys.setswitchinterval(0.001)
    from agent.services import open_services
    from managers.storage.privacy import MADE_PRIVATE
    from managers.storage.program_log import log_to_file
    from managers.storage.read_only import is_read_only, read_only_notice

    told = {MADE_PRIVATE, "admissions-mended"}
    found = find_home(home)
    read_only = [] if only_look or not is_read_only(found) else [read_only_notice(found)]
    only_look = only_look or bool(read_only)
    if not only_look:
        log_to_file(found)
    services = open_services(found, only_look=only_look)
    services.notices.post(*read_only)
    warn_of([*read_only, *(notice for notice in services.notices.all if notice.code in told)])
    try:
        yield services
    finally:
        with undisturbed():
            services.close()


@contextmanager
def damage_told(services: Services, persona: str, *, first: bool = False) -> Iterator[None]:
    """Say in one line on standard error what is amiss with a persona's files, and what could not be written beside them.

    It is said once the work is done, for by then the indexes have caught up and know what is missing; or `first`, and at
    the end what is new.
    """
    told, is_done = _tell_of_damage(services, persona) if first else [], False
    try:
        yield
        is_done = True
    finally:
        with suppress(UtataneError):  # the work itself has said what stands in its way
            _tell_of_damage(services, persona, told, is_done=is_done)


def _tell_of_damage(
    services: Services, persona: str, told: Sequence[str] = (), *, is_done: bool = False
) -> Sequence[str]:
    from agent.health import in_one_line, look

    memories, lang = services.memories(persona), terminal_language()
    words = in_one_line(persona, look(memories))
    said = [words.sentence(lang)] if words else []
    if is_done:
        undone = [*memories.recall.notices(), *(one for one in memories.notices.all if one.code in _UNDONE)]
        undone = sorted(undone, key=lambda one: one.code != "index-behind")
        said += [one.sentence(lang) for one in undone if one.level == "warning"][:1]
    if new := [one for one in said if one not in told]:
        warn(" ".join(new))
    return said


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
    """Print one result on a line: for scripts as a JSON object, for people in words."""
    from agent.as_json import line

    write_line(line(facts) if as_json else words)


def warn_of(notices: Iterable[Notice]) -> None:
    """Write what a person should know on standard error, each on a line."""
    for notice in notices:
        warn(notice.sentence(terminal_language()))
