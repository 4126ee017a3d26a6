"""`group`: several personas on the command line, as people script it."""

from pathlib import Path

from tests.cli.test_commands import lines, run


def test_events_are_those_of_chat_each_reply_with_its_speaker(home: Path) -> None:
    received, *replies = lines(run("group", "Hazel", "ねむ", "--json", "-m", "Hello everyone, I am Aoi."))
    assert received["event"] == "received"
    assert [(one["event"], one["speaker"]) for one in replies] == [("reply", "Hazel"), ("reply", "ねむ")]
    assert set(replies[0]) >= {"event", "message_id", "text", "mind", "recalled", "elapsed_ms", "speaker"}
    for name in ("Hazel", "ねむ"):
        log = (home / "characters" / name / "log.txt").read_text("utf-8")
        assert all(one["message_id"] in log for one in (received, *replies))
    again = lines(run("group", "ねむ", "Hazel", "--json", "-m", "Hazel, how are you?"))
    assert [one.get("speaker") for one in again] == [None, "Hazel"]


def test_a_conversation_on_standard_input_with_somebody_who_comes_and_goes(home: Path) -> None:
    run("personas", "create", "Third", "--language", "en")
    given = "Hazel, hello.\n/invite Third\nThird, hello.\n/leave Hazel\n/leave Nobody\nEveryone, good night.\n"
    done = run("group", "Hazel", "ねむ", given=given)
    spoken = [line.partition(":")[0] for line in done.stdout.splitlines() if ": " in line]
    assert spoken == ["Hazel", "Third", "ねむ", "Third"]
    assert '"Nobody" is not in this conversation.' in done.stderr
    assert "good night" not in (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")


def test_what_cannot_be_is_said_in_one_sentence(home: Path) -> None:
    run("personas", "list")
    (home / "characters" / "Guest").mkdir()
    (home / "characters" / "Guest" / "persona.json").write_text("{}", "utf-8")
    for names, said in (
        (["Hazel"], "Choose 2 to 5 personas"),
        (["Hazel", "hazel"], "was named twice"),
        (["Hazel", "Nobody"], "nobody called “Nobody”"),
        (["Hazel", "Guest"], "Guest"),
    ):
        done = run("group", *names, "-m", "Hello", expect=1)
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (home / "groups.json").exists()


def test_a_conversation_is_ended_for_good_on_a_yes(home: Path) -> None:
    given = "Everyone, the plum stone is hidden."
    run("group", "Hazel", "ねむ", "-m", given)
    assert "of the last day" in run("doctor").stdout
    [file] = (home / "sessions" / "hot").glob("*.json")
    assert "Nothing was changed" in run("group", "ねむ", "Hazel", "--end", expect=1).stderr
    assert file.exists()
    (home / "groups.json").unlink()  # it is not listed any more: the doctor names its id, and by that it is ended
    about = [one for one in lines(run("doctor", "--json")) if one["about"] == "sessions" and one["state"] == "warning"]
    assert [file.stem in one["sentence"] for one in about] == [True]
    assert lines(run("group", file.stem, "--end", "--yes", "--json")) == [{"ended": file.stem}]
    assert not file.exists()
    assert given in (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")
    assert "is not there" in run("group", file.stem, "--end", "--yes", expect=1).stderr
