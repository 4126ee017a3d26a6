"""The first meeting asks who it shall be, and nothing else; the talk begins at once."""

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES


@pytest.fixture
def visitor(services: Services, visitor: TestClient) -> TestClient:
    services.settings_file.change("page", onboarded=None)
    return visitor


def first_page(visitor: TestClient) -> Element:
    assert visitor.get("/").headers["location"] == "/welcome"
    return read(visitor.get("/welcome"))


def test_whoever_is_chosen_talks_at_once(services: Services, visitor: TestClient) -> None:
    for lang in LANGUAGES:
        visitor.headers["accept-language"] = lang
        page = first_page(visitor)
        assert page.texts(".person b") == services.personas.list_names()
        assert len(page.all("[checked]")) == 1
        assert {one.attributes["name"] for one in page.all("#welcome input")} == {"persona"}  # no word of a mind
    before = services.settings().mind
    assert press(visitor, page, "button.main", persona=NAME).url.path == f"/p/{NAME}/"
    assert (services.settings().page.onboarded, services.settings().mind) == (True, before)
    assert visitor.get("/").headers["location"] != "/welcome"


def test_somebody_new_is_made(services: Services, visitor: TestClient) -> None:
    assert press(visitor, first_page(visitor), 'button[name="make"]').url.path == "/new"
    services.settings_file.change("page", onboarded=None)
    for name in services.personas.list_names():
        services.personas.delete(name)
    page = first_page(visitor)  # where nobody lives there is no other way
    assert page.all(".people") == []
    assert press(visitor, page, "button.main").url.path == "/new"
    services.settings_file.path.write_text('[mind]\nprovider = "auto"\n\n[mind]\nmodel = "m"\n', "utf-8")
    there = visitor.get("/").headers["location"]  # a mistake in the settings is no first meeting, and is named
    assert not there.startswith("/welcome")
    assert "settings.toml" in read(visitor.get(there)).one("#notices").text
