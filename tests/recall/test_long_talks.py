"""Long answers, several questions in one, what holds from now on, and what only the whole of a talk can answer."""

from collections.abc import Callable

import pytest

from benchmarks.long_talks import Talk as LongTalk
from benchmarks.long_talks import full_text, recall_of, search_full_text
from managers.language.reading.clauses import clauses
from managers.language.reading.overview import asks_for_overview
from managers.language.reading.preferences import asks_for_help, is_standing_wish
from managers.recall.engine import Recall
from tests.recall.looking import Talk

FILLER = "It pays to begin with what you have and to change one thing at a time. " * 4


def test_a_long_answer_is_one_hit_and_not_ten(recall: Recall, talk: Talk) -> None:
    talk.persona("\n\n".join(f"Compost wants air, hint {number}. {FILLER}" for number in range(12)))
    talk.user("My compost smells of ammonia.")
    recall.catch_up()
    found = [hit.message_ids for hit in recall.search("compost", 10)]
    assert len(found) == len(set(found)) == 2


def test_what_rests_on_the_same_message_is_one_hit(
    recall: Recall, talk: Talk, episode: Callable[[str, str], None]
) -> None:
    for day in ("2026-05-01", "2026-05-02"):
        episode(day, f"We spoke about tulips on {day}.")
    recall.catch_up()
    assert len(recall.recall_memories("tulips")) == 2
    folder = recall.paths.episodic_memory
    for path in folder.iterdir():
        path.write_text(path.read_text("utf-8").replace("e 2026-05-01", "e 2026-05-02"), "utf-8")
    recall.catch_up()
    assert len(recall.recall_memories("tulips")) == 1
    assert len(recall.search("tulips")) == 2  # whoever looks for a day finds it beside the other one


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("縄跳びの話をしたよね…あと、外食が減った理由は何だっけ？", "外食が減ったのは、健康診断の結果のせいです。"),
        ("縄跳びは何回跳んだ？ それと、外食が減った理由は？", "縄跳びを三百回跳びました。"),
    ],
)
def test_each_of_several_questions_is_looked_for(recall: Recall, talk: Talk, query: str, told: str) -> None:
    talk.past("外食が減ったのは、健康診断の結果のせいです。", 9)
    talk.past("縄跳びを三百回跳びました。", 7)
    for number in range(20):
        talk.past(f"今日は{number}時に犬の散歩をして、川の写真を撮りました。", 5)
    recall.catch_up()
    assert told in [hit.text for hit in recall.recall_memories(query)]


def test_questions_are_cut_where_another_one_begins() -> None:
    assert clauses("猫の話、覚えてる？あと、外食の件は？") == ["猫の話、覚えてる？", "外食の件は？"]
    assert clauses("What is Tom's job? And where does Mia live?") == ["What is Tom's job?", "And where does Mia live?"]
    assert len(clauses("What is Tom's job? Does he like it?")) == 1
    assert clauses("猫の名前は？") == ["猫の名前は？"]


def test_a_wish_that_holds_is_found_where_somebody_asks_for_help(recall: Recall, talk: Talk) -> None:
    talk.past("For the Portugal trip never put more than two things into one day, Mum gets tired.", 60)
    for number in range(40):
        talk.past(f"On Sunday number {number} of the Portugal trip we walked through Coimbra and drew a map.", 50)
    recall.catch_up()
    found = recall.search("Could you draw up something for our Sunday in Coimbra?", 10)
    assert any(hit.text.startswith("For the Portugal trip never") for hit in found)


def test_who_asks_for_help_finds_what_there_is_though_nobody_wished_for_anything(recall: Recall, talk: Talk) -> None:
    talk.past("We walked through Coimbra and drew a map.", 50)
    recall.catch_up()
    assert recall.search("Could you draw up something for our Sunday in Coimbra?", 10)


@pytest.mark.parametrize(
    "text",
    [
        "From now on, use grams.",
        "I'd rather walk.",
        "予定を組むときは、二つまでにしてください。",
        "肉より魚のほうが好き。",
    ],
)
def test_standing_wishes_are_told_apart(text: str) -> None:
    assert is_standing_wish(text)
    assert not is_standing_wish("I walked to the harbour." if text.isascii() else "港まで歩いた。")


def test_who_looks_back_asks_for_no_help() -> None:
    assert asks_for_help("Could you suggest a plan for Sunday?")
    assert asks_for_help("日曜の予定を組んでくれる？")
    assert not asks_for_help("What did you suggest for Sunday?")
    assert not asks_for_help("前に書いてくれた手紙、覚えてる？")


def test_an_overview_is_spread_over_time(recall: Recall, talk: Talk) -> None:
    subjects = ("compost", "slugs", "tomatoes", "watering", "seeds", "frost")
    for number, subject in enumerate(subjects):
        for again in range(6):
            talk.past(f"About the garden: today it is {subject} that I think of, note {again}.", 60 - 10 * number)
            talk.persona(f"The garden thrives when {subject} get attention. {FILLER}")
    recall.catch_up()
    for query in ("In what order did I bring up the parts of my garden?", "Sum up all that I told you of the garden."):
        found = recall.search(query, 10)
        assert {one for hit in found for one in subjects if one in hit.text} == set(subjects)
        told = recall.recall_memories(query)
        assert [hit.time for hit in told] == sorted(hit.time for hit in told if hit.time)


def test_an_overview_is_told_from_other_questions() -> None:
    assert asks_for_overview("How has my app developed since we began?")
    assert asks_for_overview("庭の話を最初から順を追って教えて。")
    assert not asks_for_overview("What did I order at the cafe?")
    assert not asks_for_overview("How did the exam go?")


def test_the_long_talk_is_the_same_every_time_and_plain_search_finds_some_of_it() -> None:
    one, other = LongTalk("ja"), LongTalk("ja")
    assert one.messages == other.messages
    ids = {message.id for message in one.messages}
    assert all(question.evidence <= ids for question in one.questions)
    table = full_text(one.messages, "ja")
    assert 0 < recall_of(one.questions, lambda query: search_full_text(table, "ja", query))[""] < 1
    table.close()
