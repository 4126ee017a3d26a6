"""`erase`: shown first, destroyed on a yes, told in both languages."""

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
from tests.cli.conftest import Shown, Told

MESSAGE = "20260102T220000-7k2m9qx4"


def test_shown_and_gone_on_a_yes(own_home: Home, told: Told, capsys: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rng = SystemClock(), Random(1)
    paths = PersonaStore(own_home, clock, rng).create("Hazel", language="en", user_name="Sam").paths
    ConversationLog(paths, clock, rng).append("user", "Sam", "Zebulon lost his job.", message_id=MESSAGE)
    history = History(paths, clock)
    store = EntityStore(paths, clock, history.change)
    store.note("Zebulon", "lost his job", author="dream", mind="m", evidence=[MESSAGE])
    history.close()
    card: Path = store.path("Zebulon")

    assert line.run(["erase", "Hazel", "--about", "Zebulon", "--preview", "--json"]) == 0
    assert {"takes": "message", "file": "log.txt", "text": "Zebulon lost his job."} in told()
    assert line.run(["erase", "Hazel", MESSAGE]) == 1
    shown = capsys.readouterr()
    assert "Zebulon lost his job." in shown.out
    assert "--yes" in shown.err
    monkeypatch.setenv("UTATANE_LANG", "ja")
    assert line.run(["erase", "Hazel"]) == 1  # one thing has to be named
    assert line.run(["erase", "Hazel", MESSAGE, "--about", "Zebulon"]) == 1
    assert "`--about 名前`" in capsys.readouterr().err
    assert card.exists()
    monkeypatch.setenv("UTATANE_LANG", "en")
    assert line.run(["erase", "Hazel", "--about", "zebulon", "--yes"]) == 0
    assert "messages: 1" in capsys.readouterr().out
    assert not card.exists()
    assert "Zebulon" not in paths.log.read_text("utf-8")
    assert line.run(["erase", "Hazel", "--about", "Zebulon", "--yes"]) == 1
    assert "nothing was erased" in capsys.readouterr().err
