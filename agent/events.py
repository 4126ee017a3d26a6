"""What happens during a turn, in order, for whoever shows it (page, terminal)."""

from collections.abc import Sequence
from dataclasses import dataclass

from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.storage.errors import Notice, UtataneError


@dataclass(frozen=True, slots=True)
class Received:
    """The user's message is safely on disk: this is the acknowledgement.

    `greeting` is what the persona has said first, where this is what it is answered with: it stands in the log before it.
    """

    message: Message
    greeting: Message | None = None


@dataclass(frozen=True, slots=True)
class Begins:
    """In a conversation of several: what comes from here on is this persona's."""

    speaker: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found for this answer; `query` is empty when nothing was searched."""

    query: str
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Speaking:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What was said since the last tool is no part of the reply."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of the mind's reasoning: shown folded, never kept."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A tool was used; the announcement that went into the log."""

    announcement: Message


@dataclass(frozen=True, slots=True)
class Replied:
    """The reply is on disk (also one that was stopped or broke off, marked).

    `recalled` is what it rests on: what the built-in mind used, what a language model was handed; nothing where nothing was known.
    """

    message: Message
    recalled: Sequence[Hit]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Failed:
    """The mind failed; what was said so far, if anything, came as `Replied` before."""

    error: UtataneError


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something to know that did not stop the turn."""

    notice: Notice


@dataclass(frozen=True, slots=True)
class Held:
    """A change of a memory waits for a person's yes (see `agent.approval`)."""

    held: str


TurnEvent = Received | Begins | Recalled | Speaking | Unsaid | Thinking | ToolUsed | Replied | Failed | Noticed | Held
