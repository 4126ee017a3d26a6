"""Whether what is kept of conversations of several is in order: what the doctor and the page say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from managers.groups import GroupStore, Standing
from managers.sessions.inspection import Inspected, inspect
from managers.storage.errors import Notice, as_notice
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.services import Services

_say = Texts("notices/sessions")
_NAMED: Final = 5
"""So many files or sessions are named."""


def examine_sessions(services: Services) -> Iterator[Notice]:
    """Yield what there is at each tier (`info`), then what is amiss and what a person can do; nothing is changed.

    Raises:
        UtataneError: it cannot be looked at.
    """
    found = inspect(services.home, services.clock)
    store = GroupStore(services.home, services.clock, services.rng)
    if not store.is_readable:
        yield _say.notice("groups-unreadable")
    if found == Inspected():
        return
    counts = {"hot": found.hot, "warm": found.warm, "whole": found.whole, "archived": found.archived}
    yield _say.notice("sessions-counted", "info", **counts)
    if found.damaged:
        yield _say.notice("sessions-damaged", names=_names(found.damaged))
    if found.aside:
        yield _say.notice("sessions-aside", names=_names(found.aside))
    if found.unread is not None:
        yield as_notice("sessions-unread", found.unread)
    if store.is_readable and (alone := found.ids - _owned(services, store.all())):
        yield _say.notice("sessions-alone", count=len(alone), names=_names(sorted(alone)))


def _owned(services: Services, standings: Sequence[Standing]) -> set[str]:
    """Return the conversations of which somebody who is or was there is here, renamed, or in the trash."""
    personas = services.personas
    there = {*personas.door.all_names(), *(one.name for one in personas.trashed())}
    return {
        one.id
        for one in standings
        if any(name in there or personas.renamed_to(name) for name in (*one.present, *one.former))
    }


def _names(names: Sequence[str]) -> dict[str, str]:
    first, more = names[:_NAMED], len(names) - _NAMED
    rest = _say.both("and-more", count=more) if more > 0 else {"ja": "", "en": ""}
    return {"ja": "、".join(first) + rest["ja"], "en": ", ".join(first) + rest["en"]}
