"""What was done is never reported as failed: an answer, a dream and an import stand when what follows them fails."""

import json
import logging
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agent.events import Noticed, Replied
from agent.minds.errors import QuotaError
from agent.sleeper import CompanionSleeper
from commands.line import run
from managers.memory.messages import Message
from managers.mind import Cancel
from managers.sleep.autonomy import Occasion
from managers.storage.edges import said, told
from managers.storage.errors import DiskFullError, DiskTroubleError, UnexpectedError
from managers.storage.paths import Home
from managers.storage.program_log import log_to_file
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import Scene
from tests.crash import full_disk
from tests.fakes import HandClock
from tests.ordinary import closed_to_all, ordinary_user
from tests.small_life import NOW, make_life, open_life


@pytest.mark.parametrize(
    "name",
    [
        "memory/emotion_log.new.jsonl",
        "memory/internal_state.json",
        "memory/recall_log.jsonl",
        "memory/emotion_log.json",
    ],
)
def test_an_answer_comes_though_what_follows_from_it_cannot_be_written(scene: Scene, name: str) -> None:
    scene.mind.enqueue("It is by the window.")
    path = scene.memories.paths.folder / name
    path.parent.mkdir()
    path.write_text("" if name.endswith("l") else "[]" if "log" in name else "{}", "utf-8")
    with closed_to_all(path):  # before the turn, whose threads are ordinary then
        events = list(scene.companion.say("Do you remember my red scarf?").events())
        scene.companion.settle()
    assert [event.message.text for event in events if isinstance(event, Replied)] == ["It is by the window."]
    told_of = [event.notice for event in events if isinstance(event, Noticed)]
    known = [*told_of, *scene.memories.gather_notices()]
    assert any(path.name in notice.en for notice in known)
    assert all(notice.ja and "unforeseen" not in notice.en for notice in known)


def test_an_answer_takes_the_place_of_the_old_one_with_one_write(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.mind.enqueue("The old answer.", "A new answer.")
    scene.live(scene.companion.say("How are you?"))
    log = scene.memories.log
    scene.live(scene.companion.regenerate())
    assert [message.text for message in log.tail(9)] == ["How are you?", "A new answer."]
    written = log.paths.log.stat().st_size
    with full_disk(monkeypatch, room=60), pytest.raises(DiskFullError):
        log.answer_anew(log.tail(1)[0].id, "A third answer.", mind="m")
    assert log.paths.log.stat().st_size == written
    assert [message.text for message in log.tail(9)] == ["How are you?", "A new answer."]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    return home


def test_a_dream_that_is_applied_is_told_though_the_index_cannot_follow(life: Path) -> None:
    with closing(open_life(life)) as memories:
        state = memories.paths.memory / "dream_state.json"
        days = [day.isoformat() for day in memories.log.days()[:-1]]
        state.write_text(json.dumps({"settled_days": days}), "utf-8")
        index = memories.paths.rag_index / "faiss_index_static"
        index.chmod(0o500)
        (index / "index.sqlite").chmod(0o400)
        try:
            with ordinary_user():
                sleeper = CompanionSleeper(memories, Always(ScriptedMind()), HandClock(NOW + timedelta(hours=6)))
                report = sleeper.dream(Cancel())
        finally:
            index.chmod(0o700)
            (index / "index.sqlite").chmod(0o600)
        assert report.entries
        assert "index-behind" in {notice.code for notice in report.notices}
        assert report.entries[0] in {entry.id for entry in memories.history.entries(5)}
        memories.recall.catch_up()
        assert "index-behind" not in {notice.code for notice in memories.recall.keep_up()}


def test_an_import_that_is_done_is_told_though_the_index_cannot_follow(
    own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"id": f"i{n}", "time": "2026-01-02T10:00:00", "role": "user", "speaker": "Emma", "text": f"Word {n}"}
        for n in range(3)
    ]
    file = tmp_path / "old.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert run(["import", "transcript", str(file), "--persona", "Hazel"]) == 0
    capsys.readouterr()
    file.write_text("\n".join(json.dumps(line | {"id": f"more-{line['id']}"}) for line in lines), "utf-8")
    with closed_to_all(*own_home.persona("Hazel").rag_index.iterdir()):
        assert run(["import", "transcript", str(file), "--persona", "Hazel", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["added"] == 3
    assert "The search index is behind" in err
    assert "unforeseen" not in err
    assert run(["recall", "Hazel", "Word", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert any(one["message_ids"] == ["more-i1"] for one in found["results"])


def test_a_program_log_that_cannot_be_written_leaves_the_terminal_alone(
    own_home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_home.folder / ".logs" / "utatane.log").mkdir(parents=True)
    log_to_file(own_home)
    hooks = threading.excepthook
    try:
        logging.getLogger("utatane").error("nobody can read this")
        thread = threading.Thread(target=lambda: 1 // 0)
        thread.start()
        thread.join()
    finally:
        threading.excepthook = hooks
    assert capsys.readouterr().err == ""


def test_what_the_disk_refuses_is_one_sentence_at_every_edge() -> None:
    assert isinstance(told(OSError(28, "No space left on device", "log.txt")), DiskFullError)
    assert isinstance(told(OSError(28, "No space left on device")), DiskFullError)
    refused = said(OSError(5, "Input/output error", "/home/a/goals.json"), "a test")
    assert isinstance(refused, DiskTroubleError)
    assert "goals.json" in refused.sentence("ja")
    assert isinstance(told(ConnectionResetError(104, "reset")), UnexpectedError)
    assert isinstance(told(ZeroDivisionError()), UnexpectedError)
    original = DiskFullError(path="a")
    assert told(original) is original


def test_where_the_model_has_no_impulse_the_built_in_mind_decides(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(occasion: Occasion) -> None:
        raise QuotaError(model="m")

    monkeypatch.setattr(scene.mind, "impulse", fail)
    sheet, now = scene.memories.sheet(), scene.clock.now()
    words = Message("m1", now, "user", "Aoi", "I went to Oslo with my sister.")
    sleeper = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    deed = sleeper._impulse(Occasion(sheet, "boredom", "", now, last_words=(words,)))
    assert deed is not None
    assert (deed.mind, "Oslo" in deed.text) == ("built-in", True)
