"""The shelf one looks for things on: a question or some words, kinds and days."""

import re
from dataclasses import asdict, dataclass
from datetime import date, datetime, time
from typing import Annotated, Final

from fastapi import Depends, Query
from fastapi.responses import Response

from agent.memories import Memories
from managers.memory.confidence import day_of
from managers.recall.hits import ALL_TYPES, Hit, MemoryType
from ui.rooms.memories.places import place_of
from ui.rooms.memories.shelves import page_of, show
from ui.server.visit import PersonaVisit, With

PAGE: Final = 20
MOST: Final = 200
"""Nobody reads further; a better question is the better way."""
_MOST_BEFORE_DAYS: Final = 600
"""Where days are asked for, more is looked at: what lies outside of them goes."""
_LONGEST_QUERY: Final = 400
_MARKED_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: words, kinds (none: all), first and last day."""

    query: str = ""
    kinds: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    @property
    def is_narrowed(self) -> bool:
        """Whether not all kinds and days are looked at."""
        return bool(self.kinds or self.since or self.until)


def wanted_of(
    query: str = "", kinds: Annotated[tuple[str, ...], Query()] = (), since: str = "", until: str = ""
) -> Wanted:
    """Return what an address asks for."""
    return Wanted(query.strip()[:_LONGEST_QUERY], kinds, since, until)


def shelf(visit: With, wanted: Annotated[Wanted, Depends(wanted_of)], page: int = 0) -> Response:
    """Show the form and, once something is asked, what was found."""
    hits = find(visit.memories, wanted)
    pages = page_of(visit, hits, page, PAGE)
    told = asdict(wanted)
    return show(
        visit,
        "memories/search.html",
        "search",
        wanted=wanted,
        kinds=ALL_TYPES,
        today=f"{visit.now:%Y-%m-%d}",
        found=pages.items,
        marked=marked,
        moment=moment,
        place_of=place_of,
        pages=pages,
        table=visit.at("tables/found.csv", **told),
    )


def find(memories: Memories, wanted: Wanted) -> list[Hit]:
    """Return the memories that are looked for, best first."""
    if not wanted.query:
        return []
    kinds: tuple[MemoryType, ...] = tuple(kind for kind in ALL_TYPES if kind in wanted.kinds)
    first, last = day_of(wanted.since), day_of(wanted.until)
    most = MOST if first is None and last is None else _MOST_BEFORE_DAYS
    hits = memories.recall.search(
        wanted.query, most, types=kinds or None, fitting=True
    )  # where what does not fit is cut off
    return [hit for hit in hits if _is_within(hit, first, last)][:MOST]


def moment(moment: datetime, visit: PersonaVisit) -> str:
    """Return when something was, as people say it; the day alone where no time of it is known."""
    return visit.day(moment.date()) if moment.time() == time(0) else visit.when(moment)


def marked(text: str, query: str) -> list[tuple[str, bool]]:
    """Return a passage in pieces, each with whether it is a word that was looked for."""
    words = sorted({word for word in query.split() if len(word) > 1}, key=len, reverse=True)[:_MARKED_WORDS]
    if not words:
        return [(text, False)]
    pieces = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return [(piece, at % 2 == 1) for at, piece in enumerate(pieces) if piece]


def _is_within(hit: Hit, first: date | None, last: date | None) -> bool:
    if first is None and last is None:
        return True
    if hit.time is None:
        return False
    day = hit.time.date()
    return (first is None or day >= first) and (last is None or day <= last)
