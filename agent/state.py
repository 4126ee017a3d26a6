"""What flows through the graph of a turn, and what its nodes may use."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from random import Random
from typing import TypedDict, TypeVar

from agent.attachments import Attached
from agent.events import Noticed, TurnEvent
from agent.memories import Memories
from agent.minds.protocol import Mind
from agent.tools.catalogue import Catalogue
from agent.tools.context import ToolContext
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.errors import KeptHereError
from managers.memory.messages import Message
from managers.mind import Cancel, ChatTurn, Company, Concern, EmotionReading, ReplyRequest, Sheet, ToolCall
from managers.recall.hits import Hit
from managers.storage.clock import Clock
from managers.storage.edges import told
from managers.storage.errors import UtataneError, as_notice
from managers.storage.settings import Settings

Result = TypeVar("Result")


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
    in_sight: int | None = None
    """How many messages of the talk the last prompt held besides the newest; None where there was none yet."""
    off_record: bool = False
    """Nothing of this turn is written anywhere."""
    kept: Kept = NOTHING_KEPT
    """What the minds must not be given, for they are elsewhere."""
    leaves: bool = True
    """Whether what the minds are given leaves this computer."""
    unknown: UtataneError | None = None
    """Why nobody can tell what that is; then nothing is sent."""

    def refusal(self, message: Message) -> UtataneError | None:
        """Return why a message must not be sent to the mind, if it must not."""
        return self.unknown or (KeptHereError() if message.id in self.kept.messages else None)

    def spare(self, work: Callable[[], Result]) -> Result | None:
        """Do something that a reply can go without; what fails is told, and the reply comes all the same.

        Returns:
            what the work returns; None where it fails.
        """
        try:
            return work()
        except (UtataneError, OSError) as error:
            self.emit(Noticed(as_notice("gone-without", told(error))))
            return None


class TurnState(TypedDict, total=False):
    """The state of one turn; `window` is the short-term memory, the last messages of the thread."""

    text: str
    opening: int
    """Which of its greetings the persona says first, where nothing was ever said."""
    for_program: bool
    """The answer is for another program, which may hand it on: what is for this computer only is not told to any mind."""
    attached: Attached
    window: list[Message]
    message: Message
    """The user's message to answer; given at the start when it is in the log already."""
    branch: str
    """The branch of the conversation that the turn belongs to."""
    instead_of: Message | None
    """The answer in whose place the new one will stand."""
    reworded: bool
    """The user's message has another text than when it was first answered."""
    company: Company | None
    """The others who are there, in a conversation of several."""
    listeners: Sequence[Mind]
    """The minds of the others there, who will hear the answer: what they must not be given, it must not say."""
    emotion: EmotionReading
    drive: str
    """What moved the persona most before the message came, in a sentence."""
    felt: Future[None]
    """Done when the message has moved the inner life, on the disk too."""
    concern: Concern | None
    query: str
    hits: Sequence[Hit]
    recall_wanted: bool
    carried: tuple[str, ...]
    """Whose foreign words stand before the mind: documents and files by their paths in the persona's folder, others by name."""
    held: tuple[str, ...]
    """Ids of the changes that wait for a person's yes."""
    request: ReplyRequest
    in_sight: int
    """How many messages of the talk the prompt holds besides the newest."""
    exchange: list[ChatTurn]
    """What the tool loop has added to the conversation so far."""
    calls: tuple[ToolCall, ...]
    rounds: int
    said: str
    grounds: Sequence[Hit]
    """What the answer rests on: what the mind says, else the memories that it was handed."""
    speaker: Mind
    """Who has spoken in this turn: the mind, or the one that stands in for it."""
    reply: Message | None
    error: UtataneError | None


def is_first_answer(state: TurnState) -> bool:
    """Tell whether the persona has not answered the message yet: of several, one may speak to it twice."""
    company = state.get("company")
    return company is None or company.is_first


@dataclass
class Spoken:
    """What one call of the mind gave."""

    pieces: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    grounds: Sequence[Hit] | None = None
    speaker: Mind | None = None
    error: UtataneError | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)
