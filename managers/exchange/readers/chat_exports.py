"""What the exports of chat services have in common: `conversations.json`, in one file or in several, beside other files."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from managers.exchange.import_source import ImportSource
from managers.exchange.items import Item, NotTaken, UnusableSourceError
from managers.exchange.readers.json_stream import BrokenJsonError, elements
from managers.memory.log.format import clean_text

_CONVERSATIONS: Final = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json", re.IGNORECASE)
_SURE: Final = 0.95


def conversation_files(source: ImportSource) -> list[str]:
    """Return the files of conversations; a single file is one, whatever it is called."""
    if source.shape == "file":
        return [path for path in source.files if not path.lower().endswith((".jsonl", ".txt", ".md"))]
    return sorted(path for path in source.files if _CONVERSATIONS.fullmatch(path))


def begins_with_key(source: ImportSource, *keys: bytes) -> float:
    """Tell how surely a source is the export of a service: its conversations have some keys at their beginning."""
    for path in conversation_files(source)[:1]:
        beginning = source.beginning(path).replace(b"\0", b"")
        if beginning.lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")[:1] in {b"[", b"{"}:
            return _SURE if all(b'"%s"' % key in beginning for key in keys) else 0.0
    return 0.0


def conversations(source: ImportSource, key: str) -> Iterator[tuple[str, dict[str, Any] | NotTaken]]:
    """Yield each conversation with its place, and what is none or cannot be read as something that is not taken.

    Raises:
        UnusableSourceError: there is none.
    """
    found, trouble = 0, "no-conversations"
    for path in conversation_files(source):
        number = 0
        with source.open(path) as file:
            try:
                for number, one in enumerate(elements(file, _prefix(source, path)), 1):
                    place = f"{path}: {number}"
                    for conversation in _within(one):
                        if isinstance(conversation, dict) and isinstance(conversation.get(key), (dict, list)):
                            found += 1
                            yield place, conversation
                        else:
                            yield place, NotTaken("chats.no-conversation", place)
            except BrokenJsonError as error:
                trouble = error.trouble
                yield path, NotTaken(f"chats.{trouble}", path, facts={"number": str(number)})
    if not found:
        raise UnusableSourceError(f"chats.{trouble}", number="0")


def left_out(source: ImportSource, used: Iterable[str]) -> Iterator[Item]:
    """Yield the files of a source that are neither conversations nor belong to any."""
    for path in sorted({*source.files}.difference(used, conversation_files(source))):
        yield NotTaken("chats.other-file", path)


def string(value: object) -> str:
    """Return a value that is text, as files can hold it; the empty text for any other."""
    return clean_text(value) if isinstance(value, str) else ""


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; none where it is something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _prefix(source: ImportSource, path: str) -> Literal["item", ""]:
    beginning = source.beginning(path, 1024).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    return "" if beginning.startswith(b"{") else "item"


def _within(value: object) -> list[object]:
    """Return the conversations of one element: itself, or those of an object that holds a list of them."""
    inner = value.get("conversations") if isinstance(value, dict) else None
    return [*inner] if isinstance(inner, list) else [value]
