"""Documents as they are listed, and what became of those that were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from managers.recall.documents import MAX_BYTES
from managers.recall.errors import DocumentTooLargeError
from managers.recall.knowledge import Document
from managers.storage.errors import Lang, Notice
from ui.components.times import when
from ui.locales import Texts

_KILOBYTE: Final = 1000
MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A document in the list.

    Attributes:
        name: of the file.
        size, added: in words.
        unread: why it cannot be read; empty where it can.
    """

    name: str
    size: str
    added: str
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file that was sent."""

    name: str
    sentence: str
    is_wrong: bool = False


def rows(found: Sequence[Document], unread: Mapping[str, Notice], now: datetime, t: Texts) -> list[Row]:
    """Return the documents as they are listed."""
    return [
        Row(
            one.name,
            size(one.size, t),
            when(one.added, now, t),
            unread[one.name].sentence(t.lang) if one.name in unread else "",
        )
        for one in found
    ]


def size(count: int, t: Texts) -> str:
    """Return a file's size as people say it."""
    if count >= MEGABYTE:
        return t("knowledge.megabytes", count=f"{count / MEGABYTE:.1f}")
    return t("knowledge.kilobytes", count=max(1, round(count / _KILOBYTE)))


def too_large(lang: Lang) -> str:
    """Return what the script says of a file that need not even be sent; its name is still to be put in."""
    return DocumentTooLargeError(name="{name}", megabytes=MAX_BYTES // MEGABYTE).sentence(lang)
