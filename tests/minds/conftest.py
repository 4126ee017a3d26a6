"""A scripted model server, and minds of each protocol behind it."""

from collections.abc import Iterator

import pytest

from tests.minds.talking import MakeMind, behind_claude, behind_gemini, behind_openai
from tests.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as playing:
        yield playing


MINDS: dict[str, MakeMind] = {"openai": behind_openai, "gemini": behind_gemini, "anthropic": behind_claude}


@pytest.fixture(params=MINDS)
def make(request: pytest.FixtureRequest) -> MakeMind:
    return MINDS[request.param]
