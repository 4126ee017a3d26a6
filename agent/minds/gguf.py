"""The head of a GGUF file: what model it says it is, and how much memory it takes.

Files come from anywhere, so nothing in them is believed: every count and length has a limit, and what is not kept is
skipped. Only what a person is told and what memory is reckoned by is read; the engine reads the file itself.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Final

from agent.minds.errors import ModelFileCutError, ModelFileNewerError, NoModelFileError, NoTalkingModelError
from managers.storage.files import open_binary

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_SCALARS: Final = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))) | {10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_MOST_KEYS, _MOST_TENSORS, _MOST_ITEMS, _MOST_DIMENSIONS = 10_000, 200_000, 4_000_000, 8
_MOST_NAME_BYTES, _MOST_TEXT_BYTES, _MOST_HEAD_BYTES = 1_000, 1 << 20, 128 << 20
_MOST_LAYERS: Final = 2_000
_KV_BYTES: Final = 2
_BATCH: Final = 512
_BESIDE_BYTES: Final = 150_000_000
"""What computing takes beside weights, context and the table of words that may come next."""
Value = int | float | bool | str | list[int]


@dataclass(frozen=True, slots=True)
class Head:
    """What the file says.

    Attributes:
        name: the model's, or the file's where it says none.
        architecture: as llama.cpp calls it.
        context: how much it reads at most, in tokens; 0 where it does not say.
        file_bytes: how large the file is.
        token_bytes: what a token of context takes in memory, at most.
        words: how many different tokens it knows.
    """

    name: str
    architecture: str
    context: int
    has_template: bool
    file_bytes: int
    token_bytes: int
    words: int

    def needs_bytes(self, context: int) -> int:
        """Return about how much memory it takes with so many tokens of context in all: never too little."""
        return self.file_bytes + context * self.token_bytes + 4 * _BATCH * self.words + _BESIDE_BYTES


def needs_bytes(path: Path, context: int) -> int:
    """Return about how much memory a file takes with so many tokens of context in all.

    Raises:
        ModelFileError, UnreadableError
    """
    return read_head(path).needs_bytes(context)


def read_head(path: Path) -> Head:
    """Return what a file says of itself.

    Raises:
        ModelFileError: it is no model, none that talks, or not whole.
        UnreadableError: it cannot be read.
    """
    with open_binary(path):
        found = path.stat()
    return _read(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, size: int, _changed: int) -> Head:
    with open_binary(path) as file:
        return _Reader(file, path.name, size).head()


class _Reader:
    """Reads the head of one file."""

    def __init__(self, file: IO[bytes], name: str, size: int) -> None:
        self._file, self._name, self._size = file, name, size
        self._left = _MOST_HEAD_BYTES

    def head(self) -> Head:
        if self._take(4) != _MAGIC:
            raise NoModelFileError(name=self._name)
        if (version := self._number("<I")) not in _VERSIONS:
            raise ModelFileNewerError(name=self._name, version=version)
        tensors, keys = self._count(_MOST_TENSORS), self._count(_MOST_KEYS)
        facts = {self._text(_MOST_NAME_BYTES): self._value() for _ in range(keys)}
        begins = [self._tensor() for _ in range(tensors)]
        told = _Facts(facts)
        kind = told.text("general.type")
        if kind not in {"", "model"} or told.has("pooling_type") or told.architecture in {"", "clip"} or not tensors:
            raise NoTalkingModelError(name=self._name)
        if self._file.tell() + max(begins) >= self._size:
            raise ModelFileCutError(name=self._name)
        return Head(
            name=told.text("general.name")[:_MOST_NAME_BYTES] or self._name,
            architecture=told.architecture,
            context=told.number("context_length"),
            has_template=bool(told.text("tokenizer.chat_template")),
            file_bytes=self._size,
            token_bytes=told.token_bytes(),
            words=told.items("tokenizer.ggml.tokens"),
        )

    def _take(self, size: int) -> bytes:
        self._left -= size
        data = self._file.read(size) if self._left >= 0 else b""
        if len(data) < size:
            raise (ModelFileCutError if self._file.tell() >= self._size else NoModelFileError)(name=self._name)
        return data

    def _number(self, form: str) -> int:
        number: int = struct.unpack(form, self._take(struct.calcsize(form)))[0]
        return number

    def _count(self, most: int) -> int:
        if (count := self._number("<Q")) > most:
            raise NoModelFileError(name=self._name)
        return count

    def _text(self, most: int) -> str:
        return self._take(self._count(most)).decode("utf-8", "replace")

    def _value(self) -> Value:
        kind = self._number("<I")
        if kind == _STRING:
            return self._text(_MOST_TEXT_BYTES)
        if kind == _ARRAY:
            return self._items(self._number("<I"), self._count(_MOST_ITEMS))
        if kind not in _SCALARS:
            raise NoModelFileError(name=self._name)
        return self._number(_SCALARS[kind])

    def _items(self, kind: int, count: int) -> Value:
        """Return a short array of whole numbers, of any other array how long it is."""
        if kind == _STRING:
            for _ in range(count):
                self._take(self._count(_MOST_TEXT_BYTES))
            return count
        if kind not in _SCALARS:
            raise NoModelFileError(name=self._name)
        size = struct.calcsize(_SCALARS[kind])
        data = self._take(size * count)
        is_short = count <= _MOST_LAYERS and _SCALARS[kind] not in {"<f", "<d"}
        return [int(one) for (one,) in struct.iter_unpack(_SCALARS[kind], data)] if is_short else count

    def _tensor(self) -> int:
        """Return where a tensor begins behind the head."""
        self._text(_MOST_NAME_BYTES)
        dimensions = self._number("<I")
        if dimensions > _MOST_DIMENSIONS:
            raise NoModelFileError(name=self._name)
        self._take(8 * dimensions + 4)
        return self._number("<Q")


class _Facts:
    """What stands in the head, by name; what has not the right kind counts as not there."""

    def __init__(self, facts: Mapping[str, Value]) -> None:
        self._facts = facts
        self.architecture = self.text("general.architecture")

    def text(self, name: str) -> str:
        found = self._facts.get(name)
        return found if isinstance(found, str) else ""

    def has(self, name: str) -> bool:
        return f"{self.architecture}.{name}" in self._facts

    def number(self, name: str) -> int:
        found = self._facts.get(f"{self.architecture}.{name}")
        return found if type(found) is int and 0 < found < 1 << 31 else 0

    def items(self, name: str) -> int:
        found = self._facts.get(name)
        return len(found) if isinstance(found, list) else found if type(found) is int else 0

    def token_bytes(self) -> int:
        """Return what a token takes in every layer that remembers: its keys and values, in half precision."""
        layers = min(self.number("block_count"), _MOST_LAYERS)
        heads = self.number("attention.head_count") or 1
        width = self.number("embedding_length") // heads
        both = (self.number("attention.key_length") or width) + (self.number("attention.value_length") or width)
        told = self._facts.get(f"{self.architecture}.attention.head_count_kv")
        if isinstance(told, list):  # one for each layer; none in those that remember in another way
            return _KV_BYTES * both * sum(max(one, 0) for one in told)
        every = self.number("full_attention_interval") or 1
        return _KV_BYTES * both * (self.number("attention.head_count_kv") or heads) * (layers // every)
