"""A night: what it makes of the days, what it rests on, and which days it looks at."""

import sys
from datetime import datetime

import pytest

from managers.memory.entity_store import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.questions import QuestionStore
from managers.mind import Cancel
from managers.sleep.errors import NothingSaidError
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import (
    DAY_ONE,
    make_dreamer,
    memory_files,
    messages,
)


def test_a_night_makes_memories_that_rest_on_what_was_said(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream()
    episodes = EpisodeStore(paths, night)
    assert episodes.days() == [datetime(2026, 11, 19).date(), datetime(2026, 11, 20).date()]
    said = {message.id: message.text for message in log.messages()}
    assert report.changes
    for change in report.changes:
        assert change.mind == "built-in"
        assert set(change.evidence) <= said.keys()
    first = episodes.get(datetime(2026, 11, 19).date())
    assert first is not None
    assert "花さん" in first.summary
    assert "有馬温泉" in first.summary
    assert len(first.key_events) == len(first.key_event_evidence)


def test_facts_are_what_persons_said_not_what_a_mind_made_up(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log).dream()
    entities = EntityStore(paths, night)
    users = {message.id for message in log.messages() if message.role == "user"}
    facts = [fact for entity in entities.all() for fact in entity.facts]
    assert facts
    assert all(set(fact.evidence) <= users for fact in facts)
    assert {"有馬温泉", "貴船神社", "花の姉"} <= set(entities.names())
    momo = entities.find("モモ")
    assert momo is not None
    assert momo.kind == "pet"
    assert entities.find("ねむ") is None


@pytest.mark.skipif(sys.platform == "win32", reason="no file can have such a name there")
@pytest.mark.parametrize("name", ["e<x>", "con", "b:c", "-z", "tab\tx", "x" * 200, "a\u202eb"])
def test_a_file_that_nobody_may_write_to_keeps_nobody_from_dreaming(
    paths: PersonaPaths, night: HandClock, log: ConversationLog, name: str
) -> None:
    odd = paths.entity_memory / f"{name}.md"
    paths.entity_memory.mkdir()
    odd.write_text("# Entity Memory: モモ\n\n- 猫\n", "utf-8")
    report = make_dreamer(paths, night, log).dream()
    assert report.entries
    entities = EntityStore(paths, night)
    assert name not in entities.names()
    assert entities.find("モモ") is not None
    assert odd.read_text("utf-8").endswith("- 猫\n")


def test_a_dry_run_changes_nothing_and_shows_the_same(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    before = memory_files(paths)
    dry = make_dreamer(paths, night, log).dream(dry_run=True)
    assert memory_files(paths) == before
    assert dry.entries == ()
    wet = make_dreamer(paths, night, log).dream()
    assert [change.plain() for change in dry.changes] == [change.plain() for change in wet.changes]


def test_nothing_runs_twice(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    after = memory_files(paths)
    again = dreamer.dream()
    assert (again.changes, again.entries) == ((), ())
    assert memory_files(paths) == after


def test_a_question_is_asked_one_night_and_answered_the_next_day(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log).dream()
    questions = QuestionStore(paths, night).load()
    answered = [q for q in questions.entries if q.status == "resolved"]
    assert [q.evidence for q in answered] == [["a5"]]
    assert answered[0].answer_evidence == ["b0"]
    assert "退院" in answered[0].answer
    assert any("貴船神社" in q.topic for q in questions.open)
    about = EntityStore(paths, night).find("モモちゃん")
    assert about is not None
    assert any("退院" in fact.text for fact in about.facts)
    user = EntityStore(paths, night).find("花")
    assert user is not None
    assert not any("モモ" in fact.text for fact in user.facts)  # of the user alone


def test_goals_and_insights_come_from_what_was_said(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log).dream()
    goals = GoalStore(paths, night).load().active("short_term")
    assert len(goals) == 1
    assert "簿記" in goals[0].goal
    assert goals[0].evidence == ["b2"]
    insight = InsightStore(paths, night).entries()[0]
    assert insight.evidence
    assert insight.trigger_topic in insight.insight
    assert insight.trigger_topic in insight.log_entry


def test_a_stopped_catch_up_is_resumed_where_it_stopped(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    cancel = Cancel()
    seen: list[tuple[int, int]] = []

    def stop_after_the_first(done: int, total: int) -> None:
        seen.append((done, total))
        cancel.set()

    stopped = make_dreamer(paths, night, log).dream(catch_up=True, progress=stop_after_the_first, cancel=cancel)
    assert stopped.cancelled
    assert seen == [(1, 2)]
    assert EpisodeStore(paths, night).days() == []  # the day under way is as if untouched
    resumed = make_dreamer(paths, night, log).dream(catch_up=True)
    assert len(resumed.days) == 2
    assert len(resumed.entries) == 2


def test_a_day_that_goes_on_is_dreamt_of_again_without_doubling(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    night.set(datetime(2026, 11, 20, 20, 1, 30))
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream(today=True)
    episode = EpisodeStore(paths, night).get(datetime(2026, 11, 20).date())
    assert episode is not None
    count = episode.covered_messages
    facts = sum(len(entity.facts) for entity in EntityStore(paths, night).all())
    log.append(
        "user",
        "花",
        "明日は友達のゆうちゃんと水族館に行く予定です。",
        time=datetime(2026, 11, 20, 23, 0),
        message_id="late",
    )
    night.set(datetime(2026, 11, 21, 3, 0))
    report = dreamer.dream()
    assert report.days == (datetime(2026, 11, 20).date(),)
    episode = EpisodeStore(paths, night).get(datetime(2026, 11, 20).date())
    assert episode is not None
    assert episode.covered_messages == count + 1
    new = [f for e in EntityStore(paths, night).all() for f in e.facts]
    assert len(new) > facts
    assert all(f.evidence == ("late",) for f in new[facts:] if "水族館" in f.text)


def test_what_was_taken_back_leaves_the_days_episode(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    path = EpisodeStore(paths, night).path(datetime(2026, 11, 20).date())
    everything = b"".join(memory_files(paths).values()).decode()
    assert "簿記" in path.read_text()
    assert "簿記" in (paths.goals).read_text()
    log.supersede("b2", None)
    dreamer.dream()
    left = {name: data.decode() for name, data in memory_files(paths).items() if not name.startswith("memory/dream_")}
    assert not [name for name, text in left.items() if "簿記" in text]
    assert "貴船神社" in everything
    assert "貴船神社" in "".join(left.values())


def test_imported_messages_are_found_by_a_thorough_look(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    log.append_many(messages(datetime(2026, 11, 18, 20), DAY_ONE, "w"))
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    log.append_many(messages(datetime(2026, 1, 5, 20), DAY_ONE, "x"))
    assert dreamer.pending_days() == [datetime(2026, 1, 5).date()]
    dreamer.dream()
    log.append_many(messages(datetime(2026, 1, 5, 22), DAY_ONE[:3], "y"))
    assert dreamer.pending_days() == []
    assert dreamer.pending_days(thorough=True) == [datetime(2026, 1, 5).date()]


def test_single_tasks_by_hand(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    dreamer = make_dreamer(paths, night, log)
    report = dreamer.dream_of(datetime(2026, 11, 19).date(), ("entities",))
    assert {change.what for change in report.changes} == {"entity"}
    assert EpisodeStore(paths, night).days() == []
    with pytest.raises(NothingSaidError):
        dreamer.dream_of(datetime(2020, 1, 1).date())


def test_levels_come_on_their_days(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    levels = []
    for day in range(36):
        log.append(
            "user",
            "花",
            f"今日は{day + 1}回目のピアノの練習をしました。指が少し痛いです。",
            time=night.now().replace(hour=1),
        )
        night.move(days=1)
        levels.append(make_dreamer(paths, night, log).dream().level)
    assert levels.count(3) == 1
    assert levels.index(3) == 27  # thirty days after the first remembered day, two days before the first night
    assert [n for n, level in enumerate(levels) if level == 2] == [4, 11, 18, 25, 34]
    meta = GoalStore(paths, night).load().meta
    assert meta.last_level1_date == night.now().date()
