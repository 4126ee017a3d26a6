"""A day that was dreamt of and then changed: each word is read once, and what no longer stands leaves the memories."""

from datetime import date, datetime

import pytest

from managers.memory.emotions import EmotionLog
from managers.memory.inner_state import InnerStateStore
from managers.memory.log.branches import FIRST
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import Life, messages

DAY = date(2026, 11, 21)
NIGHT = datetime(2026, 11, 22, 3)
SHRINE = "来週は京都の貴船神社に行く予定です。"
CAT = "うちの猫のモモちゃんが昨日から入院していて、とても心配です。"
WORK = "仕事は本屋で働いています。"


@pytest.fixture
def life(paths: PersonaPaths, clock: HandClock) -> Life:
    """At noon."""
    clock.set(datetime(2026, 11, 21, 12))
    return Life(paths, clock)


def dream(life: Life, at: datetime = NIGHT) -> tuple[date, ...]:
    life.clock.set(at)
    return life.dreamer().dream().days


def homes(life: Life) -> list[str]:
    return [fact.text for fact in life.entity("花").current_facts if fact.slot == "home"]


def test_a_message_that_was_reworded_is_remembered_as_it_reads_now(life: Life) -> None:
    home = life.say("私は大阪に住んでいます。")
    life.say(SHRINE)
    life.dreamer().dream()
    assert "大阪" in life.text()
    life.log.supersede(home.id, "私は神戸に住んでいます。")
    dream(life)
    assert "大阪" not in life.text()
    assert homes(life) == ["花さん「私は神戸に住んでいます」"]
    assert dream(life, datetime(2026, 11, 23, 3)) == ()


def test_a_day_of_which_everything_was_taken_back_leaves_no_memory(life: Life) -> None:
    cat = life.say(CAT)
    dream(life)
    life.clock.move(hours=9)
    life.log.supersede(cat.id, None)
    life.say(WORK)
    dream(life, datetime(2026, 11, 23, 3))
    assert life.episodes.days() == [date(2026, 11, 22)]
    assert "モモ" not in life.text()
    assert life.dreamer().pending_days(thorough=True) == []


def test_a_fact_goes_when_the_last_of_its_tellings_is_taken_back(life: Life) -> None:
    told = []
    for day, other in ((21, SHRINE), (22, "図書館で本を三冊借りました。")):
        life.clock.set(datetime(2026, 11, day, 12))
        told.append(life.say("モモは三毛猫で、まぐろが大好きです。"))
        life.say(other)
        dream(life, datetime(2026, 11, day + 1, 3))
    (momo,) = (one for one in life.entities.all() if "まぐろ" in one.text())
    assert momo.evidence == tuple(message.id for message in told)
    for day, (message, is_there) in enumerate(zip(told, (True, False), strict=True), 24):
        life.log.supersede(message.id, None)
        dream(life, datetime(2026, 11, day, 3))
        assert ("まぐろ" in life.known()) is is_there
    assert "まぐろ" not in life.text()


def test_what_is_said_after_a_dream_was_undone_is_dreamt_of(life: Life) -> None:
    life.say("私は大阪に住んでいます。")
    life.history.undo(life.dreamer().dream().entries[0], author="user")
    life.clock.set(NIGHT)
    assert life.dreamer().pending_days() == []
    life.clock.set(datetime(2026, 11, 21, 20))
    life.say(CAT)
    assert dream(life) == (DAY,)
    assert "入院" in life.entity("モモちゃん").text()
    assert life.entities.get("花") is None  # what was undone stays undone


def test_an_episode_by_hand_leaves_what_is_new_to_the_night_and_waits_for_nothing(life: Life) -> None:
    life.say(SHRINE)
    life.dreamer().dream()
    life.say("ところで、" + WORK)
    life.dreamer().dream_of(DAY, ("episode",))
    mine = life.episode(DAY).model_copy(update={"summary": "神社の話をした日。"})
    life.episodes.save(mine, author="user", reason="edited")
    assert dream(life) == (DAY,)
    assert "本屋" in life.known()
    assert life.episode(DAY).summary == "神社の話をした日。"
    assert life.dreamer().pending_days() == []


