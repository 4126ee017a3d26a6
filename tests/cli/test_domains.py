"""`domains`, `growth` and `usage` as people type them: sources agreed to and fetched, versions that speak, what a turn cost."""

from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from agent.services import open_services
from commands.line import run as run_here
from managers.growth.adapters import Adapters, Card
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.cli.conftest import Shown, Told
from tests.cli.test_commands import lines, run
from tests.domains.feed_server import FeedServer, rss
from tests.domains.feed_server import Shown as Page
from tests.growth.grown import write_adapter
from tests.model_server import ModelServer, Say


@pytest.mark.slow
def test_a_domain_from_the_first_source_to_the_last(home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "rome.md").write_text("# Rome\nThe bakery of Trier had eleven ovens.", "utf-8")
    with FeedServer() as server:
        server.pages["/rss"] = Page(rss(("Mostar", "The bridge of Mostar was rebuilt in 2004.")))
        feed = f"{server.base}/rss"
        added = lines(run("domains", "add", "history", str(papers), feed, "--every", "daily", "--json"))
        assert [(one["kind"], one["agreed"]) for one in added] == [("folder", True), ("web", False)]
        (first,) = lines(run("domains", "fetch", "History", "--json", expect=1))
        assert (first["new"], list(first["failed"])) == (1, [feed])
        refused = run("domains", "fetch", "history", feed, "--yes", expect=1)
        assert "domains allow history 127.0.0.1" in refused.stderr
        assert server.asked == []
        run("domains", "allow", "history", "127.0.0.1")
        (second,) = lines(run("domains", "fetch", "history", "--json"))
        assert (second["new"], second["same"], second["failed"]) == (1, 1, {})
    (listed,) = lines(run("domains", "list", "--json"))
    assert (listed["domain"], listed["every"], listed["documents"]) == ("history", "daily", 2)
    assert "127.0.0.1" in run("audit", "kb:history").stdout
    assert "kb:history" in run("doctor").stdout
    (gone,) = lines(run("domains", "remove", "history", feed, "--json"))
    assert gone == {"removed": {"domain": "history", "documents": 1}}
    run("domains", "remove", "history", expect=1)  # nobody is there to say yes
    run("domains", "remove", "history", "--yes")
    assert not (home / "domains" / "history").exists()
    assert (papers / "rome.md").exists()
    assert "no shared knowledge" in run("domains", "fetch", "history", expect=1).stderr


NAME = "Hazel"


def test_versions_are_listed_with_their_style_used_and_rolled_back(own_home: Home) -> None:
    style = {"sentence_length": 12.0, "questions": 0.5, "ends_alike": 0.25}
    with closing(open_services(own_home)) as services:
        adapters = Adapters(services.memories(NAME).paths, services.clock)
        measured = {"own": style, "base": style | {"sentence_length": 40.0}, "adapter": style}
        write_adapter(adapters.path(1), Card(version=1, loss_before=3, loss=2))
        write_adapter(adapters.path(2), Card(version=2, parent=1, loss_before=3, loss=1.5, style=measured))
    assert lines(run("growth", NAME, "use", "1", "--json")) == [{"in_use": 1}]
    run("growth", NAME, "use", "2")
    listed = run("growth", NAME, "list").stdout
    assert "* 2: " in listed
    assert "12 / 40 / 12 characters a sentence" in listed
    assert [one["in_use"] for one in lines(run("growth", NAME, "list", "--json"))] == [False, True]
    assert lines(run("growth", NAME, "rollback", "--json")) == [{"in_use": 1}]
    assert "no version 7" in run("growth", NAME, "use", "7", expect=1).stderr
    assert "growth" in run("growth", NAME, "forget", expect=1).stderr


def test_a_turn_is_told_and_capped(own_home: Home, told: Told, capsys: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime(2026, 11, 21, 12))  # no midnight between the two turns
    with ModelServer(plays=("openai",)) as server:
        settings = SettingsFile(own_home.settings)
        settings.change("mind", provider="openai", base_url=server.base_url, model="test-model")
        settings.change("usage", prices={"test-model": [1.0, 10.0]}, persona_day_tokens=6_000)
        server.enqueue(Say("Hello there.", usage=(5_200, 40)))
        assert run_here(["chat", "Hazel", "-m", "Hello"]) == 0
        assert run_here(["chat", "Hazel", "-m", "And now?"]) == 1
        assert "Hazel's cap for today (6,000 tokens)" in capsys.readouterr().err
        assert len(server.chats) == 1
    assert run_here(["usage", "Hazel", "--json"]) == 0
    spent, cap = told()
    assert (spent["persona"], spent["purpose"], spent["model"]) == ("Hazel", "talk", "test-model")
    assert (spent["input"], spent["output"], spent["cost"], spent["currency"]) == (5_200, 40, 0.0056, "USD")
    assert cap == {"cap": "persona_day_tokens", "persona": "Hazel", "limit": 6_000, "spent": 5_240, "under_way": 0}
    assert run_here(["usage", "--since", "2020-01-01"]) == 0
    assert "1 call  5,240 tokens  about 0.0056 USD" in capsys.readouterr().out
