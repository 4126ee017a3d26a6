"""A scripted model server, and minds of each protocol behind it."""

from collections.abc import Iterator

import pytest

from tests.minds.talking import MINDS, MakeMind
from tests.model_server import ModelServer
from tests.speeds import one_quick


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as playing:
        yield playing


@pytest.fixture(params=one_quick(MINDS))
def make(request: pytest.FixtureRequest) -> MakeMind:
    return MINDS[request.param]