def test_an_answer_that_was_taken_back_leaves_its_question_open(life: Life) -> None:
    life.say("私は大阪に住んでいます。")
    life.say(CAT)
    dream(life)
    life.clock.set(datetime(2026, 12, 22, 12))
    moved = life.say("先週、東京に引っ越しました。")
    well = life.say("猫のモモちゃんが今日退院しました！もう元気です。")
    life.say("今日は寒いですね。")
    dream(life, datetime(2026, 12, 23, 3))
    assert life.questions.open() == []
    for message in (moved, well):
        life.log.supersede(message.id, None)
    dream(life, datetime(2026, 12, 24, 3))
    [question] = life.questions.open()
    assert (question.answer, question.answer_evidence) == ("", [])
    assert homes(life) == ["花さん「私は大阪に住んでいます」"]
    assert "退院しました" not in life.text()


def test_an_older_conversation_read_late_is_history(life: Life) -> None:
    life.say("先週、大阪に引っ越しました。")
    life.dreamer().dream()
    life.log.append_many(messages(datetime(2024, 1, 5, 20), (("user", "先週、名古屋に引っ越しました。"),), "v"))
    life.dreamer().dream(catch_up=True)
    assert {fact.text: fact.until for fact in life.entity("花").facts if fact.slot == "home"} == {
        "花さん「先週、大阪に引っ越しました」": "",
        "2026-11まで: 花さん「先週、名古屋に引っ越しました」": "2026-11",
    }


def test_a_day_is_dreamt_anew_when_a_branch_begins_in_it_and_when_it_comes_back(life: Life) -> None:
    shrine = life.say(SHRINE)
    life.say(CAT)
    dream(life)
    assert "モモ" in life.known()

    life.log.branch(shrine.id)
    assert life.dreamer().pending_days() == [DAY]
    dream(life)
    assert "モモ" not in life.text()
    assert "貴船" in life.text()
    assert life.dreamer().pending_days(thorough=True) == []

    life.log.switch_branch(FIRST)
    assert life.dreamer().pending_days() == [DAY]
    dream(life)
    assert "モモ" in life.known()
    assert life.dreamer().pending_days(thorough=True) == []


def test_another_answer_is_a_changed_day(life: Life) -> None:
    life.say(SHRINE)
    answer = life.log.append("persona", "ねむ", "いいね。", mind="m")
    dream(life)
    life.log.answer_anew(answer.id, "寒いから気をつけて。", mind="m")
    assert life.dreamer().pending_days() == [DAY]
    dream(life)
    assert life.dreamer().pending_days() == []
    life.log.choose(answer.id, 0)
    assert life.dreamer().pending_days() == [DAY]


def test_what_was_felt_in_words_that_stand_aside_is_told_without_them(life: Life) -> None:
    shrine, cat = life.say(SHRINE), life.say(CAT)
    emotions = EmotionLog(life.paths, life.clock, set_aside=life.log.set_aside)
    for message, emotion in ((shrine, "joy"), (cat, "sadness")):
        emotions.append(message.text, emotion, message_id=message.id, time=message.time)
    inner = InnerStateStore(life.paths, life.clock, emotions=emotions)
    inner.meet("sadness")
    assert "モモ" in inner.refresh().motivation_log.narrative
    life.log.branch(shrine.id)
    assert [one.user_text_snippet for one in emotions.entries()] == ["", SHRINE]
    assert emotions.recent()[0].user_text_snippet == ""
    assert "モモ" not in inner.refresh().motivation_log.narrative
    life.log.switch_branch(FIRST)
    assert [one.user_text_snippet for one in emotions.entries()] == [CAT, SHRINE]
