"""The built-in mind gives the fact that was asked for, with its day, and makes up none."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from agent.minds.builtin.answers.citation import report
from agent.minds.builtin.answers.known import relation_of
from agent.minds.builtin.talk.voice import read_voice
from managers.language.reading.corrections import read_correction
from managers.language.reading.values import values_in
from managers.language.words import detect_language
from managers.mind import ChatTurn, Sheet
from tests.minds.speaking import NOW, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, plain and gentle.")
NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。", "ユウ")
MONDAY = datetime(2026, 11, 16, 20)


def told(question: str, *said: str, at: datetime = MONDAY, seed: int = 0) -> str:
    """Return the answer, on Saturday, to what is asked after some words on an earlier day."""
    turns = [ChatTurn("user", text, at + timedelta(minutes=place)) for place, text in enumerate(said)]
    sheet = NEMU if detect_language(question) == "ja" else HAZEL
    return say(question, sheet, turns=turns, recall_wanted=True, seed=seed)


NEIL = ("My brother Neil moved to Leeds in May.", "He works in a bakery and he hates mornings.")
NIIRU = ("弟のニールが5月にリーズに引っ越したんだ", "ニールはパン屋で働いてる")


def test_who_somebody_is_is_said_in_sentences_with_the_day() -> None:
    for seed in range(4):
        answer = told("Who is Neil?", *NEIL, seed=seed)
        assert re.match(r"Neil is your brother\.|That's your brother\.", answer)
        assert "he moved to Leeds in May" in answer
        assert "on monday" in answer.lower()
        assert "“" not in answer
        answer = told("ニールって誰だっけ？", *NIIRU, seed=seed)
        assert re.match(r"ニールは、?弟さんだ", answer)
        assert "リーズに引っ越した" in answer
        assert "月曜日" in answer
        assert "「" not in answer


@pytest.mark.parametrize(
    ("question", "said", "value"),
    [
        ("What colour is Biscuit?", ("My cat is called Biscuit. She's ginger.",), "Ginger"),
        ("What colour is Agnes's bicycle?", ("My friend Agnes bought a blue bicycle.",), "Blue"),
        ("When is Mum's birthday?", ("Our mum's birthday is on 14 December.",), "On 14 December"),
        ("Where does Neil work?", NEIL, "In a bakery"),
        ("What's my wifi code?", ("The wifi code is 8812.",), "8812"),
        ("What was my boat called?", ("My boat was called the Margaret Ann, after my wife.",), "Margaret Ann"),
        ("How old is Tobi?", ("Ada is 6, Tobi is 9",), "9"),
        ("クロの色は？", ("うちの猫のクロは真っ黒で、3歳なんだ",), "真っ黒"),
        ("クロって何歳だっけ", ("うちの猫のクロは真っ黒で、3歳なんだ",), "3歳"),
        ("母の誕生日いつだっけ？", ("母の誕生日は12月14日",), "12月14日"),
        ("ニールはどこで働いてる？", NIIRU, "パン屋"),
        ("わしの船の名前は何だった？", ("船の名前は第八海幸丸だ",), "第八海幸丸"),
    ],
)  # fmt: skip
def test_the_value_comes_first(question: str, said: Sequence[str], value: str) -> None:
    for seed in range(3):
        answer = told(question, *said, seed=seed)
        assert answer.startswith(value), answer
        assert re.search(r"[Mm]onday|月曜日", answer)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When's my birthday?", ("Our mum's birthday is on 14 December.",)),
        ("私の誕生日はいつ？", ("母の誕生日は12月14日",)),
    ],
)
def test_somebody_elses_is_not_given_for_ones_own(question: str, said: Sequence[str]) -> None:
    assert "14" not in told(question, *said)


def test_the_day_of_one_thing_is_not_given_for_that_of_another() -> None:
    assert not told("母さんが来るのはいつだっけ？", "母の誕生日は12月14日").startswith("12月14日")
    assert not told("When does Mum arrive?", "Our mum's birthday is on 14 December.").startswith("On 14")


def test_nobody_is_told_what_another_did() -> None:
    said = ("ゴンはすごく強いよ", "ともだちのそうたくんとサッカーした")
    assert "サッカー" not in told("ゴンって誰？", *said)
    said = ("My son Peter works on the rigs.", "My granddaughter Isla started nursing school.")
    assert "rigs" not in told("What does Isla do?", *said)


def test_a_correction_without_its_subject_wins() -> None:
    lines = ("I'm picking Mum up from the airport on Thursday.", "No, it's on Friday.")
    for seed in range(3):
        assert told("When am I picking Mum up?", *lines, seed=seed).startswith("On Friday")
        answer = told("母を迎えに行くのはいつ？", "木曜に母を空港まで迎えに行くよ", "いや、金曜だよ", seed=seed)
        assert answer.startswith("金曜")


def test_a_correction_is_taken_up_when_it_is_made() -> None:
    turns = [ChatTurn("user", "I'm picking Mum up from the airport on Thursday.", NOW)]
    answer = say("No, it's on Friday.", HAZEL, turns=turns)
    assert "Friday" in answer
    assert "Thursday" in answer


def test_a_correction_of_an_earlier_day_must_name_what_it_means() -> None:
    later = MONDAY + timedelta(days=1)
    turns = [
        ChatTurn("user", "I've a doctor's appointment on Wednesday.", MONDAY),
        ChatTurn("user", "The doctor's is on Thursday, not Wednesday.", later),
    ]
    answer = say("When's my doctor's appointment?", HAZEL, turns=turns, recall_wanted=True)
    assert answer.startswith("On Thursday")
    assert read_correction("No, it's on Friday.", [], ["I've a doctor's appointment on Wednesday."]) is None


@pytest.mark.parametrize(
    ("text", "before", "corrected"),
    [
        ("Not Thursday, Friday.", "I'm picking Mum up on Thursday.", "I'm picking Mum up on Friday."),
        ("Sorry, she's 8", "My daughter Noor is 7.", "My daughter Noor is 8."),
        ("やっぱり土曜にした", "木曜に行くよ", "土曜に行くよ"),
        ("検査は水曜だった、間違えた", "来週の火曜に検査がある", "来週の水曜に検査がある"),
        ("Oh no, on Monday I have an exam", "On Tuesday we go swimming", None),
        ("No, I went to the cinema on Friday with Tom", "I work on Thursday", None),
        ("No, I don't think so.", "I work on Thursday", None),
    ],
)
def test_only_the_value_of_a_correction_is_exchanged(text: str, before: str, corrected: str | None) -> None:
    found = read_correction(text, [before])
    assert (found.corrected if found else None) == corrected


def test_who_is_wondered_about_is_told_of_as_it_was_last_heard() -> None:
    for seed in range(3):
        answer = told("クロは元気かな", "うちの猫のクロは真っ黒で、3歳なんだ", seed=seed)
        assert "真っ黒で、3歳だって" in answer
        assert "月曜日" in answer
        answer = told("How is Neil, I wonder.", "I had a fight with Neil about the car.", seed=seed)
        assert "you had a fight with Neil about the car" in answer


def test_a_quarrel_is_found_by_other_words() -> None:
    assert "about the car" in told("What did Neil and I fall out about?", "I had a fight with Neil about the car.")


def test_what_was_told_is_turned_to_the_listeners_side_or_not_at_all() -> None:
    ja, en = read_voice(NEMU, "ja"), read_voice(HAZEL, "en")
    friday = MONDAY + timedelta(days=4)
    assert report("Well, my exam is tomorrow.", MONDAY, friday, en) == "your exam is on Tuesday"
    assert report("明日、面接がある", MONDAY, friday, ja) == "火曜日、面接がある"
    assert report("My exam is next week.", MONDAY, friday, en) == ""  # another week by now
    assert report("Do you like my hat?", MONDAY, friday, en) == ""
    assert report("私は看護師です", MONDAY, friday, ja) == "看護師だ"


def test_relations_are_read_from_how_people_are_spoken_of() -> None:
    en, ja = read_voice(HAZEL, "en"), read_voice(NEMU, "ja")
    for name, text, spoken in (
        ("Zoe", "my best friend is Zoe", "your best friend"),
        ("Biscuit", "My cat is called Biscuit.", "your cat"),
        ("Neil", "Neil is my little brother.", "your little brother"),
    ):
        found = relation_of(name, [text], en)
        assert found is not None
        assert found.spoken == spoken
    found = relation_of("アグネス", ["アグネスは大学の友達なんだ"], ja)
    assert found is not None
    assert found.spoken == "お友達"
    assert relation_of("Neil", ["My brother met Neil."], en) is None


def test_values_are_read_as_they_are_written() -> None:
    assert [v.text for v in values_in("白くてふわふわ", "ja", ["colour"])] == ["白"]
    assert [v.text for v in values_in("on 3 May at 5 pm", "en")] == ["on 3 May", "at 5 pm"]
