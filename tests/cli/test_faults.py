"""What goes wrong on a person's computer: each time one clear sentence, nothing lost, still usable."""

import contextlib
import shutil
import socket
from pathlib import Path

from tests.cli.test_commands import lines, run
from tests.disks import small_disk
from tests.model_server import HalfStream, ModelServer, Refuse, Say

KEY = "sk-not-to-be-told"
WITH_MODEL = """
[mind]
provider = "openai"
base_url = "{url}"
model = "small"
retries = 1
context_tokens = 32768
"""


def settle_on(server: ModelServer, home: Path) -> None:
    """Let the home use a model behind this server, with a key."""
    home.mkdir(0o700)
    (home / "settings.toml").write_text(WITH_MODEL.format(url=server.base_url), "utf-8")
    (home / "secrets.toml").write_text(f'[keys]\n"127.0.0.1:{server.port}" = "{KEY}"\n', "utf-8")


def test_a_model_that_fails_costs_no_word_and_half_an_answer_is_kept_and_marked(home: Path) -> None:
    with ModelServer() as server:
        settle_on(server, home)
        server.enqueue(Refuse(401, f"wrong key {KEY}"))
        done = run("chat", "Hazel", "--json", "-m", "Are you there?", expect=1)
        received, failed = lines(done)
        assert (received["event"], failed["event"], failed["error"]) == ("received", "failed", "WrongKeyError")
        assert failed["sentence"] == done.stderr.strip()
        assert KEY not in done.stdout + done.stderr
        server.enqueue(Say("I am here."), HalfStream("Once upon a time"))
        assert lines(run("chat", "Hazel", "--json", "-m", "And now?"))[-1]["text"] == "I am here."
        events = lines(run("chat", "Hazel", "--json", "-m", "A story", expect=1))
    assert [e["event"] for e in events] == ["received", "reply", "failed"]
    assert events[1]["broken_off"]
    assert "Once upon" in events[1]["text"]
    assert (home / "characters" / "Hazel" / "log.txt").read_text("utf-8").count("Are you there?") == 1


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "8m") as home:
        run("chat", "Hazel", "-m", "Before the disk was full", home=home)
        filler = home / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        log = home / "characters" / "Hazel" / "log.txt"
        before = log.read_bytes()
        # Opening the persona may free some derived files; a megabyte does not fit all the same.
        done = run("chat", "Hazel", "--json", home=home, given="y" * 1_000_000 + "\n")
        assert [line.get("error") for line in lines(done)] == ["DiskFullError"]
        assert log.read_bytes() == before
        filler.unlink()
        run("chat", "Hazel", "-m", "After", home=home)
        text = log.read_text("utf-8")
    assert [words in text for words in ("Before the disk was full", "After", "yyyy")] == [True, True, False]


def test_what_could_not_be_written_beside_the_talk_is_told_in_one_line(home: Path) -> None:
    run("chat", "Hazel", "-m", "My cat Momo likes tuna.")
    index = home / "characters" / "Hazel" / "rag_index"
    shutil.rmtree(index)
    index.touch()
    for words in (("chat", "-m", "Hello"), ("recall", "tuna"), ("dream", "--built-in", "--json")):
        (told,) = run(words[0], "Hazel", *words[1:]).stderr.splitlines()
        assert "index is behind" in told
        assert str(index) in told


def test_a_port_in_use_and_an_open_door_are_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in run("serve", "--port", port, "--no-browser", expect=1).stderr
    assert "password" in run("serve", "--host", "0.0.0.0", "--no-browser", expect=1).stderr.lower()
