"""A search finds the answer, of every kind, in order; a prompt gets what it should, and nothing that it should not."""

import json
from datetime import timedelta

import pytest

from managers.recall.embedders.kept_here import stays_here
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Episode, Open
from tests.recall.looking import Talk, found, texts

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
def told(recall: Recall, talk: Talk) -> Recall:
    for role, text in SMALL_TALK:
        talk.user(text) if role == "user" else talk.persona(text)
    recall.catch_up()
    return recall


def test_the_answer_comes_first_and_why_adds_up_to_one(told: Recall) -> None:
    assert told.status().total == len(SMALL_TALK)  # however short
    for question, answer in {
        "What is my sister's name?": "I will bake bread and call my sister Aiko.",
        "鴨川では何をした？": "今日は京都の鴨川を散歩しました。",
        "猫の名前は？": "猫の名前はモカです。",
        "カワセミ": "カワセミがいたよ。青くてきれいだった。",
        "京都": "今日は京都の鴨川を散歩しました。",
    }.items():
        assert found(told, question)[0] == answer, question
    assert "Rye, with caraway seeds." in found(told, "Which seeds did I put in the bread?", 2)
    for hit in told.search("bread with caraway seeds"):
        assert sum(share for _, share in hit.why) == pytest.approx(1, abs=0.01)


def test_a_turn_recalls_neither_what_is_unrelated_nor_what_is_before_its_eyes(told: Recall, talk: Talk) -> None:
    assert told.for_turn("How do I configure a submarine periscope?", window=[]) == []
    question = "猫の名前は何だっけ？"
    assert texts(told.for_turn(question, window=[]))[0] == "猫の名前はモカです。"
    window = talk.log.tail(4)
    shown = {message.id for message in window}
    assert not any(set(hit.message_ids) & shown for hit in told.for_turn(question, window=window))


def test_odd_queries_do_no_harm(told: Recall) -> None:
    for query in ("", "   ", "\0", "?", "'\"*;--", "(" * 500, "語" * 5000, "\ud800"):
        told.search(query)
        told.for_turn(query, window=[])


def test_a_reply_is_found_by_the_question_before_it_even_once_edited(open_recall: Open, talk: Talk) -> None:
    settings = RecallSettings()
    recall = open_recall(settings)
    talk.persona("Where did you grow up as a child?")
    reply = talk.user("In a small harbour town called Onomichi.")
    recall.catch_up()
    for town in ("Onomichi", "Tomonoura"):
        if town not in reply.text:
            talk.log.supersede(reply.id, f"In a small harbour town called {town}.")
            recall.catch_up()
        talk.user(*(f"Something else number {number}." for number in range(15)))
        recall.catch_up()
        hits = recall.search("Where did I grow up as a child?", 3)
        (hit,) = [hit for hit in hits if town in hit.text]
        assert dict(hit.why)["neighbour"] > 0.5
    settings.neighbour_share = 0  # holds at once
    hits = recall.search("Where did I grow up as a child?", 40)
    assert not any(dict(hit.why).get("neighbour") for hit in hits)


def test_the_words_of_the_one_asked_about_come_first(recall: Recall, talk: Talk) -> None:
    talk.persona("My favourite colour is green.")
    talk.user(*(f"We talked about weather {number}." for number in range(10)), "My favourite colour is orange.")
    recall.catch_up()
    for whose, colour in {"my": "orange", "your": "green", "Sora's": "green"}.items():
        assert found(recall, f"What is {whose} favourite colour?")[0] == f"My favourite colour is {colour}.", whose


def test_what_another_said_weighs_less_though_it_fits_better(recall: Recall, talk: Talk) -> None:
    talk.persona("My favourite colour is green.")
    talk.user(*(f"We talked about weather {number}." for number in range(10)))
    thought_over = "My favourite colour, after some thought about walls, is orange."
    talk.user(thought_over)
    recall.catch_up()
    of_mine = found(recall, "What is my favourite colour?")
    assert of_mine[0] == thought_over
    assert "My favourite colour is green." in of_mine[2:]
    assert found(recall, "favourite colour")[0] == "My favourite colour is green."


def test_a_time_in_the_question_chooses_the_day_and_without_one_dates_play_no_part(recall: Recall, talk: Talk) -> None:
    talk.past("We ate noodles together at the station.", 60)
    talk.past("We ate noodles together by the lake.", 8)
    talk.past("The pumpkin soup recipe came from my grandmother in Nagano.", 900)
    talk.past("Soup is nice.", 1)
    recall.catch_up()
    assert found(recall, "What noodles did we eat last week?")[0].endswith("lake.")
    assert found(recall, "What noodles did we eat two months ago?")[0].endswith("station.")
    hits = recall.search("Where is the pumpkin soup recipe from?")
    assert hits[0].text.startswith("The pumpkin soup")
    assert all("time" not in dict(hit.why) for hit in hits)


