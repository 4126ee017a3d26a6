"""What the tests of the rooms share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from managers.storage.paths import Home
from tests.ui.rooms import House, open_house
from ui import dreams, heart


@pytest.fixture
def house(own_home: Home) -> Iterator[House]:
    """One persona at home."""
    house = open_house(own_home)
    yield house
    house.services.close()


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the rooms said to have done, in order."""
    told: list[str] = []
    for room in (dreams, heart):
        monkeypatch.setattr(room, "say_done", lambda sentence, _t: told.append(sentence))
    return told
