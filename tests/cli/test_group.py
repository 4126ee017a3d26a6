"""`group`: several personas on the command line, as people script it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_events_are_those_of_chat_each_reply_with_its_speaker(home: Path) -> None:
    received, *replies = lines(run("group", "Hazel", "ねむ", "--json", "-m", "Hello everyone, I am Aoi.", home=home))
    assert received["event"] == "received"
    assert [(one["event"], one["speaker"]) for one in replies] == [("reply", "Hazel"), ("reply", "ねむ")]
    assert set(replies[0]) >= {"event", "message_id", "text", "mind", "recalled", "elapsed_ms", "speaker"}
    for name in ("Hazel", "ねむ"):
        log = (home / "characters" / name / "log.txt").read_text("utf-8")
        assert all(one["message_id"] in log for one in (received, *replies))
    again = lines(run("group", "ねむ", "Hazel", "--json", "-m", "Hazel, how are you?", home=home))
    assert [one.get("speaker") for one in again] == [None, "Hazel"]


def test_a_conversation_on_standard_input_with_somebody_who_comes_and_goes(home: Path) -> None:
    run("personas", "create", "Third", "--language", "en", home=home)
    given = "Hazel, hello.\n/invite Third\nThird, hello.\n/leave Hazel\n/leave Nobody\nEveryone, good night.\n"
    done = run("group", "Hazel", "ねむ", home=home, given=given)
    spoken = [line.partition(":")[0] for line in done.stdout.splitlines() if ": " in line]
    assert spoken == ["Hazel", "Third", "ねむ", "Third"]
    assert '"Nobody" is not in this conversation.' in done.stderr
    assert "good night" not in (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Hazel"], "Choose 2 to 5 personas"),
        (["Hazel", "hazel"], "was named twice"),
        (["Hazel", "Nobody"], 'no persona "Nobody"'),
        (["Hazel", "a", "b", "c", "d", "e"], "Choose 2 to 5 personas"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(home: Path, names: list[str], said: str) -> None:
    done = run("group", *names, "-m", "Hello", home=home, expect=1)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (home / "groups.json").exists()


def test_a_guest_is_not_invited(home: Path) -> None:
    run("personas", "list", home=home)
    (home / "characters" / "Guest").mkdir()
    (home / "characters" / "Guest" / "persona.json").write_text("{}", "utf-8")
    assert "Guest" in run("group", "Hazel", "Guest", "-m", "Hello", home=home, expect=1).stderr
