from datetime import datetime
from pathlib import Path

import pytest

from managers.recall.engine import Recall
from managers.recall.hits import ALL_TYPES, MemoryType
from managers.recall.index.memory_index import MemoryIndex, Passage
from managers.recall.ranking.candidates import Candidates, candidates_of
from managers.recall.ranking.ngram_overlap import WORTH, weigh_overlap
from managers.storage.paths import PersonaPaths
from tests.recall.looking import Talk

QUESTION = "国家公務員法が公布されたのはいつですか"
ASKED_FOR = "1947年10月に国家公務員法が公布された。"
OTHERWISE = "国家の地方公務員についての法は、国家が公布を急いだ。公布は1950年。"


class Held(MemoryIndex):
    """An index of some passages, of which each stands under the number of its place."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(Path("nowhere"))
        self.said = texts

    def passages(self, numbers: object) -> dict[int, Passage]:
        assert isinstance(numbers, list)
        moment = datetime(2026, 1, 1)
        return {
            number: Passage(number, self.said[number], "knowledge", "0", "a.txt", (), moment, "", "", "")
            for number in numbers
        }


def candidates(kind: MemoryType, *scores: float) -> Candidates:
    parts = [(score, 0, 0, 0) for score in scores]
    return candidates_of(
        len(scores),
        number=range(len(scores)),
        kind=ALL_TYPES.index(kind),
        score=scores,
        coverage=0.5,
        cosine=0.5,
        parts=parts,
    )


def test_a_document_in_the_question_s_own_wording_comes_first(paths: PersonaPaths, recall: Recall) -> None:
    paths.knowledge.mkdir(parents=True)
    (paths.knowledge / "a.txt").write_text(OTHERWISE, "utf-8")
    (paths.knowledge / "b.txt").write_text(ASKED_FOR, "utf-8")
    recall.catch_up()
    assert recall.search(QUESTION)[0].text == ASKED_FOR


def test_the_best_worded_keeps_its_score_and_the_others_lose_at_most_their_share() -> None:
    found = weigh_overlap(QUESTION, candidates("knowledge", 1.0, 0.99, 0.9), [Held([OTHERWISE, ASKED_FOR, "梅雨"])])
    assert found["number"].tolist() == [1, 0, 2]
    assert found["score"][0] == pytest.approx(0.99)
    assert found["score"][2] == pytest.approx(0.9 * (1 - WORTH))
    assert found["parts"].sum(axis=1) == pytest.approx(found["score"])


def test_messages_and_english_questions_are_left_alone(recall: Recall, talk: Talk) -> None:
    held = [Held([OTHERWISE, ASKED_FOR])]
    messages = candidates("log_archive", 1.0, 0.99)
    assert (weigh_overlap(QUESTION, messages, held) == messages).all()
    documents = candidates("knowledge", 1.0, 0.99)
    assert (weigh_overlap("When was the law made?", documents, held) == documents).all()
    talk.user("公布の話はまた今度。")
    recall.catch_up()
    assert recall.search(QUESTION)
