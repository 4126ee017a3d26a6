"""A message: one utterance, with a stable id. The unit of everything that is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "persona", "system"]


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance in a persona's log.

    Attributes:
        id: stable and unique within the persona; imported messages keep theirs.
        time: local wall-clock time, naive, to the second.
        role: who: the user, the persona, or the program.
        speaker: the name in the header; for `system` the kind of the record.
        text: what was said, exactly.
        mind: what thought it (`built-in`, `gemini-2.5-flash`, ...); empty for people.
        broken_off: the reply was cut off (stopped, or the model failed half-way).
        attachments: paths relative to the persona's folder.
    """

    id: str
    time: datetime
    role: Role
    speaker: str
    text: str
    mind: str = ""
    broken_off: bool = False
    attachments: tuple[str, ...] = ()
