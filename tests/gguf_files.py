"""GGUF files as tests need them: whole, but for weights, or broken in a chosen way."""

import struct
from collections.abc import Mapping

Facts = Mapping[str, tuple[int, int | bytes]]
"""By name: a value's kind, and it: a number, or bytes as they stand in the file."""
_FORMS = {4: "<I", 10: "<Q"}


def text(words: str) -> tuple[int, bytes]:
    """Return a text as a value."""
    return 8, struct.pack("<Q", len(words.encode())) + words.encode()


def gguf(facts: Facts, *, tensors: int = 1) -> bytes:
    """Return a file with such facts in its head, and so many tensors."""
    data = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(facts))
    for name, (kind, value) in facts.items():
        held = value if isinstance(value, bytes) else struct.pack(_FORMS[kind], value)
        data += text(name)[1] + struct.pack("<I", kind) + held
    return data + bytes(256)
