"""The files that sum up what was said on a day, or in a week or a month: what is done with both alike."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from pydantic import Field

from managers.memory.json_documents import PINNED, Apply, Remembered, encode, pin_reason, write_plainly
from managers.storage.clock import Clock
from managers.storage.errors import ExternallyChangedError, Notice
from managers.storage.files import digest, read_bytes
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths


class Summary(Remembered, ABC):
    """What such a file holds; `key_event_evidence` tells for each key event which messages it rests on."""

    FIRST: ClassVar[tuple[str, ...]] = ("date", "summary", "key_events", "emotional_tone")
    """What stands first in the file: the specification's four fields."""

    summary: str
    key_events: list[str] = Field(default_factory=list)
    emotional_tone: str = "neutral"
    key_event_evidence: list[list[str]] = Field(default_factory=list)

    def text_digest(self) -> str:
        """Return the digest of what people read."""
        return digest("\n".join([self.summary, *self.key_events, self.emotional_tone]))[:16]

    @abstractmethod
    def told(self, summary: str, key_events: Sequence[str]) -> Self:
        """Return it in other words; an event whose words are the same keeps what it rests on."""

    def dump(self) -> bytes:
        """Return the file's bytes."""
        values = self.model_dump(mode="json")
        return encode({**{key: values[key] for key in self.FIRST}, **values})


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

    @abstractmethod
    def save(self, kept: Kept, *, author: str, reason: str) -> Kept:
        """Write one that a person made or corrected; dreams leave it alone from then on."""

    def edit(
        self, when: Time, summary: str, key_events: Sequence[str], *, based_on: str, author: str, reason: str
    ) -> Kept | None:
        """Write what a person made of it; an event whose words are the same keeps what it rests on.

        Returns:
            It as it is now; None if there is none any more.

        Raises:
            ExternallyChangedError: the file on disk is another one than that with the digest `based_on`.
        """
        with writing(self._paths):
            there = self.get(when)
            if there is None:
                return None
            if self.digest_of(when) != based_on:
                theirs = "\n".join([there.summary, *there.key_events])
                raise ExternallyChangedError(path=self.path(when).name, theirs=theirs)
            return self.save(there.told(summary, key_events), author=author, reason=reason)

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
