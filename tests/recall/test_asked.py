"""What somebody asks in passing finds what was told: whatever words they choose, on whichever day, once."""

from datetime import datetime, timedelta

import pytest

from managers.language.reading.reading import only_asks
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.recall.question.topic import is_about
from tests.recall.conftest import Episode
from tests.recall.looking import Talk, texts

NOW = datetime(2026, 11, 21, 12, 0)  # a Saturday
MOVED = "The migration deadline has moved to the 18th of December."
BLACK = "クロは全身真っ黒で、しっぽの先だけ白いんだ。"
WORSE, BETTER = "猫のモモが入院しちゃった。", "モモちゃんが退院しました!"
AQUARIUM = ["I went to the aquarium with Nora and we saw jellyfish.", "Afterwards we ate pancakes with blueberries."]
YESTERDAY = ["台所を全部掃除した。", "夜は鯨の映画を観た。"]

LIVED: dict[int, tuple[tuple[str, str], ...]] = {
    16: (
        ("user", "The migration deadline at work is the 4th of December."),
        ("persona", "So the migration deadline at work is the 4th of December. I like to know that kind of thing."),
        ("user", BLACK),
        ("persona", "クロは全身真っ黒なんですね。もっと聞かせてください。"),
    ),
    13: (
        ("user", WORSE),
        ("persona", "猫のモモが入院しちゃったんですね。心配ですね。"),
        ("user", "I bought a red bicycle at the market."),
        ("persona", "A good find!"),
        ("user", "It has three gears."),
    ),
    9: (("user", BETTER), ("persona", "よかったですね。モモちゃんが退院したんですね。")),
    7: (("user", MOVED), ("persona", "What a relief.")),
    3: (("user", "Thursday is my least favourite day of the week, Thursdays are long."),),
    2: (("user", AQUARIUM[0]), ("persona", "So you went to the aquarium with Nora."), ("user", AQUARIUM[1])),
    1: (("user", YESTERDAY[0]), ("persona", "おつかれさま。"), ("user", YESTERDAY[1])),
} | dict.fromkeys(
    (8, 6, 4),
    (("user", "猫のモモはどうなった？"), ("persona", "11月8日、「猫のモモが入院しちゃった」と話してくれましたね。")),
)


def turn(recall: Recall, text: str) -> list[Hit]:
    """Search as a turn does."""
    plan = recall.plan(text, [])
    return recall.for_turn(plan.query, window=[], unasked=not plan.wanted) if plan.query else []


def say(talk: Talk, days: int, *said: tuple[str, str]) -> None:
    """Talk some days ago, forty seconds a message."""
    start = talk.clock.now() - timedelta(days=days)
    names = {"user": "Emma", "persona": "Sora"}
    talk.log.append_many(
        Message(f"d{days}-{at}", start + timedelta(seconds=40 * at), role, names[role], text)  # type: ignore[arg-type]  # user or persona
        for at, (role, text) in enumerate(said)
    )


@pytest.fixture
def lived(recall: Recall, talk: Talk) -> Recall:
    for days, said in LIVED.items():
        say(talk, days, *said)
    recall.catch_up()
    return recall


def test_an_impersonal_question_finds_what_was_told_and_small_talk_nothing(lived: Recall) -> None:
    told = {
        "What is the migration deadline now?": MOVED,
        "When is the deadline?": MOVED,
        "Is the migration deadline still the 4th?": MOVED,
        "How many gears does the bicycle have?": "It has three gears.",
        "Any news on the bicycle?": "I bought a red bicycle at the market.",
        "クロは何色？": BLACK,
        "クロについて教えて": BLACK,
        "モモはどうなった？": BETTER,
        "猫のモモのこと、私は何を質問した？": "猫のモモはどうなった？",  # who wants their questions gets them
    }
    assert [one for one, answer in told.items() if answer not in texts(turn(lived, one))[:3]] == []
    nothing = [
        "How are you?", "What's up?", "How's it going?", "What time is it?", "What's the weather like?", "元気？", "最近どう？",
        "What is the capital of France?", "How does a fridge work at night?", "Why is the sky blue?", "今何時？",
        "フランスの首都はどこ？", "冷蔵庫の仕組みは？", "What did we talk about ten days ago?",
    ]  # fmt: skip
    assert {one: found for one in nothing if (found := texts(turn(lived, one)))} == {}


