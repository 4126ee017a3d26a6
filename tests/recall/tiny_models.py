"""Tiny models for tests, in the formats of real ones: ONNX as bare protobuf, safetensors, a tokenizer of words."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

WORDS = ("[PAD]", "[UNK]", "crane", "river", "bread", "oven", "piano", "鶴", "川")
DIMENSIONS = 4

TABLE = np.array(
    [[0, 0, 0, 0], [9, 9, 9, 9], [1, 0, 0, 0], [1, 0.2, 0, 0], [0, 1, 0, 0], [0, 1, 0.2, 0], [0, 0, 0, 1], [1, 0, 0.1, 0], [1, 0.3, 0, 0]],
    np.float32,
)  # fmt: skip
"""A row for each word; what is unknown points elsewhere."""


def write_tokenizer(path: Path) -> None:
    """Write a tokenizer that cuts at blanks and knows `WORDS`."""
    model = {"type": "WordLevel", "vocab": {word: number for number, word in enumerate(WORDS)}, "unk_token": "[UNK]"}
    parts: dict[str, Any] = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": []}
    parts |= {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None}
    path.write_text(json.dumps({**parts, "decoder": None, "model": model}), "utf-8")


def write_tensors(path: Path, tensors: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write a safetensors file."""
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        places = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": kinds[tensor.dtype.name], "shape": list(tensor.shape), "data_offsets": places}
        data += raw
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def write_static(folder: Path) -> Path:
    """Write a model as model2vec does."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder / "tokenizer.json")
    write_tensors(folder / "model.safetensors", {"embeddings": TABLE})
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}), "utf-8")
    return folder


def write_onnx(folder: Path) -> Path:
    """Write a model whose answer is a vector for each token."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder / "tokenizer.json")
    (folder / "model.onnx").write_bytes(gathering(TABLE))
    return folder


def gathering(table: np.ndarray[Any, Any]) -> bytes:
    """Return an ONNX model that looks up each token's row: `last_hidden_state = Gather(table, input_ids)`.

    Written field by field (onnx.proto3), so that tests need no package for it. `attention_mask` is taken as well.
    """
    initializer = _ints(1, *table.shape) + _int(2, 1) + _text(8, "table") + _bytes(9, table.astype("<f4").tobytes())
    gather = _text(1, "table") + _text(1, "input_ids") + _text(2, "last_hidden_state") + _text(4, "Gather")
    keep = _text(1, "attention_mask") + _text(2, "mask") + _text(4, "Identity")
    graph = _bytes(1, gather) + _bytes(1, keep) + _text(2, "tiny") + _bytes(5, initializer)
    graph += _bytes(11, _value("input_ids", 7, ("batch", "tokens")))
    graph += _bytes(11, _value("attention_mask", 7, ("batch", "tokens")))
    graph += _bytes(12, _value("last_hidden_state", 1, ("batch", "tokens", table.shape[1])))
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, _text(1, "") + _int(2, 13))


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    sides = (_int(1, side) if isinstance(side, int) else _text(2, side) for side in shape)
    tensor = _int(1, kind) + _bytes(2, b"".join(_bytes(1, side) for side in sides))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _varint(number: int) -> bytes:
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def _int(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _ints(field: int, *numbers: int) -> bytes:
    return b"".join(_int(field, number) for number in numbers)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())
