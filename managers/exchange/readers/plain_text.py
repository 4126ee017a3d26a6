"""Conversations as plain text: LINE, WhatsApp, Discord, or `Name: text` as people write it down themselves.

Who speaks is told by how lines begin; who of them is the user and who the persona by names, or by the person who is asked.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundFile, FoundMessage, Item, NotTaken, ReadingWishes, UnusableSourceError
from managers.exchange.readers.chat_json import timed_items
from managers.exchange.readers.chat_lines import LineForm, Piece, form_of, form_of_all, partner, partner_in_name
from managers.exchange.readers.lines import TextLine, text_lines
from managers.exchange.readers.speakers import Cast, cast_of, heard, introduced, spoken_by
from managers.memory.messages import Role

_ENDINGS: Final = frozenset({".txt", ".md", ".log", ".text", ""})
_SAMPLE: Final = 4_000
"""So many lines tell the form, and who speaks."""
_GLANCED_AT: Final = 300
_LEAST: Final = 0.1
_SURENESS: Final = {"line": 0.9, "line_spaced": 0.9, "stamped": 0.8, "discord": 0.6, "clocked": 0.5, "named": 0.3}
_IN_MARKS: Final = r"<(?:attached|添付ファイル)[:：] ?(?P<name>[^<>\n]{1,120})>"
_WITH_NOTE: Final = r"(?P<name2>[^\s<>()][^<>()\n]{0,120}) \([^()\n]{0,40}(?:attached|添付)[^()\n]{0,40}\)"
_ATTACHED: Final = re.compile(rf"^\u200e?(?:{_IN_MARKS}|{_WITH_NOTE})", re.MULTILINE)
_MOST_LINES: Final = 200_000
"""Longer no message is."""


def recognises(source: ImportSource) -> float:
    """Tell how surely this is a conversation as plain text."""
    for path in _texts(source)[:1]:
        beginning = source.beginning(path, 1024)
        if beginning.startswith((b"{", b"[{", b"\x89PNG", b"PK")):
            return 0.0
        form = form_of(_sample(source, path, _GLANCED_AT))
        return _SURENESS[form.form] if form is not None else _LEAST
    return 0.0


def read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield the messages of all texts.

    Raises:
        UnusableSourceError: nobody speaks in any of them.
    """
    found = 0
    used: set[str] = set()
    for path in _texts(source):
        sample = _sample(source, path, _SAMPLE)
        form = form_of(sample)
        if form is None:
            yield NotTaken("chats.no-speakers", path)
            continue
        form = _told_by_all(form, source, path)
        cast = _cast(form, sample, wishes, [partner(sample), *map(partner_in_name, (source.name, path))])
        yield from introduced(cast)
        used.add(path)
        for item in timed_items(_messages(source, path, form.from_the_beginning(), cast.roles)):
            if isinstance(item, FoundMessage):
                found += 1
                used.update(file.path for file in item.files)
            yield item
    if not found:
        raise UnusableSourceError("chats.no-speakers")
    for path in sorted({*source.files}.difference(used, _texts(source))):
        yield NotTaken("chats.other-file", path)


def _texts(source: ImportSource) -> list[str]:
    return [path for path in source.files if PurePosixPath(path).suffix.lower() in _ENDINGS or source.shape == "file"]


def _sample(source: ImportSource, path: str, most: int) -> list[str]:
    with closing(_lines(source, path)) as lines:
        return [*islice(lines, most)]


def _told_by_all(form: LineForm, source: ImportSource, path: str) -> LineForm:
    """Return the form as the whole text tells it; what is read for that counts as no progress."""
    before = source.bytes_read
    with closing(_lines(source, path)) as lines:
        told = form_of_all(form, lines)
    source.bytes_read = before
    return told


def _lines(source: ImportSource, path: str) -> Generator[str]:
    with source.open(path) as file:
        for line in text_lines(file):
            yield line.text


def _cast(form: LineForm, sample: list[str], wishes: ReadingWishes, partners: list[str]) -> Cast:
    pieces = _whole(map(form.from_the_beginning().read, sample))
    spoken = [(one.speaker, None, one.text) for one in pieces if one.kind == "message"]
    later = form.names.difference(speaker for speaker, *_ in spoken) if form.form == "named" else ()
    return cast_of(heard([*spoken, *((name, None, "") for name in sorted(later))]), wishes, partners)


def _whole(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield what several lines make together."""
    now: Piece | None = None
    for piece in pieces:
        if piece.kind == "more" and now is not None:
            now = replace(now, text=f"{now.text}\n{piece.text}")
            continue
        if now is not None:
            yield now
        now = piece if piece.kind != "more" else None
    if now is not None:
        yield now


def _messages(source: ImportSource, path: str, form: LineForm, roles: Mapping[str, Role]) -> Iterator[Item]:
    """Yield the messages of one text, and what stands before the first one as not taken."""
    before = 0
    held: list[str] = []
    now: tuple[Piece, TextLine] | None = None
    with source.open(path) as file:
        for line in text_lines(file):
            piece = form.read(line.text)
            if not line.is_whole:
                yield NotTaken("chats.line-too-long", f"{path}: {line.number}")
            if piece.kind == "more":
                if now is None:
                    before += bool(line.text.strip())
                elif len(held) < _MOST_LINES:
                    held.append(line.text)
                else:
                    yield NotTaken("chats.message-too-long", f"{path}: {now[1].number}")
                continue
            if now is not None:
                yield from _message(now, held, source, path, roles)
            now, held = ((piece, line) if piece.kind != "day" else None), []
    if now is not None:
        yield from _message(now, held, source, path, roles)
    if before:
        yield NotTaken("chats.before-first", path, before)


def _message(
    begun: tuple[Piece, TextLine], held: list[str], source: ImportSource, path: str, roles: Mapping[str, Role]
) -> Iterator[Item]:
    piece, line = begun
    text = "\n".join((piece.text, *held)).strip()
    if piece.is_quoted and held and text.startswith('"') and text.endswith('"'):
        text = text[1:-1]
    place = f"{path}: {line.number}"
    if not text:
        yield NotTaken("chats.no-message", place)
        return
    if piece.kind == "record":
        yield FoundMessage("system", "record", text, piece.time, place=place)
        return
    files, notes = [], []
    for found in _ATTACHED.finditer(text):
        name = (found["name"] or found["name2"]).strip()
        if name in source.files:
            files.append(FoundFile(name))
        else:
            notes.append(("attachment", name))
    message = FoundMessage(
        "system", piece.speaker, text, piece.time, files=tuple(files), notes=tuple(notes), place=place
    )
    yield spoken_by(message, roles)
