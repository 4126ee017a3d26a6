"""What a persona would learn: looked through, changed, trained with a stop, and offered; the model itself is played."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.growing import Growth
from agent.services import Services
from managers.growth.adapters import Adapters, Card
from tests.growth.fake_training import WAITING
from tests.growth.grown import played_model, talk_of, write_adapter
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.server.addresses import address_of

ROOM = address_of(NAME, "persona")
HERE = f"{ROOM}/growth"


@pytest.fixture
def base(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model to learn with, and 40 days to learn from."""
    folder = played_model(tmp_path / "base", monkeypatch)
    services.settings_file.change("growth", base=str(folder))
    talk_of(services.memories(NAME), 40)
    return folder


def opened(visitor: TestClient, room: str = HERE) -> Element:
    return read(visitor.get(room))


def test_what_would_be_learned_is_shown_and_changed(services: Services, visitor: TestClient, base: Path) -> None:
    assert "What it would learn" in opened(visitor, ROOM).one("#growth").text
    press(visitor, opened(visitor), "#corpus button")
    page = opened(visitor)
    assert "Learned from: " in page.one("#corpus").text
    assert "nyaa. 39" in page.one("#examples").text
    press(visitor, page, "#example-p39 button")
    press(visitor, opened(visitor), "#example-p38 .fields button", reply="Rather a walk.\r\nOr a nap.")
    corpus = Growth(services.memories(NAME)).look()
    assert "p39" not in {one.id for one in corpus.kept}
    assert next(one.reply for one in corpus.examples if one.id == "p38") == "Rather a walk.\nOr a nap."
    page = opened(visitor)
    assert "left out by you: 1; changed by you: 1" in page.one("#corpus").text
    press(visitor, page, "#example-p39 button")
    press(visitor, opened(visitor), "#example-p38 .fields button", reply="")
    page = opened(visitor)
    assert "left out by you: 0; changed by you: 0" in page.one("#corpus").text
    assert "nyaa. 38" in page.one("#example-p38").text


@pytest.mark.slow
def test_a_training_is_stopped_and_comes_to_its_end(services: Services, visitor: TestClient, base: Path) -> None:
    (base / WAITING).touch()
    press(visitor, opened(visitor), "#training button.main")
    page = opened(visitor)
    assert page.one("#training").attributes["data-again"] == "2"
    assert "being loaded" in page.one("#training").text
    assert "is being trained already" in visitor.get(visitor.post(f"{HERE}/train").headers["location"]).text
    press(visitor, page, "#training button")
    services.trainings.settle()
    assert Growth(services.memories(NAME)).adapters.all() == []
    press(visitor, opened(visitor), "#training button.main")
    with services.away(NAME):  # it can be deleted while it learns
        assert not services.trainings.of(NAME).is_running
    (base / WAITING).unlink()
    press(visitor, opened(visitor), "#training button.main")
    services.trainings.settle()
    assert "Version 1 is there (loss 2.000 → 1.500)" in opened(visitor).one("#training").text
    shown = opened(visitor, ROOM).one("#growth").text
    assert "its own words / base model / adapter: 12 / 12 / 12 characters" in shown


def test_what_is_missing_is_said_and_why_a_training_failed(services: Services, visitor: TestClient, base: Path) -> None:
    services.settings_file.change("growth", base="")
    page = opened(visitor)
    assert "No model that learns has been chosen" in page.one("#training").text
    assert "disabled" in page.one("#training button.main").attributes
    services.settings_file.change("growth", base=str(base / "gone"))
    press(visitor, opened(visitor), "#training button.main")
    services.trainings.settle()
    assert "cannot be used as the base model" in opened(visitor).one("#training").text


def test_an_adapter_speaks_and_goes_back_in_one_press(services: Services, visitor: TestClient) -> None:
    adapters = Adapters(services.personas.get(NAME).paths, services.clock)
    assert "growth-title" not in visitor.get(ROOM).text  # who never trained anything is shown nothing
    for version in (1, 2):
        write_adapter(adapters.path(version), Card(version=version, loss_before=2.0, loss=1.5))
    for version in (1, 2):
        press(visitor, opened(visitor, ROOM), f"#growth button[value='{version}']")
        assert adapters.in_use == version
    assert "2.000 (base model) → 1.500" in opened(visitor, ROOM).one("#growth").text
    press(visitor, opened(visitor, ROOM), "#growth button[value='back']")
    assert adapters.in_use == 1
