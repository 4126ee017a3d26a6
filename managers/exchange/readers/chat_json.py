"""Chats as JSON of no known program: the list of messages is looked for, and the keys that carry speaker, text and time.

That reads what Kindroid, Character.AI (and the tools around it), Replika, Telegram, Discord's exporter, Instagram and the
data sets of models write, and what is like them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundAnswer, FoundMessage, Item, NotTaken, ReadingWishes, UnusableSourceError
from managers.exchange.readers.chat_exports import objects, string
from managers.exchange.readers.json_stream import BrokenJsonError, elements, events
from managers.exchange.readers.message_tree import timed
from managers.exchange.readers.moments import read_moment
from managers.exchange.readers.speakers import ROLE_WORDS, Cast, cast_of, heard, introduced, spoken_by
from managers.memory.messages import Role

_LIKELY: Final = 0.5
_LOOKED_AT: Final = 300_000
"""So many brackets, keys and values tell where the messages are."""
_GLANCED_AT: Final = 5_000
_SAMPLE: Final = 3_000
"""So many messages tell who speaks."""
_TEXTS: Final = ("text", "message", "mes", "content", "raw_content", "body", "value", "msg", "candidates", "parts")
_SPEAKERS: Final = (
    *("speaker", "name", "sender_name", "sender", "author", "from", "src", "role", "username", "user_name", "user"),
    *("character", "nature", "participant"),
)
_TIMES: Final = (
    *("time", "timestamp", "timestamp_ms", "created_at", "createdAt", "create_time", "created", "date", "send_date"),
    *("sent_at", "sentAt", "datetime", "sendDate"),
)
_FROM_USER: Final = ("is_user", "isUser", "is_human", "isHuman", "fromUser", "from_user", "fromMe", "from_me")
_FROM_PERSONA: Final = ("is_bot", "isBot", "is_ai", "isAI", "isCharacter", "fromBot")
_FLAGS: Final[tuple[tuple[tuple[str, ...], Role, Role], ...]] = (
    (_FROM_USER, "user", "persona"),
    (_FROM_PERSONA, "persona", "user"),
)
_INNER: Final = ("meta", "turn_key", "content", "author", "src", "sender")
"""Objects within a message that say something of it."""
_NAMES: Final = ("name", "nickname", "display_name", "username", "first_name", "role")


_TITLES: Final = frozenset({"name", "title", "channel.name", "character.name"})


def recognises(source: ImportSource) -> float:
    """Tell whether a file holds a list of messages."""
    for path in _files(source)[:1]:
        if source.beginning(path, 1024).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")[:1] in {b"[", b"{"}:
            return _LIKELY if _place(source, path, _GLANCED_AT) is not None else 0.0
    return 0.0


def read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield the messages of all files.

    Raises:
        UnusableSourceError: no list of messages can be found, or none of them can be used.
    """
    found, trouble = 0, "no-messages"
    for path in _files(source):
        prefix = _place(source, path, _LOOKED_AT)
        if prefix is None:
            yield NotTaken("chats.no-list", path)
            continue
        number = 0
        try:
            cast = _cast(source, path, prefix, wishes)
            yield from introduced(cast)
            for item in timed_items(_found(source, path, prefix, cast.roles)):
                number += isinstance(item, FoundMessage)
                yield item
        except BrokenJsonError as error:
            trouble = error.trouble
            yield NotTaken(f"chats.{trouble}", path, facts={"number": str(number)})
        found += number
    if not found:
        raise UnusableSourceError(f"chats.{trouble}", number="0")


