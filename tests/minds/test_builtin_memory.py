"""What the built-in mind says of the past: quoted with who said it and when, or owned up to as unknown."""

import re
from datetime import datetime, timedelta

import pytest

from managers.language.words import detect_language
from managers.mind import (
    ChatTurn,
    Sheet,
)
from tests.minds.speaking import MIA, NOW, SHIORI, hit, say


def test_quotations_keep_their_own_endings() -> None:
    sheet = Sheet("タマ", "ja", "「ボクはタマだにゃ。よろしくにゃ」", "ユウ")
    told = say(
        "私、好きな花のことを何て言ったっけ？",
        sheet,
        hits=[hit("好きな花はガーベラだよ。", datetime(2026, 8, 13))],
        recall_wanted=True,
    )
    assert "「好きな花はガーベラだよ」" in told


FLOWERS = [
    hit("花屋さんで働いてみたいと思ったことがあります", datetime(2026, 9, 1)),
    hit("好きな花はガーベラです。", datetime(2026, 8, 13)),
]


def test_it_tells_what_answers_with_when_it_was_said() -> None:
    told = say("私の好きな花って何だったっけ？", hits=FLOWERS, recall_wanted=True)
    assert "好きな花はガーベラ" in told
    assert "8月13日" in told


def test_it_says_who_said_it() -> None:
    hits = [hit("フルーツグラノーラがおすすめですよ", datetime(2026, 11, 20), "しおり")]
    told = say("あなたが前におすすめしてくれた朝ごはんは何でしたっけ？", hits=hits, recall_wanted=True)
    assert "昨日" in told
    assert re.search(r"私(?:は|のほうから)「フルーツグラノーラ", told)
    english = say(
        "What breakfast did you recommend?",
        MIA,
        hits=[hit("I recommend granola for breakfast.", NOW - timedelta(days=1), "Mia")],
        recall_wanted=True,
    )
    assert re.search(r"Yesterday I (?:said|told you): “I recommend granola", english)


@pytest.mark.parametrize(
    ("days", "ja", "en"),
    [
        (0, "今日の朝", "earlier today"),
        (1, "昨日", "yesterday"),
        (2, "おととい", "on Thursday"),
        (4, "火曜日", "on Tuesday"),
        (8, "先週の金曜日", "last Friday"),
        (60, "9月22日", "on 22 September"),
        (400, "去年の10月17日", "on 17 October last year"),
        (1500, "2022年10月13日", "on 13 October 2022"),
    ],
)
def test_when_is_said_as_people_say_it(days: int, ja: str, en: str) -> None:
    then = datetime(2026, 11, 21, 9, 0) - timedelta(days=days)
    assert ja in say("猫の名前を覚えてる？", hits=[hit("猫の名前はミケです", then)], recall_wanted=True)
    told = say("What is my cat's name?", MIA, hits=[hit("My cat's name is Biscuit.", then, "Alex")], recall_wanted=True)
    assert en in told.replace("Yesterday", "yesterday").replace("On ", "on ").replace("Last", "last").replace(
        "Earlier", "earlier"
    )


@pytest.mark.parametrize(
    ("question", "right", "wrong", "answer", "beside"),
    [
        ("Who did I go to the concert with?", "I went to the concert with Emma.", "The concert was loud.", "you went to the concert with Emma", "loud"),
        ("How many plants do I have?", "I have seven plants now.", "I love my plants.", "Seven plants", "love"),
        ("Where did I buy my bike?", "I bought my bike in Portland.", "My bike is so fast.", "In Portland", "fast"),
        ("誰と映画に行ったっけ？", "映画は佐藤さんと行ったよ。", "映画は長かった。", "佐藤さんと行った", "長かった"),
        ("本は何冊買った？", "本を三冊買ったんだ。", "本を買うのが好き。", "三冊", "好き"),
    ],
)  # fmt: skip
def test_the_kind_of_question_decides_between_sentences(
    question: str, right: str, wrong: str, answer: str, beside: str
) -> None:
    lang = detect_language(question)
    hits = [hit(wrong, datetime(2026, 9, 1)), hit(right, datetime(2026, 9, 2))]
    told = say(question, SHIORI if lang == "ja" else MIA, hits=hits, recall_wanted=True)
    assert answer in told
    assert beside not in told