def test_a_day_that_is_all_that_is_asked_for_comes_in_order(lived: Recall, episode: Episode) -> None:
    for question in ("What did we talk about last Thursday?", "What happened on Thursday?"):
        assert [text for text in texts(turn(lived, question)) if "So you" not in text] == AQUARIUM
    for question, told in {
        "昨日、何をしたっけ？": YESTERDAY,
        "What did I do yesterday?": YESTERDAY,
        "先週の木曜、何の話をしたっけ": [BETTER],
        "11月12日は何の話をした？": [BETTER],
    }.items():
        for found in (turn(lived, question), lived.recall_memories(question)):
            assert [hit.text for hit in found if hit.speaker == "Emma"] == told, question
    eaten = texts(turn(lived, "What did we eat last Thursday?"))
    assert eaten[0] == AQUARIUM[1]
    assert not any("least favourite" in text for text in eaten), "the word for a day is not searched"
    episode("2026-11-19", "An outing to the sea animals.")
    lived.catch_up()
    found = turn(lived, "What did we talk about last Thursday?")
    assert found[-1].type == "episodic_memory"
    assert AQUARIUM[0] in texts(found)


def test_of_a_long_day_the_user_s_own_and_fullest_words_come(recall: Recall, talk: Talk) -> None:
    said = [("user", f"The walk number {n} led past the old mill, the river and a field of barley.") for n in range(8)]
    chat = [pair for n in range(20) for pair in (("user", "Hm."), ("persona", f"A long answer, the {n}th today."))]
    say(talk, 5, *chat, *said)
    recall.catch_up()
    found = turn(recall, "What did I tell you five days ago?")
    assert len(found) == 10
    assert {text for _, text in said} <= set(texts(found))
    assert [hit.time for hit in found] == sorted(hit.time for hit in found if hit.time)


def test_statements_come_before_echoes_and_questions_and_the_last_word_is_there(lived: Recall) -> None:
    found = texts(turn(lived, "猫のモモはどうなった？"))
    assert {WORSE, BETTER} <= set(found[:3])
    told = [place for place, text in enumerate(found) if text.startswith((WORSE, "モモちゃん"))]
    again = [place for place, text in enumerate(found) if text.endswith("？") or "話してくれ" in text]
    assert not again or max(told) < min(again)


def test_a_companion_s_own_words_are_no_echo_and_a_contradiction_no_repetition(recall: Recall, talk: Talk) -> None:
    read = "Lighthouses! Read Stevenson's memoir of building towers in storms off Scotland."
    say(talk, 3, ("user", "I want a book about lighthouses."), ("persona", read))
    coffee = {"I like coffee in the morning.": 20, "I don't like coffee in the morning.": 2}
    for text, days in coffee.items():
        talk.past(text, days)
    recall.catch_up()
    assert read in texts(turn(recall, "Which book about lighthouses was it?"))[:2]
    assert set(texts(turn(recall, "Do I like coffee?"))) == coffee.keys()


def test_bare_questions_are_told_from_news() -> None:
    asks = ("猫のモモはどうなった？", "モモはどうしてるのかな", "What is my cat called?")
    tells = ("I adopted a cat. Do you like cats?", "モモが退院した。", "😀")
    assert [text for text in (*asks, *tells) if only_asks(text)] == [*asks]


def test_a_topic_must_be_there_in_one_talk(recall: Recall, talk: Talk) -> None:
    def said(text: str, days: int) -> Hit:
        return Hit(text, "log_archive", "semantic", "log.txt", (text,), 0.3, NOW - timedelta(days=days))

    apart = [said("Her face lit up in the light.", 3), said("The speed was too much for me.", 9)]
    assert not is_about("What is the speed of light?", apart)
    together = [said("A red bicycle.", 3), said("It has three gears.", 3)]
    assert is_about("How many gears does the bicycle have?", together)
    assert is_about("クロは何色？", [said("クロは白いんだ。", 3)])
    talk.past("Her face lit up in the light.", 3)
    talk.past("The speed was too much for me.", 9)
    recall.catch_up()
    assert recall.for_turn("What is the speed of light?", window=[], unasked=True) == []
    assert recall.for_turn("What is the speed of light?", window=[])
