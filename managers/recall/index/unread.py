"""Files that could not be read: noted in the index with the reason, so that it is said, and nobody tries again in vain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from managers.recall.index.store import FileRecord
from managers.storage.errors import Notice, UnsafeNameError, UtataneError
from managers.storage.printable import shown

_KEY = "unread"


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file could not be read, in both languages, and under which conditions that was tried."""

    ja: str
    en: str
    tried: str

    @classmethod
    def because(cls, error: UtataneError, tried: str) -> Unread:
        """Return what is noted of an error."""
        return cls(error.sentence("ja"), error.sentence("en"), tried)

    @property
    def state(self) -> str:
        """What stands in the file's record. A log's says besides that nothing of it is indexed."""
        return json.dumps({"end": 0, "changes": {}, _KEY: asdict(self)}, ensure_ascii=False)

    def notice(self, kind: str) -> Notice:
        """Return what a person is told; `kind` is the kind of memory."""
        return Notice("recall-document" if kind == "knowledge" else "recall-unreadable", self.ja, self.en)


def why_unread(record: FileRecord) -> Unread | None:
    """Return why a file could not be read; None if it could."""
    if f'"{_KEY}"' not in record.state:  # ten thousand records are looked at
        return None
    held = json.loads(record.state).get(_KEY)
    return Unread(**held) if held else None


def unread_among(records: Iterable[FileRecord]) -> Iterator[tuple[FileRecord, Unread]]:
    """Yield the files that could not be read."""
    for record in records:
        why = why_unread(record)
        if why is not None:
            yield record, why


def odd_name(name: str) -> Notice:
    """Return what is told of a file whose name is no text."""
    error = UnsafeNameError(
        name=shown(name),
        reason_ja="文字として読めない名前なので、中身を検索に入れていません。名前を付け直してください。",
        reason_en="it is no text, so no search finds what is in the file. Give it another name.",
    )
    return Notice("recall-unreadable", error.sentence("ja"), error.sentence("en"))


def content_key(name: str, digest: str) -> str:
    """Return what a file is known by as long as it reads the same: its bytes, and its ending, which tells the reader."""
    return digest + PurePosixPath(name).suffix.lower()
