"""`dream`, `memories`, `archive` and `erase` as people script them."""

import json
from datetime import datetime
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
from tests.cli.test_commands import lines, run


def test_memories_are_listed_put_away_brought_back_and_kept_from_minds(home: Path) -> None:
    run("chat", "Hazel", "-m", "My sister Nora lives in Oslo. My cat Momo is ginger.")
    faded = home / "characters" / "Hazel" / "episodic_memory" / "2001-01-01.json"
    faded.parent.mkdir(exist_ok=True)
    faded.write_text(json.dumps({"date": "2001-01-01", "summary": "It rained.", "mind": "built-in"}), "utf-8")
    (home / "settings.toml").write_text("[memory]\nprune_interval = 1\n", "utf-8")
    run("dream", "Hazel")
    found = lines(run("memories", "Hazel", "--json"))
    assert {"day", "fact"} <= {one["type"] for one in found}
    assert all(0.1 <= one["confidence"] <= 1 and one["evidence"] for one in found if one["type"] == "fact")
    [put_away] = lines(run("archive", "Hazel", "--json"))
    assert (put_away["kind"], put_away["place"], put_away["why"]) == ("day", "2001-01-01", "pruned")
    assert not faded.exists()
    run("archive", "Hazel", "restore", put_away["id"])
    assert json.loads(faded.read_text("utf-8"))["summary"] == "It rained."
    run("archive", "Hazel", "restore", "ep_none", expect=1)

    fact = next(one for one in found if one["type"] == "fact")
    assert fact["audience"] == "any"
    [here] = lines(run("memories", "Hazel", fact["id"], "--audience", "this-computer", "--json"))
    assert (here["id"], here["audience"]) == (fact["id"], "this-computer")
    now = lines(run("memories", "Hazel", "--json"))
    assert {one["audience"] for one in now if set(one["evidence"]) & set(fact["evidence"])} == {"this-computer"}
    run("memories", "Hazel", fact["evidence"][0], "--audience", "this-computer")
    run("memories", "Hazel", fact["id"], "--audience", "any")
    assert "!" in run("memories", "Hazel", fact["id"]).stdout
    run("memories", "Hazel", fact["evidence"][0], "--audience", "any")
    assert {one["audience"] for one in lines(run("memories", "Hazel", "--json"))} == {"any"}
    [own] = lines(run("memories", "Hazel", fact["id"], "--audience", "this-persona", "--json"))
    assert (own["audience"], own["personas"]) == ("any", "this-persona")
    assert "=" in run("memories", "Hazel", fact["id"]).stdout
    run("memories", "Hazel", fact["id"], "--audience", "nobody", expect=1)
    run("memories", "Hazel", "f_none", "--audience", "any", expect=1)


def test_what_was_learned_about_helping_is_listed() -> None:
    run("chat", "Hazel", given="How do I care for a fern?\nThat was too long. Please keep it short!\n")
    found = lines(run("memories", "Hazel", "--type", "strategy", "--json"))
    assert [(one["type"], one["kind"]) for one in found] == [("strategy", "failure"), ("strategy", "decomposition")]
    assert (found[0]["pattern"], found[0]["severity"], len(found[0]["evidence"])) == ("too_long", 1, 3)
    told = run("memories", "Hazel", "--type", "strategy").stdout
    assert "too_long: Keep the answer short" in told
    assert "How do I care for a fern?" in told


def test_a_dream_that_is_asked_for_takes_today_in_quiet_hours_too(home: Path) -> None:
    hour = datetime.now().astimezone().hour
    home.mkdir()
    quiet = f"[sleep]\nquiet_start_hour = {hour}\nquiet_end_hour = {(hour + 3) % 24}\n"
    (home / "settings.toml").write_text(quiet, "utf-8")
    run("chat", "Hazel", "-m", "I am flying to Lisbon with my sister Rosa next Tuesday.")
    planned = lines(run("dream", "Hazel", "--dry-run", "--json"))[0]
    told = run("dream", "Hazel").stdout
    [day] = planned["days"]
    story = next(change["text"] for change in planned["changes"] if change["what"] == "episode")
    assert told.splitlines()[0] == day
    assert "Lisbon" in story
    assert told.index(story.splitlines()[0]) < told.index("Memories that changed (")
    assert "meta" not in told
    assert run("dream", "Hazel").stdout.strip() == "There was nothing new to dream of."


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
