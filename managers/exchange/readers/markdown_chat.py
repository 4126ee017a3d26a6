"""A conversation that was exported from here as Markdown: each message with its id and time."""

import io
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from managers.exchange.exports.markdown import looks_like_markdown_chat, messages_in
from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundMessage, Item, NotTaken, ReadingWishes

_ROLES = frozenset({"user", "persona", "other"})


def recognises(source: ImportSource) -> float:
    """Tell whether a message of such a file stands at its beginning."""
    if source.shape != "file":
        return 0.0
    beginning = source.beginning(next(iter(source.files))).decode("utf-8", "replace")
    return 0.95 if looks_like_markdown_chat(beginning.replace("\r\n", "\n")) else 0.0


def read(source: ImportSource, _wishes: ReadingWishes) -> Iterator[Item]:
    """Yield the messages; one whose heading was spoilt is told."""
    with source.open(next(iter(source.files))) as file:
        lines = io.TextIOWrapper(file, "utf-8-sig", "replace", newline="\n")
        first = next(lines, "")
        end = "\r\n" if first.endswith("\r\n") else "\n"  # an editor may have written other line ends
        for told in messages_in(line.removesuffix(end) for line in chain([first], lines)):
            message = _message(told)
            yield message if message is not None else NotTaken("markdown_chat.spoilt", str(told.get("id", ""))[:40])


def _message(told: dict[str, Any]) -> FoundMessage | None:
    try:
        time = datetime.fromisoformat(told["time"])
    except (KeyError, TypeError, ValueError):
        return None
    role, name, text, id_ = (told.get(key) for key in ("role", "speaker", "text", "id"))
    if role not in _ROLES or not isinstance(name, str) or not isinstance(text, str) or not isinstance(id_, str):
        return None
    return FoundMessage(role, name, text, time, id=id_)
