"""Episodes: one file a day, `episodic_memory/YYYY-MM-DD.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import chain, repeat
from pathlib import Path

from pydantic import Field

from managers.memory.confidence import Standing, day_of
from managers.memory.dated_files import DatedFiles, Summary
from managers.memory.dream_state import DreamStateFile
from managers.memory.json_documents import USER, Apply, JsonFile, short_id
from managers.memory.periods import PeriodStore
from managers.storage.clock import Clock
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.watching import Identity, listing

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.json")


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """Something that happened on a day, with what it rests on and how it stands."""

    text: str
    evidence: tuple[str, ...] = ()
    standing: Standing = field(default_factory=Standing)


class Episode(Summary):
    """What one day's conversation was.

    Attributes:
        key_event_standings: for each key event how it stands; as a new one where there are fewer.
        covered_messages: how many of the day's messages it was made from; the day may go on.
        redo: made by the built-in mind because the model failed; the next night tries again.
        written: digest of the text as a dream wrote it; another digest means that a person changed it.
    """

    date: date
    key_event_standings: list[Standing] = Field(default_factory=list, exclude_if=lambda all_of_them: not all_of_them)
    covered_messages: int = 0
    redo: bool = False
    written: str = ""

    @property
    def is_users(self) -> bool:
        """A person wrote or corrected it: no dream may overwrite it."""
        return self.mind == USER or (self.written != "" and self.written != self.text_digest())

    @property
    def events(self) -> list[KeyEvent]:
        """The key events, each with what it rests on."""
        evidence, standings = chain(self.key_event_evidence, repeat([])), chain(self.key_event_standings, repeat(None))
        about = zip(self.key_events, evidence, standings, strict=False)
        return [KeyEvent(text, tuple(ids), standing or Standing()) for text, ids, standing in about]

    def with_events(self, events: Sequence[KeyEvent]) -> Episode:
        """Return the episode with other key events."""
        standings = [event.standing for event in events]
        changed = {
            "key_events": [event.text for event in events],
            "key_event_evidence": [list(event.evidence) for event in events],
            "key_event_standings": standings if any(one != Standing() for one in standings) else [],
        }
        return self.model_copy(update=changed)

    def told(self, summary: str, key_events: Sequence[str]) -> Episode:
        known = {event.text: event for event in self.events}
        left = [known.get(event, KeyEvent(event)) for event in key_events]
        return self.with_events(left).model_copy(update={"summary": summary})

    def sealed(self) -> Episode:
        """Return the episode with its id and the digest by which later edits are noticed."""
        return self.model_copy(
            update={"id": self.id or short_id("ep_", self.date.isoformat()), "written": self.text_digest()}
        )


class EpisodeStore(DatedFiles[date, Episode]):
    """The episodes of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        super().__init__(paths, clock, apply)
        self._files = listing(paths.episodic_memory)
        self._known: tuple[Mapping[str, Identity], list[date]] | None = None
        self.periods = PeriodStore(paths, clock, self._apply)

    def path(self, day: date) -> Path:
        return self._paths.episodic_memory / f"{day:%Y-%m-%d}.json"

    def days(self) -> list[date]:
        """Return the days that have an episode, oldest first; read off the names anew when a file came or went."""
        there = self._files.files()
        if self._known is None or self._known[0] is not there:
            named = (_NAME.fullmatch(name) for name in there)
            found = (day_of(name[1]) for name in named if name)
            self._known = there, sorted(day for day in found if day)  # a person may have named one 2026-02-31.json
        return list(self._known[1])

    def get(self, day: date) -> Episode | None:
        """Return a day's episode, None if there is none (or it was broken and set aside)."""
        file = JsonFile(self._paths, self.path(day), self._clock, dict)
        episode = file.read_as(Episode, date=day)  # JSON of another kind is never overwritten: see `occupied`
        self.notices += file.take_notices()
        return episode

    def occupied(self, day: date) -> bool:
        """Whether the file holds something that we do not understand and therefore leave alone."""
        return self.path(day).exists() and self.get(day) is None and self.path(day).exists()

    def between(self, first: date, last: date) -> list[Episode]:
        """Return the episodes from `first` to `last`, both included, oldest first."""
        count = (last - first).days + 1
        found = (self.get(first + timedelta(days=n)) for n in range(count))
        return [episode for episode in found if episode is not None]

    def for_prompt(self, oldest_log_date: date, lookback_days: int, told: int | None = None) -> list[Episode]:
        """Return the episodes of the `lookback_days` days before the oldest message in the prompt.

        The specification's rule: nothing that the prompt holds verbatim is summarised again, and no
        day falls between the two. So the oldest day itself comes too where the prompt holds its end alone (`told` messages).
        """
        if lookback_days <= 0:
            return []
        found = self.between(oldest_log_date - timedelta(days=lookback_days), oldest_log_date - timedelta(days=1))
        half_told = self.get(oldest_log_date) if told is not None else None
        if half_told is not None and half_told.covered_messages > (told or 0):
            found.append(half_told)
        return found

    def save(self, kept: Episode, *, author: str, reason: str, evidence: Sequence[str] = ()) -> Episode:
        kept = kept.sealed().model_copy(update={"mind": USER, "redo": False})
        with writing(self._paths):
            changes = {**self.periods.outdated_by(kept.date), self.path(kept.date): kept.dump()}
            self._apply(changes, author=author, reason=reason, evidence=evidence)
        return kept

    def delete(self, day: date, *, author: str, reason: str) -> None:
        """Delete a day's episode (the history keeps it); no dream makes it anew."""
        with writing(self._paths):
            state = DreamStateFile(self._paths, self._clock)
            settled = state.load().settle(day)
            changes = {**self.periods.outdated_by(day), self.path(day): None, state.path: settled.dump()}
            self._apply(changes, author=author, reason=reason)
