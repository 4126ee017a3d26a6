"""Minds of each protocol behind a scripted server."""

import pytest

from tests.minds.talking import MINDS, MakeMind
from tests.speeds import one_quick


@pytest.fixture(params=one_quick(MINDS))
def make(request: pytest.FixtureRequest) -> MakeMind:
    return MINDS[request.param]
