"""Killed at any step of forgetting, the next start finishes it: the same words go, and no others."""

import itertools
import shutil
from datetime import datetime
from pathlib import Path
from random import Random

from agent.forgetting import let_go, take_up
from agent.memories import Memories, open_memories
from managers.memory.forgotten import forgotten_words
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.crash import kill_everywhere, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed

WISH = "wish"


def _open(home: Path) -> Memories:
    clock, rng = HandClock(datetime(2026, 11, 21, 21)), Random(1)
    return open_memories(PersonaStore(Home(home), clock, rng), "Nemu", Settings, clock, rng)


def _forget(home: Path) -> None:
    let_go(_open(home), WISH)


def _found(home: Path) -> tuple[list[str], str, list[str], list[str], list[str]]:
    memories = _open(home)
    heard = [message.text for message in memories.log.tail(100)]
    facts = [fact.text for entity in memories.entities.all() for fact in entity.facts]
    felt = [entry.user_text_snippet for entry in memories.emotions.entries()]
    gone = [message.text for one in forgotten_words(memories.log) for message in one.messages]
    notes = memories.notes.read("notepad").text
    memories.close()
    return heard, notes, facts, felt, gone


@needs_signals
def test_killed_at_any_step_it_is_finished_by_the_next(tmp_path: Path) -> None:
    home = tmp_path / "home"
    PersonaStore(Home(home), HandClock(), Random(1)).create("Nemu", language="en", system_prompt="You are Nemu.")
    memories = _open(home)
    for key, role, text in (
        ("a", "user", "I planted tulips."),
        ("b", "persona", "How nice."),
        ("c", "user", "Zebulon lost his job."),
        ("d", "persona", "That is hard for Zebulon."),
        (WISH, "user", "please forget what I just said"),
    ):
        memories.log.append("user" if role == "user" else "persona", role, text, message_id=key)
        if role == "user":
            memories.emotions.append(text, "neutral", message_id=key)
    memories.emotions.roll()
    memories.notes.append("notepad", "Zebulon", author="Nemu", reason="asked", evidence=["c"])
    memories.entities.note("Zebulon", "lost his job", author="dream", mind="m", evidence=["c"])
    memories.close()
    numbers = itertools.count()

    def prepare() -> tuple[Path]:
        return (Path(shutil.copytree(home, tmp_path / str(next(numbers)))),)

    (whole,) = prepare()
    _forget(whole)
    wanted = _found(whole)
    assert "Zebulon" not in str(wanted[:4])
    assert wanted[4] == ["Zebulon lost his job.", "That is hard for Zebulon."]
    before = _found(home)
    for death in kill_everywhere(_forget, prepare, whens=("before",), stride=5, ready=load_what_is_needed):
        (folder,) = death.given
        memories = _open(folder)
        take_up(memories)
        memories.close()
        assert _found(folder) in (wanted, before), death
        shutil.rmtree(folder)
