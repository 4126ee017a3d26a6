"""What goes on around a training; the model itself is played (`fake_training.py`)."""

import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.erasing import erase, plan_erasure
from agent.growing import Growth, grow_by_itself
from agent.memories import Memories
from managers.growth.adapters import Card
from managers.growth.corpus import LEAST
from managers.growth.errors import TooFewExamplesError, TrainingOvertakenError
from managers.memory.messages import Message
from managers.mind import Cancel
from managers.storage.settings import Settings
from tests.fakes import HandClock
from tests.growth.fake_training import WAITING
from tests.growth.grown import BEGAN, played_model, talk_of, write_adapter


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


def test_each_month_another_version_is_trained_where_the_person_wants_it(
    growth: Growth, memories: Memories, settings: Settings, clock: HandClock
) -> None:
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