def test_with_nothing_recalled_it_says_so_and_asks_to_be_told() -> None:
    told = say("私の母の誕生日はいつだっけ？", recall_wanted=True)
    assert re.search(r"覚えていません|見つかりませんでした|記憶にありません", told)
    assert "誕生日" in told
    assert "「" not in told
    english = say("When is my mother's birthday?", MIA, recall_wanted=True)
    assert re.search(r"don't remember|found nothing|nothing about", english)
    assert "birthday" in english


def test_with_hits_that_do_not_fit_it_is_not_sure() -> None:
    hits = [hit("昨日はカレーを食べました", datetime(2026, 9, 1))]
    told = say("私の車の色は何でしたっけ？", hits=hits, recall_wanted=True)
    assert re.search(r"思い出せない|自信は", told)


def test_all_that_it_quotes_was_said_or_noted() -> None:
    notes = "- ユウさんは横浜に住んでいる"
    sources = " ".join([*(h.text for h in FLOWERS), notes, SHIORI.system_prompt])
    for question in (
        "私の好きな花は？",
        "私について何を知ってる？",
        "花屋の話、覚えてる？",
        "昨日何を話したっけ？",
        "私の夢は何だった？",
    ):
        for seed in range(4):
            told = say(question, hits=FLOWERS, recall_wanted=True, notes=notes, seed=seed)
            for quoted in re.findall(r"「([^」]*)」", told):
                assert quoted in sources or quoted in ("記憶", "内蔵の心"), (question, told)


def test_notes_answer_too() -> None:
    notes = "# コアメモリ\n- ユウさんは横浜に住んでいる\n- 私はしおり。本が好き"
    assert "横浜" in say("私ってどこに住んでるか覚えてる？", notes=notes, recall_wanted=True)
    known = say("私のこと、何を知ってる？", notes=notes)
    assert "横浜" in known
    assert "本が好き" not in known


def test_what_was_talked_about_yesterday() -> None:
    hits = [
        hit("来月、簿記の試験を受けることにした", datetime(2026, 11, 20, 10)),
        hit("うん", datetime(2026, 11, 20, 11)),
        hit("駅前に新しいパン屋ができた", datetime(2026, 11, 20, 12)),
        hit("九月に温泉旅行へ行った", datetime(2026, 9, 20, 12)),
    ]
    told = say("昨日は何の話をしたっけ？", hits=hits, recall_wanted=True)
    assert "簿記" in told
    assert "パン屋" in told
    assert "温泉" not in told


def test_this_conversation_is_remembered_as_well() -> None:
    turns = [
        ChatTurn("user", "車は青いプジョーに乗ってるよ", NOW - timedelta(minutes=5)),
        ChatTurn("persona", "いいですね。"),
    ]
    told = say("私の車、何色って言ったっけ？", turns=turns, recall_wanted=True)
    assert told.startswith("青")


def test_date_and_time() -> None:
    assert "11月21日" in say("今日は何日？")
    assert "土曜日" in say("今日は何曜日？")
    assert "日曜日" in say("明日は何曜日？")
    assert "午後3時" in say("今何時？")
    assert "Saturday, 21 November 2026" in say("What day is it today?", MIA)


def test_what_it_cannot_know_it_does_not_invent() -> None:
    assert re.search(r"わかりません|調べられない", say("フランスの首都はどこ？"))
    assert re.search(r"don't know|can't look", say("What is the capital of France?", MIA))


def test_somebody_elses_name_is_not_the_users() -> None:
    sheet = Sheet("ねむ", "ja", "くだけた言葉で話す。")
    turns = [ChatTurn("user", "妹の名前はアヤだよ"), ChatTurn("persona", "そうなんだね。")]
    assert "アヤ" not in say("私の名前、わかる？", sheet, turns=turns)


def test_the_same_thing_is_not_quoted_twice() -> None:
    turns = [ChatTurn("user", "妹の名前はアヤ。覚えておいて", NOW), ChatTurn("persona", "書き留めました。", NOW)]
    told = say("妹の名前、覚えてる？", turns=turns, notes="2026-11-21 妹の名前はアヤ", recall_wanted=True)
    assert told.count("アヤ") == 1
