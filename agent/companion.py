"""A persona one can talk to: its memories, its mind, and the turn that joins them.

This is what the page and the command line hold. One `Companion` per persona and process; turns of
one persona run one after the other, those of different personas side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.events import TurnEvent


@dataclass(frozen=True, slots=True)
class MindStatus:
    """Which mind speaks, and why: shown on the page at all times.

    Attributes:
        name: as in the trailers, such as `built-in` or `gemini-2.5-flash`.
        ja, en: one sentence for people, such as "Ollama on this computer (llama3.2)".
        is_language_model: the built-in mind is none, and the page says so.
        leaves_machine: what is said goes over the network.
    """

    name: str
    ja: str
    en: str
    is_language_model: bool
    leaves_machine: bool


class Turn:
    """A turn under way in a thread of its own: it goes on when the page that asked for it closes."""

    def events(self) -> Iterator[TurnEvent]:
        """Yield all events from the first on, waiting for new ones until the turn is over."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ask the mind to stop; what was said so far is kept and marked as broken off."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        raise NotImplementedError


class Companion:
    """One persona, awake."""

    def say(self, text: str, *, attachments: Sequence[Path] = (), off_record: bool = False) -> Turn:
        """Say something; the message is on disk before the first event is yielded.

        Off the record nothing is written anywhere: the exchange lives in this object until
        `end_off_record` or a turn on the record.

        Raises:
            EmptyMessageError, MessageTooLongError: nothing was written.
        """
        raise NotImplementedError

    def regenerate(self) -> Turn:
        """Answer the user's last message anew; the old reply is superseded, not erased."""
        raise NotImplementedError

    def edit_last(self, text: str) -> Turn:
        """Replace the user's last message and answer it; the old message and reply are superseded."""
        raise NotImplementedError

    def delete_last(self) -> None:
        """Take back the user's last message and its answer (superseded, not erased)."""
        raise NotImplementedError

    def new_topic(self) -> None:
        """Begin a new thread: earlier turns leave the short-term memory, not the log."""
        raise NotImplementedError

    @property
    def turn(self) -> Turn | None:
        """The turn under way, if any (another window may have started it)."""
        raise NotImplementedError

    def mind_status(self) -> MindStatus:
        """Say which mind would speak now."""
        raise NotImplementedError
