import pytest

from managers.language.lexicons import load
from managers.recall.engine import Recall
from managers.recall.index import memory_index, related_words
from managers.recall.index.related_words import KIND, listed_forms, marks_asked, marks_told
from managers.recall.index.terms import terms
from tests.recall.looking import Talk

OTHER_THINGS = ("I was late again this morning.", "朝から雨だった。", "Let us see what happens.", "明日は早起きする。")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which instruments do I play?", "Last night the violin would not stay in tune."),
        ("Do I have any pets?", "The puppies chewed my best shoes again."),
        ("What sports have I tried?", "We went surfing near the old pier."),
        ("ペットの話、したっけ？", "うちの柴犬がまた靴を隠した。"),
        ("私の好きな楽器は？", "昨日もヴァイオリンばかり触ってた。"),
        ("何か飲み物の話をした？", "夜中に梅酒を開けてしまった。"),
    ],
)
def test_what_was_said_without_naming_the_kind_is_found(recall: Recall, talk: Talk, question: str, answer: str) -> None:
    for text in (*OTHER_THINGS, answer, *reversed(OTHER_THINGS)):
        talk.user(text)
    recall.catch_up()
    assert recall.search(question)[0].text == answer


def test_the_kind_itself_comes_before_what_belongs_to_it(recall: Recall, talk: Talk) -> None:
    talk.user("I would never part with my violin, it is a piece of home.")
    talk.user("I would never part with my instrument, it is a piece of home.")
    recall.catch_up()
    assert "instrument" in recall.search("Which instrument would I never part with?")[0].text


def test_one_of_a_kind_does_not_ask_for_the_others() -> None:
    assert f"{KIND}instrument" in marks_asked("instrument")
    assert marks_asked("violin") == ()
    assert f"{KIND}instrument" in marks_told(["violin", "home"])


def test_the_words_of_a_field_ask_for_each_other(recall: Recall, talk: Talk) -> None:
    for text in (*OTHER_THINGS, "週末は皿ばかり洗ってた。", "I unwind with a long bath.", *reversed(OTHER_THINGS)):
        talk.user(text)
    recall.catch_up()
    assert recall.search("What helps against stress?")[0].text == "I unwind with a long bath."
    assert recall.search("家事の話、したっけ？")[0].text == "週末は皿ばかり洗ってた。"


def test_every_entry_of_the_lists_is_one_word_of_the_index_and_stands_there_once() -> None:
    for groups in load("related").values():
        for name, lists in groups.items():
            assert set(lists) in ({"both"}, {"asked", "told"}), name
            for key, words in lists.items():
                assert len(set(words.split())) == len(words.split()), (name, key)
                for word in words.split():
                    assert listed_forms(word), (name, key, word)


def test_what_was_won_is_a_word_and_what_will_not_be_is_none() -> None:
    assert terms("I won the cup") == terms("We win a cup")
    assert terms("It won't rain, it won’t snow") == terms("rain snow")


def test_an_index_listed_by_other_lists_is_made_anew(
    recall: Recall, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.user("The violin would not stay in tune.")
    recall.catch_up()
    held = recall.indexes["current"]
    assert held.fits(held.embedder) == ""
    monkeypatch.setattr(memory_index, "lists_version", lambda: "00000000")
    assert held.fits(held.embedder) == "format"
    monkeypatch.setattr(related_words, "_tables", lambda: ({}, {"tune": (f"{KIND}new",)}))
    recall.catch_up()
    assert held.fits(held.embedder) == ""
    assert len(held.store.postings_of([f"{KIND}new"])[f"{KIND}new"][0]) == 1
