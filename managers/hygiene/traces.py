"""What an erasure looks for: ids, names and words, in texts and in bytes.

Names of people are looked for however they are written (width, case, with or without an honorific). A name in Latin
letters counts as a whole word, and so does one of a single kanji; any other counts wherever it stands, for Japanese does
not part words, and what is to be erased must not stay because of that.
"""

import io
import json
import lzma
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, AnyStr, Final, Generic

from pydantic import BaseModel, ConfigDict, Field

from managers.language.words import sentence_spans
from managers.memory.entities import kanji_alone, name_key
from managers.memory.messages import UNKNOWN, united
from managers.storage.encodings import text_of

TELLING: Final = 12
"""So many characters of what was said are erased wherever they are quoted, but in what a message that stays says."""
_EXCERPT: Final = 8
"""Between quotation marks, so many are."""
_ENDS: Final = " 。.!?！？…"
"""A quotation may leave them out."""
_MARKS: Final = str.maketrans(dict.fromkeys('「」『』“”‘’"', "\n"))
MAX_UNPACKED_BYTES: Final = 200_000_000
"""All that an archive holds together: what unfolds to more is a trap, or nothing that one sends."""
_LATIN_END: Final = "\u024f"
_ESCAPED: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_WORD: Final = re.compile(r"\w")


_FEW: Final = 50


class Quotations(Generic[AnyStr]):
    """Many quotations, each of `TELLING` characters or bytes at least, found in one walk through a text by how they begin.

    Where they are a part of what is `kept`, which somebody else said, they are none.
    """

    def __init__(self, quotations: Iterable[AnyStr], kept: Iterable[AnyStr] = ()) -> None:
        spared = set(kept)
        self._all: tuple[AnyStr, ...] = tuple(one for one in dict.fromkeys(quotations) if one not in spared)
        self._beginning: dict[AnyStr, list[AnyStr]] = {}
        for one in self._all:
            length = TELLING
            while 2 * length <= len(one):  # many begin alike: the longer it is, the more of it tells it from others
                self._beginning.setdefault(one[:length], [])
                length *= 2
            self._beginning.setdefault(one[:length], []).append(one)
        self._around: dict[AnyStr, list[AnyStr]] = {}
        for whole in sorted(spared, key=len, reverse=True):
            for one in set(self.in_text(whole)):
                self._around.setdefault(one, []).append(whole)

    def in_text(self, text: AnyStr) -> Iterator[AnyStr]:
        """Yield those that stand in a text; of few, each is looked for, for that is quicker."""
        if len(self._all) <= _FEW:
            yield from (one for one in self._all if one in text)
            return
        for at in range(len(text) - TELLING + 1):
            length = TELLING
            while at + length <= len(text) and (found := self._beginning.get(text[at : at + length])) is not None:
                yield from (one for one in found if text.startswith(one, at))
                length *= 2

    def are_in(self, text: AnyStr) -> bool:
        """Tell whether one of them stands in a text, outside of what is kept."""
        return any(any(one in piece for piece in self._outside(text, one)[::2]) for one in self.in_text(text))

    def cut(self, text: AnyStr) -> list[AnyStr]:
        """Return a text without them, in pieces: what is kept, where they are a part of it, is every second one."""
        found = sorted(set(self.in_text(text)), key=len, reverse=True)
        for one in found:
            pieces = self._outside(text, one)
            pieces[::2] = (piece.replace(one, text[:0]) for piece in pieces[::2])
            text = text[:0].join(pieces)
        return self._outside(text, *found)

    def _outside(self, text: AnyStr, *quotations: AnyStr) -> list[AnyStr]:
        kept = {whole for one in quotations for whole in self._around.get(one, ())}
        pieces = [text]
        for whole in sorted(kept, key=len, reverse=True):
            pieces = [part for at, one in enumerate(pieces) for part in ([one] if at % 2 else _parted(one, whole))]
        return pieces


