"""What the tests of the command line may ask for."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from managers.storage.paths import Home

Shown = pytest.CaptureFixture[str]
Told = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def home(own_home: Home) -> Path:
    return own_home.folder


@pytest.fixture
def told(capsys: Shown) -> Told:
    """Return what reads the lines of JSON that a command has written in this process."""
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]
