"""Whether a message calls for the past, of which time, and what is looked for: its own subject, or that of the turns before."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks._recall_data import LOCOMO, is_there, lines
from managers.language.reading.times import find_times, tells_when, without_times
from managers.memory.messages import Message
from managers.recall.index.terms import terms
from managers.recall.question.follow_ups import follows_up
from managers.recall.question.planner import plan_recall

NOW = datetime(2026, 11, 21, 12, 0)  # a Saturday

CALLS = [
    "Do you remember my cat's name?", "When did we go to the beach?", "What did I tell you about my job?",
    "Where was that restaurant we liked?", "What's my sister called?", "When is Melanie planning on going camping?",
    "What does Jon's dance studio offer?", "We talked about a film last week, which one was it?", "クロについて教えて",
    "私の誕生日、覚えてる？", "この前行った温泉ってどこだっけ？", "先週何を食べた？", "前に話した本のタイトル教えて",
    "私の好きな色は何だった？", "うちの猫の名前は？",
]  # fmt: skip
CALLS_FOR_NOTHING = [
    "Good morning!", "I'm tired today.", "Is the soup still warm?", "Kyoto is lovely.", "Thank you so much",
    "Remember that I have a dentist's appointment on Monday.", "おはよう！", "今日は天気がいいね", "疲れたなあ",
    "ありがとう", "明日は8時に起きるって覚えておいて", "クロは何色？", "", "😀",
]  # fmt: skip
POINTS_BACK = [
    "And her sister?", "Where did he learn it?", "When was that?", "So where did they meet?", "What about the dog?",
    "Which one was cheaper?", "Why?", "Was there a garden there?", "それはいつだっけ？", "どこで買ったの？", "いつ？",
    "その人の名前は？",
]  # fmt: skip
STANDS_BY_ITSELF = [
    "Where did Kenji learn the shamisen?", "When did Caroline go to the support group?",
    "Why did my brother leave before he had eaten?", "Is there any bread left from Sunday?", "いつ京都に行ったっけ？",
    "Who gave the necklace to Caroline, and where does she keep it?", "誰がケーキを焼いてくれたの？",
    "What did Melanie think of that book when she read it?", "この前の旅行で泊まった宿の名前は？",
    "How long did it take Jon to open his studio?",
    "And where did I leave my umbrella after the concert in Osaka?",
]  # fmt: skip


def turns(*said: str) -> list[Message]:
    roles = ("user", "persona")
    return [Message(f"t{n}", NOW, roles[n % 2], roles[n % 2], text) for n, text in enumerate(said)]  # type: ignore[arg-type]  # two roles


def test_what_calls_for_the_past_is_told_from_what_does_not() -> None:
    assert [one for one in CALLS if not (plan_recall(one, [], NOW).wanted and plan_recall(one, [], NOW).query)] == []
    assert [one for one in CALLS_FOR_NOTHING if plan_recall(one, [], NOW).wanted] == []
    assert plan_recall("クロは何色？", [], NOW).query == "クロは何色？"  # it may be about the world
    assert not plan_recall("Aiko sends her regards.", [], NOW).wanted
    assert plan_recall("Aiko sends her regards.", [], NOW, lambda text: "Aiko" in text).wanted  # a known name


def test_a_follow_up_takes_its_subject_from_the_turns_before() -> None:
    for first, second, message, subject in (
        ("My brother Kenji plays the shamisen.", "How lovely!", "And where did he learn it?", "Kenji"),
        ("Tell me about Lisbon.", "You went to Lisbon in March.", "What did I eat there?", "Lisbon"),
        ("妹のさくらが結婚しました。", "おめでとうございます！", "それはいつだっけ？", "結婚"),
        ("金沢に行ったんだ。", "いいですね。", "そこで何を食べたか覚えてる？", "金沢"),
    ):
        plan = plan_recall(message, turns(first, second), NOW)
        assert plan.wanted
        assert subject in plan.query
        assert message in plan.query
    for message in ("What is my dentist's name?", "Where did Kenji learn the shamisen?"):
        assert plan_recall(message, turns("I love pancakes.", "Me too!"), NOW).query == message


def test_what_points_back_is_told_from_what_stands_by_itself() -> None:
    assert [one for one in POINTS_BACK if not follows_up(one, terms(one))] == []
    assert [one for one in STANDS_BY_ITSELF if follows_up(one, terms(one))] == []


@pytest.mark.skipif(not is_there(), reason="the conversations in ../shared/data are not there")
def test_questions_of_long_conversations_stand_by_themselves() -> None:
    asked = [one["query"] for name in LOCOMO for one in lines(f"{name}.queries.jsonl")]
    following = [question for question in asked if follows_up(question, terms(question))]
    assert len(following) <= 0.01 * len(asked), following


TIMES = """What did we do yesterday? = 2026-11-20
the day before yesterday = 2026-11-19
three days ago = 2026-11-18
last week = 2026-11-09 2026-11-15
last Friday = 2026-11-20
last May = 2026-05-01 2026-05-31
in December = 2025-12-01 2025-12-31
in June 2023 = 2023-06-01 2023-06-30
on 8 May, 2023 = 2023-05-08
on July 3rd = 2026-07-03
2023-05-08 = 2023-05-08
last summer = 2026-06-01 2026-08-31
last year = 2025-01-01 2025-12-31
last weekend = 2026-11-14 2026-11-15
昨日何した？ = 2026-11-20
おとといの夕飯 = 2026-11-19
三日前 = 2026-11-18
十二日前 = 2026-11-09
先週 = 2026-11-09 2026-11-15
先週の金曜日 = 2026-11-13
先月 = 2026-10-01 2026-10-31
去年の夏 = 2025-06-01 2025-08-31
9月の初め = 2026-09-01 2026-09-10
12月 = 2025-12-01 2025-12-31
2022年8月13日 = 2022-08-13
8月13日 = 2026-08-13
２０２２年 = 2022-01-01 2022-12-31
May I ask you something? =
We march on. =
Tell me a story. =
今度遊ぼう =
大工の話だ =
1234567 ="""


def test_expressions_are_read_and_what_is_no_time_is_not() -> None:
    wrong = []
    for line in TIMES.splitlines():
        text, _, told = line.rpartition(" =")
        days = [date.fromisoformat(day) for day in told.split()]
        spans = [(span.first, span.last) for span in find_times(text, NOW)]
        if spans != ([(days[0], days[-1])] if days else []):
            wrong.append((text, spans))
    assert wrong == []
    text = "What did I cook last week?"
    assert without_times(text, find_times(text, NOW)).split() == ["what", "did", "i", "cook", "?"]


def test_messages_that_tell_when() -> None:
    for text in ("I went there yesterday.", "来週行きます", "in 2019", "on Monday", "三年前のこと"):
        assert tells_when(text), text


@given(st.text(max_size=60), st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)))
def test_any_text_can_be_read(text: str, now: datetime) -> None:
    for span in find_times(text, now):
        assert span.first <= span.last
