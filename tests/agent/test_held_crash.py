"""Killed at any step of a yes, what was allowed is written once or waits still; it is never written twice."""

import itertools
import shutil
from datetime import datetime
from pathlib import Path
from random import Random

from agent.approval import decide, settle, waiting
from agent.memories import Memories, open_memories
from agent.tools import all_tools
from agent.tools.note_tools import NoteWrite
from agent.tools.writes import Writer
from managers.memory.notes import Edit
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.crash import kill_everywhere, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed

TEXTS = ("The kettle is five years old.", "The kettle is blue.")


def _open(home: Path) -> Memories:
    clock, rng = HandClock(datetime(2026, 11, 21, 21)), Random(1)
    return open_memories(PersonaStore(Home(home), clock, rng), "Nemu", Settings, clock, rng)


def _allow(home: Path) -> None:
    memories = _open(home)
    decide(memories, waiting(memories)[0].held.id, allow=True)


@needs_signals
def test_killed_at_any_step_it_is_written_once_or_waits(tmp_path: Path) -> None:
    home = tmp_path / "home"
    PersonaStore(Home(home), HandClock(), Random(1)).create("Nemu", language="en", system_prompt="You are Nemu.")
    memories = _open(home)
    message = memories.log.append("user", "Aoi", "What does the manual say?")
    tool = all_tools().named("edit_notepad")
    assert tool is not None
    for text in TEXTS:
        write = NoteWrite(note="notepad", edits=(Edit("", text),))
        writer = Writer(memories, memories.sheet(), "m", (message.id,))
        settle(tool, write, writer=writer, carried=["knowledge/manual.txt"])
    memories.close()
    numbers, seen = itertools.count(), set[int]()

    def prepare() -> tuple[Path]:
        return (Path(shutil.copytree(home, tmp_path / str(next(numbers)))),)

    for death in kill_everywhere(_allow, prepare, whens=("before",), ready=load_what_is_needed):
        (folder,) = death.given
        memories = _open(folder)
        waits = waiting(memories)
        written = memories.notes.read("notepad").text
        assert (len(waits), written) in ((2, ""), (1, f"{TEXTS[0]}\n")), death
        seen.add(len(waits))
        for one in waits:
            assert one.look is not None
            decide(memories, one.held.id, allow=True, shown=waiting(memories)[0].look.base)  # type: ignore[union-attr]
        assert memories.notes.read("notepad").text == "".join(f"{text}\n" for text in TEXTS), death
        assert waiting(memories) == []
        memories.close()
        shutil.rmtree(folder)
    assert seen == {1, 2}
