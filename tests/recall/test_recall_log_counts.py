"""How many memories each of the newest answers recalled."""

from datetime import datetime
from pathlib import Path

from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog


def reply(number: int) -> Message:
    return Message(f"m{number}", datetime(2026, 3, 1, 12, number), "persona", "ねむ", "うん")


def hits(count: int) -> list[Hit]:
    return [Hit("x", "current_log", "recent", "log.txt", ("a",), 0.5)] * count


def test_the_newest_answers_are_counted(tmp_path: Path) -> None:
    log = RecallLog(tmp_path / "memory" / "recall_log.jsonl")
    assert log.counts(5) == {}
    for number in range(4):
        log.append(reply(number), "海", hits(number))
    assert log.counts(3) == {"m1": 1, "m2": 2, "m3": 3}


def test_a_line_cut_by_a_crash_hides_no_other(tmp_path: Path) -> None:
    log = RecallLog(tmp_path / "memory" / "recall_log.jsonl")
    log.append(reply(1), "海", hits(2))
    with log.path.open("ab") as file:
        file.write(b'{"message_id": "m2", "reca')
    assert log.counts(5) == {"m1": 2}


def test_what_was_searched_for_an_answer_that_is_forgotten_is_kept_no_longer(tmp_path: Path) -> None:
    log = RecallLog(tmp_path / "memory" / "recall_log.jsonl")
    for number, query in enumerate(["m2 の海", "秘密", "山"], 1):
        log.append(reply(number), query, hits(number))
    log.drop({"m2"})
    assert log.counts(5) == {"m1": 1, "m3": 3}
    assert "秘密" not in log.path.read_text("utf-8")
    assert log.find("m1") is not None
