"""What each answer recalled, as it is recorded; and the search for a phrase: the two newest and the two oldest that hold it."""

import json
import re
from dataclasses import replace
from datetime import datetime

import pytest

from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog
from managers.storage.paths import CHECKOUT, PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk, texts


def reply(number: int) -> Message:
    return Message(f"m{number}", datetime(2026, 3, 1, 12, number), "persona", "ねむ", "うん")


def hits(count: int) -> list[Hit]:
    return [Hit("x", "current_log", "recent", "log.txt", ("a",), 0.5)] * count


def test_the_newest_answers_are_counted_and_a_line_cut_by_a_crash_hides_no_other(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    assert log.counts(5) == {}
    for number in range(4):
        log.append(reply(number), "海", hits(number))
    assert log.counts(3) == {"m1": 1, "m2": 2, "m3": 3}
    with log.path.open("ab") as file:
        file.write(b'{"message_id": "m9", "reca')
    assert log.counts(5) == {"m0": 0, "m1": 1, "m2": 2, "m3": 3}


def test_what_was_searched_for_an_answer_that_is_forgotten_is_kept_no_longer(paths: PersonaPaths) -> None:
    log = RecallLog(paths)
    for number, query in enumerate(["m2 の海", "秘密", "山"], 1):
        log.append(reply(number), query, hits(number))
    log.append(replace(reply(2), variant="r1"), "秘密の山", hits(2))
    found = [log.find("m2"), log.find("m2", "r1"), log.find("m2", "r2")]
    assert [one and one[0] for one in found] == ["秘密", "秘密の山", None]
    assert log.counts(5) == {"m1": 1, "m2": 2, "r1": 2, "m3": 3}
    log.drop({"m2"})
    assert log.counts(5) == {"m1": 1, "m3": 3}
    assert "秘密" not in log.path.read_text("utf-8")
    assert log.find("m1") is not None


def test_the_examples_in_docs_are_read_by_the_code_that_reads_the_files(paths: PersonaPaths, recall: Recall) -> None:
    def examples(heading: str) -> list[str]:
        section = (CHECKOUT / "docs" / "files.md").read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
        return re.findall(r"```json\n(.*?)```", section, re.DOTALL)

    paths.memory.mkdir()
    paths.recall_log.write_text(examples("memory/recall_log.jsonl")[0], "utf-8")
    found = RecallLog(paths).find("20260102T220007-7k2m9qx4")
    assert found is not None
    query, recalled = found
    assert query == "猫の名前"
    assert recalled[0].message_ids == ("20250611T091500-3fd80a2z",)
    assert sum(share for _, share in recalled[0].why) == pytest.approx(1)
    told = next(iter(json.loads(examples("rag_index/")[0]).values()))
    paths.core_memory.write_text("I like tea.", "utf-8")
    recall.catch_up()
    written = json.loads((paths.rag_index / "processed_static_files.json").read_text("utf-8"))
    assert set(written["core_memory.txt"]) == set(told)


def phrase(recall: Recall, words: str = "comet") -> list[str]:
    return texts(recall.search_past_conversations(words))


def test_two_newest_and_two_oldest_without_what_is_being_talked_about(open_recall: Open, talk: Talk) -> None:
    whole = open_recall(RecallSettings(last_api_history_limit_option=0))
    for days in (400, 300, 200):
        talk.past(f"The comet, {days} days ago.", days)
    assert phrase(whole) == [f"The comet, {days} days ago." for days in (200, 300, 400)]
    for days in (100, 50, 20):
        talk.past(f"The comet, {days} days ago.", days)
    expected = [f"The comet, {days} days ago." for days in (20, 50, 300, 400)]
    assert phrase(whole) == expected
    talk.user(*(f"Is the comet visible? {number}" for number in range(5)))
    assert phrase(open_recall(RecallSettings(last_api_history_limit_option=5))) == expected
    assert phrase(whole)[:2] == ["Is the comet visible? 4", "Is the comet visible? 3"]


def test_width_and_case_do_not_matter_but_words_do_as_they_read_now(open_recall: Open, talk: Talk) -> None:
    talk.past("ＰＣでゲームをした。", 20)
    talk.past("A party of computers.", 10)
    said = talk.past("The comet is green.", 30)
    talk.log.supersede(said.id, "The comet is blue.")
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert phrase(recall, "pc") == ["ＰＣでゲームをした。"]
    assert phrase(recall, "comet") == ["The comet is blue."]
    assert phrase(recall, "green") == phrase(recall, "") == phrase(recall, "tuba") == []


def test_imported_sources_are_searched_too(recall: Recall, paths: PersonaPaths) -> None:
    paths.log_import_source.mkdir()
    source = "## USER:Emma\nThe comet of my childhood.\n\n1997-04-01 (Tue) 21:00:00 | x\n\n## AGENT:Sora\nTell me.\n"
    (paths.log_import_source / "old.txt").write_text(source, "utf-8")
    (hit,) = recall.search_past_conversations("comet")
    assert hit.time is not None
    assert (hit.speaker, hit.time.year, hit.path) == ("Emma", 1997, "log_import_source/old.txt")
