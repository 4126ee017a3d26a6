"""`memories` and `archive` as people script them."""

import json
from pathlib import Path

from tests.cli.test_commands import lines, run


def test_memories_are_listed_put_away_and_brought_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run("chat", "Hazel", "-m", "My sister Nora lives in Oslo. My cat Momo is ginger.", home=home)
    faded = home / "characters" / "Hazel" / "episodic_memory" / "2001-01-01.json"
    faded.parent.mkdir(exist_ok=True)
    faded.write_text(json.dumps({"date": "2001-01-01", "summary": "It rained.", "mind": "built-in"}), "utf-8")
    (home / "settings.toml").write_text("[memory]\nprune_interval = 1\n", "utf-8")
    run("dream", "Hazel", home=home)
    found = lines(run("memories", "Hazel", "--json", home=home))
    assert {"day", "fact"} <= {one["type"] for one in found}
    assert all(0.1 <= one["confidence"] <= 1 and one["evidence"] for one in found if one["type"] == "fact")
    [put_away] = lines(run("archive", "Hazel", "--json", home=home))
    assert (put_away["kind"], put_away["place"], put_away["why"]) == ("day", "2001-01-01", "pruned")
    assert not faded.exists()
    run("archive", "Hazel", "restore", put_away["id"], home=home)
    assert json.loads(faded.read_text("utf-8"))["summary"] == "It rained."
    run("archive", "Hazel", "restore", "ep_none", home=home, expect=1)


def test_which_minds_may_be_given_a_memory_is_said_by_its_id(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run("chat", "Hazel", "-m", "My sister Nora lives in Oslo.", home=home)
    run("dream", "Hazel", home=home)
    fact = next(one for one in lines(run("memories", "Hazel", "--json", home=home)) if one["type"] == "fact")
    assert fact["audience"] == "any"
    [here] = lines(run("memories", "Hazel", fact["id"], "--audience", "this-computer", "--json", home=home))
    assert (here["id"], here["audience"]) == (fact["id"], "this-computer")
    found = lines(run("memories", "Hazel", "--json", home=home))
    assert {one["audience"] for one in found if set(one["evidence"]) & set(fact["evidence"])} == {"this-computer"}
    run("memories", "Hazel", fact["evidence"][0], "--audience", "this-computer", home=home)
    run("memories", "Hazel", fact["id"], "--audience", "any", home=home)
    assert "!" in run("memories", "Hazel", fact["id"], home=home).stdout
    run("memories", "Hazel", fact["evidence"][0], "--audience", "any", home=home)
    assert {one["audience"] for one in lines(run("memories", "Hazel", "--json", home=home))} == {"any"}
    [own] = lines(run("memories", "Hazel", fact["id"], "--audience", "this-persona", "--json", home=home))
    assert (own["audience"], own["personas"]) == ("any", "this-persona")
    assert "=" in run("memories", "Hazel", fact["id"], home=home).stdout
    run("memories", "Hazel", fact["id"], "--audience", "any", home=home)
    run("memories", "Hazel", fact["id"], "--audience", "nobody", home=home, expect=1)
    run("memories", "Hazel", "f_none", "--audience", "any", home=home, expect=1)


def test_what_was_learned_about_helping_is_listed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run("chat", "Hazel", "-m", "How do I care for a fern?", home=home)
    run("chat", "Hazel", "-m", "That was too long. Please keep it short!", home=home)
    found = lines(run("memories", "Hazel", "--type", "strategy", "--json", home=home))
    assert [(one["type"], one["kind"]) for one in found] == [("strategy", "failure"), ("strategy", "decomposition")]
    assert (found[0]["pattern"], found[0]["severity"], len(found[0]["evidence"])) == ("too_long", 1, 3)
    told = run("memories", "Hazel", "--type", "strategy", home=home).stdout
    assert "too_long: Keep the answer short" in told
    assert "How do I care for a fern?" in told
