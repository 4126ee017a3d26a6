import sqlite3

import numpy as np
import pytest

from managers.recall.engine import Recall
from managers.recall.index.postings import POSTING_BLOCK, append_postings, read_postings
from managers.recall.index.store import SCHEMA
from managers.recall.index.terms import meanings
from managers.recall.ranking.bm25 import WordScoring
from managers.recall.ranking.candidates import PART_WORTH, candidates_of, merged, why
from tests.recall.looking import Talk

QUESTIONS = ("空港の近くの公園を歩いた？", "空港へ行った？", "公園で妻と会った？", "空港の公園")


def test_lists_that_run_over_several_blocks_are_read_whole() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    append_postings(connection, POSTING_BLOCK - 1, [{"otter": 1, "river": 300}, {"otter": 2}, {"heron": 1}])
    held = read_postings(connection, ["river", "otter", "owl"])
    assert {word: (numbers.tolist(), often.tolist()) for word, (numbers, often) in held.items()} == {
        "river": ([POSTING_BLOCK - 1], [255]),
        "otter": ([POSTING_BLOCK - 1, POSTING_BLOCK], [1, 2]),
        "owl": ([], []),
    }


def test_questions_that_share_words_score_as_each_does_alone(recall: Recall, talk: Talk) -> None:
    for text in (
        "エアポートまで歩いた。",
        "公園で空港の話をした。",
        "奥さんと公園を歩いた。",
        "空港は遠い。",
        "梅を漬けた。",
    ):
        talk.past(text, 50)
    recall.catch_up()
    index = recall.indexes["static"]
    index.refresh()
    together = WordScoring([index], None)
    for question in QUESTIONS:
        words, meant = meanings(question)
        asked = tuple(dict.fromkeys(words)), tuple(dict.fromkeys(meant))
        (one,), ideal = together.score(*asked)
        (alone,), ideal_alone = WordScoring([index], None).score(*asked)
        assert one.words == pytest.approx(alone.words)
        assert one.words.max() > 0
        assert ideal == pytest.approx(ideal_alone)


def test_what_answers_a_part_best_stands_by_that_and_keeps_the_greatest_coverage() -> None:
    whole = candidates_of(2, number=(7, 8), score=(1, 0.2), coverage=(0.3, 0.9), parts=((1, 0, 0, 0), (0.2, 0, 0, 0)))
    part = candidates_of(
        2, number=(8, 9), score=(1, 0.1), coverage=(0.4, 1), parts=((0.25, 0.75, 0, 0), (0, 0.1, 0, 0))
    )
    found = merged(whole, [part, candidates_of(0)])
    assert found["number"].tolist() == [7, 8, 9]
    assert found["score"] == pytest.approx(np.array([1, PART_WORTH, 0.1 * PART_WORTH]))
    assert found["coverage"].tolist() == [0.3, 0.9, 1]
    assert why(found[1]) == (("lexical", 0.25), ("semantic", 0.75))
    assert not len(merged(candidates_of(0), []))
