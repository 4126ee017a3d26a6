"""A day that was dreamt of and then changed: each word is read once, and what no longer stands leaves the memories."""

from datetime import date, datetime
from random import Random

import pytest

from managers.memory.emotions import EmotionLog
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.messages import Message
from managers.memory.questions import QuestionStore
from managers.sleep.dream import Dreamer
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import ScriptedDreamMind, make_dreamer, memory_files, messages

NOON = datetime(2026, 11, 21, 12)
NIGHT = datetime(2026, 11, 22, 3)
SHRINE = "来週は京都の貴船神社に行く予定です。"
CAT = "うちの猫のモモちゃんが昨日から入院していて、とても心配です。"
WORK = "仕事は本屋で働いています。"


@pytest.fixture
def noon(clock: HandClock) -> HandClock:
    clock.set(NOON)
    return clock


@pytest.fixture
def said(paths: PersonaPaths, noon: HandClock) -> ConversationLog:
    return ConversationLog(paths, noon, Random(1))


@pytest.fixture
def dreamer(paths: PersonaPaths, noon: HandClock, said: ConversationLog) -> Dreamer:
    return make_dreamer(paths, noon, said)


def say(log: ConversationLog, clock: HandClock, text: str) -> Message:
    clock.move(minutes=1)
    return log.append("user", "花", text)


def everything(paths: PersonaPaths) -> str:
    """What the memories say; what a past dream recorded of itself aside."""
    files = memory_files(paths).items()
    return "".join(data.decode() for name, data in files if not name.startswith("memory/dream_"))


def test_one_message_taken_back_and_one_more_said_are_both_noticed(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, SHRINE)
    cat = say(said, noon, CAT)
    dreamer.dream()
    said.supersede(cat.id, None)
    say(said, noon, WORK)
    noon.set(NIGHT)
    assert dreamer.dream().days == (NOON.date(),)
    assert "モモ" not in everything(paths)
    assert "本屋" in "".join(entity.text() for entity in EntityStore(paths, noon).all())
    assert dreamer.pending_days() == []


def test_what_is_said_after_more_was_taken_back_is_read(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, SHRINE)
    for message in [say(said, noon, "おはよう。"), say(said, noon, "眠いね。")]:
        said.supersede(message.id, None)
    dreamer.dream()
    say(said, noon, WORK)
    noon.set(NIGHT)
    dreamer.dream()
    assert "本屋" in "".join(entity.text() for entity in EntityStore(paths, noon).all())


