"""What is kept of conversations of several in the middle term, opened for one home folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from managers.groups import GroupStore
from managers.sessions.redis_address import parted
from managers.storage.errors import Notice, UtataneError
from managers.storage.settings import REDIS

if TYPE_CHECKING:
    from agent.services import Services
    from managers.recall.likeness import Likeness
    from managers.sessions.records import ThreadRecord
    from managers.sessions.tiers import Sessions


def open_sessions(services: Services) -> Sessions:
    """Return the sessions of a home folder; nothing is read yet."""
    from agent.group.session import finished  # noqa: PLC0415  # only who talks with several needs it
    from managers.sessions.tiers import Sessions  # noqa: PLC0415  # the same

    return Sessions(
        services.home,
        services.clock,
        lambda: services.settings().sessions,
        partial(_redis_url, services),
        partial(_tell, services),
        lambda thread: finished(thread, partial(_likeness, services)),
    )


def ended_threads(services: Services, since: datetime | None) -> Iterator[ThreadRecord]:
    """Yield the threads among several that ended, of conversations that went on since a moment, or of all."""
    for standing in GroupStore(services.home, services.clock, services.rng).all():
        if since is None or standing.last >= since.isoformat():
            yield from services.sessions.threads(standing.id)


def without_password(services: Services, redis_url: str) -> str:
    """Return the address of a Redis without its password, which is kept among the secrets."""
    plain, password = parted(redis_url)
    if (password or not redis_url) and not services.only_look:
        services.secrets.set(REDIS, password)
    return plain


def _redis_url(services: Services) -> str:
    """Return where the Redis of conversations of several is; a password that somebody wrote beside it is put away."""
    from managers.sessions.tiers import address_of  # noqa: PLC0415  # as above

    url = services.settings_file.load()[0].sessions.redis_url
    if url and (plain := without_password(services, url)) != url and not services.only_look:
        services.settings_file.change("sessions", redis_url=plain)
    return address_of(services.settings_file, services.secrets)


def _tell(services: Services, notice: Notice) -> None:
    """Put up what is wrong with them; that Redis is gone stands there until it is back."""
    if notice.code.startswith("redis"):
        services.notices.replace("redis", [notice] if notice.level == "warning" else [])
    else:
        services.notices.post(notice)


def _likeness(services: Services, names: Sequence[str]) -> Likeness | None:
    """Return what makes embeddings for the first of some personas who can be opened."""
    for name in names:
        with suppress(UtataneError):
            return services.memories(name).recall.likeness
    return None
