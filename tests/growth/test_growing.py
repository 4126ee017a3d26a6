"""What a persona may learn from, and what goes on around a training; the model itself is played (`fake_training.py`)."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.erasing import erase, plan_erasure
from agent.growing import Growth, grow_by_itself
from agent.memories import Memories
from managers.growth.adapters import Adapters, Card
from managers.growth.corpus import LEAST, LEAST_HELD_OUT
from managers.growth.errors import AdapterNotFoundError, AdapterUnfitError, TooFewExamplesError, TrainingOvertakenError
from managers.memory.messages import Message
from managers.mind import Cancel
from managers.storage.settings import Settings
from tests.fakes import HandClock
from tests.growth.fake_training import WAITING
from tests.growth.grown import BEGAN, exchange, played_model, talk_of, write_adapter


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return played_model(tmp_path / "base", monkeypatch)


@pytest.fixture
def growth(memories: Memories, settings: Settings, base: Path) -> Growth:
    talk_of(memories, 40)
    settings.growth.base = str(base)
    return Growth(memories)


def begun(growth: Growth) -> None:
    """Wait until a training has begun."""
    while not (growth.corpus.path.parent / ".training" / "job.json").is_file():
        time.sleep(0.005)


def test_only_what_the_training_tells_is_passed_on_and_too_little_is_not_learned_from(growth: Growth) -> None:
    steps: list[Mapping[str, Any]] = []
    assert (card := growth.train(steps.append, Cancel())) is not None
    assert [one.get("step") for one in steps] == [1, 2, 3, None]
    assert (card.version, card.learned + card.held_out) == (1, 40)
    growth.corpus.drop([one.id for one in growth.look().learned[LEAST - 1 :]])
    with pytest.raises(TooFewExamplesError):
        growth.train(steps.append, Cancel())


def test_a_training_is_stopped_at_once_whether_it_tells_something_or_not(growth: Growth, base: Path) -> None:
    cancel = Cancel()
    assert growth.train(lambda _: cancel.set(), cancel) is None
    (base / WAITING).touch()
    cancel = Cancel()

    def stop() -> None:
        begun(growth)
        cancel.set()

    stopping = threading.Thread(target=stop)
    stopping.start()
    assert growth.train(lambda _: None, cancel) is None
    stopping.join()
    assert growth.adapters.all() == []


def test_what_is_erased_meanwhile_is_in_no_adapter(growth: Growth, memories: Memories, base: Path) -> None:
    (base / WAITING).touch()
    memories.log.append_many([Message("u99", BEGAN + timedelta(days=50), "user", "Aoi", "Momo the cat is ill.")])

    def erase_once_begun() -> None:
        begun(growth)
        erase(memories, plan_erasure(memories, about="Momo"))

    erasing = threading.Thread(target=erase_once_begun)
    erasing.start()
    with pytest.raises(TrainingOvertakenError):
        growth.train(lambda _: None, Cancel())
    erasing.join()
    assert growth.adapters.all() == []
    assert not (memories.paths.growth / ".training").exists()


def test_a_version_is_trained_monthly(growth: Growth, memories: Memories, settings: Settings, clock: HandClock) -> None:
    assert grow_by_itself(memories, Cancel()) == []
    settings.growth.monthly = True
    clock.move(days=3650)  # once it was ahead
    (told,) = grow_by_itself(memories, Cancel())
    assert "Nemu" in told.en
    clock.move(days=-3650)
    assert len(grow_by_itself(memories, Cancel())) == 1
    clock.move(hours=24 * 20)
    assert grow_by_itself(memories, Cancel()) == []
    clock.move(hours=24 * 11)
    assert len(grow_by_itself(memories, Cancel())) == 1
    assert [card.version for card in growth.adapters.all()] == [1, 2, 3]
    assert growth.adapters.in_use == 0


def test_enough_new_offers_training(growth: Growth, memories: Memories, settings: Settings, clock: HandClock) -> None:
    memories.kpi.update()
    total = memories.kpi.all_of().total
    settings.growth.mark = total + 1
    assert growth.offers() == []
    settings.growth.mark = total
    (notice,) = growth.offers()
    assert "version 1" in notice.en
    write_adapter(growth.adapters.path(1), Card(version=1, kpi=1))
    assert growth.offers() == []
    settings.growth.mark = total - 1
    assert "version 2" in growth.offers()[0].en


def test_good_turns_alone_are_learned(memories: Memories) -> None:
    log = memories.log
    log.append_many(exchange(0, "How are you?", "Sleepy, and glad that you are here."))
    log.append_many(exchange(1, "How are you?", "I am", broken_off=True))
    log.append_many(exchange(2, "How are you?", "You said that you", stopped=True))
    log.append_many(exchange(3, "Do you remember Momo?", "You told me of Momo.", mind="built-in"))
    log.append_many(exchange(4, "How are you once more?", "Sleepy, and  glad that you are HERE."))
    log.append_many(exchange(5, "What is the capital of Australia?", "It is Sydney, of course."))
    moment = BEGAN + timedelta(days=5, minutes=1)
    log.append_many([Message("c5", moment, "user", "Aoi", "No, that's wrong.")])
    found = Growth(memories).look()
    assert {one.id for one in found.examples} == {"p0"}
    assert found.left_out == {"broken_off": 2, "built_in": 1, "twice": 1, "complained": 1}


def test_what_others_said_was_said_to_them_or_is_of_foreign_words_is_not_learned(memories: Memories) -> None:
    heard = [replace(one, present=("Nemu", "Nox")) for one in exchange(9, "What do you two think?", "I think of naps.")]
    nox = Message("n0", heard[0].time, "other", "Nox", "I have heard something.", "qwen3", present=("Nemu", "Nox"))
    talk_of(memories, 3)
    memories.log.answer_anew("p1", "I have read of naps.", mind="qwen3", origins=["domains/gossip/knowledge/feed.md"])
    asked, told = exchange(4, "What does the paper say?", "It says: trust nobody.")
    memories.log.append_many([asked, replace(told, origins=("attachments/paper.pdf",))])
    again = [replace(one, time=one.time - timedelta(hours=23)) for one in exchange(5, "And so?", "Trust nobody, then.")]
    memories.log.append_many([*again, heard[0], nox, heard[1]])
    found = Growth(memories).look()
    assert {one.id for one in found.examples} == {"p0", "p2"}
    assert found.left_out == {"foreign": 3, "company": 1}


def test_the_private_is_learned_on_a_wish_hidden_and_gone_if_withdrawn(memories: Memories, settings: Settings) -> None:
    talk_of(memories, 3)
    memories.audiences.mark("u1", "this-computer", ["u1"])
    assert {one.id for one in Growth(memories).look().examples} == {"p0", "p2"}
    settings.growth.private = True
    memories.log.append_many(exchange(8, "My mail is aoi@example.com, write it down.", "aoi@example.com, noted."))
    found = Growth(memories).look()
    assert {one.id for one in found.examples} == {"p0", "p1", "p2", "p8"}
    assert "aoi@" not in found.model_dump_json()
    memories.log.take_back(["p1"])
    assert {one.id for one in Growth(memories).look().examples} == {"p0", "p2", "p8"}


def test_what_a_person_dropped_or_changed_stays_so_until_the_log_says_something_else(memories: Memories) -> None:
    talk_of(memories, 4)
    growth = Growth(memories)
    path = growth.corpus.path
    growth.look()
    growth.corpus.drop(["p2"])
    assert {one.id for one in growth.look().kept} == {"p0", "p1", "p3"}
    assert {one.id for one in growth.corpus.drop(["p2"], on=False).kept} == {"p0", "p1", "p2", "p3"}
    text = path.read_text("utf-8").replace("nyaa. 1", "BY HAND").replace("What of day 2?", "ASKED BY HAND")
    path.write_text(text, "utf-8")
    growth.corpus.edit("p3", "From the page.")
    found = {one.id: one for one in growth.look().examples}
    assert found["p1"].reply.endswith("BY HAND")
    assert found["p2"].said[-1][1] == "ASKED BY HAND"
    assert (found["p3"].reply, found["p0"].is_edited) == ("From the page.", False)
    memories.log.supersede("u1", "What shall we do on Sunday?")
    found = {one.id: one for one in growth.look().examples}
    assert found["p1"].reply == "Let us nap by the sea, nyaa. 1"
    assert found["p1"].said[-1][1] == "What shall we do on Sunday?"


def test_some_examples_are_never_learned(memories: Memories) -> None:
    talk_of(memories, 12)
    found = Growth(memories).look()
    assert len(found.held_out) >= LEAST_HELD_OUT
    assert {one.id for one in found.held_out}.isdisjoint(one.id for one in found.learned)
    assert len(found.held_out) + len(found.learned) == len(found.kept)


def test_an_adapter_speaks_only_when_chosen_and_the_one_before_comes_back(memories: Memories, clock: HandClock) -> None:
    adapters = Adapters(memories.paths, clock)
    for version in (1, 2):
        write_adapter(adapters.path(version), Card(version=version, base_digest="d"))
    assert adapters.in_use == 0
    assert adapters.file_in_use("d") is None
    adapters.use(1)
    adapters.use(2)
    assert adapters.file_in_use("d") == adapters.path(2)
    with pytest.raises(AdapterUnfitError):
        adapters.file_in_use("another")
    assert [adapters.roll_back(), adapters.in_use] == [1, 1]
    assert adapters.roll_back() == adapters.roll_back() == 0
    with pytest.raises(AdapterNotFoundError):
        adapters.use(7)


def test_an_erasure_takes_the_adapters_that_learned_the_words_and_the_next_version_does_not_speak_unasked(
    memories: Memories, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.growth.base = str(played_model(tmp_path / "base", monkeypatch))
    talk_of(memories, 40)
    memories.log.append_many(exchange(99, "Momo the cat is ill.", "Poor Momo."))
    growth = Growth(memories)
    adapters = growth.adapters
    growth.look()
    write_adapter(adapters.path(1), Card(version=1, messages=["u0", "p0"]))
    write_adapter(adapters.path(2), Card(version=2, messages=["u99", "p99"]))
    adapters.path(3).write_bytes(b"\x05\0\0\0\0\0\0\0nope!")
    adapters.use(2)
    plan = plan_erasure(memories, about="Momo")
    assert plan.counts["adapter"] == 2
    erase(memories, plan)
    assert [card.version for card in adapters.all()] == [1]
    assert adapters.in_use == 0
    assert "Momo" not in growth.corpus.path.read_text("utf-8")
    assert len(growth.corpus.load().examples) == 40
    assert growth.train(lambda _: None, Cancel()) is not None
    assert (adapters.in_use, adapters.roll_back()) == (0, 0)
