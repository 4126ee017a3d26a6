"""The files that sum up what was said on a day, or in a week or a month: what is done with both alike."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from managers.memory.json_documents import PINNED, Apply, pin_reason, write_plainly
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import digest, read_bytes
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths


class Summary(Protocol):
    """What such a file holds."""

    def model_copy(self, *, update: dict[str, object]) -> Self: ...

    def dump(self) -> bytes: ...


Time = TypeVar("Time")
Kept = TypeVar("Kept", bound=Summary)


class DatedFiles(ABC, Generic[Time, Kept]):
    """One file for each time that is summed up."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self.notices: list[Notice] = []

    @abstractmethod
    def path(self, when: Time, /) -> Path:
        """Return the file of a time."""

    @abstractmethod
    def get(self, when: Time, /) -> Kept | None:
        """Return what it holds; None if there is none, or nothing that we understand."""

    def digest_of(self, when: Time) -> str:
        """Return the digest of a file, to base an edit on."""
        return digest(read_bytes(self.path(when)) or b"")

    def pin(self, when: Time, *, on: bool, author: str) -> Kept | None:
        """Pin one, or take the pin off; who wrote it stays as it is. None if there is none any more."""
        with writing(self._paths):
            there = self.get(when)
            if there is None:
                return None
            pinned = there.model_copy(update={PINNED: on})
            self._apply({self.path(when): pinned.dump()}, author=author, reason=pin_reason(on=on))
            return pinned
