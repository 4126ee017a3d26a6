"""`growth` as people type it: what would be learned, what stands in the way of a training, and which version speaks."""

from contextlib import closing

from agent.services import open_services
from managers.growth.adapters import Adapters, Card
from managers.storage.paths import Home
from tests.cli.test_commands import lines, run
from tests.growth.grown import talk_of, write_adapter

NAME = "Hazel"


def test_what_would_be_learned_is_told_in_brief_and_answers_are_left_out(own_home: Home) -> None:
    with closing(open_services(own_home)) as services:
        memories = services.memories(NAME)
        talk_of(memories, 30)
        memories.kpi.update()
    whole = run("growth", NAME, "corpus", "--drop", "p2", "--drop", "p3").stdout
    assert "From 2026-11-01 to 2026-11-30" in whole
    assert "left out by you: 2" in whole
    assert "p2 " not in whole
    told = lines(run("growth", NAME, "corpus", "--json"))
    assert [one["id"] for one in told if one["dropped"]] == ["p2", "p3"]
    assert "no adapter yet" in run("growth", NAME).stdout
    refused = run("growth", NAME, "train", expect=1).stderr
    assert "EXTRAS=growth" in refused or "none has been chosen yet" in refused  # with the extra, a model is lacking


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
