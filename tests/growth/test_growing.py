"""What goes on around a training; the model itself is played (`fake_training.py`)."""

import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.erasing import erase, plan_erasure
from agent.growing import Growth, grow_by_itself
from agent.memories import Memories
from managers.growth.adapters import Card
from managers.growth.errors import TrainingOvertakenError
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


def test_only_what_the_training_tells_is_passed_on(growth: Growth) -> None:
    steps: list[Mapping[str, Any]] = []
    card = growth.train(steps.append, Cancel())
    assert card is not None
    assert [one.get("step") for one in steps] == [1, 2, 3, None]
    assert (card.version, card.learned + card.held_out) == (1, 40)


def test_a_training_that_tells_nothing_yet_is_stopped_at_once(growth: Growth, base: Path) -> None:
    (base / WAITING).touch()
    cancel = Cancel()
    threading.Timer(0.3, cancel.set).start()
    assert growth.train(lambda _: None, cancel) is None
    assert growth.adapters.all() == []


def test_what_is_erased_meanwhile_is_in_no_adapter(growth: Growth, memories: Memories, base: Path) -> None:
    (base / WAITING).touch()
    memories.log.append_many([Message("u99", BEGAN + timedelta(days=50), "user", "Aoi", "Momo the cat is ill.")])
    begun = memories.paths.growth / ".training" / "job.json"

    def erase_once_begun() -> None:
        while not begun.is_file():
            pass
        erase(memories, plan_erasure(memories, about="Momo"))

    erasing = threading.Thread(target=erase_once_begun)
    erasing.start()
    with pytest.raises(TrainingOvertakenError):
        growth.train(lambda _: None, Cancel())
    erasing.join()
    assert growth.adapters.all() == []
    assert not begun.parent.exists()


def test_another_training_is_offered_when_enough_has_come_together(
    growth: Growth, memories: Memories, settings: Settings, clock: HandClock
) -> None:
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
    settings.growth.base = ""
    assert growth.offers() == []


def test_a_night_says_nothing_where_growth_is_not_set_up(memories: Memories, settings: Settings) -> None:
    talk_of(memories, 40)
    settings.growth.monthly = True
    assert grow_by_itself(memories, Cancel()) == []


def test_a_card_tells_what_is_in_a_corpus(growth: Growth, memories: Memories) -> None:
    memories.log.append_many(
        [
            Message("u98", BEGAN + timedelta(days=60), "user", "Aoi", "Our garden has a walnut tree, mail aoi@example.com."),
            Message("p98", BEGAN + timedelta(days=60), "persona", "Nemu", "A walnut tree, how lovely.", "qwen3"),
        ]
    )  # fmt: skip
    growth.look()
    growth.corpus.drop(["p3"])
    growth.corpus.edit("p4", "Something else.")
    card = growth.card(growth.corpus.load())
    assert (card.since, card.until) == (BEGAN.date(), (BEGAN + timedelta(days=60)).date())
    assert (card.dropped, card.edited, card.learned + card.held_out) == (1, 1, 40)
    assert card.masked == {"EMAIL": 1}
    assert card.topics["walnut tree"] == 1
