"""What a reader finds in a source: plain values, which cross from the process that reads to ours as lines of JSON.

A reader yields them in the order of the source. It decides nothing about the persona's folder: where things go, what is
there already and how the two are joined is the engine's work, so that every kind of source is treated alike.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from managers.memory.messages import Role

Kind = Literal["transcript", "nexus-ark", "card", "sillytavern", "chatgpt", "claude", "text", "archive"]
"""What can be imported, as the command line calls it."""

MemoryKind = Literal[
    "episode",
    "insight",
    "entity",
    "goal",
    "reflections",
    "question",
    "emotion",
    "inner_state",
    "core_memory",
    "notepad",
    "diary",
    "secret_diary",
    "knowledge",
    "avatar",
    "lorebook",
    "card",
]
"""Where in a persona's folder a memory or a file belongs."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the source that belongs to a message or a memory; its bytes are fetched when they are wanted.

    Attributes:
        path: where it lies in the source, as `ImportSource.files` names it; or a `data:` address, which holds all of it.
        name: what people call it; the end of the path if empty.
    """

    path: str
    name: str = ""


def inline_bytes(path: str) -> bytes | None:
    """Return the bytes that a `data:` address holds; None where it is none, or damaged."""
    head, _, data = path.partition(",")
    if not (head.startswith("data:") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(data)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """Another answer that was given in a message's place (a swipe, an answer made anew)."""

    text: str
    mind: str = ""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """One message.

    Attributes:
        role: `user`, `persona`, or `system` for what neither of them said; then `speaker` is its kind, in ASCII.
        speaker: the name that it stands under; empty where the source has none.
        text: what was said, and nothing else: no thoughts, no marks of the other program's.
        time: when, as the source has it; one with an offset is put on this computer's clock. None: it does not say. The
            engine puts such a message right behind the one before.
        is_time_certain: whether the source says the time of this message, not only of the conversation, say.
        id: the source's own, unique in the persona's whole life elsewhere; empty where it has none or one that may come
            twice. The engine makes one of the content and the order then, the same at the next import.
        mind: which model thought it.
        thought: what it thought before it spoke, kept beside the message.
        emotion: what was felt with it, as the source calls it.
        answers: the other answers that were given in its place, oldest first; `text` is the one that is shown.
        at: where among `answers` the one that is shown stood, from 0.
        files: what was sent along.
        notes: whatever else the source says of it and no field here holds (a memory's trace, a tool's result), by kind.
        thread: which conversation it belongs to, where a source holds several: its title, or any words that tell them apart.
        place: where it stands in the source, for people ("line 12", "log.txt").
        origins: `Message.origins`, as our own export has them.
    """

    role: Role
    speaker: str
    text: str
    time: datetime | None = None
    is_time_certain: bool = True
    id: str = ""
    mind: str = ""
    thought: str = ""
    emotion: str = ""
    answers: tuple[FoundAnswer, ...] = ()
    at: int = 0
    files: tuple[FoundFile, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    thread: str = ""
    place: str = ""
    origins: tuple[str, ...] = ()
    item: Literal["message"] = "message"


@dataclass(frozen=True, slots=True)
class FoundPersona:
    """Who the persona and the user are. May come several times: a field that is filled stays as it came first.

    A persona that is there keeps what it has: only what is empty there is filled, the rest is told as left out.
    """

    name: str = ""
    user_name: str = ""
    user_profile: str = ""
    language: Literal["ja", "en", ""] = ""
    system_prompt: str = ""
    greeting: str = ""
    greetings: tuple[str, ...] = ()
    nickname: str = ""
    item: Literal["persona"] = "persona"


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory, or a file, for a named place of the persona's folder.

    Attributes:
        kind: which place. What the other attributes hold for each kind:

            - `episode`: `day` is `YYYY-MM-DD`, or `YYYY-MM-DD~YYYY-MM-DD`; `fields` has `summary`, `key_events` (texts),
              `emotional_tone`, and may have the `arousal` and the `source_ids` of there. Several of one day become one.
            - `insight`: `time`; `fields` has `trigger_topic`, `insight`, `strategy`, `log_entry`.
            - `entity`: `name`; `text` is its Markdown without the title; `time` when it was made; `fields` may have other
              names (`aliases`). Paragraphs that are there already are not added once more.
            - `goal`: `name` is `short_term` or `long_term`; `fields` as in `goals.json`. Its `id` stays if it can.
            - `reflections`: `fields` as `meta` in `goals.json`: when goals were last looked over.
            - `question`: `time` when it came up; `fields` has `topic`, `context`, `answered` (true or false), and may have
              `priority` (0 to 1), `answer`, and when it was `asked` and `closed_at`.
            - `emotion`: `time`, `name` (the emotion), `text` (how the message begins).
            - `inner_state`: `fields` as in `internal_state.json`; only taken where the persona has none.
            - `core_memory`, `notepad`, `diary`, `secret_diary`: `text`; paragraphs that are there already are not added.
            - `knowledge`: `file`, or `name` and `text`; `avatar`: `file`.
            - `lorebook`, `card`: `fields`.
        place: where it stands in the source, for people.
    """

    kind: MemoryKind
    name: str = ""
    day: str = ""
    time: datetime | None = None
    text: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    file: FoundFile | None = None
    place: str = ""
    item: Literal["memory"] = "memory"


UNSURE: Final = "chats.unsure"
"""The code of a `NotTaken` that asks who of those who speak is who; `names` has them, with `BETWEEN` between them."""
BETWEEN: Final = " / "


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Something of the source that is not taken over, and why.

    Attributes:
        code: `<topic>.<key>`: the sentence for people stands in both languages in `assets/notices/import_<topic>.toml`
            under the key, `{count}` and the facts filled in.
        place: where in the source; several of one code and place are counted together.
        count: how many of them.
        facts: what the sentence needs.
        is_changed: it came all the same, in another form than it has in the source.
    """

    code: str
    place: str = ""
    count: int = 1
    facts: Mapping[str, str] = field(default_factory=dict)
    is_changed: bool = False
    item: Literal["not-taken"] = "not-taken"


Item: TypeAlias = FoundMessage | FoundPersona | FoundMemory | NotTaken

LINES: Final[TypeAdapter[Item]] = TypeAdapter(Annotated[Item, Field(discriminator="item")])
"""Makes lines of items and items of lines; what comes from the other process is checked by it."""


@dataclass(frozen=True, slots=True)
class ReadingWishes:
    """What a person said about a source before it is read for good.

    Attributes:
        persona, user: the names as they are, or are to be, here; empty before anybody said so.
        roles: who is who, by the speaker's name, where the source does not tell (`user`, `persona`, `system`).
        users, personas: what the user is called in this home, and who lives here: whoever speaks under such a name is known.
    """

    persona: str = ""
    user: str = ""
    roles: Mapping[str, Role] = field(default_factory=dict)
    users: Sequence[str] = ()
    personas: Sequence[str] = ()


class UnusableSourceError(Exception):
    """A source cannot be read as this kind at all; `code` and `facts` as those of `NotTaken`."""

    def __init__(self, code: str, **facts: str) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts
