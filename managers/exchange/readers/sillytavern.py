"""Chats of SillyTavern: a file of JSON lines per chat, alone or all of a character's in a folder; group chats too.

The first line tells who talks, each other line is a message. Branches and checkpoints are files of their own that begin
with the same messages; those get the same ids, so they stand in the log once.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import (
    FoundAnswer,
    FoundFile,
    FoundMessage,
    FoundPersona,
    Item,
    NotTaken,
    ReadingWishes,
    UnusableSourceError,
)
from managers.exchange.readers.chat_exports import objects, string
from managers.exchange.readers.lines import TextLine, text_lines
from managers.exchange.readers.message_tree import timed
from managers.exchange.readers.moments import read_moment
from managers.exchange.readers.speakers import spoken_by
from managers.memory.log.format import clean_text
from managers.memory.messages import Role

_SURE: Final = 0.95
_UNUSED: Final = "unused"
"""What a group chat's first line says instead of names."""
_PROGRAM_SPEAKS: Final = frozenset({"help", "welcome", "comment", "generic", "empty", "assistant_message"})
_THINKING: Final = re.compile(r"\s*<think(?:ing)?>(.*?)</think(?:ing)?>\s*", re.DOTALL)
_TIMED_AT_ONCE: Final = 500


@dataclass(frozen=True)
class _Chat:
    """What the first line of a file says."""

    user: str
    character: str
    begun: object = None

    @property
    def is_group(self) -> bool:
        return not self.character


def recognises(source: ImportSource) -> float:
    """Tell whether these are chats of SillyTavern."""
    for path in _chats(source)[:3]:
        beginning = source.beginning(path).decode("utf-8", "replace")
        if '"chat_metadata"' in beginning or ('"mes"' in beginning and '"is_user"' in beginning):
            return _SURE
    return 0.0


def read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield the messages of all chats with one character.

    Raises:
        UnusableSourceError: there is no message.
    """
    found = 0
    character = _character(source, wishes)
    for path in _chats(source):
        chat = _head(source, path)
        if chat.character and chat.character.casefold() != character.casefold():
            yield NotTaken("chats.other-character", path, facts={"name": chat.character})
            continue
        yield FoundPersona(name=character, user_name=chat.user)
        for item in _messages(source, path, chat, character, wishes):
            found += isinstance(item, FoundMessage)
            yield item
    if not found:
        raise UnusableSourceError("chats.no-messages")


def _chats(source: ImportSource) -> list[str]:
    return [path for path in source.files if source.shape == "file" or path.lower().endswith(".jsonl")]


def _character(source: ImportSource, wishes: ReadingWishes) -> str:
    """Return whose chats are wanted: the persona's, if it is there by name, or those of the first one."""
    names = list(dict.fromkeys(filter(None, (_head(source, path).character for path in _chats(source)))))
    wanted = {wishes.persona.casefold(), *(name.casefold() for name, role in wishes.roles.items() if role == "persona")}
    return next((name for name in names if name.casefold() in wanted), names[0] if names else wishes.persona)


def _head(source: ImportSource, path: str) -> _Chat:
    beginning = source.beginning(path).split(b"\n", 1)[0]
    head = _object_in(beginning.decode("utf-8-sig", "replace"))
    if head is None or "mes" in head:
        return _Chat("", "")
    names = (string(head.get(key)).strip() for key in ("user_name", "character_name"))
    user, character = (name if name != _UNUSED else "" for name in names)
    return _Chat(user, character, head.get("create_date"))


def _messages(source: ImportSource, path: str, chat: _Chat, character: str, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield what one file holds, some hundred messages at a time."""
    begun, batch = read_moment(chat.begun), list[FoundMessage]()
    persona, ids = character, _Ids()
    with source.open(path) as file:
        for number, line in enumerate(text_lines(file)):
            told = _object_in(line.text) if line.is_whole else None
            place = f"{path}: {line.number}"
            if told is None or not isinstance(told.get("mes"), str):
                if line.text.strip() and not (number == 0 and told is not None):
                    yield NotTaken("chats.line-too-long" if not line.is_whole else "chats.no-line", place)
                continue
            if not persona and told.get("is_user") is False:
                persona = string(told.get("name"))
            message = _message(told, line, path, _role(told, chat, persona, wishes), source)
            batch.append(replace(message, id=ids.of(told, line.number)))
            if len(batch) == _TIMED_AT_ONCE:
                yield from (timed_batch := [*timed(batch, begun)])
                begun, batch = timed_batch[-1].time, []
    yield from timed(batch, begun)


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _role(told: dict[str, Any], chat: _Chat, persona: str, wishes: ReadingWishes) -> Role:
    name = string(told.get("name"))
    if name in wishes.roles:
        return wishes.roles[name]
    kind = string(_extra(told).get("type"))
    if told.get("is_user") is True:
        return "user"
    if told.get("is_system") is True and (kind in _PROGRAM_SPEAKS or kind == "narrator"):
        return "system"
    return "persona" if not chat.is_group or name == persona else "system"


def _message(told: dict[str, Any], line: TextLine, path: str, role: Role, source: ImportSource) -> FoundMessage:
    name, text, extra = string(told.get("name")), string(told["mes"]), _extra(told)
    thought = string(extra.get("reasoning"))
    if role == "persona" and (found := _THINKING.match(text)):
        thought, text = "\n\n".join(filter(None, (thought, found[1].strip()))), text[found.end() :]
    answers, at = _answers(told) if role == "persona" else ((), 0)
    files, notes = _attached(extra, source)
    kind, is_hidden = string(extra.get("type")), told.get("is_system") is True
    notes += [("translation", string(extra.get("display_text")))] if extra.get("display_text") else []
    notes += [("hidden", kind or "system")] if is_hidden and role != "system" else []
    mind = string(extra.get("model")) or string(extra.get("api"))
    message = FoundMessage(
        role,
        kind if role == "system" and is_hidden and kind else name,
        text,
        read_moment(told.get("send_date")),
        mind=mind if role == "persona" else "",
        thought=thought,
        answers=answers,
        at=at,
        files=tuple(files),
        notes=tuple(notes),
        thread=PurePosixPath(path).stem,
        place=f"{path}: {line.number}",
    )
    return message if is_hidden else spoken_by(message, {name: role})


@dataclass
class _Ids:
    """Makes ids of the messages of one file.

    They are made of what was said first in a place: whoever leafs through answers changes nothing of that. What is the
    same is counted, so that a message that is deleted there changes no other's; only what has no date is told by its line.
    """

    _alike: Counter[bytes] = field(default_factory=Counter)

    def of(self, told: dict[str, Any], number: int) -> str:
        """Return the id of the message in a line."""
        swipes, infos = told.get("swipes"), objects(told.get("swipe_info"))
        first = string(swipes[0]) if isinstance(swipes, list) and swipes else string(told["mes"])
        date = infos[0].get("send_date", told.get("send_date")) if infos else told.get("send_date")
        marked = f"{date}\n{string(told.get('name'))}\n{first}"
        if not date:
            return _hashed(f"{number}\n{marked}")
        key = hashlib.sha256(marked.encode("utf-8", "replace")).digest()[:8]
        self._alike[key] += 1
        return _hashed(f"#{self._alike[key]}\n{marked}")


def _hashed(marked: str) -> str:
    return "sillytavern-" + hashlib.sha256(clean_text(marked).encode()).hexdigest()[:24]


def _answers(told: dict[str, Any]) -> tuple[tuple[FoundAnswer, ...], int]:
    """Return the other answers that were given (swipes), and where among them the shown one stands."""
    swipes, shown = told.get("swipes"), told.get("swipe_id")
    if not isinstance(swipes, list):
        return (), 0
    at = shown if isinstance(shown, int) and 0 <= shown < len(swipes) else len(swipes)
    infos = told.get("swipe_info")
    others: list[FoundAnswer] = []
    before = 0
    for number, swipe in enumerate(swipes):
        text = string(swipe)
        if text == string(told["mes"]) if number == at else not text:
            continue
        info = infos[number] if isinstance(infos, list) and number < len(infos) else None
        extra = _extra(info) if isinstance(info, dict) else {}
        others.append(FoundAnswer(text, string(extra.get("model")), string(extra.get("reasoning"))))
        before += number < at or number == at
    return tuple(others), before


def _attached(extra: dict[str, Any], source: ImportSource) -> tuple[list[FoundFile], list[tuple[str, str]]]:
    """Return the files of a message that are in the source, and what is known of those that are not."""
    named: dict[str, tuple[str, str]] = {}
    single = extra.get("file")
    for one in (
        *([single] if isinstance(single, dict) else []),
        *objects(extra.get("files")),
        *objects(extra.get("media")),
    ):
        place = string(one.get("url"))
        name = string(one.get("name")) or string(one.get("title")) or PurePosixPath(place).name
        named[place or name] = (name, string(one.get("text")))
    swiped = extra.get("image_swipes")
    for place in (extra.get("image"), extra.get("video"), *(swiped if isinstance(swiped, list) else ())):
        if string(place) and not string(place).startswith("data:"):
            named.setdefault(string(place), (PurePosixPath(string(place)).name, ""))
    files, notes = [], []
    for place, (name, text) in named.items():
        path = place.lstrip("/")
        if path in source.files:
            files.append(FoundFile(path, name))
        else:
            notes.append(("attachment", "\n".join(filter(None, (name, text)))))
    return files, notes


def _extra(told: dict[str, Any]) -> dict[str, Any]:
    extra = told.get("extra")
    return extra if isinstance(extra, dict) else {}