def timed_items(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items in their order, messages without a time with the nearest one before them, the first with one behind."""
    last, waiting = None, list[FoundMessage]()
    for item in items:
        if not isinstance(item, FoundMessage):
            yield item
        elif item.time is not None:
            last = item.time
            yield from timed(waiting, last)
            waiting = []
            yield item
        elif last is None and len(waiting) < _SAMPLE:
            waiting.append(item)
        else:
            yield from waiting
            waiting = []
            yield item if last is None else replace(item, time=last, is_time_certain=False)
    yield from waiting


def _files(source: ImportSource) -> list[str]:
    return [path for path in source.files if path.lower().endswith((".json", ".jsonl")) or source.shape == "file"]


def _place(source: ImportSource, path: str, most: int) -> str | None:
    """Return where the messages are, as `ijson` writes it; None if nothing looks like messages."""
    keys: dict[str, Counter[str]] = {}
    try:
        with source.open(path) as file:
            for prefix, kind, value in events(file, most):
                if kind == "map_key" and prefix.rpartition(".")[2] in {"item", ""}:
                    keys.setdefault(prefix, Counter())[value] += 1
    except BrokenJsonError:
        pass  # what came before may be good
    fits = {prefix: _fit(counted) for prefix, counted in keys.items()}
    if fits.get("") == 1:  # one object is no list of messages
        del fits[""]
    best = max(fits, key=fits.__getitem__, default=None)
    return best if best is not None and fits[best] else None


def _fit(keys: Counter[str]) -> int:
    """Return how many objects with these keys may be messages."""
    texts = max(keys[key] for key in _TEXTS)
    speakers = max(keys[key] for key in (*_SPEAKERS, *_FROM_USER, *_FROM_PERSONA, "meta"))
    return min(texts, speakers)


def _cast(source: ImportSource, path: str, prefix: str, wishes: ReadingWishes) -> Cast:
    partners = [*_partners(source, path)]
    with source.open(path) as file:
        told = (one for one in elements(file, prefix) if isinstance(one, dict))
        sample = ((_speaker(one), _role(one), _text(one)[0]) for one in islice(told, _SAMPLE))
        try:
            return cast_of(heard(sample), wishes, partners)
        except BrokenJsonError:
            return cast_of(heard(()), wishes, partners)


def _partners(source: ImportSource, path: str) -> Iterator[str]:
    """Yield what a conversation is called: programs call one of two people by the other one's name."""
    with source.open(path) as file, suppress(BrokenJsonError):
        for prefix, kind, value in events(file, _GLANCED_AT):
            if kind == "string" and prefix in _TITLES:
                yield _meant(value)


def _found(source: ImportSource, path: str, prefix: str, roles: Mapping[str, Role]) -> Iterator[Item]:
    with source.open(path) as file:
        for number, one in enumerate(elements(file, prefix), 1):
            place = f"{path}: {number}"
            message = _message(one, place) if isinstance(one, dict) else None
            if message is None:
                yield NotTaken("chats.no-message", place)
                continue
            told = _role(one)
            known = roles.get(message.speaker)
            role = told if known is None or (told and not message.speaker) else known
            yield spoken_by(message, {message.speaker: role or "system"})


def _message(told: dict[str, Any], place: str) -> FoundMessage | None:
    text, answers, at = _text(told)
    notes = [("attachment", name) for name in _attachments(told)]
    if not text.strip() and not notes:
        return None
    speaker = _speaker(told)
    if "sender_name" in told and "timestamp_ms" in told:
        speaker, text = _meant(speaker), _meant(text)
    return FoundMessage("system", speaker, text, _time(told), answers=answers, at=at, notes=tuple(notes), place=place)


def _text(told: dict[str, Any]) -> tuple[str, tuple[FoundAnswer, ...], int]:
    """Return what a message says, the other answers in its place, and where among them it stood."""
    candidates = objects(told.get("candidates"))
    if candidates:
        texts = [string(one.get("raw_content")) or string(one.get("text")) for one in candidates]
        primary = told.get("primary_candidate_id")
        at = next((n for n, one in enumerate(candidates) if primary and one.get("candidate_id") == primary), 0)
        others = [FoundAnswer(text) for n, text in enumerate(texts) if n != at and text]
        return texts[at], tuple(others), sum(bool(text) for text in texts[:at])
    for key in _TEXTS:
        if text := _plain(told.get(key)):
            return text, (), 0
    return "", (), 0


def _plain(value: object) -> str:
    """Return the text of a value that is one, or is made of some."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, dict):
        return next((string(value[key]) for key in ("text", "content", "value") if string(value.get(key))), "")
    if isinstance(value, list):
        return "".join(_plain(one) for one in value if isinstance(one, (str, dict)))
    return ""


def _speaker(told: dict[str, Any]) -> str:
    for place in (told, *(told[key] for key in _INNER if isinstance(told.get(key), dict))):
        for key in _SPEAKERS:
            value = place.get(key)
            if isinstance(value, dict):
                value = next((value[name] for name in _NAMES if string(value.get(name))), None)
            if string(value).strip():
                return string(value).strip()
    return ""


def _role(told: dict[str, Any]) -> Role | None:
    """Return who speaks, where the source says it by a flag or a word that is no name."""
    inner = [told, *(told[key] for key in _INNER if isinstance(told.get(key), dict))]
    for place in inner:
        for keys, role, other in _FLAGS:
            said = next((place[key] for key in keys if isinstance(place.get(key), bool)), None)
            if said is not None:
                return role if said else other
        for key in ("role", "sender", "author", "from", "nature", "type"):
            if role_word := ROLE_WORDS.get(string(place.get(key)).lower()):
                return role_word
    return None


def _time(told: dict[str, Any]) -> datetime | None:
    for place in (told, *(told[key] for key in _INNER if isinstance(told.get(key), dict))):
        for key in _TIMES:
            if moment := read_moment(place.get(key)):
                return moment
    return None


def _attachments(told: dict[str, Any]) -> list[str]:
    named = (one for key in ("attachments", "files", "photos", "media") for one in objects(told.get(key)))
    keys = ("fileName", "file_name", "filename", "name", "uri", "url")
    found = [next((string(one[key]) for key in keys if string(one.get(key))), "?") for one in named]
    return found + [string(told[key]) for key in ("photo", "file", "image") if string(told.get(key))]


def _meant(text: str) -> str:
    """Return what a text means that Meta's export wrote byte by byte."""
    try:
        return text.encode("latin-1").decode()
    except ValueError:
        return text
