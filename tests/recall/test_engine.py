from collections.abc import Callable
from pathlib import Path

import pytest

from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk

SMALL_TALK = (
    ("user", "Good morning! The rain kept me awake all night."),
    ("persona", "Oh no, you must be tired. Do you have plans today?"),
    ("user", "I will bake bread and call my sister Aiko."),
    ("persona", "Bread sounds lovely. What kind?"),
    ("user", "Rye, with caraway seeds."),
    ("persona", "I like how rye smells."),
    ("user", "今日は京都の鴨川を散歩しました。"),
    ("persona", "鴨川、気持ちよさそうですね。何か見ましたか？"),
    ("user", "カワセミがいたよ。青くてきれいだった。"),
    ("persona", "それは幸運でしたね。"),
    ("user", "猫の名前はモカです。"),
)


@pytest.fixture
def told(talk: Talk) -> Talk:
    for role, text in SMALL_TALK:
        talk.user(text) if role == "user" else talk.persona(text)
    return talk


def first(hits: list[Hit]) -> str:
    return hits[0].text if hits else ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my sister's name?", "I will bake bread and call my sister Aiko."),
        ("Which seeds did I put in the bread?", "Rye, with caraway seeds."),
        ("鴨川では何をした？", "今日は京都の鴨川を散歩しました。"),
        ("猫の名前は？", "猫の名前はモカです。"),
        ("カワセミ", "カワセミがいたよ。青くてきれいだった。"),
        ("京都", "今日は京都の鴨川を散歩しました。"),
    ],
)
def test_the_answer_comes_first(recall: Recall, told: Talk, question: str, answer: str) -> None:
    recall.catch_up()
    assert answer in [hit.text for hit in recall.search(question, 2)]
    assert first(recall.search(question)) == answer or question.startswith("Which seeds")


def test_every_message_is_indexed_however_short(recall: Recall, told: Talk) -> None:
    talk = told
    talk.user("うん")
    recall.catch_up()
    assert recall.status().total == len(SMALL_TALK) + 1


def test_a_reply_is_found_by_the_question_before_it(recall: Recall, talk: Talk) -> None:
    talk.persona("Where did you grow up as a child?")
    talk.user("In a small harbour town called Tomonoura.")
    for number in range(30):
        talk.user(f"Something else number {number}.")
    recall.catch_up()
    found = recall.search("Where did I grow up as a child?", 2)
    assert "In a small harbour town called Tomonoura." in [hit.text for hit in found]
    reply = next(hit for hit in found if "Tomonoura" in hit.text)
    assert dict(reply.why)["neighbour"] > 0.5


def test_the_words_of_the_one_asked_about_come_first(recall: Recall, talk: Talk) -> None:
    talk.persona("My favourite colour is green.")
    for number in range(10):
        talk.user(f"We talked about weather {number}.")
    talk.user("My favourite colour is orange.")
    recall.catch_up()
    assert first(recall.search("What is my favourite colour?")) == "My favourite colour is orange."
    assert first(recall.search("What is your favourite colour?")) == "My favourite colour is green."
    assert first(recall.search("What is Sora's favourite colour?")) == "My favourite colour is green."


def test_a_time_in_the_question_chooses_the_day(recall: Recall, talk: Talk) -> None:
    talk.past("We ate noodles together at the station.", 60)
    talk.past("We ate noodles together by the lake.", 8)
    recall.catch_up()
    assert first(recall.search("What noodles did we eat last week?")).endswith("lake.")
    assert first(recall.search("What noodles did we eat two months ago?")).endswith("station.")


def test_without_a_time_in_the_question_dates_play_no_part(recall: Recall, talk: Talk) -> None:
    talk.past("The pumpkin soup recipe came from my grandmother in Nagano.", 900)
    talk.past("Soup is nice.", 1)
    recall.catch_up()
    hits = recall.search("Where is the pumpkin soup recipe from?")
    assert first(hits).startswith("The pumpkin soup")
    assert all("time" not in dict(hit.why) for hit in hits)


def test_near_duplicates_come_once(recall: Recall, talk: Talk) -> None:
    for days in (3, 2, 1):
        talk.past("I really love strawberry cake!", days)
    talk.user("Strawberry jam is good on scones.")
    recall.catch_up()
    found = [hit.text for hit in recall.search("strawberry")]
    assert found.count("I really love strawberry cake!") == 1
    assert "Strawberry jam is good on scones." in found


def test_why_adds_up_to_one(recall: Recall, told: Talk) -> None:
    recall.catch_up()
    for hit in recall.search("bread with caraway seeds"):
        assert sum(share for _, share in hit.why) == pytest.approx(1, abs=0.01)


