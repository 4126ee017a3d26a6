"""`usage` on the command line: sums for people and for scripts, and what was spent by a real turn."""

from pathlib import Path

from managers.storage.settings import SettingsFile
from tests.cli.test_commands import lines, run
from tests.model_server import ModelServer, Say


def test_what_a_turn_took_is_told_and_a_cap_stops_the_next(home: Path) -> None:
    with ModelServer(plays=("openai",)) as server:
        settings = SettingsFile(home / "settings.toml")
        settings.change("mind", provider="openai", base_url=server.base_url, model="test-model")
        settings.change("usage", prices={"test-model": [1.0, 10.0]}, persona_day_tokens=6_000)
        server.enqueue(Say("Hello there.", usage=(5_200, 40)))
        run("chat", "Hazel", "-m", "Hello")
        stopped = run("chat", "Hazel", "-m", "And now?", expect=1)
        assert "Hazel's cap for today (6,000 tokens)" in stopped.stderr
        assert len(server.chats) == 1
    told, cap = lines(run("usage", "Hazel", "--json"))
    assert (told["persona"], told["purpose"], told["model"]) == ("Hazel", "talk", "test-model")
    assert (told["input"], told["output"], told["cost"], told["currency"]) == (5_200, 40, 0.0056, "USD")
    assert cap == {"cap": "persona_day_tokens", "persona": "Hazel", "limit": 6_000, "spent": 5_240, "under_way": 0}
    said = run("usage", "--since", "2020-01-01").stdout
    assert "1 call  5,240 tokens  about 0.0056 USD" in said
