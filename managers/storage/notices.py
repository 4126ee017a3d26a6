"""Notices that wait until a person has seen them."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from managers.storage.errors import Notice, UtataneError


class NoticeBoard:
    """What a person should know; the same notice stands here once. Safe to use from several threads."""

    def __init__(self) -> None:
        self._notices: dict[tuple[str, str], Notice] = {}
        self._changing = threading.Lock()

    def post(self, *notices: Notice) -> None:
        """Put notices up."""
        with self._changing:
            for notice in notices:
                self._notices[notice.code, notice.en] = notice

    def post_error(self, code: str, error: UtataneError) -> None:
        """Put up an error of work that nobody was waiting for."""
        self.post(Notice(code, error.sentence("ja"), error.sentence("en")))

    def withdraw(self, code: str) -> None:
        """Take down what is no longer true."""
        with self._changing:
            for key in [key for key in self._notices if key[0] == code]:
                del self._notices[key]

    def dismiss(self, notice: Notice) -> None:
        """Take one notice down."""
        with self._changing:
            self._notices.pop((notice.code, notice.en), None)

    def replace(self, code: str, notices: Iterable[Notice]) -> None:
        """Let exactly these notices stand for `code`."""
        self.withdraw(code)
        self.post(*notices)

    @property
    def all(self) -> list[Notice]:
        """Everything that is up, oldest first."""
        with self._changing:
            return list(self._notices.values())
