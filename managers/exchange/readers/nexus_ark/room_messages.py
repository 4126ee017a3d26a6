"""The messages of a room as the importer wants them: from whichever logs there are, with what belongs to each."""

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from typing import Final

from managers.exchange.items import FoundFile, FoundMessage
from managers.exchange.readers.nexus_ark.room_conversation import RoomConversation, Said
from managers.exchange.readers.nexus_ark.room_folder import RoomFolder
from managers.exchange.readers.nexus_ark.room_log import UNNAMED, LogPiece, RoomNames, split_log
from managers.exchange.readers.nexus_ark.room_memories import OwnFeeling

_MONTHS: Final = r"logs/.*\.txt"
"""A file a month: they follow one another."""
_LOGS: Final = (
    _MONTHS,
    r"log\.txt",
    r"(?:log|logs/.*|log_archives/.*)(?:\.txt)?\.migrating",
    r"log_archives/.*\.txt",
    r"(?:log[^/]*|logs/.*|log_archives/.*)\.migrated[^/]*",
    r"log[^/]*\.(?:txt|md|bak|old)|log_import_source/.*\.(?:txt|md|migrated)|(?:logs|log_archives)/.+\.(?:md|bak|old)",
)
"""Which files are logs, those that the app reads today before those that it keeps from before."""
_MOST_BETWEEN: Final = 100
"""So many records at most stand between a tool and its answer."""
_MUCH: Final = 5
"""So many messages under a name are no visit."""
_KIND: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def conversation(room: RoomFolder, who: RoomNames, made: datetime | None) -> list[Said]:
    """Return what was said in a room, each message once and in order.

    Args:
        room: the room.
        who: what the user and the persona are called.
        made: when the room was made, for logs that no date is in.
    """
    found = RoomConversation()
    for form in _LOGS if room.source.shape != "file" else (r".*",):
        logs = [(path, pieces) for path in room.matching(form) if (pieces := _pieces(room, path, who))]
        for together in [logs] if form == _MONTHS else [[log] for log in logs]:
            found.add(together)
    for path, count in found.repeated.items():
        room.leave("repeated", path, count)
    return found.messages(made)


def _pieces(room: RoomFolder, path: str, who: RoomNames) -> tuple[LogPiece, ...]:
    if room.is_empty(path):
        return ()
    text = room.text(path)
    log = split_log(text, who)
    if log.before and log.pieces:
        room.leave("before-messages", path)
    if text.strip() and not log.pieces:
        room.leave("no-messages", path)
    return log.pieces


def _own_names(said: Sequence[Said], given: Collection[str]) -> set[str]:
    """Return under which names the persona speaks.

    Where the room says its name, whoever has another is a guest, but for a name that it had before: much was said under it,
    and never on a day of the new one. Where it does not, names that follow one another are one persona's.
    """
    spoken: dict[str, list[int]] = {}
    for number, one in enumerate(said):
        if one.piece.role == "persona":
            spoken.setdefault(one.piece.speaker, []).append(number)
    known = [number for name in spoken.keys() & given for number in spoken[name]]
    if known:
        days = _days(said, known)
        before = {name: numbers for name, numbers in spoken.items() if numbers[-1] < min(known)}
        return {*given, *(name for name, numbers in before.items() if _is_former(_days(said, numbers), days))}
    if not spoken:
        return set(given)
    main = max(spoken.values(), key=len)
    return {*given, *(name for name, there in spoken.items() if there is main or _apart(there, main))}


