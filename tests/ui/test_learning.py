"""What a persona would learn: looked through, changed, trained with a stop, and offered; the model itself is played."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.growing import Growth
from agent.services import Services
from tests.growth.fake_training import WAITING
from tests.growth.grown import played_model, talk_of
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

ROOM = address_of(NAME, "persona")
HERE = f"{ROOM}/growth"


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "en"
    return visitor


@pytest.fixture
def base(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model to learn with, and 40 days to learn from."""
    folder = played_model(tmp_path / "base", monkeypatch)
    services.settings_file.change("growth", base=str(folder))
    talk_of(services.memories(NAME), 40)
    return folder


def opened(visitor: TestClient) -> Element:
    return read(visitor.get(HERE))


def test_what_would_be_learned_is_shown_left_out_and_changed(
    services: Services, visitor: TestClient, base: Path
) -> None:
    assert "What it would learn" in read(visitor.get(ROOM)).one("#growth").text
    press(visitor, opened(visitor), "#corpus button")
    page = opened(visitor)
    assert "Learned from: " in page.one("#corpus").text
    assert "nyaa. 39" in page.one("#examples").text
    press(visitor, page, "#example-p39 button")
    page = opened(visitor)
    press(visitor, page, "#example-p38 .fields button", reply="Rather a walk.\r\nOr a nap.")
    corpus = Growth(services.memories(NAME)).look()
    assert "p39" not in {one.id for one in corpus.kept}
    assert next(one.reply for one in corpus.examples if one.id == "p38") == "Rather a walk.\nOr a nap."
    page = opened(visitor)
    assert "left out by you: 1; changed by you: 1" in page.one("#corpus").text
    press(visitor, page, "#example-p39 button")
    press(visitor, opened(visitor), "#example-p38 .fields button", reply="")
    assert "left out by you: 0; changed by you: 0" in opened(visitor).one("#corpus").text
    assert "nyaa. 38" in opened(visitor).one("#example-p38").text


def test_a_training_goes_on_beside_the_page_is_stopped_and_comes_to_its_end(
    services: Services, visitor: TestClient, base: Path
) -> None:
    (base / WAITING).touch()
    press(visitor, opened(visitor), "#training button.main")
    page = opened(visitor)
    assert page.one("#training").attributes["data-again"] == "2"
    assert "being loaded" in page.one("#training").text
    again = visitor.get(visitor.post(f"{HERE}/train").headers["location"])
    assert "is being trained already" in again.text
    press(visitor, page, "#training button")
    services.trainings.settle()
    assert Growth(services.memories(NAME)).adapters.all() == []
    (base / WAITING).unlink()
    press(visitor, opened(visitor), "#training button.main")
    services.trainings.settle()
    assert "Version 1 is there (loss 2.000 → 1.500)" in opened(visitor).one("#training").text
    shown = read(visitor.get(ROOM)).one("#growth").text
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


def test_the_page_offers_a_training_once_enough_has_come_together(
    services: Services, visitor: TestClient, base: Path
) -> None:
    offer = "Enough has come together with"
    assert offer not in visitor.get(ROOM).text
    services.settings_file.change("growth", mark=10)
    services.memories(NAME).kpi.update()
    assert offer in read(visitor.get(ROOM)).one("#notices").text


def test_a_persona_that_learns_can_be_deleted(services: Services, visitor: TestClient, base: Path) -> None:
    (base / WAITING).touch()
    press(visitor, opened(visitor), "#training button.main")
    with services.away(NAME):
        assert not services.trainings.of(NAME).is_running