@pytest.mark.parametrize(
    ("about", "question"),
    [
        ("My birthday is on October 3rd.", "What did we talk about the day after my birthday?"),
        ("私の誕生日は10月3日です。", "私の誕生日の次の日に何を話した？"),
    ],
)
def test_a_day_is_named_by_what_happened(recall: Recall, talk: Talk, about: str, question: str) -> None:
    talk.past(about, 80)
    for thing, days in {"sailing knots": 48, "wooden spoons": 47, "paper kites": 60}.items():  # 48: 4 October
        talk.past(f"We spoke for hours about {thing}.", days)
    recall.catch_up()
    hits = recall.search(question)
    assert next(hit.text for hit in hits if "time" in dict(hit.why)) == "We spoke for hours about sailing knots."


def test_near_duplicates_come_once_but_what_differs_in_a_word_is_none(recall: Recall, talk: Talk) -> None:
    for days in (3, 2, 1):
        talk.past("I really love strawberry cake!", days)
    talk.user("Strawberry jam is good on scones.")
    rooms = "At the hotel near the harbour where we stayed that summer our room number was {}, I believe."
    talk.user(*(rooms.format(number) for number in (12, 13, 18)))
    recall.catch_up()
    berries = found(recall, "strawberry", 10)
    assert berries.count("I really love strawberry cake!") == 1
    assert "Strawberry jam is good on scones." in berries
    assert len([text for text in found(recall, "hotel room number") if "hotel" in text]) == 3


def test_a_prompt_gets_ten_at_most_with_two_summaries(recall: Recall, talk: Talk, episode: Episode) -> None:
    for number in range(20):
        talk.past(f"The garden has tulips, kind {number}: {'abcdefghijklmnopqrst'[number] * 5}.", 20 + number)
        day = f"2026-05-{number + 1:02d}"
        episode(day, f"We spoke about tulips in the garden, part {number} {chr(97 + number) * 4}.")
    recall.catch_up()
    hits = recall.for_turn("Tell me about the tulips in the garden", window=[])
    assert len(hits) == 10
    assert [hit.type for hit in hits if hit.source == "summary"] == ["episodic_memory"] * 2


