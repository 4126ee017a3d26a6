"""The process that reads what is imported. It sees the source and nothing else of importance, and can only answer.

Requests (a line of JSON, always with `path` and `seconds`):

- `{"do": "read", "kind", "wishes"}`: recognises the source (a `kind` that is given is taken for granted) and reads it.
  Answer: `{"kind": ...}`, then a line for each item (`items.py`), now and then `{"progress": [bytes read, of]}`.
- `{"do": "fetch", "file"}`: `{"bytes": n}` and so many bytes of one file of the source.

The last line of an answer says how it ended: `{"end": "done"}`, with `opened` after reading, or `{"end": <why not>}`.
"""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final

from managers.exchange.import_source import ImportSource, SourceTooLargeError, open_source
from managers.exchange.items import LINES, Item, ReadingWishes, UnusableSourceError
from managers.exchange.readers import recognise, warm_up
from managers.exchange.zip_files import UnsafeZipError
from managers.memory.log.format import clean_text
from managers.storage.limited_child import answer_requests

_PROGRESS_SECONDS: Final = 0.3
_LOOK_EVERY: Final = 64


class _Sources:
    """The source that was asked for last stays open: an import fetches its pictures one by one."""

    def __init__(self) -> None:
        self._path = ""
        self._stack = ExitStack()
        self._source: ImportSource | None = None

    def get(self, path: str) -> ImportSource:
        if self._source is None or path != self._path:
            self._stack.close()
            self._source, self._path = self._stack.enter_context(open_source(Path(path))), path
        return self._source


_sources = _Sources()


def main() -> None:
    """Answer requests until the other side is gone."""
    warm_up()
    answer_requests(_answer)


def _answer(request: dict[str, Any], _following: IO[bytes]) -> Iterator[bytes]:
    end: dict[str, Any] = {"end": "done"}
    try:
        source = _sources.get(request["path"])
        if request["do"] == "read":
            yield from _read(source, request)
            end["opened"] = list(source.opened)
        else:
            data = source.read(request["file"])
            yield _line({"bytes": len(data)})
            yield data
    except UnusableSourceError as error:
        end = {"end": "unusable", "code": error.code, "facts": error.facts}
    except UnsafeZipError as error:
        end = {"end": error.trouble, "facts": {"name": error.name}}
    except SourceTooLargeError as error:
        end = {"end": "file-too-large", "facts": {"name": error.path[:80]}}
    except MemoryError:
        end = {"end": "unfolds"}
    except OSError as error:
        end = {"end": "unreadable", "facts": {"cause": error.strerror or ""}}
    except Exception as error:  # noqa: BLE001  # the edge: whatever a reader stumbles over, the source is broken for it
        end = {"end": "stumbled", "facts": {"cause": type(error).__name__}}
    yield _line(end)


def _read(source: ImportSource, request: dict[str, Any]) -> Iterator[bytes]:
    found = recognise(source, request["kind"])
    if found is None:
        raise UnusableSourceError("engine.unknown" if request["kind"] is None else "engine.not-of-kind")
    kind, reader = found
    yield _line({"kind": kind})
    source.opened.clear()
    source.bytes_read = 0
    whole, since = sum(source.files.values()), time.monotonic()
    for number, item in enumerate(reader.read(source, ReadingWishes(**request["wishes"]))):
        yield _line_of(item)
        if number % _LOOK_EVERY == 0 and time.monotonic() - since > _PROGRESS_SECONDS:
            yield _line({"progress": [source.bytes_read, whole]})
            since = time.monotonic()


def _line_of(item: Item) -> bytes:
    try:
        return LINES.dump_json(item) + b"\n"
    except ValueError:  # halves of characters, which JSON may hold and UTF-8 not
        plain = json.dumps(LINES.dump_python(item), ensure_ascii=False, default=str)
        return clean_text(plain).encode() + b"\n"


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
