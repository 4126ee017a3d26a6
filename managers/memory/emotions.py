"""The emotion log: what the user felt, message by message, in bounded files.

`memory/emotion_log.json` holds about the last 90 days, newest first, as the specification shows it.
A new reading is appended to `memory/emotion_log.new.jsonl`, so that no message waits for months to be
rewritten. `settle` folds that file in where it is cheap; `roll` does in any case, and moves whole months
that have passed to `memory/emotion_log_YYYY-MM.json`.
"""

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from managers.language.reading.concern import find_concern
from managers.language.reading.loss import tells_of_loss
from managers.memory.json_documents import JsonFile, OfOneFile, as_plain, encode, entries_of
from managers.storage.clock import AHEAD, Clock
from managers.storage.files import append_durably, files, read_bytes, remove, write_atomic
from managers.storage.locks import writing
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged
from managers.storage.watching import beside_listed

KEPT_DAYS = 90
FOLD_AT_BYTES = 64 * 1024
"""When this much is waiting, an append folds it in at once (about 300 readings)."""
FOLD_WORTH = 64
"""Folding costs a rewrite: it is worth it where the file is at most so many times as large as what is waiting."""
SNIPPET_LENGTH = 80
NEWEST = 200
"""So many are kept in memory, and are all that `recent` knows of those that are folded in: a turn asks for a few."""
_CONCERN = "concern"
_GRAVE = frozenset({"self_harm", "danger"})

VALUES: dict[str, float] = {
    "joy": 1.0,
    "happy": 0.8,
    "surprise": 0.3,
    "neutral": 0.0,
    "busy": -0.2,
    "tired": -0.3,
    "anxious": -0.5,
    "sadness": -0.6,
    "stressed": -0.6,
    "fear": -0.8,
    "anger": -1.0,
}
"""Emotions as numbers for curves. joy, neutral, sadness and anger are the specification's."""
POSITIVE = frozenset({"joy", "happy", "surprise"})
NEGATIVE = frozenset({"sadness", "anger", "fear", "anxious", "tired", "busy", "stressed"})


class EmotionEntry(BaseModel):
    """One reading; `concern` stands in the file only where a message raised one."""

    model_config = ConfigDict(extra="allow")

    timestamp: datetime
    user_text_snippet: str
    emotion: str
    message_id: str = ""

    @property
    def value(self) -> float:
        """The emotion as a number from -1 to 1; unknown labels count as neutral, and nothing is worse than danger."""
        return -1.0 if self.concern in _GRAVE else VALUES.get(self.emotion, 0.0)

    @property
    def concern(self) -> str:
        """What the message raised besides: `self_harm`, `danger`, `loss`; empty if nothing."""
        return str((self.model_extra or {}).get(_CONCERN, ""))


def concern_of(text: str) -> str:
    """Return what a message raises: self-harm, danger, a death that is near; empty if nothing."""
    return find_concern(text) or ("loss" if tells_of_loss(text) else "")


