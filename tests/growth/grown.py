"""A persona with talks to learn from, and an adapter's file as anybody may make one."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agent import growing
from agent.memories import Memories
from managers.growth.adapters import Card, metadata_of
from managers.memory.messages import Message

BEGAN = datetime(2026, 11, 1, 20)


def exchange(number: int, asked: str, answered: str, mind: str = "qwen3", **more: object) -> Iterator[Message]:
    moment = BEGAN + timedelta(days=number)
    yield Message(f"u{number}", moment, "user", "Aoi", asked)
    yield Message(f"p{number}", moment + timedelta(seconds=5), "persona", "Nemu", answered, mind, **more)  # type: ignore[arg-type]


def talk_of(memories: Memories, count: int = 60) -> None:
    """Let so many days have a question and an answer each."""
    for number in range(count):
        memories.log.append_many(exchange(number, f"What of day {number}?", f"Let us nap by the sea, nyaa. {number}"))


def write_adapter(path: Path, card: Card) -> None:
    """Write a file with a card and one small tensor."""
    head = {"__metadata__": metadata_of(card), "w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    data = json.dumps(head, ensure_ascii=False).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(data).to_bytes(8, "little") + data + b"\0\0\0\0")


def played_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that passes for a base model, and let `fake_training` train it, as if the extra were there."""
    folder.mkdir()
    (folder / "config.json").write_text("{}", "utf-8")
    (folder / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    monkeypatch.setattr(growing, "is_installed", lambda: True)
    monkeypatch.setattr(growing, "_TRAINING", "tests.growth.fake_training")
    return folder