def test_a_message_that_was_reworded_is_remembered_as_it_reads_now(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    home = say(said, noon, "私は大阪に住んでいます。")
    say(said, noon, SHRINE)
    dreamer.dream()
    assert "大阪" in everything(paths)
    said.supersede(home.id, "私は神戸に住んでいます。")
    noon.set(NIGHT)
    dreamer.dream()
    assert "大阪" not in everything(paths)
    own = EntityStore(paths, noon).get("花")
    assert own is not None
    assert [fact.text for fact in own.current_facts if fact.slot == "home"] == ["花さん「私は神戸に住んでいます」"]
    noon.move(days=1)
    assert dreamer.dream().days == ()


def test_a_day_of_which_everything_was_taken_back_leaves_no_memory(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    cat = say(said, noon, CAT)
    noon.set(NIGHT)
    dreamer.dream()
    noon.move(hours=9)
    said.supersede(cat.id, None)
    say(said, noon, WORK)
    noon.set(datetime(2026, 11, 23, 3))
    dreamer.dream()
    assert EpisodeStore(paths, noon).days() == [date(2026, 11, 22)]
    assert "モモ" not in everything(paths)
    assert dreamer.pending_days(thorough=True) == []


def test_a_fact_goes_when_the_last_of_its_tellings_is_taken_back(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    told = []
    for day in (21, 22):
        noon.set(datetime(2026, 11, day, 12))
        told.append(say(said, noon, "モモは三毛猫で、まぐろが大好きです。"))
        say(said, noon, SHRINE if day == 21 else "図書館で本を三冊借りました。")
        noon.set(datetime(2026, 11, day + 1, 3))
        dreamer.dream()
    (momo,) = (one for one in EntityStore(paths, noon).all() if "まぐろ" in one.text())
    assert momo.evidence == tuple(message.id for message in told)
    for day, (message, is_there) in enumerate(zip(told, (True, False), strict=True), 24):
        said.supersede(message.id, None)
        noon.set(datetime(2026, 11, day, 3))
        dreamer.dream()
        assert ("まぐろ" in "".join(one.text() for one in EntityStore(paths, noon).all())) is is_there
    assert "まぐろ" not in everything(paths)


def test_what_is_said_after_a_dream_was_undone_is_dreamt_of(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, "私は大阪に住んでいます。")
    entry = dreamer.dream().entries[0]
    History(paths, noon).undo(entry, author="user")
    noon.set(NIGHT)
    assert dreamer.pending_days() == []
    noon.set(datetime(2026, 11, 21, 20))
    say(said, noon, CAT)
    noon.set(NIGHT)
    assert dreamer.dream().days == (NOON.date(),)
    momo = EntityStore(paths, noon).get("モモちゃん")
    assert momo is not None
    assert "入院" in momo.text()
    assert EntityStore(paths, noon).get("花") is None  # what was undone stays undone


def test_an_episode_of_the_persons_own_does_not_make_its_day_wait_for_ever(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, SHRINE)
    dreamer.dream()
    store = EpisodeStore(paths, noon)
    episode = store.get(NOON.date())
    assert episode is not None
    store.save(episode.model_copy(update={"summary": "神社の話をした日。"}), author="user", reason="edited")
    say(said, noon, "ところで、" + WORK)
    noon.set(NIGHT)
    assert dreamer.dream().days == (NOON.date(),)
    kept = store.get(NOON.date())
    assert kept is not None
    assert kept.summary == "神社の話をした日。"
    assert dreamer.pending_days() == []


def test_the_episode_by_hand_leaves_what_is_new_to_the_night(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, SHRINE)
    dreamer.dream()
    say(said, noon, WORK)
    dreamer.dream_of(NOON.date(), ("episode",))
    noon.set(NIGHT)
    dreamer.dream()
    assert "本屋" in "".join(entity.text() for entity in EntityStore(paths, noon).all())


def test_an_answer_that_was_taken_back_leaves_its_question_open(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, "私は大阪に住んでいます。")
    say(said, noon, CAT)
    noon.set(NIGHT)
    dreamer.dream()
    noon.set(datetime(2026, 12, 22, 12))
    moved = say(said, noon, "先週、東京に引っ越しました。")
    well = say(said, noon, "猫のモモちゃんが今日退院しました！もう元気です。")
    say(said, noon, "今日は寒いですね。")
    noon.set(datetime(2026, 12, 23, 3))
    dreamer.dream()
    assert QuestionStore(paths, noon).open() == []
    for message in (moved, well):
        said.supersede(message.id, None)
    noon.set(datetime(2026, 12, 24, 3))
    dreamer.dream()
    [question] = QuestionStore(paths, noon).open()
    assert (question.answer, question.answer_evidence) == ("", [])
    own = EntityStore(paths, noon).get("花")
    assert own is not None
    assert [fact.text for fact in own.current_facts if fact.slot == "home"] == ["花さん「私は大阪に住んでいます」"]
    assert "退院しました" not in everything(paths)


def test_a_day_that_goes_on_about_the_same_is_no_failure(
    noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, "来週は京都の貴船神社に行く予定です。貴船神社は水の神様です。")
    dreamer.dream()
    say(said, noon, "お風呂に入ってきました。")
    noon.set(NIGHT)
    report = dreamer.dream()
    assert report.days == (NOON.date(),)
    assert report.failures == ()


def test_an_older_conversation_read_late_is_history(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, "先週、大阪に引っ越しました。")
    dreamer.dream()
    said.append_many(messages(datetime(2024, 1, 5, 20), (("user", "先週、名古屋に引っ越しました。"),), "v"))
    dreamer.dream(catch_up=True)
    own = EntityStore(paths, noon).get("花")
    assert own is not None
    homes = {fact.text: fact.until for fact in own.facts if fact.slot == "home"}
    assert homes == {
        "花さん「先週、大阪に引っ越しました」": "",
        "2026-11まで: 花さん「先週、名古屋に引っ越しました」": "2026-11",
    }


def test_a_reflection_does_not_rest_on_the_episode_of_a_day_that_is_gone(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    gone = say(said, noon, CAT)
    dreamer.dream()
    said.supersede(gone.id, None)
    noon.set(datetime(2026, 11, 22, 12))
    say(said, noon, SHRINE)
    noon.set(datetime(2026, 11, 23, 3))
    seen: list[date] = []
    mind = ScriptedDreamMind(reflect=lambda material: seen.extend(episode.date for episode in material.episodes))
    make_dreamer(paths, noon, said, mind).dream(level=1)
    assert seen == [date(2026, 11, 22)]


def known(paths: PersonaPaths, clock: HandClock) -> str:
    return "".join(entity.text() for entity in EntityStore(paths, clock).all())


def test_a_day_is_dreamt_anew_when_a_branch_begins_in_it_and_when_it_comes_back(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    shrine = say(said, noon, SHRINE)
    say(said, noon, CAT)
    noon.set(NIGHT)
    dreamer.dream()
    assert "モモ" in known(paths, noon)

    said.branch(shrine.id)
    assert dreamer.pending_days() == [NOON.date()]
    dreamer.dream()
    assert "モモ" not in everything(paths)
    assert "貴船" in everything(paths)
    assert dreamer.pending_days(thorough=True) == []

    said.switch_branch(FIRST)
    assert dreamer.pending_days() == [NOON.date()]
    dreamer.dream()
    assert "モモ" in known(paths, noon)
    assert dreamer.pending_days(thorough=True) == []


def test_what_was_said_on_a_branch_before_any_dream_waits_for_its_return(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    shrine = say(said, noon, SHRINE)
    say(said, noon, CAT)
    said.branch(shrine.id)
    say(said, noon, WORK)
    noon.set(NIGHT)
    dreamer.dream()
    assert "本屋" in known(paths, noon)
    assert "モモ" not in everything(paths)
    said.switch_branch(FIRST)
    dreamer.dream()
    assert "モモ" in known(paths, noon)
    assert "本屋" not in everything(paths)
    assert dreamer.pending_days(thorough=True) == []


def test_a_day_that_stands_aside_whole_leaves_no_memory_and_comes_back(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    first = say(said, noon, SHRINE)
    noon.set(datetime(2026, 11, 22, 12))
    say(said, noon, CAT)
    noon.set(datetime(2026, 11, 23, 3))
    dreamer.dream()
    episodes = EpisodeStore(paths, noon)
    assert len(episodes.days()) == 2
    said.branch(first.id)
    dreamer.dream()
    assert episodes.days() == [NOON.date()]
    assert "モモ" not in everything(paths)
    said.switch_branch(FIRST)
    dreamer.dream()
    assert len(episodes.days()) == 2
    assert "モモ" in known(paths, noon)


def test_another_answer_is_a_changed_day(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog, dreamer: Dreamer
) -> None:
    say(said, noon, SHRINE)
    answer = said.append("persona", "ねむ", "いいね。", mind="m")
    noon.set(NIGHT)
    dreamer.dream()
    said.answer_anew(answer.id, "寒いから気をつけて。", mind="m")
    assert dreamer.pending_days() == [NOON.date()]
    dreamer.dream()
    assert dreamer.pending_days() == []
    said.choose(answer.id, 0)
    assert dreamer.pending_days() == [NOON.date()]


def test_what_was_felt_in_words_that_stand_aside_is_told_without_them(
    paths: PersonaPaths, noon: HandClock, said: ConversationLog
) -> None:
    shrine, cat = say(said, noon, SHRINE), say(said, noon, CAT)
    emotions = EmotionLog(paths, noon, set_aside=said.set_aside)
    for message, emotion in ((shrine, "joy"), (cat, "sadness")):
        emotions.append(message.text, emotion, message_id=message.id, time=message.time)
    inner = InnerStateStore(paths, noon, emotions=emotions)
    inner.meet("sadness")
    assert "モモ" in inner.refresh().motivation_log.narrative
    said.branch(shrine.id)
    assert [one.user_text_snippet for one in emotions.entries()] == ["", SHRINE]
    assert emotions.recent()[0].user_text_snippet == ""
    assert "モモ" not in inner.refresh().motivation_log.narrative
    said.switch_branch(FIRST)
    assert [one.user_text_snippet for one in emotions.entries()] == [CAT, SHRINE]
