"""The examples in docs/files.md about recall are read by the code that reads the files."""

import json
import re
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.recall.recall_log import RecallLog
from managers.storage.paths import CHECKOUT, PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock


def examples(heading: str) -> list[str]:
    section = (CHECKOUT / "docs" / "files.md").read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```json\n(.*?)```", section, re.DOTALL)


def test_the_recall_log_s_example_can_be_asked_why(paths: PersonaPaths) -> None:
    paths.memory.mkdir()
    paths.recall_log.write_text(examples("memory/recall_log.jsonl")[0], "utf-8")
    found = RecallLog(paths).find("20260102T220007-7k2m9qx4")
    assert found is not None
    query, recalled = found
    assert query == "猫の名前"
    assert recalled[0].message_ids == ("20250611T091500-3fd80a2z",)
    assert sum(share for _, share in recalled[0].why) == pytest.approx(1)


def test_the_record_of_indexed_files_is_what_the_index_writes(
    paths: PersonaPaths, clock: HandClock, rng: Random
) -> None:
    told = next(iter(json.loads(examples("rag_index/")[0]).values()))
    paths.core_memory.write_text("I like tea.", "utf-8")
    recall = Recall(paths, ConversationLog(paths, clock, rng), RecallSettings(), clock)
    recall.catch_up()
    recall.close()
    written = json.loads((paths.rag_index / "processed_static_files.json").read_text("utf-8"))
    assert set(written["core_memory.txt"]) == set(told)
