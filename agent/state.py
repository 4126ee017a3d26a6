"""What flows through the graph of a turn, and what its nodes may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from random import Random
from typing import TypedDict

from agent.attachments import Attached
from agent.events import TurnEvent
from agent.memories import Memories
from agent.tools.catalogue import Catalogue
from agent.tools.context import ToolContext
from managers.memory.messages import Message
from managers.mind import Cancel, ChatTurn, Concern, EmotionReading, Mind, ReplyRequest, Sheet, ToolCall
from managers.recall.hits import Hit
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.settings import Settings


@dataclass(frozen=True)
class Surroundings:
    """What the nodes of a turn may use: the persona's memories, its mind, the settings of now."""

    sheet: Sheet
    mind: Mind
    settings: Settings
    memories: Memories
    tools: Catalogue[ToolContext]
    clock: Clock
    rng: Random
    cancel: Cancel
    started: float
    """Monotonic seconds at which the turn began."""
    emit: Callable[[TurnEvent], None]
    """Shows an event at once to whoever follows the turn."""
    beside: Callable[[Callable[[], None]], Future[None]]
    """Does something beside the turn, in order; whoever needs its outcome waits for it."""
    small_mind: Mind | None = None
    """Decides what to recall, where the settings leave it to the small model."""
    stand_in: Callable[[], Mind] | None = None
    """Makes the mind that speaks when a cap stops the other one, where the settings let it."""
    off_record: bool = False
    """Nothing of this turn is written anywhere."""


class TurnState(TypedDict, total=False):
    """The state of one turn; `window` is the short-term memory, the last messages of the thread."""

    text: str
    attached: Attached
    window: list[Message]
    message: Message
    """The user's message to answer; given at the start when it is in the log already."""
    replaces: tuple[str, ...]
    """Ids of the messages that the new reply takes the place of."""
    emotion: EmotionReading
    felt: Future[None]
    """Done when the message has moved the inner life, on the disk too."""
    concern: Concern | None
    query: str
    hits: Sequence[Hit]
    recall_wanted: bool
    request: ReplyRequest
    exchange: list[ChatTurn]
    """What the tool loop has added to the conversation so far."""
    calls: tuple[ToolCall, ...]
    rounds: int
    said: str
    speaker: Mind
    """Who has spoken in this turn: the mind, or the one that stands in for it."""
    reply: Message | None
    error: UtataneError | None


@dataclass
class Spoken:
    """What one call of the mind gave."""

    pieces: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    speaker: Mind | None = None
    error: UtataneError | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)
