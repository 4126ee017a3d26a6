import json
from datetime import datetime

from managers.memory.emotions import KEPT_DAYS, EmotionLog, snippet
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock


def test_file_has_the_specifications_shape(paths: PersonaPaths, clock: HandClock) -> None:
    log = EmotionLog(paths, clock)
    log.append("I am feeling very sad", "sadness", message_id="m1")
    clock.move(minutes=3)
    log.append("But I am trying to stay positive...", "joy", message_id="m2")
    log.roll()
    entries = json.loads(paths.emotion_log.read_text())
    assert [entry["emotion"] for entry in entries] == ["joy", "sadness"]
    assert entries[1]["user_text_snippet"] == "I am feeling very sad"
    assert entries[1]["timestamp"] == "2026-11-21T12:00:00"


def test_readings_are_there_before_and_after_folding(paths: PersonaPaths, clock: HandClock) -> None:
    log = EmotionLog(paths, clock)
    for number in range(5):
        log.append(f"message {number}", "neutral", message_id=f"m{number}")
        clock.move(hours=1)
    before = log.entries()
    log.roll()
    assert log.entries() == before
    assert [entry.message_id for entry in before] == ["m4", "m3", "m2", "m1", "m0"]


def test_a_short_log_is_kept_folded_and_a_long_one_is_not_rewritten_each_time(
    paths: PersonaPaths, clock: HandClock
) -> None:
    log = EmotionLog(paths, clock)
    log.settle()
    assert not paths.emotion_log.exists()
    for number in range(3):
        log.append(f"message {number}", "joy", message_id=f"m{number}")
        clock.move(minutes=1)
        log.settle()
        assert len(json.loads(paths.emotion_log.read_text())) == number + 1
        assert not (paths.memory / "emotion_log.new.jsonl").exists()
    for number in range(300):
        log.append(f"message {number}", "joy", message_id=f"n{number}")
        clock.move(minutes=1)
    log.roll()
    stamp = paths.emotion_log.stat().st_mtime_ns
    log.append("one more", "joy", message_id="new")
    log.settle()
    assert paths.emotion_log.stat().st_mtime_ns == stamp
    assert len(json.loads(paths.emotion_log.read_text())) == 303
    assert [entry.message_id for entry in log.recent(2)] == ["new", "n299"]


def test_months_that_have_passed_move_out_whole(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 1, 1))
    log = EmotionLog(paths, clock)
    for day in range(200):
        log.append(f"day {day}", "tired", message_id=f"d{day}")
        clock.move(days=1)
    moved = log.roll()
    kept = json.loads(paths.emotion_log.read_text())
    assert moved + len(kept) == 200
    assert KEPT_DAYS <= len(kept) <= KEPT_DAYS + 31
    assert (paths.memory / "emotion_log_2026-02.json").exists()
    assert len(log.entries(datetime(2026, 2, 1), datetime(2026, 3, 1))) == 28
    assert len(log.entries()) == 200


def test_a_roll_killed_between_its_files_doubles_nothing(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 1, 10))
    log = EmotionLog(paths, clock)
    log.append("old", "fear", message_id="old")
    clock.move(days=150)
    log.append("new", "joy", message_id="new")
    waiting = (paths.memory / "emotion_log.new.jsonl").read_bytes()
    log.roll()
    # As if the process had died after the month was written and before the readings left.
    (paths.memory / "emotion_log.new.jsonl").write_bytes(waiting)
    assert [entry.message_id for entry in log.entries()] == ["new", "old"]
    log.roll()
    assert [entry.message_id for entry in log.entries()] == ["new", "old"]


def test_the_beginning_of_a_message_ends_with_a_word() -> None:
    told = snippet("I don't see the point of going on. I sat in the bathroom and thought about ending it all.")
    assert told == "I don't see the point of going on. I sat in the bathroom and thought about…"
    assert snippet("あ" * 200) == "あ" * 79 + "…"


def test_a_broken_file_is_set_aside_and_what_waits_is_kept(paths: PersonaPaths, clock: HandClock) -> None:
    paths.memory.mkdir()
    paths.emotion_log.write_text("[{ broken")
    log = EmotionLog(paths, clock)
    log.append("hello", "happy", message_id="m1")
    assert [entry.message_id for entry in log.entries()] == ["m1"]
    assert log.take_notices()[0].code == "file-set-aside"
    assert next(paths.memory.glob("emotion_log.json.broken-*")).read_text() == "[{ broken"
