"""What reads which kind of source. Each reader is a module (or package) with the two functions of `SourceReader`.

Readers run in a limited process of their own (`managers/exchange/reading.py`), which may neither write nor talk to anybody:
they are plain functions from a source to items, and import no more than they need.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Final, Protocol, cast

from managers.exchange.import_source import ImportSource
from managers.exchange.items import Item, Kind, ReadingWishes


class SourceReader(Protocol):
    """One kind of source."""

    def recognises(self, source: ImportSource) -> float:
        """Tell how surely a source is of this kind, from 0 (not at all) to 1; a look at names and beginnings only.

        Above 0.9: by something that only this kind has. 0.5: it looks like it. Plain text is 0.1 of anything.
        """

    def read(self, source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
        """Yield what is in a source, in its order, holding no more of it in memory than it must.

        Raises:
            UnusableSourceError: it is not of this kind at all, with a sentence's code.
            SourceTooLargeError, UnsafeZipError, OSError: let them pass; whoever reads says what they mean.
        """


READERS: Final[tuple[tuple[Kind, str], ...]] = (
    ("transcript", "managers.exchange.readers.transcript"),
    ("nexus-ark", "managers.exchange.readers.nexus_ark"),
    ("card", "managers.exchange.readers.card"),
    ("sillytavern", "managers.exchange.readers.sillytavern"),
    ("chatgpt", "managers.exchange.readers.chatgpt"),
    ("claude", "managers.exchange.readers.claude"),
    ("text", "managers.exchange.readers.markdown_chat"),
    ("text", "managers.exchange.readers.chat_json"),
    ("text", "managers.exchange.readers.plain_text"),
)
"""Which module reads which kind; of a kind with several, the one that recognises a source best."""


def readers(kind: Kind | None = None) -> list[tuple[Kind, SourceReader]]:
    """Return the readers of a kind, or all of them."""
    return [(one, cast("SourceReader", import_module(module))) for one, module in READERS if kind in (None, one)]


def warm_up() -> None:
    """Import all readers, before the process that reads them may not look around any more."""
    readers()


def recognise(source: ImportSource, kind: Kind | None = None) -> tuple[Kind, SourceReader] | None:
    """Return what reads a source best, among those of a kind if one is given; None where nothing recognises it."""
    best, found, count = 0.0, None, 0
    for one, reader in readers(kind):
        score = reader.recognises(source)
        count += 1
        if score > best or found is None:
            best, found = score, (one, reader)
    asked_for = kind is not None and count == 1
    return found if best > 0 or asked_for else None