def _apart(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[-1] < other[0] or one[0] > other[-1]


def _days(said: Sequence[Said], numbers: Iterable[int]) -> Counter[date]:
    """Return on which days some messages surely were said, and how many on each."""
    return Counter(time.date() for number in numbers if said[number].is_certain and (time := said[number].time))


def _is_former(earlier: Counter[date], days: Counter[date]) -> bool:
    """Tell whether a name is one that the persona had before, by the days on which it was used (the first logs have none)."""
    return not earlier or (earlier.total() >= _MUCH and earlier.keys().isdisjoint(days))


def _each_once(files: Iterable[FoundFile]) -> tuple[FoundFile, ...]:
    """Return files without those that are named again, by another path perhaps."""
    return tuple({file.path: file for file in reversed(list(files))}.values())[::-1]


class RoomMessages:
    """Makes messages for the importer."""

    def __init__(self, room: RoomFolder, said: Sequence[Said], own_names: Collection[str]) -> None:
        self._room = room
        self._said = said
        self._own = _own_names(said, own_names)
        self._felt: dict[int, list[OwnFeeling]] = {}
        self._files: dict[str, FoundFile | None] = {}
        self._alike: Counter[str] = Counter()

    def feel(self, feelings: Sequence[OwnFeeling]) -> None:
        """Put what the persona felt to what it said then: the last message before, to which the app read it."""
        spoken = [
            (one.placed, number)
            for number, one in enumerate(self._said)
            if one.piece.role == "persona" and one.piece.speaker in self._own and one.placed
        ]
        times = [time for time, _ in spoken]
        for one in feelings:
            at = bisect_right(times, one.time) - 1
            if at < 0 and not spoken:
                self._room.leave("feeling", one.place)
            else:
                self._felt.setdefault(spoken[max(at, 0)][1], []).append(one)

    def found(self) -> Iterator[FoundMessage]:
        """Yield the messages, in order. What a tool drew stands with the answer that it was drawn for."""
        drawn: tuple[FoundFile, ...] = ()
        for number, one in enumerate(self._said):
            message = self._message(one, self._felt.get(number, ()))
            if message.role == "system" and message.files and self._is_answered(number):
                message, drawn = replace(message, files=()), (*drawn, *message.files)
            elif message.role != "system" and drawn:
                message, drawn = replace(message, files=_each_once([*drawn, *message.files])), ()
            yield message

    def _is_answered(self, number: int) -> bool:
        """Tell whether what stands between the words is followed by an answer, and not by the user."""
        behind = (one.piece.role for one in islice(self._said, number + 1, number + _MOST_BETWEEN))
        return next((role for role in behind if role != "system"), "user") == "persona"

    def _message(self, one: Said, felt: Sequence[OwnFeeling]) -> FoundMessage:
        read, place = one.read(), f"{one.log}:{one.piece.line}"
        speaker, notes = self._speaker(one)
        notes += read.notes
        notes += [("earlier_wording", words) for words in one.earlier]
        told = " ".join(words for kind, words in read.notes if kind == "persona_emotion")
        notes += [
            ("persona_emotion", f'category="{feeling.name}" intensity="{feeling.intensity}" time="{feeling.time}"')
            for feeling in felt
            if not feeling.name or feeling.name not in told
        ]
        files = [(words, self._file(words)) for words in dict.fromkeys(read.files)]
        for words, file in files:
            if file is None:
                notes.append(("attachment", words))
                self._room.leave("missing-file", place, name=words[-80:])
        return FoundMessage(
            "other" if one.piece.role == "persona" and speaker else one.piece.role,
            speaker,
            read.text,
            one.time,
            is_time_certain=one.is_certain,
            id="" if one.is_certain else self._own_id(one, read.text),
            mind=read.date.model if read.date and one.piece.role == "persona" else "",
            thought=read.thought,
            emotion=read.emotion or next((feeling.name for feeling in felt), ""),
            files=_each_once(file for _, file in files if file is not None),
            notes=tuple(notes),
            place=place,
        )

    def _own_id(self, one: Said, words: str) -> str:
        """Return what a message without a date is known by, which is not its time: that moves once it is answered."""
        told = f"{one.piece.role}\x1f{one.behind or one.time}\x1f{words}"
        content = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()
        self._alike[content] += 1
        return f"na-{hashlib.sha256(f'{content}{self._alike[content]}'.encode()).hexdigest()[:20]}"

    def _speaker(self, one: Said) -> tuple[str, list[tuple[str, str]]]:
        """Return the name that a message stands under, or a record's kind and what else its header says."""
        name = one.piece.speaker
        if one.piece.role == "persona":
            return "" if name in self._own else name, []
        if one.piece.role == "user":
            return "" if name.lower() in UNNAMED else name, []
        kind, *rest = name.split(":", 2)
        if not _KIND.fullmatch(kind):
            return "record", [("header", name)]
        names = ("tool", "tool_call") if kind == "tool_result" else ("header", "header")
        return kind.lower(), [(name, words) for name, words in zip(names, rest, strict=False) if words]

    def _file(self, words: str) -> FoundFile | None:
        if words not in self._files:
            self._files[words] = self._room.named(words)
        return self._files[words]
