"""Whether a persona's files are whole, and putting them right: what the doctor, the command line and the page share."""

from collections.abc import Iterable, Iterator, Sequence

from agent.memories import Memories
from managers.integrity import Trouble
from managers.integrity.home_copies import look_at_home
from managers.integrity.inspection import examine as examine_files
from managers.integrity.inspection import look as look_at_files
from managers.integrity.repair import Mender
from managers.integrity.trouble import Kind, Words, summed_up
from managers.memory.log.reader import LogReader
from managers.recall.read_only_index import look_at_indexes
from managers.storage.errors import Notice, UtataneError
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home

SOURCE = "integrity"
_GRAVEST: tuple[Kind, ...] = (
    "lost",
    "history",
    "other-encoding",
    "broken",
    "damaged",
    "misnamed",
    "set-aside",
    "copy",
    "orphan",
)


def look(memories: Memories) -> list[Trouble]:
    """Return what a look at the folders tells, and let the page say so."""
    found = look_at_files(memories.paths, memories.log)
    memories.notices.replace(SOURCE, summed_up(found))
    return found


def look_around(home: Home, notices: NoticeBoard) -> None:
    """Let the page say which copies lie in the home folder itself: of the settings, and of personas' whole folders."""
    try:
        found = summed_up(look_at_home(home))
    except UtataneError as error:
        found = [Notice("home-unreadable", error.sentence("ja"), error.sentence("en"))]
    notices.replace(SOURCE, found)


def in_one_line(name: str, troubles: Sequence[Trouble]) -> Words | None:
    """Return what the command line says of them, None where there is nothing to say."""
    if not troubles:
        return None
    first = min(troubles, key=lambda trouble: _GRAVEST.index(trouble.kind))
    more = len(troubles) - 1
    can_mend = any(trouble.kind != "damaged" for trouble in troubles)
    return Words(
        f"{first.said.ja}{f'ほかに {more} 件あります。' if more else ''}"
        f"詳しくは `app.py doctor`{f'、直すには `app.py mend {name}`' if can_mend else ''}。",
        f"{first.said.en}{f' And {more} more.' if more else ''} `app.py doctor` tells all of it"
        f"{f', `app.py mend {name}` puts it right' if can_mend else ''}.",
    )


def examine(memories: Memories) -> list[Trouble]:
    """Return all that can be found, with every memory read; changes nothing."""
    log = LogReader(memories.paths, memories.clock, keeps_indexes=False)
    return examine_files(memories.paths, log, look_at_indexes(memories.paths).messages)


def mend(memories: Memories, troubles: Iterable[Trouble]) -> Iterator[tuple[Trouble, Words | UtataneError]]:
    """Put right what a yes was said to; yield what was done with each, or why it stays."""
    mender = Mender(memories.paths, memories.clock, memories.log, memories.history)
    for trouble in troubles:
        try:
            yield trouble, mender.mend(trouble)
        except UtataneError as error:
            yield trouble, error
    memories.notices.post(*memories.recall.keep_up())
    look(memories)
