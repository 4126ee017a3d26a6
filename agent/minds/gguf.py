"""The head of a GGUF file: what model it says it is, and how much memory it takes.

Files come from anywhere, so nothing in them is believed: every count and length has a limit, and what is not kept is
skipped. Only what a person is told and what memory is reckoned by is read; the engine reads the file itself.
"""

import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Final

from agent.minds.errors import ModelFileCutError, NoModelFileError, NoTalkingModelError
from managers.storage.files import open_binary

_SCALARS: Final = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))) | {10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_VERSIONS: Final = (2, 3)
_MOST_KEYS, _MOST_ITEMS, _MOST_TEXT_BYTES, _MOST_HEAD_BYTES = 10_000, 4_000_000, 1 << 20, 64 << 20
_READING_BYTES: Final = 8
"""What each reading counts for, however little it reads."""
_MOST_LAYERS, _MOST_NUMBER = 2_000, 1 << 31
_VALUE_BYTES: Final = 2
"""Keys and values of a layer, in half precision."""
_BATCH: Final = 512
_BESIDE_BYTES: Final = 150_000_000
"""What computing takes beside weights, context and the table of words that may come next."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the file says.

    Attributes:
        context: how much it reads at most, in tokens; 0 where it does not say.
        token_bytes: what a token of context takes in memory, at most.
        words: how many different tokens it knows.
    """

    context: int
    has_template: bool
    file_bytes: int
    token_bytes: int
    words: int

    def needs_bytes(self, context: int) -> int:
        """Return about how much memory it takes with so many tokens of context in all: never too little."""
        return self.file_bytes + context * self.token_bytes + 4 * _BATCH * self.words + _BESIDE_BYTES


def read_head(path: Path) -> Head:
    """Return what a file says of itself.

    Raises:
        ModelFileError: it is no model, none that talks, or ends too soon.
        UnreadableError: it cannot be read.
    """
    with open_binary(path):
        found = path.stat()
    return _read(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, size: int, _changed: int) -> Head:
    with open_binary(path) as file:
        return read(file, path.name, size)


def read(file: IO[bytes], name: str, size: int) -> Head:
    """Return the head of an open file of so many bytes.

    Raises:
        ModelFileError
    """
    reader = _Reader(file, name)
    if reader.take(4) != b"GGUF" or reader.number("<I") not in _VERSIONS:
        raise NoModelFileError(name=name)
    tensors = reader.number("<Q")
    facts = {reader.text(): reader.value() for _ in range(reader.count(_MOST_KEYS))}
    kind, architecture = facts.get("general.type", "model"), facts.get("general.architecture")
    is_model = kind == "model" and tensors and isinstance(architecture, str) and architecture != "clip"
    if not is_model or f"{architecture}.pooling_type" in facts:  # that compares texts
        raise NoTalkingModelError(name=name)

    def number(key: str) -> int:
        found = facts.get(f"{architecture}.{key}")
        return found if type(found) is int and 0 < found < _MOST_NUMBER else 0

    heads = number("attention.head_count") or 1
    width = number("embedding_length") // heads
    both = (number("attention.key_length") or width) + (number("attention.value_length") or width)
    layers = min(number("block_count"), _MOST_LAYERS) // (number("full_attention_interval") or 1)
    held = facts.get(f"{architecture}.attention.head_count_kv")  # a list: for each layer, none in some
    kept = (
        sum(max(one, 0) for one in held)
        if isinstance(held, list)
        else layers * (number("attention.head_count_kv") or heads)
    )
    tokens = facts.get("tokenizer.ggml.tokens")
    return Head(
        context=number("context_length"),
        has_template=bool(facts.get("tokenizer.chat_template")),
        file_bytes=size,
        token_bytes=_VALUE_BYTES * both * kept,
        words=tokens if type(tokens) is int else 0,
    )


class _Reader:
    """Reads what stands in a head, one after the other."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name, self._left = file, name, _MOST_HEAD_BYTES

    def take(self, size: int) -> bytes:
        self._left -= size + _READING_BYTES
        if self._left < 0:
            raise NoModelFileError(name=self._name)
        if len(data := self._file.read(size)) < size:
            raise ModelFileCutError(name=self._name)
        return data

    def number(self, form: str) -> int:
        number: int = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return number

    def count(self, most: int) -> int:
        if (count := self.number("<Q")) > most:
            raise NoModelFileError(name=self._name)
        return count

    def text(self) -> str:
        return self.take(self.count(_MOST_TEXT_BYTES)).decode("utf-8", "replace")

    def value(self) -> int | str | list[int]:
        """Return a value: a short list of whole numbers as it is, of any other list how long it is."""
        kind = self.number("<I")
        if kind == _STRING:
            return self.text()
        is_list = kind == _ARRAY
        if is_list:
            kind, count = self.number("<I"), self.count(_MOST_ITEMS)
            if kind == _STRING:
                for _ in range(count):
                    self.take(self.count(_MOST_TEXT_BYTES))
                return count
        if (form := _SCALARS.get(kind)) is None:
            raise NoModelFileError(name=self._name)
        if not is_list:
            return self.number(form)
        data = self.take(struct.calcsize(form) * count)
        is_short = count <= _MOST_LAYERS and form not in {"<f", "<d"}
        return [one for (one,) in struct.iter_unpack(form, data)] if is_short else count
