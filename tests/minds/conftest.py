"""A scripted model server, and minds of both protocols behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.minds.talking import MakeMind, behind_gemini, behind_openai
from tests.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as playing:
        yield playing


@pytest.fixture(params=["openai", "gemini"])
def make(request: pytest.FixtureRequest) -> MakeMind:
    return behind_openai if request.param == "openai" else behind_gemini
