"""`group`: several personas on the command line, as people script it."""

import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from managers.sessions.records import SessionRecord
from tests.cli.test_commands import ROOT, lines, run
from tests.redis_server import RedisServer


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


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Hazel"], "Choose 2 to 5 personas"),
        (["Hazel", "hazel"], "was named twice"),
        (["Hazel", "Nobody"], "nobody called “Nobody”"),
        (["Hazel", "a", "b", "c", "d", "e"], "Choose 2 to 5 personas"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(home: Path, names: list[str], said: str) -> None:
    done = run("group", *names, "-m", "Hello", expect=1)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (home / "groups.json").exists()


def test_a_guest_is_not_invited(home: Path) -> None:
    run("personas", "list")
    (home / "characters" / "Guest").mkdir()
    (home / "characters" / "Guest" / "persona.json").write_text("{}", "utf-8")
    assert "Guest" in run("group", "Hazel", "Guest", "-m", "Hello", expect=1).stderr


def test_a_conversation_is_ended_for_good_on_a_yes(home: Path) -> None:
    given = "Everyone, the plum stone is hidden."
    run("group", "Hazel", "ねむ", "-m", given)
    assert "of the last day" in run("doctor").stdout
    [file] = (home / "sessions" / "hot").glob("*.json")
    done = run("group", "ねむ", "Hazel", "--end", expect=1)
    assert "Nothing was changed" in done.stderr
    assert file.exists()
    ended = lines(run("group", "ねむ", "Hazel", "--end", "--yes", "--json"))
    assert ended == [{"ended": file.stem}]
    assert not file.exists()
    assert given in (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")
    assert "is not there" in run("group", file.stem, "--end", "--yes", expect=1).stderr


def test_the_doctor_names_a_session_whose_conversation_is_not_listed_and_it_is_ended_by_its_id(home: Path) -> None:
    run("group", "Hazel", "ねむ", "-m", "Everyone, the plum stone is hidden.")
    (home / "groups.json").unlink()
    [file] = (home / "sessions" / "hot").glob("*.json")
    done = run("doctor", "--json")
    [told] = [one for one in lines(done) if one["about"] == "sessions" and one["state"] == "warning"]
    assert file.stem in told["sentence"]
    run("group", file.stem, "--end", "--yes")
    assert not file.exists()
    assert not [
        one for one in lines(run("doctor", "--json")) if one["about"] == "sessions" and one["state"] != "ok"
    ]


def _said_by(stream: IO[str]) -> queue.Queue[str]:
    """Return the lines of a stream as they come; an empty one at its end."""
    found = queue.Queue[str]()

    def read() -> None:
        for line in stream:
            found.put(line)
        found.put("")

    threading.Thread(target=read, daemon=True).start()
    return found


def _wait_for(words: str, said: queue.Queue[str]) -> None:
    """Wait until a line has some words in it."""
    while words not in (line := said.get(timeout=120)):
        assert line, f"it ended without: {words}"


def test_a_redis_that_goes_and_comes_back_is_told_of_and_knows_all(home: Path, redis_server: RedisServer) -> None:
    import redis  # noqa: PLC0415  # an extra

    run("personas", "list")
    (home / "settings.toml").write_text(f'[sessions]\nredis_url = "{redis_server.url}"\n', "utf-8")
    environment = os.environ | {"UTATANE_LANG": "en", "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "app.py", "group", "Hazel", "ねむ", "--home", str(home)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8"
    ) as talk:
        assert talk.stdin is not None
        assert talk.stdout is not None
        assert talk.stderr is not None
        said, told = _said_by(talk.stdout), _said_by(talk.stderr)

        def say(words: str) -> None:
            assert talk.stdin is not None
            talk.stdin.write(f"Hazel, {words}\n")
            talk.stdin.flush()
            _wait_for("Hazel:", said)

        say("I saw a canoe.")
        redis_server.stop()
        say("I saw a kayak.")
        _wait_for("Redis cannot be reached", told)
        redis_server.start()  # with nothing in it
        for number in range(1000):  # it asks again after some seconds
            say(f"and raft {number}.")
            if not told.empty() and "Redis is back" in told.get():
                break
        else:
            pytest.fail("nobody said that Redis is back")
        talk.stdin.close()
        assert talk.wait() == 0
    with redis.Redis.from_url(redis_server.url) as client:
        [key] = client.keys()
        record = SessionRecord.model_validate_json(client.get(key))
    [file] = (home / "sessions" / "hot").glob("*.json")
    assert record == SessionRecord.model_validate_json(file.read_bytes())
    assert any("kayak" in turn.msg for turn in record.history)
