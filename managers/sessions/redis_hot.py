"""Hot sessions in a Redis of the user's own, beside the files.

The files are written first and always: Redis may expire, forget or be gone, and nothing is lost. Of two copies the one that
was changed more often holds. What Redis does not know yet is noted, and told to it when it is back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from managers.sessions.hot import HOT, FileHot
from managers.sessions.records import SessionRecord
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import dump_json, read_bytes, remove, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from redis import Redis

_say = Texts("notices/sessions")
_TIMEOUT: Final = 1.0
"""Seconds that a turn waits for Redis at most, once per `_AGAIN` seconds."""
_AGAIN: Final = 5.0


@dataclass
class RedisHot:
    """Hot sessions in Redis and in files.

    Attributes:
        url: where Redis is; may hold a password, so it is shown nowhere.
        waiting: the file that names the sessions of which Redis has an old copy; it holds no words.
        held: holds the sessions' lock; whoever has it may take it once more.
        tell: is handed what a person should know, once each time that it changes.
    """

    url: str = field(repr=False)
    files: FileHot
    waiting: Path
    clock: Clock
    held: Callable[[], AbstractContextManager[None]]
    tell: Callable[[Notice], None]
    _client: Redis | None = field(default=None, repr=False)
    _silent_until: float = float("-inf")
    _is_gone: bool = False

    def get(self, session_id: str) -> SessionRecord | None:
        own, theirs = self._both(session_id)
        if _revision(own) == _revision(theirs):
            return own
        with self.held():  # since the first look it may have been changed, let go or erased
            own, theirs = self._both(session_id)
            if theirs is not None and _revision(theirs) > _revision(own):
                self.files.put(theirs)
                return theirs
            if _revision(theirs) < _revision(own):
                self._send(session_id)
            return own

    def _both(self, session_id: str) -> tuple[SessionRecord | None, SessionRecord | None]:
        """Return a session as the files have it, and as Redis does; where that has no say, the first twice."""
        own = self.files.get(session_id)
        if not self._is_there() or session_id in self._waiting():
            return own, own
        return own, _understood(self._asked(lambda redis: redis.get(_key(session_id))))

    def put(self, record: SessionRecord) -> None:
        self.files.put(record)
        self._send(record.session_id)

    def drop(self, session_id: str) -> None:
        if not (self._is_there() and self._asked(lambda redis: redis.delete(_key(session_id))) is not None):
            self._note({*self._waiting(), session_id})
        self.files.drop(session_id)

    def ids(self) -> Iterator[str]:
        return self.files.ids()

    def flush(self) -> None:
        """Tell Redis what it does not know yet, if it is there."""
        if self._is_there() and (self._is_gone or self._waiting()):
            self._asked(lambda redis: redis.ping())

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _is_there(self) -> bool:
        return self.clock.monotonic() >= self._silent_until

    def _send(self, session_id: str) -> None:
        if not (self._is_there() and self._asked(lambda redis: self._sent(redis, session_id)) is not None):
            self._note({*self._waiting(), session_id})

    def _sent(self, redis: Redis, session_id: str) -> bool:
        """Let Redis know a session as its file is: with its words, or gone."""
        record = self.files.get(session_id)
        if record is None:
            redis.delete(_key(session_id))
        else:
            redis.set(_key(session_id), record.model_dump_json(), ex=HOT)
        return True

    def _asked(self, ask: Callable[[Redis], object]) -> object:
        """Return what Redis answers; None if it is gone, which is said once."""
        try:
            from redis import Redis, RedisError  # noqa: PLC0415  # an extra, and a tenth of a second
            from redis.backoff import NoBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError:
            self._went("redis-missing")
            return None
        try:
            if self._client is None:
                self._client = Redis.from_url(
                    self.url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT, retry=Retry(NoBackoff(), 0)
                )
            answer = ask(self._client)
            self._came_back(self._client)
        except ValueError:
            self._went("redis-address")
            return None
        except (RedisError, OSError):
            self._went("redis-gone")
            return None
        return answer

    def _went(self, code: str) -> None:
        self._silent_until = self.clock.monotonic() + _AGAIN
        if not self._is_gone:
            self._is_gone = True
            self.tell(_say.notice(code))

    def _came_back(self, redis: Redis) -> None:
        if self._waiting():
            with self.held():
                for session_id in self._waiting():
                    self._sent(redis, session_id)
                remove(self.waiting)
        if self._is_gone:
            self._is_gone = False
            self.tell(_say.notice("redis-back", "info"))

    def _waiting(self) -> set[str]:
        try:
            found = load_json(read_bytes(self.waiting) or b"[]")
        except NotJsonError:
            return set(self.ids())
        return {str(one) for one in found} if isinstance(found, list) else set(self.ids())

    def _note(self, ids: set[str]) -> None:
        if ids != self._waiting():
            write_atomic(self.waiting, dump_json(sorted(ids)))


def _key(session_id: str) -> str:
    return f"sess:{session_id}"


def _revision(record: SessionRecord | None) -> int:
    return -1 if record is None else record.revision


def _understood(data: object) -> SessionRecord | None:
    """Return what Redis holds; None of what somebody else has put there."""
    try:
        return SessionRecord.model_validate_json(data) if isinstance(data, bytes | str) else None
    except ValidationError:
        return None
