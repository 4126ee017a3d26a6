"""JSON of any size from elsewhere, read piece by piece, and never deeper or longer than anything that people have.

`ijson` takes the text apart. It has no limits of its own: what it keeps of each bracket that is open grows with their
number, and a string or an element without end would fill the memory. So bytes come to it through a gate that counts.
"""

import re
from collections.abc import Iterator
from typing import IO, Any, Final

import ijson
import numpy as np

from managers.exchange.readers.lines import decoded

MAX_DEPTH: Final = 200
"""Chats nest some ten brackets deep."""
MAX_ELEMENT_BYTES: Final = 64_000_000
"""One conversation, or one message: as values in memory it takes some four times as much."""
_END: Final = b'\0"'
"""Stands behind the bytes that are looked at; JSON itself has no such byte."""
_STRINGS: Final = re.compile(rb'"[^"\\\0]*+(?:\\[^\0][^"\\\0]*+)*+(?:"|(\\?)\0")')
"""A string, or the beginning of one to the very end; no byte is looked at twice."""
_ENDLESS_NUMBER: Final = re.compile(rb"[-+.0-9eE]{1000}")
"""`ijson` begins a number anew with each piece of the file."""
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEPS: Final = np.zeros(256, np.int64)
_STEPS[[*b"[{"]] = 1
_STEPS[[*b"]}"]] = -1


class BrokenJsonError(Exception):
    """JSON ends too early, is none, or is more than anything that is read; `trouble` is a key of `import_chats.toml`."""

    def __init__(self, trouble: str) -> None:
        super().__init__(trouble)
        self.trouble = trouble


def elements(file: IO[bytes], prefix: str) -> Iterator[Any]:
    """Yield the values at a place of a JSON text, one after the other.

    Args:
        file: the text, in any encoding.
        prefix: the place as `ijson` writes it: `item` for the elements of a list, nothing for the text itself, or for
            each of several that stand one after the other (JSON lines).

    Raises:
        BrokenJsonError: what came before is good.
    """
    level = 0 if not prefix else prefix.count(".") + 1
    try:
        yield from ijson.items(GatedJson(file, level), prefix, use_float=True, multiple_values=True)
    except ijson.JSONError as error:
        raise BrokenJsonError("broken-json") from error


def events(file: IO[bytes], most: int) -> Iterator[tuple[str, str, Any]]:
    """Yield the first events of a JSON text: place, kind and value, as `ijson.parse` has them.

    Raises:
        BrokenJsonError
    """
    try:
        for number, event in enumerate(ijson.parse(GatedJson(file, 0), use_float=True, multiple_values=True)):
            if number >= most:
                return
            yield event
    except ijson.JSONError as error:
        raise BrokenJsonError("broken-json") from error


class GatedJson:
    """A file of JSON, as UTF-8, that ends in a `BrokenJsonError` before it asks too much of whoever reads it."""

    def __init__(self, file: IO[bytes], level: int) -> None:
        """Make the gate.

        Args:
            file: where the bytes come from.
            level: how many brackets are open around an element.
        """
        self._texts = decoded(file)
        self._level = level
        self._depth = 0
        self._since = 0
        self._open = b""
        """What has to stand before the next bytes so that they can be read alone: the string that they go on with."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes: a piece of the file, however many are asked for.

        Raises:
            BrokenJsonError
        """
        if size == 0:  # ijson asks so for the type of what is read
            return b""
        for text in self._texts:
            if data := text.encode("utf-8", "replace"):
                self._count(data)
                return data
        return b""

    def _count(self, data: bytes) -> None:
        structure = _STRINGS.sub(rb"\1", self._open + data + _END)
        if structure.endswith(_END):
            self._open = b""
        else:
            self._open = b'"\\' if structure.endswith(b"\\") else b'"'
        if _ENDLESS_NUMBER.search(structure):
            raise BrokenJsonError("broken-json")
        brackets = structure.translate(None, _NO_BRACKETS)
        self._since += len(data)
        if brackets:
            depths = self._depth + np.cumsum(_STEPS[np.frombuffer(brackets, np.uint8)])
            if depths.max() > MAX_DEPTH:
                raise BrokenJsonError("too-deep")
            self._depth = int(depths[-1])
            if depths.min() <= self._level:
                self._since = 0
        if self._since > MAX_ELEMENT_BYTES:
            raise BrokenJsonError("element-too-large")