def test_recall_memories_gives_seven_without_documents(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    paths.knowledge.mkdir(parents=True)
    (paths.knowledge / "guide.md").write_text("# Orchids\nOrchids want bark and mist.", "utf-8")
    for number in range(12):
        talk.past(f"Orchids bloom in colour {chr(97 + number) * 6}.", 20 + number)
        talk.user(f"My orchids bloom in shape {chr(97 + number) * 6}.")
    recall = open_recall()
    recall.catch_up()
    hits = recall.recall_memories("orchids bloom")
    assert len(hits) == 7
    assert {hit.type for hit in hits} <= {"log_archive", "current_log"}
    assert all(hit.score <= RecallSettings().recall_memories_threshold for hit in hits)
    assert [hit.type for hit in recall.search_knowledge_base("orchids bark")] == ["knowledge"]
    narrow = open_recall(RecallSettings(per_index=2))
    kinds = [hit.type for hit in narrow.recall_memories("orchids bloom")]
    assert sorted(kinds) == ["current_log", "current_log", "log_archive", "log_archive"]
    assert len(narrow.search("orchids bloom", 20)) == 20  # the plain ranking has no such limit


def test_documents_enter_a_prompt_only_when_very_close(open_recall: Open, paths: PersonaPaths) -> None:
    paths.knowledge.mkdir(parents=True)
    for name in ("a", "b", "c"):
        text = f"The espresso machine {name * 3} needs descaling weekly."
        (paths.knowledge / f"{name}.txt").write_text(text, "utf-8")
    recall = open_recall()
    recall.catch_up()
    hits = recall.for_turn("espresso machine descaling weekly", window=[])
    assert [hit.type for hit in hits] == ["knowledge", "knowledge"]
    assert all(hit.score < 0.5 for hit in hits)
    assert recall.for_turn("my weekly plans", window=[]) == []
    off = open_recall(RecallSettings(knowledge_in_prompt=False))
    assert off.for_turn("espresso machine descaling weekly", window=[]) == []


def test_all_but_the_secret_diary_is_found(recall: Recall, talk: Talk, paths: PersonaPaths, episode: Episode) -> None:
    talk.past("The lighthouse was closed.", 30)
    talk.user("I drew the lighthouse.")
    episode("2026-10-01", "We spoke about the lighthouse.")
    paths.memory.mkdir(parents=True, exist_ok=True)
    diaries = {"memory_main.txt", "memory_archived_001.txt", "memory_2024.txt"}
    for name in diaries:
        (paths.memory / name).write_text(f"2026-10-02\nThe lighthouse of {name} is my place.\n", "utf-8")
    paths.secret_diary.write_text("Nobody knows about the marzipan in the lighthouse.", "utf-8")
    insight = {"created_at": "2026-10-03 04:00:00", "trigger_topic": "lighthouse", "insight": "A lighthouse waits."}
    paths.insights.write_text(json.dumps([{**insight, "strategy": "", "log_entry": ""}]), "utf-8")
    paths.entity_memory.mkdir()
    card = "# Entity Memory: Lighthouse\nCreated: 2026-10-01 12:00:00\n\nIt is white."
    (paths.entity_memory / "Lighthouse.md").write_text(card, "utf-8")
    paths.core_memory.write_text("The lighthouse matters to us.", "utf-8")
    recall.catch_up()
    hits = {hit.type: hit for hit in recall.search("lighthouse", 20)}
    kinds = {"log_archive", "current_log", "episodic_memory", "diary", "dream_insight", "entity_memory", "note"}
    assert hits.keys() == kinds
    for kind, hit in hits.items():
        assert {one.type for one in recall.search("lighthouse", 20, types=[kind])} == {kind}
        assert (paths.folder / hit.path).is_file()
    assert hits["diary"].time is not None
    assert hits["diary"].time.day == 2
    assert hits["episodic_memory"].message_ids == ("e 2026-10-01",)
    assert {hit.path for hit in recall.search("lighthouse", 20, types=["diary"])} == {f"memory/{d}" for d in diaries}
    for types in (None, ["diary", "note", "current_log"]):
        assert not any("marzipan" in hit.text for hit in recall.search("marzipan", 20, types=types))  # type: ignore[arg-type]


# A search that ends where nothing fits: for somebody who looks for words, not for what ranks highest

TOPICS = """今日は鴨川を散歩して、カワセミを見たよ。
新しい自転車で海まで走った。
職場の会議が長くて疲れた。
夕飯は肉じゃがにした。
図書館で古い地図を借りてきた。
姉が来週、京都に引っ越すらしい。
庭のトマトが赤くなってきた。
電車が遅れて会議に遅刻した。""".splitlines()


def test_of_very_much_only_what_fits_is_found_in_the_order_of_the_plain_ranking(recall: Recall, talk: Talk) -> None:
    """More than two hundred messages about other things, and two of a cat, each with an answer that does not name it."""
    for number in range(120):
        talk.user(f"{TOPICS[number % len(TOPICS)]}これで{number}回目。")
        talk.persona(f"そうだったんだね。{number}回も、おつかれさま。")
    talk.user("猫のモモが入院した。")
    talk.persona("それは心配だね。付き添ってあげたの？")
    talk.user("具合はだいぶよくなって、先生も安心していた。")
    recall.catch_up()
    for query in ("犬の散歩紐", "飛行機の模型", "鯨の骨", "whale bones"):
        assert len(found(recall, query, 200)) > 20
        fitting = texts(recall.search(query, 200, fitting=True))
        assert all("散歩" in text or "猫" in text for text in fitting), query  # by meaning a dog is much like a cat
        assert len(fitting) <= 15
    both = {"猫のモモが入院した。", "具合はだいぶよくなって、先生も安心していた。"}
    assert set(texts(recall.search("猫の具合", 200, fitting=True))) == both, "not what stands beside"
    assert texts(recall.search("モモ", 200, fitting=True)) == ["猫のモモが入院した。"]
    assert len(found(recall, "猫の具合", 200)) > 100  # the plain ranking has no end
    plain, some = recall.search("京都の鴨川", 200), recall.search("京都の鴨川", 200, fitting=True)
    assert 0 < len(some) < len(plain)
    assert [hit for hit in plain if hit in some] == some


def test_a_time_alone_finds_what_was_said_then(recall: Recall, talk: Talk, episode: Episode) -> None:
    talk.past("猫のモモが入院した。", 1)
    talk.past("庭のトマトが赤くなった。", 9)
    episode(f"{(talk.clock.now() - timedelta(days=1)).date()}", "モモの入院の日。")
    recall.catch_up()
    assert set(texts(recall.search("昨日", 200, fitting=True))) == {"猫のモモが入院した。", "モモの入院の日。"}
    assert texts(recall.search("昨日", 9, types=["episodic_memory"], fitting=True)) == ["モモの入院の日。"]


def test_a_first_search_is_made_before_anybody_asks(recall: Recall, talk: Talk) -> None:
    talk.user("My boat is green.")
    asked: dict[str, bool] = {}
    recall.rehearse.look = lambda text: asked.setdefault(text, stays_here())
    recall.get_ready()
    assert asked == {"My boat is green.": True}  # and no embedder elsewhere is
