"""What the tests of the storage may ask for."""

import pytest

from managers.storage.files import write_atomic
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock


@pytest.fixture
def history(paths: PersonaPaths, clock: HandClock) -> History:
    write_atomic(paths.core_memory, "はじめ\n")
    history = History(paths, clock)
    history.begin(author="user", reason="created")
    return history
