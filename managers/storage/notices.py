"""Notices that wait until a person has seen them."""

import threading
from collections.abc import Iterable

from managers.storage.errors import Notice, UtataneError, as_notice


class NoticeBoard:
    """What a person should know; the same notice stands here once. Safe to use from several threads."""

    def __init__(self) -> None:
        self._notices: dict[tuple[str, str], Notice] = {}  # by source and text
        self._changing = threading.Lock()

    def post(self, *notices: Notice, source: str = "") -> None:
        """Put notices up; they stay until their source replaces them."""
        with self._changing:
            for notice in notices:
                self._notices[source, notice.en] = notice

    def post_error(self, code: str, error: UtataneError) -> None:
        """Put up an error of work that nobody was waiting for."""
        self.post(as_notice(code, error))

    def replace(self, source: str, notices: Iterable[Notice]) -> None:
        """Let exactly these notices of a source stand: what is no longer true goes."""
        with self._changing:
            for key in [key for key in self._notices if key[0] == source]:
                del self._notices[key]
        self.post(*notices, source=source)

    @property
    def all(self) -> list[Notice]:
        """Everything that is up, oldest first."""
        with self._changing:
            return list(self._notices.values())
