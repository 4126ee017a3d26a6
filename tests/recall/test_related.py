"""What was said in other words is found: by kinds, by fields, and by synonyms; the word itself comes first."""

import numpy as np
import pytest

from managers.language.lexicons import load
from managers.language.reading.japanese import japanese_synonyms, japanese_terms
from managers.recall.engine import Recall
from managers.recall.index.related_words import KIND, listed_forms, marks_asked, marks_told
from managers.recall.index.terms import meanings, terms
from managers.recall.ranking.candidates import PART_WORTH, candidates_of, merged, why
from tests.recall.looking import Talk, found

OTHER_THINGS = """I was late again this morning.
Let us see what happens.
朝から雨だった。
明日は早起きする。
選挙の話はもういいや。
車を工場に預けた。
父は釣りに行った。
夕飯はカレーにした。
映画を見て泣いた。""".splitlines()


def test_what_was_said_in_other_words_is_found(recall: Recall, talk: Talk) -> None:
    told = {
        "Which instruments do I play?": "Last night the violin would not stay in tune.",
        "Do I have any pets?": "The puppies chewed my best shoes again.",
        "What sports have I tried?": "We went surfing near the old pier.",
        "What helps against stress?": "I unwind with a long bath.",
        "ペットの話、したっけ？": "うちの柴犬がまた靴を隠した。",
        "私の好きな楽器は？": "昨日もヴァイオリンばかり触ってた。",
        "何か飲み物の話をした？": "夜中に梅酒を開けてしまった。",
        "家事の話、したっけ？": "週末は皿ばかり洗ってた。",
        "エアポートには誰と行ったっけ？": "空港まで父と行きました。",
        "奥さんの趣味は？": "妻は編み物に夢中なんだ。",
        "衆議院の補欠選挙の日は何してた？": "衆院補選の日は家で寝てた。",
        "お手洗いの修理、どうなった？": "トイレは直してもらえたよ。",
    }
    for question, answer in told.items():
        paths = recall.paths
        paths.log.unlink(missing_ok=True)
        talk.user(*OTHER_THINGS[:6], answer, *OTHER_THINGS[6:])
        recall.catch_up()
        assert found(recall, question)[0] == answer, question


def test_the_word_itself_comes_before_what_is_only_like_it(recall: Recall, talk: Talk) -> None:
    for name in ("violin", "instrument"):
        talk.user(f"I would never part with my {name}, it is a piece of home.")
    for name in ("妻", "奥さん"):
        talk.user(f"{name}は編み物に夢中なんだ。")
    recall.catch_up()
    assert "instrument" in found(recall, "Which instrument would I never part with?")[0]
    for name in ("妻", "奥さん"):
        assert found(recall, f"{name}は何に夢中？")[0].startswith(name)


def test_one_of_a_kind_does_not_ask_for_the_others() -> None:
    assert f"{KIND}instrument" in marks_asked("instrument")
    assert marks_asked("violin") == ()
    assert f"{KIND}instrument" in marks_told(["violin", "home"])


def test_every_entry_of_the_lists_is_one_word_of_the_index_and_stands_there_once() -> None:
    wrong: list[object] = []
    for groups in load("related").values():
        for name, lists in groups.items():
            wrong += [name] * (set(lists) not in ({"both"}, {"asked", "told"}))
            for words in map(str.split, lists.values()):
                wrong += [(name, "twice")] * (len(set(words)) != len(words))
                wrong += [(name, word) for word in words if not listed_forms(word)]
    assert wrong == []


def test_words_of_the_index_are_the_same_with_synonyms_and_without() -> None:
    for text in (
        "空港で食べた", "2026年の衆議院議員総選挙について、どう思いますか？", "Kyotoのcafeへ行きました", "", "😀", "ﾊﾝｶｸ\ud800"
    ):  # fmt: skip
        assert japanese_synonyms(text)[0] == japanese_terms(text, with_affixes=True)
        assert meanings(text)[0] == terms(text)
    assert meanings("I went to the airport")[1] == []  # English has none
    assert terms("I won the cup") == terms("We win a cup")
    assert terms("It won't rain, it won’t snow") == terms("rain snow")


def test_a_compound_has_synonyms_as_a_whole_and_in_parts() -> None:
    words, meant = meanings("衆議院議員補欠選挙")
    assert words == ["衆議", "院", "議員", "補欠", "選挙"]
    assert {("衆議", "院"), ("補欠", "選挙")} <= {one.words for one in meant}
    other = {group for one in meanings("衆院補選")[1] for group in one.groups}
    assert all(set(one.groups) & other for one in meant if len(one.words) > 1)


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
