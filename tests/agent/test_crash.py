"""Killed at any step of forgetting, of a yes, or of choosing, branching and going back: the next start makes it whole."""

import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from agent.approval import decide, settle, waiting
from agent.companion import Companion
from agent.forgetting import let_go, take_up
from agent.memories import Memories, open_memories
from agent.tools import all_tools
from agent.tools.note_tools import NoteWrite
from agent.tools.writes import Writer
from managers.memory.log.branches import FIRST
from managers.memory.notes import Edit
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import sure
from tests.crash import Kill, copies, needs_signals
from tests.fakes import HandClock
from tests.operations import remembered
from tests.ready import load_what_is_needed
from tests.recall.looking import assert_sound, contents
from tests.speeds import one_quick

pytestmark = needs_signals
NOW = datetime(2026, 11, 21, 21)
TALK = ("I planted tulips.", "How nice.", "Zebulon lost his job.", "That is hard for Zebulon.")
NOTES = ("The kettle is five years old.", "The kettle is blue.")
WISH = "wish"


def _open(home: Path) -> Memories:
    clock, rng = HandClock(NOW), Random(1)
    return open_memories(PersonaStore(Home(home), clock, rng), "Nemu", Settings, clock, rng)


def _wake(home: Path) -> tuple[Memories, Companion]:
    memories = _open(home)
    return memories, Companion(memories, Always(ScriptedMind()), memories.clock, Random(1))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of a persona who was told something."""
    home = tmp_path / "home"
    PersonaStore(Home(home), HandClock(NOW), Random(1)).create("Nemu", language="en", system_prompt="You are Nemu.")
    memories = _open(home)
    for number, text in enumerate(TALK):
        role, name = ("persona", "Nemu") if number % 2 else ("user", "Aoi")
        memories.log.append("persona" if number % 2 else "user", name, text, message_id=f"m{number}")
        if role == "user":
            memories.emotions.append(text, "sadness", message_id=f"m{number}", time=NOW)
    memories.emotions.roll()
    memories.close()
    return home


def _forget(home: Path) -> None:
    let_go(_open(home), WISH)


def _remembered(home: Path) -> tuple[list[str], list[str], list[str], str, list[str]]:
    with closing(_open(home)) as memories:
        return remembered(memories)


def test_forgetting_is_finished_by_the_next_start(home: Path, tmp_path: Path, kill: Kill) -> None:
    memories = _open(home)
    memories.log.append("user", "Aoi", "please forget what I just said", message_id=WISH)
    memories.notes.append("notepad", "Zebulon", author="Nemu", reason="asked", evidence=["m2"])
    memories.entities.note("Zebulon", "lost his job", author="dream", mind="m", evidence=["m2"])
    memories.close()
    prepare = copies(home, tmp_path)
    (whole,) = prepare()
    _forget(whole)
    wanted, before = _remembered(whole), _remembered(home)
    assert "Zebulon" not in str(wanted[:4])
    assert wanted[4] == [*TALK[2:]]
    for death in kill(_forget, prepare, whens=("before",), stride=5, ready=load_what_is_needed):
        (folder,) = death.given
        memories = _open(folder)
        take_up(memories)
        memories.close()
        assert _remembered(folder) in (wanted, before), death
        shutil.rmtree(folder)


def _allow(home: Path) -> None:
    memories = _open(home)
    decide(memories, waiting(memories)[0].held.id, allow=True)


def test_what_was_allowed_is_written_once_or_waits(home: Path, tmp_path: Path, kill: Kill) -> None:
    memories = _open(home)
    for text in NOTES:
        write = NoteWrite(note="notepad", edits=(Edit("", text),))
        writer = Writer(memories, memories.sheet(), "m", ("m2",))
        settle(sure(all_tools().named("edit_notepad")), write, writer=writer, carried=["knowledge/manual.txt"])
    memories.close()
    for death in kill(_allow, copies(home, tmp_path), whens=("before",), stride=2, ready=load_what_is_needed):
        (folder,) = death.given
        memories = _open(folder)
        waits = waiting(memories)
        written = memories.notes.read("notepad").text
        assert (len(waits), written) in ((2, ""), (1, f"{NOTES[0]}\n")), death
        for one in waits:
            decide(memories, one.held.id, allow=True, shown=sure(waiting(memories)[0].look).base)
        assert memories.notes.read("notepad").text == "".join(f"{text}\n" for text in NOTES), death
        assert waiting(memories) == []
        memories.close()
        shutil.rmtree(folder)


def _branch(home: Path) -> None:
    _, companion = _wake(home)
    companion.branch("m1")
    companion.close()


def _switch(home: Path) -> None:
    memories, companion = _wake(home)
    companion.switch_branch(FIRST if memories.log.current_branch() else memories.log.branches()[0].id)
    companion.close()


def _choose(home: Path) -> None:
    _, companion = _wake(home)
    companion.choose("m3", 0)
    companion.close()


def _told(home: Path) -> list[str]:
    """What the conversation says, once all that reads it has agreed on that."""
    memories, companion = _wake(home)
    companion.wake()
    companion.settle()
    told = [message.text for message in memories.log.tail(100)]
    assert [message.text for message in memories.log.messages()] == told
    assert {text for path, _, text, _ in contents(memories.recall) if path.startswith("log")} == {*told}
    assert_sound(memories.recall)
    felt = [entry.user_text_snippet for entry in memories.emotions.entries() if entry.user_text_snippet]
    assert {*felt} == {text for text in told if text in TALK[::2]}
    companion.close()
    return told


@pytest.mark.parametrize("work", one_quick([_branch, _switch, _choose]))
def test_all_agree_on_what_was_chosen(home: Path, tmp_path: Path, kill: Kill, work: Callable[[Path], None]) -> None:
    memories = _open(home)
    memories.log.answer_anew("m3", "Poor Zebulon.", mind="m")
    memories.recall.catch_up()
    memories.close()
    if work is _switch:
        _branch(home)
    prepare = copies(home, tmp_path)
    (whole,) = prepare()
    work(whole)
    before, wanted = _told(prepare()[0]), _told(whole)
    assert before != wanted
    for death in kill(work, prepare, whens=("before", "half"), stride=4, ready=load_what_is_needed):
        assert _told(death.given[0]) in (before, wanted), death
        shutil.rmtree(death.given[0])