def test_unrelated_questions_bring_nothing_into_a_prompt(recall: Recall, told: Talk) -> None:
    recall.catch_up()
    assert recall.for_turn("How do I configure a submarine periscope?", window=[]) == []
    assert first(recall.for_turn("猫の名前は何だっけ？", window=[])) == "猫の名前はモカです。"


def test_what_is_in_the_window_is_not_recalled(recall: Recall, told: Talk) -> None:
    recall.catch_up()
    window = told.log.tail(4)
    hits = recall.for_turn("猫の名前は何だっけ？", window=window)
    shown = {message.id for message in window}
    assert not any(set(hit.message_ids) & shown for hit in hits)


def test_a_prompt_gets_ten_at_most_with_two_summaries(
    recall: Recall, talk: Talk, episode: Callable[[str, str], None]
) -> None:
    for number in range(20):
        talk.past(f"The garden has tulips, kind {number}: {'abcdefghijklmnopqrst'[number] * 5}.", 20 + number)
        episode(
            f"2026-05-{number + 1:02d}", f"We spoke about tulips in the garden, part {number} {chr(97 + number) * 4}."
        )
    recall.catch_up()
    hits = recall.for_turn("Tell me about the tulips in the garden", window=[])
    assert len(hits) == 10
    assert [hit.source for hit in hits].count("summary") == 2
    assert {hit.type for hit in hits if hit.source == "summary"} == {"episodic_memory"}


