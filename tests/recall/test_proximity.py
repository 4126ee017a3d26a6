"""Of documents in Japanese, that one comes first which says it in the question's own wording, and says it together."""

from datetime import datetime
from pathlib import Path

import pytest

from managers.recall.engine import Recall
from managers.recall.hits import ALL_TYPES, MemoryType
from managers.recall.index.memory_index import MemoryIndex, Passage
from managers.recall.question.cues import Cues, read_cues
from managers.recall.ranking.candidates import Candidates, candidates_of
from managers.recall.ranking.ngram_overlap import WORTH, weigh_overlap
from managers.recall.ranking.proximity import weigh_proximity
from managers.storage.paths import PersonaPaths

QUESTION = "灯台の階段は何段ありますか"
TOGETHER = "岬の灯台は白い。上までの階段は百二段ある。"
APART = "灯台は白い。夏は人が多い。駐車場は無い。売店は十時に開く。港の食堂には急な階段がある。"
OTHER = "梅の実は六月に漬ける。"
LAW = "国家公務員法が公布されたのはいつですか"
SAME_WORDING = "1947年10月に国家公務員法が公布された。"
OTHERWISE = "国家の地方公務員についての法は、国家が公布を急いだ。公布は1950年。"


class Held(MemoryIndex):
    """An index of some passages, of which each stands under the number of its place."""

    def __init__(self, *texts: str) -> None:
        super().__init__(Path("nowhere"))
        self.said = texts

    def passages(self, numbers: object) -> dict[int, Passage]:
        assert isinstance(numbers, list)
        moment = datetime(2026, 1, 1)
        there = [n for n in numbers if n < len(self.said)]
        return {n: Passage(n, self.said[n], "knowledge", "0", "a.txt", (), moment, "", "", "") for n in there}


def candidates(kind: MemoryType, *scores: float) -> Candidates:
    parts = [(score, 0, 0, 0) for score in scores]
    numbers, at = range(len(scores)), ALL_TYPES.index(kind)
    return candidates_of(
        len(scores), number=numbers, kind=at, score=scores, coverage=0.5, cosine=0.5, parts=parts
    )  # fmt: skip


def cues(question: str) -> Cues:
    return read_cues(question, [], datetime(2026, 1, 1))


def order(question: str, *texts: str) -> list[int]:
    """Return the places of some documents that stood in this order, each a little behind the one before."""
    scores = [1.0 - place / 100 for place in range(len(texts))]
    found = weigh_proximity(cues(question), candidates("knowledge", *scores), [Held(*texts)])
    return [int(number) for number in found["number"]]


def test_words_that_stand_together_come_before_the_same_words_apart() -> None:
    under = "灯台\n岬の先に立つ。\n夏は人が多い。\n売店は十時に開く。\n上までの階段は百二段ある。"  # a heading is lent to each sentence
    synonym, far = "エアポートの階段は長い。", "空港は遠い。朝は霧が出る。夜は静かだ。駅の階段は長い。"
    there, elsewhere = "松江では茶の菓子が知られる。", "山陰の名物の菓子は丸い。"
    assert order(QUESTION, APART, TOGETHER) == [1, 0]
    assert order(QUESTION, TOGETHER, APART) == [0, 1]
    assert order(QUESTION, APART, under) == [1, 0]
    assert order("空港の階段", far, synonym, OTHER) == [1, 0, 2]
    assert order("松江の名物の菓子は？", elsewhere, OTHER, there)[0] == 2, "the name counts"
    assert order("山陰の名物の菓子は？", elsewhere, OTHER, there)[0] == 0


def test_scores_stay_in_their_places_and_of_wording_the_others_lose_at_most_their_share() -> None:
    before = candidates("knowledge", 1.0, 0.99, 0.5)
    after = weigh_proximity(cues(QUESTION), before, [Held(APART, TOGETHER, OTHER)])
    assert after["number"].tolist() == [1, 0, 2]
    assert after["score"] == pytest.approx(before["score"])
    assert after["parts"].sum(axis=1) == pytest.approx(after["score"])
    worded = weigh_overlap(LAW, candidates("knowledge", 1.0, 0.99, 0.9), [Held(OTHERWISE, SAME_WORDING, "梅雨")])
    assert worded["number"].tolist() == [1, 0, 2]
    assert worded["score"][0] == pytest.approx(0.99)
    assert worded["score"][2] == pytest.approx(0.9 * (1 - WORTH))
    assert worded["parts"].sum(axis=1) == pytest.approx(worded["score"])


def test_messages_english_questions_and_what_is_gone_are_left_alone() -> None:
    messages, documents = candidates("log_archive", 1.0, 0.99), candidates("knowledge", 1.0, 0.99)
    held = [Held(APART, TOGETHER)]
    assert (weigh_proximity(cues(QUESTION), messages, held) == messages).all()
    assert (weigh_proximity(cues("How many stairs has the lighthouse?"), documents, held) == documents).all()
    assert (weigh_overlap(LAW, messages, [Held(OTHERWISE, SAME_WORDING)]) == messages).all()
    assert (weigh_overlap("When was the law made?", documents, [Held(OTHERWISE, SAME_WORDING)]) == documents).all()
    mixed = candidates("knowledge", 0.9, 0.88, 0.85)[[0, 1, 1]]
    mixed["kind"][1] = ALL_TYPES.index("log_archive")
    after = weigh_proximity(cues(QUESTION), mixed, held)
    assert after["kind"].tolist() == mixed["kind"].tolist()
    assert after["number"].tolist() == [1, 1, 0]
    assert len(weigh_proximity(cues(QUESTION), documents, [Held()])) == len(documents)


def test_a_search_brings_the_passage_that_says_it_so(paths: PersonaPaths, recall: Recall) -> None:
    paths.knowledge.mkdir(parents=True)
    for number, text in enumerate((APART, TOGETHER, OTHER, OTHERWISE, SAME_WORDING)):
        (paths.knowledge / f"{number}.txt").write_text(text, "utf-8")
    recall.catch_up()
    assert recall.search(QUESTION)[0].text == TOGETHER
    assert recall.search(LAW)[0].text == SAME_WORDING
