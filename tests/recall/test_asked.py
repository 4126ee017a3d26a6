"""What somebody asks in passing finds what was told: whatever words they choose, on whichever day, once."""

from datetime import datetime, timedelta

import pytest

from managers.language.reading.reading import only_asks as asks_only
from managers.language.reading.times import find_times
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.recall.question.cues import read_cues
from managers.recall.question.planner import plan_recall
from managers.recall.question.stop_phrases import times_behind
from managers.recall.question.topic import is_about
from tests.recall.looking import Talk

NOW = datetime(2026, 11, 21, 12, 0)  # a Saturday


def turn(recall: Recall, text: str) -> list[Hit]:
    """Search as a turn does."""
    plan = recall.plan(text, [])
    return recall.for_turn(plan.query, window=[], unasked=not plan.wanted) if plan.query else []


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


def say(talk: Talk, days: int, *said: tuple[str, str]) -> None:
    """Talk some days ago, forty seconds a message."""
    start = talk.clock.now() - timedelta(days=days)
    names = {"user": "Emma", "persona": "Sora"}
    talk.log.append_many(
        [
            Message(f"d{days}-{at}", start + timedelta(seconds=40 * at), role, names[role], text)  # type: ignore[arg-type]  # user or persona
            for at, (role, text) in enumerate(said)
        ]
    )


@pytest.fixture
def lived(talk: Talk) -> Talk:
    say(
        talk,
        16,
        ("user", "The migration deadline at work is the 4th of December."),
        (
            "persona",
            "So the migration deadline at work is the 4th of December. That's the kind of thing I like to know.",
        ),
        ("user", "クロは全身真っ黒で、しっぽの先だけ白いんだ。"),
        ("persona", "クロは全身真っ黒なんですね。もっと聞かせてください。"),
    )
    say(
        talk,
        13,
        ("user", "猫のモモが入院しちゃった。"),
        ("persona", "猫のモモが入院しちゃったんですね。心配ですね。"),
        ("user", "I bought a red bicycle at the market."),
        ("persona", "A good find!"),
        ("user", "It has three gears."),
    )
    say(talk, 9, ("user", "モモちゃんが退院しました!"), ("persona", "よかったですね。モモちゃんが退院したんですね。"))
    for days in (8, 6, 4):
        say(
            talk,
            days,
            ("user", "猫のモモはどうなった？"),
            ("persona", "11月8日、「猫のモモが入院しちゃった」と話してくれましたね。"),
        )
    say(talk, 7, ("user", "The migration deadline has moved to the 18th of December."), ("persona", "What a relief."))
    say(
        talk,
        2,
        ("user", "I went to the aquarium with Nora and we saw jellyfish."),
        ("persona", "So you went to the aquarium with Nora."),
        ("user", "Afterwards we ate pancakes with blueberries."),
    )
    say(talk, 1, ("user", "台所を全部掃除した。"), ("persona", "おつかれさま。"), ("user", "夜は鯨の映画を観た。"))
    say(talk, 3, ("user", "Thursday is my least favourite day of the week, Thursdays are long."))
    return talk


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the migration deadline now?", "The migration deadline has moved to the 18th of December."),
        ("When is the deadline?", "The migration deadline has moved to the 18th of December."),
        ("Is the migration deadline still the 4th?", "The migration deadline has moved to the 18th of December."),
        ("How many gears does the bicycle have?", "It has three gears."),
        ("Any news on the bicycle?", "I bought a red bicycle at the market."),
        ("クロは何色？", "クロは全身真っ黒で、しっぽの先だけ白いんだ。"),
        ("クロについて教えて", "クロは全身真っ黒で、しっぽの先だけ白いんだ。"),
        ("モモはどうなった？", "モモちゃんが退院しました!"),
    ],
)
def test_an_impersonal_question_finds_what_was_told(recall: Recall, lived: Talk, question: str, told: str) -> None:
    recall.catch_up()
    assert told in texts(turn(recall, question))[:3]


@pytest.mark.parametrize(
    "question",
    [
        "How are you?",
        "What's up?",
        "How's it going?",
        "What time is it?",
        "What's the weather like?",
        "What is the capital of France?",
        "How does a fridge work at night?",
        "Why is the sky blue?",
        "元気？",
        "最近どう？",
        "今何時？",
        "フランスの首都はどこ？",
        "冷蔵庫の仕組みは？",
    ],
)
def test_small_talk_and_the_world_bring_nothing(recall: Recall, lived: Talk, question: str) -> None:
    recall.catch_up()
    assert turn(recall, question) == []


def test_a_question_about_the_world_is_not_taken_for_one_about_the_past() -> None:
    plan = plan_recall("クロは何色？", [], NOW)
    assert (plan.wanted, plan.query) == (False, "クロは何色？")
    assert plan_recall("クロについて教えて", [], NOW).wanted


@pytest.mark.parametrize("question", ["What did we talk about last Thursday?", "What happened on Thursday?"])
def test_a_day_that_is_all_that_is_asked_for_comes_in_order(recall: Recall, lived: Talk, question: str) -> None:
    recall.catch_up()
    found = texts(turn(recall, question))
    assert [text for text in found if "So you" not in text] == [
        "I went to the aquarium with Nora and we saw jellyfish.",
        "Afterwards we ate pancakes with blueberries.",
    ]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("昨日、何をしたっけ？", ["台所を全部掃除した。", "夜は鯨の映画を観た。"]),
        ("What did I do yesterday?", ["台所を全部掃除した。", "夜は鯨の映画を観た。"]),
        ("先週の木曜、何の話をしたっけ", ["モモちゃんが退院しました!"]),
        ("11月12日は何の話をした？", ["モモちゃんが退院しました!"]),
    ],
)
def test_days_are_found_in_both_languages(recall: Recall, lived: Talk, question: str, told: list[str]) -> None:
    recall.catch_up()
    assert [hit.text for hit in turn(recall, question) if hit.speaker == "Emma"] == told
    assert [hit.text for hit in recall.recall_memories(question) if hit.speaker == "Emma"] == told


