"""A server, and a domain that may ask it."""

from collections.abc import Iterator

import pytest

from managers.domains.domain_store import DomainStore
from managers.storage.paths import Home
from tests.domains.feed_server import FeedServer
from tests.fakes import HandClock


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with FeedServer() as server:
        yield server


@pytest.fixture
def movie(own_home: Home, clock: HandClock) -> DomainStore:
    return DomainStore(own_home, "movie", clock)
