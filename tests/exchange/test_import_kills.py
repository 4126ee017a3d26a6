"""A process that dies in the middle of an import: what it had done is whole, and the next import does the rest, once."""

import itertools
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from managers.exchange import import_engine
from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, needs_signals
from tests.exchange.importing import HereReading, lines_of, read_here, take_over
from tests.exchange.readers.nexus_rooms import MONTHLY
from tests.exchange.readers.reading import folder_of
from tests.fakes import HandClock

_DERIVED = (".lock", ".history", "log_archives/.index/", "set_aside/", ".utatane-tmp")
_TIMES = ("2026-04-03T10:00:00", "2026-05-03T10:00:00", "2026-05-04T10:00:00", "2026-11-20T10:00:00")
_TALK = [
    {"id": f"a{number}", "time": time, "role": "user", "speaker": "Ann", "text": f"text {number}"}
    for number, time in enumerate(_TIMES)
]
_SOURCES = {"room": (MONTHLY, "", 67), "transcript": ({"talk.jsonl": lines_of(_TALK)}, "talk.jsonl", 3)}


def move_in(folder: Path, source: Path) -> None:
    take_over(ConversationLog(PersonaPaths(folder), HandClock(), Random(1)), source)


def made_of(folder: Path) -> dict[str, bytes]:
    """Return the files that an import makes, but for what is derived, and leftovers that are swept."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not any(part in name for part in _DERIVED)}


@needs_signals
@pytest.mark.parametrize("kind", _SOURCES)
def test_what_was_half_imported_is_finished_by_the_next_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill: Kill, kind: str
) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
    files, name, stride = _SOURCES[kind]
    source = folder_of(tmp_path / "猫_の部屋", files) / name
    whole = tmp_path / "whole" / "characters" / "みい"
    move_in(whole, source)
    expected, numbers = made_of(whole), itertools.count()

    def prepare() -> tuple[Path, Path]:
        return tmp_path / f"p{next(numbers)}" / "characters" / "みい", source

    for death in kill(move_in, prepare, whens=("before", "half"), stride=stride, ready=read_here):
        folder = death.given[0]
        log = ConversationLog(PersonaPaths(folder), HandClock(), Random(1))
        assert max(Counter(message.id for message in log.messages()).values(), default=1) == 1, death
        move_in(folder, source)
        assert made_of(folder) == expected, death
