from datetime import datetime

import pytest

from managers.recall.engine import Recall
from managers.recall.hits import ALL_TYPES
from managers.recall.index.terms import meanings, terms, terms_and_groups
from managers.recall.question.cues import Cues, read_cues
from managers.recall.ranking.proximity import LOOKED_AT, weigh_proximity
from managers.storage.paths import PersonaPaths
from tests.recall.test_ngram_overlap import Held, candidates

QUESTION = "灯台の階段は何段ありますか"
TOGETHER = "岬の灯台は白い。上までの階段は百二段ある。"
APART = "灯台は白い。夏は人が多い。駐車場は無い。売店は十時に開く。港の食堂には急な階段がある。"
OTHER = "梅の実は六月に漬ける。"


def cues(question: str) -> Cues:
    return read_cues(question, [], datetime(2026, 1, 1))


def order(question: str, *texts: str) -> list[int]:
    """Return the places of some documents that stood in this order, each a little behind the one before."""
    scores = [1.0 - place / 100 for place in range(len(texts))]
    found = weigh_proximity(cues(question), candidates("knowledge", *scores), [Held([*texts])])
    return [int(number) for number in found["number"]]


def test_words_that_stand_together_come_before_the_same_words_apart() -> None:
    assert order(QUESTION, APART, TOGETHER) == [1, 0]
    assert order(QUESTION, TOGETHER, APART) == [0, 1]


def test_a_heading_is_lent_to_each_sentence() -> None:
    under = "灯台\n岬の先に立つ。\n夏は人が多い。\n売店は十時に開く。\n上までの階段は百二段ある。"
    assert order(QUESTION, APART, under) == [1, 0]


def test_what_does_not_hold_the_name_falls_behind_what_does() -> None:
    elsewhere = "山陰の名物の菓子は丸い。"
    there = "松江では茶の菓子が知られる。"
    assert order("松江の名物の菓子は？", elsewhere, OTHER, there)[0] == 2
    assert order("山陰の名物の菓子は？", elsewhere, OTHER, there)[0] == 0


def test_a_synonym_counts_nearly_as_much_as_the_word() -> None:
    said_otherwise = "エアポートの階段は長い。"
    apart = "空港は遠い。朝は霧が出る。夜は静かだ。駅の階段は長い。"
    assert order("空港の階段", apart, said_otherwise, OTHER) == [1, 0, 2]


def test_places_are_exchanged_and_scores_stay_in_their_places() -> None:
    before = candidates("knowledge", 1.0, 0.99, 0.5)
    after = weigh_proximity(cues(QUESTION), before, [Held([APART, TOGETHER, OTHER])])
    assert after["number"].tolist() == [1, 0, 2]
    assert after["score"] == pytest.approx(before["score"])
    assert after["parts"].sum(axis=1) == pytest.approx(after["score"])


def test_only_the_best_are_looked_at() -> None:
    texts = [OTHER] * LOOKED_AT + [TOGETHER]
    assert order(QUESTION, *texts)[-1] == LOOKED_AT
    assert order(QUESTION, *texts[1:])[0] == LOOKED_AT - 1


def test_messages_english_questions_and_what_is_gone_are_left_alone() -> None:
    held = [Held([APART, TOGETHER])]
    messages = candidates("log_archive", 1.0, 0.99)
    assert (weigh_proximity(cues(QUESTION), messages, held) == messages).all()
    documents = candidates("knowledge", 1.0, 0.99)
    assert (weigh_proximity(cues("How many stairs has the lighthouse?"), documents, held) == documents).all()
    mixed = candidates("knowledge", 0.9, 0.88, 0.85)[[0, 1, 1]]
    mixed["kind"][1] = ALL_TYPES.index("log_archive")
    after = weigh_proximity(cues(QUESTION), mixed, held)
    assert after["kind"].tolist() == mixed["kind"].tolist()
    assert after["number"].tolist() == [1, 1, 0]
    gone = Gone([APART, TOGETHER])
    assert len(weigh_proximity(cues(QUESTION), documents, [gone])) == len(documents)


class Gone(Held):
    """An index from which everything has gone since it was searched."""

    def passages(self, numbers: object) -> dict[int, object]:  # type: ignore[override]  # of nothing at all
        del numbers
        return {}


def test_a_search_brings_the_passage_that_says_it_together(paths: PersonaPaths, recall: Recall) -> None:
    paths.knowledge.mkdir(parents=True)
    (paths.knowledge / "a.txt").write_text(APART, "utf-8")
    (paths.knowledge / "b.txt").write_text(TOGETHER, "utf-8")
    (paths.knowledge / "c.txt").write_text(OTHER, "utf-8")
    recall.catch_up()
    assert recall.search(QUESTION)[0].text == TOGETHER


def test_words_read_during_a_search_are_those_of_the_index() -> None:
    text = "衆院の選挙で、東京のエアポートは混んだ。"
    words, groups = terms_and_groups(text)
    listed, meant = meanings(text)
    assert words == listed
    assert set(groups) <= {group for one in meant for group in one.groups}
    assert groups
    assert terms_and_groups("two lighthouses") == (terms("two lighthouses"), [])
