"""What the tests of other programs may ask for."""

import itertools
from collections.abc import Iterator

import pytest

from tests.ui.rooms import House
from tests.ui.server.programs import Served, home_served, new_house

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests of a file, with the way of its name (`test_mcp.py`) open; each asks somebody else."""
    way = request.path.stem.removeprefix("test_")
    with home_served(tmp_path_factory.mktemp("home"), **{way: True}) as running:
        yield running


@pytest.fixture
def house(served: Served) -> Iterator[House]:
    with new_house(served, f"ひと{next(_NUMBERS)}") as house:
        yield house
