"""Killed at any step of choosing, branching and going back, all that reads the conversation reads one and the same."""

import itertools
import shutil
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.memories import Memories, open_memories
from managers.memory.log.branches import FIRST
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always, ScriptedMind
from tests.crash import Death, kill_everywhere, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.recall.looking import assert_sound, contents

NOW = datetime(2026, 11, 21, 21)
TALK = ("I planted tulips.", "How nice.", "Zebulon lost his job.", "That is hard.")


def _open(home: Path) -> tuple[Memories, Companion]:
    clock, rng = HandClock(NOW), Random(1)
    memories = open_memories(PersonaStore(Home(home), clock, rng), "Nemu", Settings, clock, rng)
    return memories, Companion(memories, Always(ScriptedMind()), clock, rng)


def _branch(home: Path) -> None:
    _, companion = _open(home)
    companion.branch("m1")
    companion.close()


def _switch(home: Path) -> None:
    memories, companion = _open(home)
    companion.switch_branch(FIRST if memories.log.current_branch() else memories.log.branches()[0].id)
    companion.close()


def _choose(home: Path) -> None:
    _, companion = _open(home)
    companion.choose("m3", 0)
    companion.close()


def _told(home: Path) -> list[str]:
    """What the conversation says, once all that reads it has agreed on that."""
    memories, companion = _open(home)
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


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    PersonaStore(Home(home), HandClock(NOW), Random(1)).create("Nemu", language="en", system_prompt="You are Nemu.")
    memories, companion = _open(home)
    for number, text in enumerate(TALK):
        role, name = ("persona", "Nemu") if number % 2 else ("user", "Aoi")
        memories.log.append("persona" if number % 2 else "user", name, text, message_id=f"m{number}")
        if role == "user":
            memories.emotions.append(text, "sadness", message_id=f"m{number}", time=NOW)
    memories.log.answer_anew("m3", "Poor Zebulon.", mind="m")
    memories.recall.catch_up()
    companion.close()
    return home


@needs_signals
@pytest.mark.parametrize("work", [_branch, _switch, _choose])
def test_killed_at_any_step_everything_agrees(tmp_path: Path, home: Path, work: object) -> None:
    if work is _switch:
        _branch(home)
    numbers = itertools.count()

    def prepare() -> tuple[Path]:
        return (Path(shutil.copytree(home, tmp_path / str(next(numbers)))),)

    (whole,) = prepare()
    assert callable(work)
    work(whole)
    before, wanted = _told(prepare()[0]), _told(whole)
    assert before != wanted
    deaths: list[Death] = []
    for death in kill_everywhere(work, prepare, stride=2, ready=load_what_is_needed):
        deaths.append(death)
        assert _told(death.given[0]) in (before, wanted), death
        shutil.rmtree(death.given[0])
    assert len(deaths) > 6
