"""A message: one utterance, with a stable id. The unit of everything that is remembered."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Final, Literal

from managers.storage.errors import Lang

NAMELESS: dict[Lang, str] = {"ja": "ユーザー", "en": "User"}
"""What the user's words stand under, and what they are called in prompts, while nobody knows their name."""
_UNNAMED = frozenset({*NAMELESS.values(), "あなた", "相手", "相手の人", "You", "you", "user", "Me", "me", "私"})
"""A pronoun is no name, whoever wrote it: earlier versions, other programs' transcripts, a model."""

GREETING: Final = "greeting"
"""What stands as the mind of the words that a persona says first: they were written for it, and nobody said them."""

PROGRAM: Final = "*program"
"""The origin of words that another program spoke; no file and no name begins with such a sign."""
MOST_ORIGINS: Final = 8
"""Whose words an answer was made with is noted of so many; that it was made with some is what counts."""
UNKNOWN: Final = "*unknown"
"""The origin of words of which nobody can tell any more whose they are."""

Role = Literal["user", "persona", "other", "system"]
"""`other`: another persona, in a conversation of several."""


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance in a persona's log.

    Attributes:
        id: stable and unique within the persona; imported messages keep theirs.
        time: local wall-clock time, naive, to the second.
        role: who: the user, the persona, another persona that was present, or the program.
        speaker: the name in the header; for `system` the kind of the record.
        text: what was said, exactly.
        mind: what thought it (`built-in`, `gemini-2.5-flash`, ...); empty for people, `GREETING` for what is said first.
        broken_off: the reply was cut off: the model failed half-way, or the program ended.
        attachments: paths relative to the persona's folder.
        stopped: the reply ends where the person stopped it.
        branch: the branch of the conversation that it was said on; empty for the first one.
        variant: which of the answers that were given in its place it shows, by the id of that answer's record; empty
            for the first one.
        attachment_names: what their sender calls them, in the same order; empty where the paths tell it.
        present: the personas who were there, in a conversation of several; empty where the user talked with one alone.
        group: which conversation of several it belongs to.
        thread: which topic of that conversation; 0 where nobody told them apart.
        origins: whose words it holds, or was answered from, that are not of this talk: files, documents, names, an import,
            `PROGRAM`, `UNKNOWN`; empty for the words of the user and the persona.
    """

    id: str
    time: datetime
    role: Role
    speaker: str
    text: str
    mind: str = ""
    broken_off: bool = False
    attachments: tuple[str, ...] = ()
    stopped: bool = False
    branch: str = ""
    variant: str = ""
    attachment_names: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    group: str = ""
    thread: int = 0
    origins: tuple[str, ...] = ()

    @property
    def foreign(self) -> tuple[str, ...]:
        """Whose words, not of this talk, came to whoever read it; empty for what user and persona said by themselves."""
        return (*self.attachments, *((self.speaker,) if self.role == "other" else ()), *self.origins)


def united(*origins: Iterable[str]) -> tuple[str, ...]:
    """Return whose words several things hold together, of as many as are noted."""
    return tuple(dict.fromkeys(chain(*origins)))[:MOST_ORIGINS]


def origins_in(value: object) -> list[str]:
    """Return whose words something is marked with, whatever a file says there; a mark that nobody can read is one."""
    return [*map(str, value)] if isinstance(value, list | tuple) else [UNKNOWN] if value else []


def is_unnamed(speaker: str) -> bool:
    """Tell whether words stand under nobody's name."""
    return speaker in _UNNAMED
