"""`usage` on the command line: sums for people and for scripts, and what was spent by a real turn."""

from datetime import datetime

import pytest

from commands.line import run
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.cli.conftest import Shown, Told
from tests.model_server import ModelServer, Say


def test_a_turn_is_told_and_capped(own_home: Home, told: Told, capsys: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime(2026, 11, 21, 12))  # no midnight between the two turns
    with ModelServer(plays=("openai",)) as server:
        settings = SettingsFile(own_home.settings)
        settings.change("mind", provider="openai", base_url=server.base_url, model="test-model")
        settings.change("usage", prices={"test-model": [1.0, 10.0]}, persona_day_tokens=6_000)
        server.enqueue(Say("Hello there.", usage=(5_200, 40)))
        assert run(["chat", "Hazel", "-m", "Hello"]) == 0
        assert run(["chat", "Hazel", "-m", "And now?"]) == 1
        assert "Hazel's cap for today (6,000 tokens)" in capsys.readouterr().err
        assert len(server.chats) == 1
    assert run(["usage", "Hazel", "--json"]) == 0
    spent, cap = told()
    assert (spent["persona"], spent["purpose"], spent["model"]) == ("Hazel", "talk", "test-model")
    assert (spent["input"], spent["output"], spent["cost"], spent["currency"]) == (5_200, 40, 0.0056, "USD")
    assert cap == {"cap": "persona_day_tokens", "persona": "Hazel", "limit": 6_000, "spent": 5_240, "under_way": 0}
    assert run(["usage", "--since", "2020-01-01"]) == 0
    assert "1 call  5,240 tokens  about 0.0056 USD" in capsys.readouterr().out
