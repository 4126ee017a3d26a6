import pytest

from managers.language.reading.japanese import japanese_synonyms, japanese_terms
from managers.recall.engine import Recall
from managers.recall.index.terms import meanings, terms
from tests.recall.looking import Talk


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("エアポートには誰と行ったっけ？", "空港まで父と行きました。"),
        ("奥さんの趣味は？", "妻は編み物に夢中なんだ。"),
        ("衆議院の補欠選挙の日は何してた？", "衆院補選の日は家で寝てた。"),
        ("お手洗いの修理、どうなった？", "トイレは直してもらえたよ。"),
    ],
)
def test_what_was_said_in_other_words_is_found(recall: Recall, talk: Talk, question: str, answer: str) -> None:
    for text in ("朝から雨だった。", "選挙の話はもういいや。", "車を工場に預けた。", "父は釣りに行った。"):
        talk.user(text)
    talk.user(answer)
    for text in ("夕飯はカレーにした。", "映画を見て泣いた。", "明日は早起きする。"):
        talk.user(text)
    recall.catch_up()
    assert recall.search(question)[0].text == answer


def test_the_word_itself_comes_before_its_synonym(recall: Recall, talk: Talk) -> None:
    talk.user("妻は編み物に夢中なんだ。")
    talk.user("奥さんは編み物に夢中なんだ。")
    recall.catch_up()
    assert recall.search("奥さんは何に夢中？")[0].text == "奥さんは編み物に夢中なんだ。"
    assert recall.search("妻は何に夢中？")[0].text == "妻は編み物に夢中なんだ。"


def test_a_compound_has_synonyms_as_a_whole_and_in_parts() -> None:
    words, meant = meanings("衆議院議員補欠選挙")
    assert words == ["衆議", "院", "議員", "補欠", "選挙"]
    wholes = {one.words for one in meant}
    assert ("衆議", "院") in wholes
    assert ("補欠", "選挙") in wholes
    other = {group for one in meanings("衆院補選")[1] for group in one.groups}
    assert all(set(one.groups) & other for one in meant if len(one.words) > 1)


@pytest.mark.parametrize(
    "text",
    [
        "空港で食べた",
        "2026年の衆議院議員総選挙について、どう思いますか？",
        "Kyotoのcafeへ行きました",
        "",
        "😀",
        "ﾊﾝｶｸ\ud800",
    ],
)
def test_terms_are_the_same_with_synonyms_and_without(text: str) -> None:
    assert japanese_synonyms(text)[0] == japanese_terms(text, with_affixes=True)
    assert meanings(text)[0] == terms(text)


def test_english_has_none() -> None:
    assert meanings("I went to the airport")[1] == []