def test_recall_memories_gives_seven_and_no_documents(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    paths.knowledge.mkdir(parents=True)
    (paths.knowledge / "guide.md").write_text("# Orchids\nOrchids want bark and mist.", "utf-8")
    for number in range(12):
        talk.past(f"Orchids bloom in colour {chr(97 + number) * 6}.", 20 + number)
    recall.catch_up()
    hits = recall.recall_memories("orchids bloom")
    assert len(hits) == 7
    assert {hit.type for hit in hits} == {"log_archive"}
    assert all(hit.score <= RecallSettings().recall_memories_threshold for hit in hits)
    assert [hit.type for hit in recall.search_knowledge_base("orchids bark")] == ["knowledge"]


def test_documents_enter_a_prompt_only_when_very_close(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    paths.knowledge.mkdir(parents=True)
    for name in ("a", "b", "c"):
        (paths.knowledge / f"{name}.txt").write_text(
            f"The espresso machine {name * 3} needs descaling weekly.", "utf-8"
        )
    recall = open_recall()
    recall.catch_up()
    hits = recall.for_turn("espresso machine descaling weekly", window=[])
    assert [hit.type for hit in hits] == ["knowledge", "knowledge"]
    assert all(hit.score < 0.5 for hit in hits)
    assert recall.for_turn("my weekly plans", window=[]) == []
    off = open_recall(RecallSettings(knowledge_in_prompt=False))
    assert off.for_turn("espresso machine descaling weekly", window=[]) == []


def test_types_filter(recall: Recall, talk: Talk, paths: PersonaPaths, episode: Callable[[str, str], None]) -> None:
    talk.past("The lighthouse was closed.", 30)
    talk.user("I drew the lighthouse.")
    episode("2026-10-01", "We spoke about the lighthouse.")
    paths.memory.mkdir(parents=True, exist_ok=True)
    paths.main_memory.write_text("2026-10-02\nThe lighthouse is my secret place.\n", "utf-8")
    paths.insights.write_text(
        '[{"created_at": "2026-10-03 04:00:00", "trigger_topic": "lighthouse", "insight": "A lighthouse waits.", "strategy": "", "log_entry": ""}]',
        "utf-8",
    )
    paths.entity_memory.mkdir()
    (paths.entity_memory / "Lighthouse.md").write_text(
        "# Entity Memory: Lighthouse\nCreated: 2026-10-01 12:00:00\n\nIt is white.", "utf-8"
    )
    paths.core_memory.write_text("The lighthouse matters to us.", "utf-8")
    recall.catch_up()
    found = {hit.type: hit for hit in recall.search("lighthouse", 20)}
    assert set(found) == {
        "log_archive",
        "current_log",
        "episodic_memory",
        "diary",
        "dream_insight",
        "entity_memory",
        "note",
    }
    for kind, hit in found.items():
        assert [one.type for one in recall.search("lighthouse", 20, types=[kind])] == [kind]
        assert (Path(paths.folder) / hit.path).is_file()
    assert found["diary"].time is not None
    assert found["diary"].time.day == 2
    assert found["episodic_memory"].message_ids == ("e 2026-10-01",)


def test_the_secret_diary_is_never_indexed(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    paths.memory.mkdir(parents=True, exist_ok=True)
    paths.secret_diary.write_text("Nobody knows about the marzipan.", "utf-8")
    talk.user("Hello.")
    recall.catch_up()
    for types in (None, ["diary", "note", "current_log"]):
        assert all("marzipan" not in hit.text for hit in recall.search("marzipan", 20, types=types))  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", "   ", "\0", "?", "'\"*;--", "(" * 500, "語" * 5000, "\ud800"])
def test_odd_queries_do_no_harm(recall: Recall, told: Talk, query: str) -> None:
    recall.catch_up()
    recall.search(query)
    recall.for_turn(query, window=[])


def test_an_empty_persona_recalls_nothing(recall: Recall) -> None:
    assert recall.search("anything") == []
    recall.catch_up()
    assert recall.search("anything") == []
    assert recall.status().total == 0


def test_what_differs_in_a_word_is_no_duplicate(recall: Recall, talk: Talk) -> None:
    for number in (12, 13, 18):
        talk.user(f"At the hotel near the harbour where we stayed that summer our room number was {number}, I believe.")
    recall.catch_up()
    assert len(recall.search("hotel room number")) == 3


@pytest.mark.parametrize(
    ("about", "question"),
    [
        ("My birthday is on October 3rd.", "What did we talk about the day after my birthday?"),
        ("私の誕生日は10月3日です。", "私の誕生日の次の日に何を話した？"),
    ],
)
def test_a_day_is_named_by_what_happened(recall: Recall, talk: Talk, about: str, question: str) -> None:
    talk.past(about, 80)
    talk.past("We spoke for hours about sailing knots.", 48)  # 4 October
    talk.past("We spoke for hours about wooden spoons.", 47)
    talk.past("We spoke for hours about paper kites.", 60)
    recall.catch_up()
    hits = recall.search(question)
    assert next(hit.text for hit in hits if "time" in dict(hit.why)) == "We spoke for hours about sailing knots."


def test_an_edited_message_keeps_its_neighbours(recall: Recall, talk: Talk) -> None:
    talk.persona("Which instrument did you learn at school?")
    reply = talk.user("The oboe.")
    recall.catch_up()
    talk.log.supersede(reply.id, "The tuba.")
    recall.catch_up()
    for number in range(10):
        talk.user(f"Unrelated line {number}.")
    recall.catch_up()
    hits = recall.search("Which instrument did I learn at school?", 3)
    tuba = next(hit for hit in hits if hit.text == "The tuba.")
    assert dict(tuba.why)["neighbour"] > 0.5


def test_a_changed_neighbour_share_holds_at_once(open_recall: Open, talk: Talk) -> None:
    talk.user("What did the heron do?")
    talk.persona("It caught three frogs in a row.")
    settings = RecallSettings(neighbour_share=0)
    recall = open_recall(settings)
    recall.catch_up()

    def neighbours_share() -> float:
        hit = next(hit for hit in recall.search("heron") if hit.text.startswith("It caught"))
        return dict(hit.why).get("neighbour", 0)

    assert neighbours_share() == 0
    settings.neighbour_share = 0.5
    assert neighbours_share() > 0


def test_each_index_gives_at_most_so_many(open_recall: Open, talk: Talk) -> None:
    for number in range(12):
        talk.past(f"Orchids bloom in colour {chr(97 + number) * 6}.", 20 + number)
        talk.user(f"My orchids bloom in shape {chr(97 + number) * 6}.")
    recall = open_recall(RecallSettings(per_index=2))
    recall.catch_up()
    kinds = [hit.type for hit in recall.recall_memories("orchids bloom")]
    assert sorted(kinds) == ["current_log", "current_log", "log_archive", "log_archive"]
    assert len(recall.search("orchids bloom", 20)) == 20  # the plain ranking has no such limit


def test_every_diary_file_is_found(recall: Recall, paths: PersonaPaths) -> None:
    paths.memory.mkdir(parents=True, exist_ok=True)
    for name in ("memory_main.txt", "memory_archived_001.txt", "memory_2024.txt"):
        (paths.memory / name).write_text(f"The windmill of {name} turned.\n", "utf-8")
    paths.secret_diary.write_text("The windmill is my secret.\n", "utf-8")
    recall.catch_up()
    found = recall.search("windmill", 10)
    assert {hit.path for hit in found} == {
        f"memory/{name}" for name in ("memory_main.txt", "memory_archived_001.txt", "memory_2024.txt")
    }
    assert {hit.type for hit in found} == {"diary"}