class Traces(BaseModel):
    """What is to be erased. It holds the very words, so it is on the disk only while an erasure is under way.

    Attributes:
        messages: ids of messages.
        memories: ids of memories and other records.
        names: of whom or what everything is to go.
        words: what was said or remembered, to the letter.
        kept: what messages that stay say, where words are the same or a part of it: there they are theirs.
        lines: what the persona noted because of these messages, line by line.
        readings: how messages read now that named somebody once: they stay as they read.
        marked: the messages that held foreign words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    messages: frozenset[str] = frozenset()
    memories: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    lines: frozenset[str] = frozenset()
    readings: dict[str, str] = Field(default_factory=dict)
    marked: frozenset[str] = frozenset()

    def is_named(self, text: str) -> bool:
        """Tell whether a text holds one of the names."""
        return self._names is not None and bool(text) and self._names.search(_plain(text)) is not None

    def is_quoted(self, text: str) -> bool:
        """Tell whether a text holds what was said or remembered, word for word."""
        return bool(self.words) and self._quotes.are_in(_plain(text))

    def is_excerpted(self, text: str) -> bool:
        """Tell whether a text has, between quotation marks, what was said, be it shortened."""
        pieces = (piece.strip(_ENDS) for piece in _plain(text.translate(_MARKS)).split("\n")[1:-1])
        return any(len(one) >= _EXCERPT and one in self._said and one not in self._still_said for one in pieces)

    def touches(self, text: str) -> bool:
        """Tell whether a text holds anything that is to be erased."""
        return self.is_named(text) or self.is_quoted(text)

    def marks(self, origins: Iterable[str], evidence: Iterable[str]) -> tuple[str, ...]:
        """Return the `origins` of a memory that stays: of what goes nobody can tell any more whose words it was."""
        left = (UNKNOWN if self.touches(one) else one for one in origins)
        return united(left, () if self.marked.isdisjoint(evidence) else (UNKNOWN,))

    def with_marks(self, record: dict[str, Any], left: dict[str, Any]) -> dict[str, Any]:
        """Return what is left of a record with its marks as they are then."""
        lists = {key: one for key, one in record.items() if isinstance(one, list)}
        rests = (str(one) for key, ids in lists.items() if key.endswith("evidence") for one in ids)
        marks = self.marks((one for one in lists.get("origins", ()) if isinstance(one, str)), rests)
        return {**left, "origins": [*marks]} if marks else left

    def cleaned(self, text: str) -> str:
        """Return a text without the sentences, and the lines, that hold anything of it; what was quoted goes alone first."""
        if self.lines:
            text = "".join(line for line in text.splitlines(keepends=True) if line.strip() not in self.lines)
        pieces = self._as_written.cut(text)
        pieces[::2] = ("".join(map(self._cleaned_line, piece.splitlines(keepends=True))) for piece in pieces[::2])
        return "".join(pieces)

    def _cleaned_line(self, line: str) -> str:
        if not self.touches(line):
            return line
        body = line.rstrip("\r\n")
        begins = [begin for begin, _ in sentence_spans(body)]
        pieces = [body[begin:end] for begin, end in zip([0, *begins[1:]], [*begins[1:], len(body)], strict=True)]
        left = "".join(piece for piece in pieces if not self.touches(piece))
        return left.rstrip() + line[len(body) :] if _WORD.search(left) else ""

    def is_in(self, data: bytes) -> bool | None:
        """Tell whether bytes hold any of it: as text in whichever encoding, or in the files of a ZIP archive.

        Returns:
            None if nobody can tell: of an archive that unfolds to more than `MAX_UNPACKED_BYTES` or holds other archives
            what is beyond that is not looked into.
        """
        if not _is_zip(data):
            return self._is_in_plain(data)
        is_whole = True
        for part in _unzipped(data):
            if part is None or _is_zip(part):
                is_whole = False
            elif self._is_in_plain(part):
                return True
        return False if is_whole else None

    def _is_in_plain(self, data: bytes) -> bool:
        return self.is_in_bytes(data) or (b"\0" not in data[:4096] and self.touches(text_of(data)))

    def is_in_bytes(self, data: bytes) -> bool:
        """Tell whether bytes hold a name or a quotation as it is written somewhere; names in longer words count, too."""
        return any(needle in data for needle in self._spelled_names) or self._written_quotes.are_in(data)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all that is to be erased."""
        return self.messages | self.memories

    @cached_property
    def _names(self) -> re.Pattern[str] | None:
        keys = sorted({key for name in self.names if (key := name_key(name))}, key=len, reverse=True)
        return re.compile("|".join(map(_pattern, keys))) if keys else None

    @cached_property
    def _quotes(self) -> Quotations[str]:
        return Quotations(*(_long(map(_bare, some)) for some in (self.words, self.kept)))

    @cached_property
    def _as_written(self) -> Quotations[str]:
        words, kept = ((form for one in some for form in (one, one.rstrip(_ENDS))) for some in (self.words, self.kept))
        return Quotations(_long(words), _long(kept))

    @cached_property
    def _said(self) -> str:
        return "\n".join(map(_plain, self.words))

    @cached_property
    def _still_said(self) -> str:
        return "\n".join(map(_plain, self.kept))

    @cached_property
    def _spelled_names(self) -> tuple[bytes, ...]:
        """Every name as it may stand in a file of any kind."""
        keys = {name_key(name) for name in self.names}
        spelled = {form for key in keys for form in (key, key.title(), key.upper())} | set(self.names)
        return tuple({form for name in spelled if len(name) > 1 for form in _written(name)})

    @cached_property
    def _written_quotes(self) -> Quotations[bytes]:
        """Every quotation as it may stand in a file of any kind."""
        words, kept = (_long(one.strip().rstrip(_ENDS) for one in some) for some in (self.words, self.kept))
        return Quotations(chain.from_iterable(map(_written, words)), chain.from_iterable(map(_written, kept)))


def _parted(text: AnyStr, at: AnyStr) -> list[AnyStr]:
    return list(chain.from_iterable((at, part) for part in text.split(at)))[1:]


def _long(texts: Iterable[str]) -> list[str]:
    return [one for one in texts if len(one) >= TELLING]


def has_quotation(text: str) -> bool:
    """Tell whether a text may quote something."""
    return text.translate(_MARKS).count("\n") > text.count("\n") + 1


def _written(text: str) -> Iterator[bytes]:
    yield from (text.encode(encoding, "replace") for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
    yield json.dumps(text)[1:-1].encode()


def _plain(text: str) -> str:
    if "\\u" in text:
        text = _ESCAPED.sub(lambda found: json.loads(f'"{found[0]}"'), text)
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(text: str) -> str:
    return _plain(text).strip().strip(_ENDS)


def _pattern(key: str) -> str:
    if alone := kanji_alone(key):
        return alone
    letter = f"[0-9a-z\u00df-{_LATIN_END}]"
    before = f"(?<!{letter})" if key[0] <= _LATIN_END else ""
    after = f"(?!{letter})" if key[-1] <= _LATIN_END else ""
    return f"{before}{re.escape(key)}{after}"


def _is_zip(data: bytes) -> bool:
    return data[:4] == b"PK\x03\x04"


def _unzipped(data: bytes) -> Iterator[bytes | None]:
    """Yield the names and files in an archive, and None for what cannot be unpacked, or is too much."""
    left = MAX_UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for one in archive.infolist():
                yield one.filename.encode()
                with archive.open(one) as file:
                    part = file.read(left + 1)
                left -= len(part)
                if left < 0:
                    yield None
                    return
                yield part
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError, ValueError):
        yield None
