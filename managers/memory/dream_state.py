"""What dreaming must remember between nights: `memory/dream_state.json`. Small, and bounded by what waits."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from managers.memory.json_documents import JsonFile, OfOneFile, encode
from managers.storage.clock import Clock
from managers.storage.paths import PersonaPaths


class DreamState(BaseModel):
    """What a dream left for the next one.

    Attributes:
        last_dream: when a night was last dreamt to its end (local time).
        settled_days: days that get no episode: nobody said anything, or a person deleted the episode.
        waiting: tasks that failed and wait for the next night, by day.
        recalled_until: up to when it is noted which memories were used for answers.
    """

    model_config = ConfigDict(extra="allow")

    last_dream: str = ""
    settled_days: list[date] = Field(default_factory=list)
    waiting: dict[str, list[str]] = Field(default_factory=dict)
    recalled_until: str = ""

    def dump(self) -> bytes:
        return encode(self.model_dump(mode="json"))

    def settle(self, day: date) -> DreamState:
        """Leave a day without an episode from now on."""
        return self.model_copy(update={"settled_days": sorted({*self.settled_days, day})})

    def unsettle(self, day: date) -> DreamState:
        """Let a day be dreamt of again."""
        return self.model_copy(update={"settled_days": [one for one in self.settled_days if one != day]})


class DreamStateFile(OfOneFile):
    """Reads the state."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self.path = paths.memory / "dream_state.json"
        self._file = JsonFile(paths, self.path, clock, dict)

    def load(self) -> DreamState:
        """Return the state; an empty one if there is none or it was broken."""
        return self._file.read_as(DreamState) or DreamState()