def test_of_a_long_day_the_user_s_own_and_fullest_words_come(recall: Recall, talk: Talk) -> None:
    said = [("user", f"The walk number {n} led past the old mill, the river and a field of barley.") for n in range(8)]
    chat = [
        pair for n in range(20) for pair in (("user", "Hm."), ("persona", f"A long answer, the {n}th of many today."))
    ]
    say(talk, 5, *chat, *said)
    recall.catch_up()
    found = turn(recall, "What did I tell you five days ago?")
    assert len(found) == 10
    assert {text for _, text in said} <= set(texts(found))
    assert [hit.time for hit in found] == sorted(hit.time for hit in found if hit.time)


def test_a_day_on_which_nothing_was_said_is_not_made_up(recall: Recall, lived: Talk) -> None:
    recall.catch_up()
    assert turn(recall, "What did we talk about ten days ago?") == []


def test_the_day_s_summary_comes_with_it(recall: Recall, lived: Talk, episode: object) -> None:
    episode("2026-11-19", "An outing to the sea animals.")  # type: ignore[operator]  # a function
    recall.catch_up()
    found = turn(recall, "What did we talk about last Thursday?")
    assert found[-1].type == "episodic_memory"
    assert "I went to the aquarium with Nora and we saw jellyfish." in texts(found)


def test_the_word_for_a_day_is_not_searched(recall: Recall, lived: Talk) -> None:
    recall.catch_up()
    found = texts(turn(recall, "What did we eat last Thursday?"))
    assert found[0] == "Afterwards we ate pancakes with blueberries."
    assert not any("least favourite" in text for text in found)


def test_a_day_to_come_keeps_its_word() -> None:
    text = "What do I have on Thursday?"
    assert times_behind(text, find_times(text, NOW)) == ()
    assert "thursday" in read_cues(text, [], NOW).words
    assert "thursday" not in read_cues("What did I have last Thursday?", [], NOW).words


def test_statements_come_before_echoes_and_questions_and_the_last_word_is_there(recall: Recall, lived: Talk) -> None:
    recall.catch_up()
    found = texts(turn(recall, "猫のモモはどうなった？"))
    assert {"猫のモモが入院しちゃった。", "モモちゃんが退院しました!"} <= set(found[:3])
    told = [place for place, text in enumerate(found) if text.startswith(("猫のモモが入院しちゃった。", "モモちゃん"))]
    again = [place for place, text in enumerate(found) if text.endswith("？") or "話してくれ" in text]
    assert not again or max(told) < min(again)


def test_who_wants_their_questions_gets_them(recall: Recall, lived: Talk) -> None:
    recall.catch_up()
    assert "猫のモモはどうなった？" in texts(turn(recall, "猫のモモのこと、私は何を質問した？"))[:3]


def test_a_companion_s_own_words_are_no_echo(recall: Recall, talk: Talk) -> None:
    say(
        talk,
        3,
        ("user", "I want a book about lighthouses."),
        ("persona", "Lighthouses! Read Stevenson's memoir of building towers in storms off Scotland."),
    )
    recall.catch_up()
    found = texts(turn(recall, "Which book about lighthouses was it?"))
    assert found[:2][-1].startswith("Lighthouses! Read") or found[0].startswith("Lighthouses! Read")


def test_a_contradiction_is_no_repetition(recall: Recall, talk: Talk) -> None:
    talk.past("I like coffee in the morning.", 20)
    talk.past("I don't like coffee in the morning.", 2)
    recall.catch_up()
    assert set(texts(turn(recall, "Do I like coffee?"))) == {
        "I like coffee in the morning.",
        "I don't like coffee in the morning.",
    }


@pytest.mark.parametrize(
    ("text", "only_asks"),
    [
        ("猫のモモはどうなった？", True),
        ("モモはどうしてるのかな", True),
        ("What is my cat called?", True),
        ("I adopted a cat. Do you like cats?", False),
        ("モモが退院した。", False),
        ("😀", False),
    ],
)
def test_bare_questions_are_told_from_news(text: str, only_asks: bool) -> None:  # a table's column
    assert asks_only(text) is only_asks


def test_a_topic_must_be_there_in_one_talk() -> None:
    def said(text: str, days: int) -> Hit:
        return Hit(text, "log_archive", "semantic", "log.txt", (text,), 0.3, NOW - timedelta(days=days))

    apart = [said("Her face lit up in the light.", 3), said("The speed was too much for me.", 9)]
    assert not is_about("What is the speed of light?", apart)
    assert is_about(
        "How many gears does the bicycle have?", [said("A red bicycle.", 3), said("It has three gears.", 3)]
    )
    assert is_about("クロは何色？", [said("クロは白いんだ。", 3)])


@pytest.mark.parametrize("question", ["最近モモどうしてる？", "モモは元気？", "昨日モモの話をした？"])
def test_what_is_cut_off_leaves_japanese_words_whole(question: str) -> None:
    assert "桃" in read_cues(question, [], NOW).words  # as モモ is listed