def snippet(text: str) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(text.split())
    if len(line) <= SNIPPET_LENGTH:
        return line
    cut = line[: SNIPPET_LENGTH - 1]
    end = cut.rfind(" ") if line[len(cut)] != " " else len(cut)
    return cut[: end if end > SNIPPET_LENGTH // 2 else len(cut)].rstrip() + "…"  # no half word, where words are parted


class EmotionLog(OfOneFile):
    """A persona's emotion log."""

    def __init__(
        self, paths: PersonaPaths, clock: Clock, *, set_aside: Callable[[], Container[str]] = frozenset
    ) -> None:
        """Remember the files. What was felt in messages that `set_aside` names is told without their words."""
        self._set_aside = set_aside
        self._paths = paths
        self._clock = clock
        self._file = JsonFile(paths, paths.emotion_log, clock, list)
        self._new = paths.memory / "emotion_log.new.jsonl"
        self._newest = Unchanged[list[EmotionEntry]]()

    def append(self, text: str, emotion: str, *, message_id: str = "", time: datetime | None = None) -> EmotionEntry:
        """Log the emotion of one user message; the cost does not depend on what is there already."""
        raised = {_CONCERN: concern} if (concern := concern_of(text)) else {}
        entry = EmotionEntry(
            timestamp=time or self._clock.now(),
            user_text_snippet=snippet(text),
            emotion=emotion,
            message_id=message_id,
            **raised,
        )
        line = json.dumps(entry.model_dump(mode="json"), ensure_ascii=False) + "\n"
        with writing(self._paths):
            with beside_listed(self._new):
                waiting = append_durably(self._new, line.encode())
            if waiting > FOLD_AT_BYTES:
                self.roll()
        return entry

    def entries(self, since: datetime | None = None, until: datetime | None = None) -> list[EmotionEntry]:
        """Return readings, newest first; only the files that the span touches are read."""
        found = self.each(since, until)
        return self._told(
            e for e in found if (not since or e.timestamp >= since) and (not until or e.timestamp < until)
        )

    def each(self, since: datetime | None = None, until: datetime | None = None) -> Iterator[EmotionEntry]:
        """Yield the readings of the files that a span touches, as they stand there: of years, a month is held at a time."""
        current = _once(self._current()[0])
        yield from current.values()
        for path in month_files(self._paths):
            month = datetime.strptime(path.stem.removeprefix("emotion_log_"), "%Y-%m")
            if (since and next_month(month) <= since) or (until and month > until):
                continue
            older, _ = entries_of(EmotionEntry, JsonFile(self._paths, path, self._clock, list).read())
            yield from (one for key, one in _once(older).items() if key not in current)

    def recent(self, count: int = 1) -> list[EmotionEntry]:
        now = self._clock.now() + AHEAD

        def dated(found: Iterable[EmotionEntry]) -> list[EmotionEntry]:
            return [one for one in found if one.timestamp.replace(tzinfo=None) <= now]

        waiting = dated(_lines(read_bytes(self._new) or b""))
        held = self._newest.get(lambda: dated(self._folded())[:NEWEST], self._paths.emotion_log, of=now.date())
        return self._told([*waiting, *held])[:count]

    def of_day(self, day: date) -> list[EmotionEntry]:
        start = datetime.combine(day, datetime.min.time())
        return self.entries(start, start + timedelta(days=1))

    def settle(self) -> None:
        """Fold new readings into the file where that costs little: while the log is short, after each message."""
        waiting, whole = look(self._new), look(self._paths.emotion_log)
        if waiting is not None and (whole is None or whole.st_size <= FOLD_WORTH * waiting.st_size):
            self.roll()

    def roll(self) -> int:
        """Fold new readings into the file and move months that have passed out of it; return how many moved.

        Killed anywhere, nothing is lost or doubled: readings are known by message and time, and a file
        from which they leave is rewritten after the one that they go to.
        """
        with writing(self._paths):
            entries, odd = self._current()
            oldest_kept = (self._clock.now() - timedelta(days=KEPT_DAYS)).replace(day=1, hour=0, minute=0, second=0)
            gone = [entry for entry in entries if entry.timestamp < oldest_kept]
            for month in sorted({f"{entry.timestamp:%Y-%m}" for entry in gone}):
                path = self._paths.memory / f"emotion_log_{month}.json"
                before, strange = entries_of(EmotionEntry, JsonFile(self._paths, path, self._clock, list).read())
                moved = [entry for entry in gone if f"{entry.timestamp:%Y-%m}" == month]
                write_atomic(path, encode(as_plain(_newest_first([*before, *moved]), strange)))
            if gone or self._new.exists():
                kept = [entry for entry in entries if entry.timestamp >= oldest_kept]
                with beside_listed(self._paths.emotion_log):
                    write_atomic(self._paths.emotion_log, encode(as_plain(_newest_first(kept), odd)))
                    remove(self._new)
            return len(gone)

    def take_in(self, readings: Sequence[EmotionEntry]) -> int:
        """Add readings from elsewhere; return how many were not there."""
        if not readings:
            return 0
        with writing(self._paths):
            entries, odd = self._current()
            there = {(one.timestamp, one.emotion, one.user_text_snippet) for one in self.entries()}
            fresh = [one for one in readings if (one.timestamp, one.emotion, one.user_text_snippet) not in there]
            write_atomic(self._paths.emotion_log, encode(as_plain(_newest_first([*entries, *fresh]), odd)))
            self.roll()
            return len(fresh)

    def reword(self, texts: Mapping[str, str]) -> None:
        """Let the readings of some messages say what those say now: nothing, where they were taken back.

        The emotion itself stays; it names nobody and nothing. What it raised goes with the words.
        """
        self._change(texts, lambda one: _reworded(one, texts[one.message_id]))

    def relabel(self, message_id: str, emotion: str) -> None:
        """Let the reading of a message be another emotion."""
        self._change([message_id], lambda one: one.model_copy(update={"emotion": emotion}))

    def _change(self, ids: Collection[str], changed: Callable[[EmotionEntry], EmotionEntry]) -> None:
        """Change the readings of some messages, in whichever files they stand."""
        marks = [message_id.encode() for message_id in ids]
        with writing(self._paths):
            if self._new.exists():
                self.roll()
            for path in [self._paths.emotion_log, *month_files(self._paths)]:
                data = read_bytes(path) or b""
                if not any(mark in data for mark in marks):
                    continue  # years of months: hardly any holds them
                held, odd = entries_of(EmotionEntry, JsonFile(self._paths, path, self._clock, list).read())
                now = [changed(one) if one.message_id in ids else one for one in held]
                if now != held:
                    write_atomic(path, encode(as_plain(now, odd)))

    def _told(self, entries: Iterable[EmotionEntry]) -> list[EmotionEntry]:
        """Return readings, newest first, without the words of messages that stand aside."""
        aside = self._set_aside()
        return [
            entry.model_copy(update={"user_text_snippet": ""}) if entry.message_id in aside else entry
            for entry in _newest_first(entries)
        ]

    def _folded(self) -> list[EmotionEntry]:
        return _newest_first(entries_of(EmotionEntry, self._file.read())[0])

    def _current(self) -> tuple[list[EmotionEntry], list[Any]]:
        waiting = read_bytes(self._new) or b""  # before the file: folded in between, a reading is in both, not in none
        held, odd = entries_of(EmotionEntry, self._file.read())
        return [*held, *_lines(waiting)], odd


def _reworded(entry: EmotionEntry, text: str) -> EmotionEntry:
    values = entry.model_dump()
    values.pop(_CONCERN, None)
    raised = {_CONCERN: concern} if (concern := concern_of(text)) else {}
    return EmotionEntry.model_validate({**values, "user_text_snippet": snippet(text), **raised})


def _lines(data: bytes) -> Iterator[EmotionEntry]:
    for line in data.splitlines():
        try:
            yield EmotionEntry.model_validate_json(line)
        except ValidationError:  # a line that a crash cut short was never acknowledged
            continue


def _newest_first(entries: Iterable[EmotionEntry]) -> list[EmotionEntry]:
    return sorted(_once(entries).values(), key=lambda entry: entry.timestamp, reverse=True)


def _once(entries: Iterable[EmotionEntry]) -> dict[tuple[datetime, str, str], EmotionEntry]:
    return {(entry.timestamp, entry.message_id, entry.user_text_snippet): entry for entry in entries}


def month_files(paths: PersonaPaths) -> list[Path]:
    """Return the files of the months that have passed, oldest first."""
    return files(paths.memory, "emotion_log_[0-9][0-9][0-9][0-9]-[0-9][0-9].json")


def next_month(moment: datetime) -> datetime:
    """Return the first day of the month after a moment's, at the same hour."""
    return (moment.replace(day=1) + timedelta(days=32)).replace(day=1)
