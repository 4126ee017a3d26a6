"""Visits of the page: which kind of browser came in when, and a hash of what its cookie holds; pure functions."""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

MOST_VISITS: Final = 100
LONGEST_UNSEEN: Final = timedelta(days=400)
"""As long as browsers keep a cookie."""


@dataclass(frozen=True, slots=True)
class BrowserVisit:
    """A browser that came in.

    Attributes:
        digest: of what its cookie holds, which stands nowhere.
        opened_by: a seal of the token or password that opened the page then; where another one holds, the visit is over.
        browser, system: what the browser says it is, in words of ours; empty: something else.
        begun, seen: when it came in, and when it opened a page last, to the day.
    """

    digest: str
    opened_by: str
    browser: str
    system: str
    begun: datetime
    seen: datetime


def digest_of(cookie: str) -> str:
    """Return what is kept of a cookie."""
    return hashlib.sha256(cookie.encode()).hexdigest()


def current_visits(visits: Iterable[BrowserVisit], opened_by: str, now: datetime) -> tuple[BrowserVisit, ...]:
    """Return the visits that go on, those that were seen last first; of too many the others go."""
    going_on = (visit for visit in visits if visit.opened_by == opened_by and now - visit.seen < LONGEST_UNSEEN)
    return tuple(sorted(going_on, key=lambda visit: visit.seen, reverse=True)[:MOST_VISITS])


def parse_visits(entries: Iterable[Mapping[str, str]]) -> tuple[BrowserVisit, ...]:
    """Return the visits of a file; what cannot be understood opens nothing."""
    visits = []
    for entry in entries:
        with suppress(ValueError, TypeError, KeyError):
            begun, seen = (datetime.fromisoformat(entry[key]).replace(tzinfo=None) for key in ("begun", "seen"))
            digest, opened_by, browser, system = (
                str(entry[key]) for key in ("digest", "opened_by", "browser", "system")
            )
            visits.append(BrowserVisit(digest, opened_by, browser, system, begun, seen))
    return tuple(visits)
