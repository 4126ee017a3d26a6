"""What passes between a mind and whoever asks it, awake or asleep; minds are made in `agent/minds/`.

Requests carry plain data, so that a mind knows neither files nor graph. Results are typed and validated.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.storage.audit import NOTHING, Given
from managers.storage.errors import Lang, Notice

Emotion = Literal[
    "joy", "happy", "surprise", "neutral", "sadness", "anger", "fear", "anxious", "tired", "busy", "stressed"
]


@dataclass(frozen=True, slots=True)
class EmotionReading:
    """The emotion of one message: the label, and how sure the reading is (0 to 1)."""

    emotion: Emotion
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """Who the persona is and whom it talks to."""

    persona: str
    language: Lang
    system_prompt: str
    user_name: str = ""
    user_profile: str = ""
    nickname: str = ""
    """What the persona's own words call it, where that is not its name."""


class Cancel(threading.Event):
    """Set it to make a mind stop at its next piece."""

    by_person = False
    """Whether a person wished so."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for minds that can see."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A mind's wish to use a tool; the arguments are untrusted."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One entry of the conversation as a mind reads it. A `tool` entry answers `tool_call_id`.

    `quoted` stands before the words of an entry and is not theirs: when they were said, how things are now, what is recalled,
    documents, files; line by line.
    """

    role: Literal["user", "persona", "tool"]
    text: str
    time: datetime | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    images: tuple[Image, ...] = ()
    quoted: str = ""


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that was sent in the conversation, as text. Foreign text: whoever shows it to a mind quotes it.

    Attributes:
        name: what its sender calls it.
        parts: what stands in it, each part with its heading, page or row (or an empty one).
        path: where it is kept, relative to the persona's folder; empty off the record.
        is_earlier: it came with an earlier message.
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    path: str = ""
    is_earlier: bool = False

    @property
    def text(self) -> str:
        """All of it, each part under its heading."""
        return "\n".join(f"{heading}\n{text}" if heading else text for heading, text in self.parts)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to a mind: `arguments` is the pydantic model that its calls are checked with.

    `language` is that of the description; those of the arguments follow it. `members` are the tools that it stands for, where
    it stands for several.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    language: Lang = "en"
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Concern:
    """A message that speaks of self-harm or danger: what kind, and the help lines for the locale."""

    kind: Literal["self_harm", "danger"]
    help_lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Something that the persona wonders about."""

    topic: str
    context: str = ""
    priority: float = 0.5
    evidence: Sequence[str] = ()
    """The messages that it rests on."""
    origins: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SelfKnowledge:
    """What a persona may tell of its own inner life, from memory; what is empty it does not have.

    Attributes:
        strategy: what its last night made it resolve.
        goals: what it aims at, most important first.
        drive: what moves it most: `boredom`, `curiosity`, `goal_achievement` or `devotion`.
        dreams: what it wrote of its dreams, newest first.
    """

    strategy: str = ""
    goals: tuple[str, ...] = ()
    drive: str = ""
    dreams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """What was learned from how answers to requests like this one were taken; what is empty nobody knows.

    Attributes:
        strategy: what the answers that were welcome are like (`managers.language.reading.help_given.TRAITS`).
        steps: their steps.
        uses: how many of them somebody said something about.
        avoid: what was complained of (`managers.language.reading.reactions.FAULTS`), the gravest first.
        mitigations: what to do instead, in the same order.
    """

    strategy: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    uses: int = 0
    avoid: tuple[str, ...] = ()
    mitigations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resumed:
    """A topic that a conversation of several came back to, for a persona who was there for all of it.

    Attributes:
        summary: what was said; may be empty.
        turns: the last of it, oldest first.
        message_ids: what the summary rests on.
        open: topics that were broken off too and not come back to, each in a few words.
    """

    summary: str
    turns: tuple[Message, ...] = ()
    message_ids: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Company:
    """A conversation of several, as the persona sees it who speaks next.

    Attributes:
        group: which conversation.
        present: the personas who are there, this one among them.
        voices: what the others are called, those who left too; none of them may be spoken for.
        own_names: what the persona is called.
        since: what was said after the message that is answered, oldest first.
        domain: what the persona knows about, in a sentence; may be empty.
        is_of_domain: the message is about that.
        is_addressed: the user spoke to it.
        arranges: the message says who is to speak, and nothing else.
        remarks: what it likes to say of its domain, by language.
        thread: which topic of the conversation it is; 0 where nobody told them apart.
        resumed: what was said of the topic before, where it is come back to.
    """

    group: str
    present: tuple[str, ...]
    voices: tuple[str, ...] = ()
    own_names: tuple[str, ...] = ()
    since: tuple[Message, ...] = ()
    domain: str = ""
    is_of_domain: bool = False
    is_addressed: bool = False
    arranges: bool = False
    remarks: Mapping[Lang, Sequence[str]] = field(default_factory=dict)
    thread: int = 0
    resumed: Resumed | None = None

    @property
    def is_first(self) -> bool:
        """Whether the persona has not answered the message yet."""
        return not any(message.role == "persona" for message in self.since)

    @property
    def told(self) -> tuple[Message, ...]:
        """What a prompt holds of it beside the turns: the topic as it was left, and what was said since."""
        return (*(self.resumed.turns if self.resumed else ()), *self.since)


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """All that a reply is made from.

    A language model reads `system` and `turns`; the built-in mind reads the parts that `system` was
    composed from. The last user entry of `turns` is the message to answer.
    """

    sheet: Sheet
    system: str
    turns: Sequence[ChatTurn]
    message: Message
    now: datetime
    hits: Sequence[Hit] = ()
    recall_wanted: bool = False
    """The message calls for the past: with no hits, the mind says plainly that it recalls nothing."""
    notes: str = ""
    """Core memory and notepad, as they stand."""
    emotion: EmotionReading = field(default_factory=lambda: EmotionReading("neutral"))
    questions: Sequence[OpenQuestion] = ()
    tools: Sequence[ToolSpec] = ()
    concern: Concern | None = None
    files: Sequence[SentFile] = ()
    """What was sent with the message, and shortly before it; a language model reads it in `turns`."""
    witnesses: Callable[[], Sequence[Message]] = field(default=tuple, compare=False)
    """Gives what the user said when the hits were made, and around it; read only by a mind that wants it."""
    given: Given = NOTHING
    """What of the memories it carries, for the audit."""
    advice: Advice = field(default_factory=Advice)
    """How to help, and how not to; a language model reads it in `turns`."""
    itself: Callable[[], SelfKnowledge] = field(default=SelfKnowledge, compare=False)
    """Gives what the persona may tell of its own inner life; a language model reads it in `system` and `turns`."""
    company: Company | None = None
    """The others who are there, in a conversation of several."""
    since: Sequence[ChatTurn] = ()
    """What was said after the message, for a language model."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some of what is said."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """Some of what is thought: shown folded, never logged, never remembered."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a call used, as the provider reports them; 0 where it does not."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Grounds:
    """The memories that an answer rests on, where the mind can tell them from those that it was handed."""

    hits: tuple[Hit, ...]


def talk_given(messages: Sequence[Message], further: Sequence[str] = ()) -> Given:
    """Return, for the audit, that some messages are given, and memories that rest on further ones."""
    return Given({"messages": len(messages)}, tuple(further), tuple({f"{m.time:%Y-%m-%d}" for m in messages}))


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was said in this answer so far is none of it: it was thought, or it is asked for anew."""


ReplyPiece = TextPiece | ReasoningPiece | TakenBack | ToolCall | Usage | Notice | Grounds
"""A `Notice` tells of a reduced way that the mind took, such as a model that cannot use tools."""


Answer = TypeVar("Answer", bound=BaseModel)


@runtime_checkable
class Asking(Protocol):
    """A mind that can be asked for a structured answer: language models can, the built-in one cannot."""

    def ask(
        self,
        instructions: str,
        material: str,
        answer: type[Answer],
        *,
        language: Lang = "en",
        cancel: Cancel | None = None,
        given: Given = NOTHING,
    ) -> Answer:
        """Return a validated answer; asked once more with the error if the first is not valid.

        Raises:
            MindError: no usable answer.
        """
