"""How many memories each of the newest answers recalled."""

from dataclasses import replace
from datetime import datetime

from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog
from managers.storage.paths import PersonaPaths


def reply(number: int) -> Message:
    return Message(f"m{number}", datetime(2026, 3, 1, 12, number), "persona", "ねむ", "うん")


def hits(count: int) -> list[Hit]:
    return [Hit("x", "current_log", "recent", "log.txt", ("a",), 0.5)] * count


def test_the_newest_answers_are_counted(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    assert log.counts(5) == {}
    for number in range(4):
        log.append(reply(number), "海", hits(number))
    assert log.counts(3) == {"m1": 1, "m2": 2, "m3": 3}


def test_a_line_cut_by_a_crash_hides_no_other(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    log.append(reply(1), "海", hits(2))
    with log.path.open("ab") as file:
        file.write(b'{"message_id": "m2", "reca')
    assert log.counts(5) == {"m1": 2}


def test_what_was_searched_for_an_answer_that_is_forgotten_is_kept_no_longer(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    for number, query in enumerate(["m2 の海", "秘密", "山"], 1):
        log.append(reply(number), query, hits(number))
    log.drop({"m2"})
    assert log.counts(5) == {"m1": 1, "m3": 3}
    assert "秘密" not in log.path.read_text("utf-8")
    assert log.find("m1") is not None


def test_what_an_old_answer_was_made_with_is_known_however_much_came_since(paths: PersonaPaths) -> None:
    """After a branch that parts long ago, the mind has old answers before its eyes again."""
    log = RecallLog(paths)
    log.append(reply(0), "海", hits(1), ["knowledge/sea.txt"])
    log.append(reply(1), "海", hits(1))
    for number in range(2, 50):
        log.append(reply(number), "海", hits(1), ["knowledge/hills.txt"])
    assert log.carried([reply(0), reply(1)]) == ["knowledge/sea.txt"]
    assert log.carried([reply(1)]) == []
    log.append(reply(1), "海", hits(1), ["knowledge/lake.txt"], time=datetime(2026, 3, 9))  # made anew since
    assert log.carried([reply(1)]) == ["knowledge/lake.txt"]
    assert log.carried([]) == []


def test_what_was_recalled_is_told_of_each_answer_in_a_place(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    log.append(reply(1), "海", hits(1))
    log.append(replace(reply(1), variant="r1"), "山", hits(2))
    assert [found and found[0] for found in (log.find("m1"), log.find("m1", "r1"), log.find("m1", "r2"))] == [
        "海",
        "山",
        None,
    ]
    assert log.counts(5) == {"m1": 1, "r1": 2}
    log.drop({"m1"})
    assert log.counts(5) == {}
