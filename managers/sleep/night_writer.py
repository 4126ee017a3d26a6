"""What a night thought, written: all of it or nothing, with one entry in the history.

The persona's lock is held for as long as it takes to write. What the files will hold is what the night worked on; where
somebody else wrote meanwhile, its changes are made once more, on what the files hold now.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from managers.hygiene.use import note_use
from managers.memory.confidence import day_of
from managers.memory.json_documents import TIME, Apply, encode
from managers.memory.log import ConversationLog
from managers.memory.working_copy import Stores, WorkingCopy
from managers.mind import Sheet
from managers.recall.recall_log import RecallLog
from managers.sleep.dreamt import DreamtDays, Reading
from managers.sleep.night import Night
from managers.storage.locks import writing
from managers.storage.texts import Texts

_say = Texts("notices/dreams")
_EVIDENCE_IN_HISTORY = 300

Kind = Literal["dream", "conversation"]


class TakenBackMeanwhileError(Exception):
    """What was thought rests on words that were taken back since: whoever thought it thinks anew."""


class NightWriter:
    """Writes the nights of one persona."""

    def __init__(
        self, log: ConversationLog, stores: Stores, dreamt: DreamtDays, *, sheet: Sheet, mind: str, apply: Apply
    ) -> None:
        """Hold where it is written; `apply` writes files, all or none, with a history entry."""
        self._log, self._stores, self._dreamt, self._apply = log, stores, dreamt, apply
        self._sheet, self._mind = sheet, mind

    def write(self, night: Night, days: Sequence[date], kind: Kind = "dream") -> str | None:
        """Make the changes on what the files hold now, and write them, all or none.

        Returns:
            The id of the history's entry, None if nothing changed.

        Raises:
            TakenBackMeanwhileError: nothing was written.
        """
        paths, before = self._stores.paths, self._stores.stamp()
        copy = night.copy if night.copy.is_current() else self._made_again(night)
        files = self._files(copy, night, days, kind)
        read = self._stores.stamp(files)
        evidence = list(dict.fromkeys(one for change in night.changes for one in change.evidence))
        with writing(paths):
            self._refuse_what_was_taken_back(night)
            if (self._stores.stamp(), self._stores.stamp(files)) != (before, read):
                files = self._files(self._made_again(night), night, days, kind)
            entry = None
            if files:
                reason = self._reason(night, days, kind)
                entry = self._apply(files, author="dream", reason=reason, evidence=evidence[:_EVIDENCE_IN_HISTORY])
            if kind == "dream":
                self._note_reading(night)
            return entry

    def _made_again(self, night: Night) -> WorkingCopy:
        copy = WorkingCopy(self._stores)
        for change in night.changes:
            change.make(copy)
        return copy

    def _files(self, copy: WorkingCopy, night: Night, days: Sequence[date], kind: Kind) -> dict[Path, bytes | None]:
        """Return what the files will hold, with the dream's own record; nothing is written."""
        paths = self._stores.paths
        if kind == "conversation":
            return copy.files()
        if night.changes:
            note_use(copy, RecallLog(paths), night.now.date())
        self._leave_word(copy, night, days)
        files = copy.files()
        if night.changes:
            record = paths.memory / f"dream_{night.now:%Y%m%d-%H%M%S}-{days[-1] if days else 'all'}.json"
            files[record] = encode(self._record(night, days))
        return files

    def _refuse_what_was_taken_back(self, night: Night) -> None:
        """Refuse a night that read words, or rests on them, which were deleted, forgotten or changed since.

        Not only what names them as its evidence: a mind that summed up a day has read them all.
        """
        read = {message.id: message.text for material in night.materials for message in material.messages}
        cited = {one for change in night.changes for one in change.evidence}
        for message_id, text in self._log.corrections().items():
            if read.get(message_id, text) != text or (text is None and message_id in cited):
                raise TakenBackMeanwhileError

    def _note_reading(self, night: Night) -> None:
        readings = {one.date: Reading.of(one.messages) for one in night.read}
        known = {one: mark for material in night.read for one, mark in material.changed.items()}
        dreamt = {*readings, *self._dreamt.readings(), *self._stores.episodes.days()}
        of_no_dream = [marks for day, marks in self._dreamt.corrected().items() if day not in dreamt]
        self._dreamt.note(readings, known | {one: mark for marks in of_no_dream for one, mark in marks.items()})

    def _leave_word(self, copy: WorkingCopy, night: Night, days: Sequence[date]) -> None:
        """Note what waits for the next night."""
        state = copy.state
        waiting = {day: tasks for day, tasks in state.waiting.items() if day_of(day) not in set(days)}
        for day in {one.isoformat() for one in days}:
            left = [] if night.tasks is None else [one for one in state.waiting.get(day, []) if one not in night.tasks]
            if tasks := list(dict.fromkeys([*left, *night.waiting.get(day, [])])):
                waiting[day] = tasks
        changed = state.model_copy(
            update={
                "waiting": waiting,
                "settled_days": sorted({*state.settled_days, *night.settled}),
                "last_dream": f"{night.now:{TIME}}" if night.changes else state.last_dream,
            }
        )
        if changed != state:
            copy.state = changed

    def _record(self, night: Night, days: Sequence[date]) -> dict[str, Any]:
        return {
            "started_at": f"{night.now:{TIME}}",
            "level": night.level,
            "days": [day.isoformat() for day in days],
            "messages_read": sum(len(material.messages) for material in night.materials),
            "mind": self._mind,
            "changes": [change.plain() for change in night.changes],
            "failures": [failure.plain() for failure in night.failures],
        }

    def _reason(self, night: Night, days: Sequence[date], kind: Kind) -> str:
        lang = self._sheet.language
        if kind == "conversation":
            return _say("reason.conversation", lang)
        span = " – ".join(dict.fromkeys([days[0].isoformat(), days[-1].isoformat()])) if days else ""
        depth = _say("reason.depth", lang, level=night.level) if night.level else ""
        return _say("reason.dream", lang, span=span, count=len(night.changes), depth=depth).replace("  ", " ")
