"""The days of a conversation as dreams see them: which wait, what was said on each, what is left to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from managers.memory.confidence import day_of
from managers.memory.emotions import EmotionLog
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.working_copy import Stores
from managers.mind import Sheet
from managers.recall.recall_log import RecallLog
from managers.sleep.dreamt import DreamtDays, Reading
from managers.sleep.tasks import DAY_TASKS, READING_TASKS, DayMaterial, Task, is_speech
from managers.storage.clock import Clock

_RECENT_DAYS = 3


@dataclass(frozen=True)
class Days:
    """Reads the days of one persona."""

    sheet: Sheet
    log: ConversationLog
    clock: Clock
    stores: Stores
    emotions: EmotionLog
    dreamt: DreamtDays

    def pending(self, *, today: bool = False, thorough: bool = False) -> list[date]:
        """Return the days that wait for a dream, oldest first.

        Args:
            today: count the day that is still going on.
            thorough: look into every day for messages that came later (imports), not only the latest, and
                count the days whose dream a person took back: otherwise what was undone stays undone.
        """
        now = self.clock.now().date()
        state = self.stores.state.load()
        readings = self.dreamt.readings()
        dreamt = set(self.stores.episodes.days())
        if not thorough:
            dreamt |= readings.keys()
        settled = set(state.settled_days)
        waiting = {day for name in state.waiting if (day := day_of(name)) is not None}
        corrected = {day for day in self.dreamt.corrected() if day in dreamt or day in readings}
        spoken = self.log.days()
        days = [day for day in sorted({*spoken, *corrected}) if day < now or (today and day == now)]
        recent = set(days if thorough else days[-_RECENT_DAYS:])
        return [
            day
            for day in days
            if (day not in dreamt and day not in settled)
            or day in waiting
            or day in corrected
            or (day in recent and self._has_more(day, readings))
        ]

    def tasks_of(self, material: DayMaterial, *, anew: bool) -> Sequence[Task]:
        """Return what is to be done about a day: all, or what waits; a deleted episode is not made again."""
        state, reading = self.stores.state.load(), self._reading(material.date)
        has_episode = self.stores.episodes.get(material.date) is not None
        if anew or reading is None or (not reading.count and not has_episode):
            return DAY_TASKS
        if self._goes_on(material):
            unwanted = not has_episode and material.date in state.settled_days
            return [task for task in DAY_TASKS if not (unwanted and task == "episode")]
        return [task for task in DAY_TASKS if task in self._waiting(material.date)]

    def _goes_on(self, material: DayMaterial) -> bool:
        """Whether a day that was dreamt of is otherwise now: more was said on it, or it was changed."""
        has_episode = self.stores.episodes.get(material.date) is not None
        return self._has_more(material.date) or (bool(material.changed) and has_episode)

    def is_redone(self, material: DayMaterial) -> bool:
        """Whether only what failed is done again, of a day that was reflected on."""
        waiting = self._waiting(material.date)
        return bool(waiting) and "reflection" not in waiting and not self._goes_on(material)

    def _waiting(self, day: date) -> list[str]:
        return self.stores.state.load().waiting.get(day.isoformat(), [])

    def material(self, day: date, *, anew: bool) -> DayMaterial:
        """Return what was said on a day, and what of it no dream has read as it stands now."""
        aside = self.log.set_aside()
        changed = self.dreamt.corrected().get(day, {})
        messages = self._said(day)
        reading = self._reading(day)
        unread = messages
        # Where nothing waits that looks at the words themselves, the other tasks are for what is new.
        if not anew and reading is not None and READING_TASKS.isdisjoint(self._waiting(day)):
            new = set(reading.unread(messages))
            unread = tuple(message for message in messages if message.id in changed or message in new)
        return DayMaterial(
            self.sheet,
            day,
            messages,
            frozenset(message.id for message in unread),
            tuple(one for one in self.emotions.of_day(day) if one.message_id not in aside),
            changed,
            recalled=RecallLog(self.stores.paths).answers_that_recalled(messages),
        )

    def _said(self, day: date) -> tuple[Message, ...]:
        return tuple(m for m in self.log.messages(day, day) if is_speech(m) and m.time.date() == day)

    def _reading(self, day: date, readings: Mapping[date, Reading] | None = None) -> Reading | None:
        """Return how much of a day was read; None: nothing. Where it is not noted, the episode tells."""
        readings = self.dreamt.readings() if readings is None else readings
        if (noted := readings.get(day)) is not None:
            return noted
        episode = self.stores.episodes.get(day)
        if episode is not None and episode.covered_messages:
            return Reading(episode.covered_messages)
        return None

    def _has_more(self, day: date, readings: Mapping[date, Reading] | None = None) -> bool:
        """Whether more was said on a day than a dream has read."""
        reading = self._reading(day, readings)
        if reading is None:
            return False
        said = self._said(day)
        return bool(reading.unread(said)) or (reading.until is None and len(said) != reading.count)
