"""`erase`: shown first, destroyed on a yes, told in both languages."""

import json
from pathlib import Path
from random import Random

import pytest

from commands import line
from managers.memory.entity_store import EntityStore
from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.history import History
from managers.storage.paths import Home

MESSAGE = "20260102T220000-7k2m9qx4"


@pytest.fixture
def home(own_home: Home) -> Path:
    clock, rng = SystemClock(), Random(1)
    paths = PersonaStore(own_home, clock, rng).create("Hazel", language="en", user_name="Sam").paths
    ConversationLog(paths, clock, rng).append("user", "Sam", "Zebulon lost his job.", message_id=MESSAGE)
    history = History(paths, clock)
    EntityStore(paths, clock, history.change).note(
        "Zebulon", "lost his job", author="dream", mind="m", evidence=[MESSAGE]
    )
    history.close()
    return own_home.folder


def _card(home: Path) -> Path:
    return home / "characters" / "Hazel" / "entity_memory" / "Zebulon.md"


def test_a_preview_tells_and_erases_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert line.run(["erase", "Hazel", "--about", "Zebulon", "--preview", "--json"]) == 0
    shown = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    assert {"takes": "message", "file": "log.txt", "text": "Zebulon lost his job."} in shown
    assert _card(home).exists()


def test_without_a_yes_nothing_is_erased(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert line.run(["erase", "Hazel", MESSAGE]) == 1
    told = capsys.readouterr()
    assert "Zebulon lost his job." in told.out
    assert "--yes" in told.err
    assert _card(home).exists()


def test_with_a_yes_it_is_gone_and_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert line.run(["erase", "Hazel", "--about", "zebulon", "--yes"]) == 0
    assert "messages: 1" in capsys.readouterr().out
    assert not _card(home).exists()
    assert "Zebulon" not in (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")
    assert line.run(["erase", "Hazel", "--about", "Zebulon", "--yes"]) == 1
    assert "nothing was erased" in capsys.readouterr().err


def test_one_thing_has_to_be_named(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UTATANE_LANG", "ja")
    assert line.run(["erase", "Hazel"]) == 1
    assert line.run(["erase", "Hazel", MESSAGE, "--about", "Zebulon"]) == 1
    assert "`--about 名前`" in capsys.readouterr().err
    assert _card(home).exists()
