from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from managers.memory.entities import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.questions import QuestionStore
from managers.mind import Cancel
from managers.sleep.dream import dreaming
from managers.sleep.errors import DreamingAlreadyError, NothingSaidError
from managers.sleep.tasks import DayDraft, DayMaterial, QuestionsDraft
from managers.storage.errors import DiskFullError, UndoConflictError
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import (
    DAY_ONE,
    ScriptedDreamMind,
    failing,
    make_dreamer,
    memory_files,
    messages,
    two_days,
)


@pytest.fixture
def night(clock: HandClock) -> HandClock:
    clock.set(datetime(2026, 11, 21, 3, 0))
    return clock


@pytest.fixture
def log(paths: PersonaPaths, night: HandClock) -> ConversationLog:
    return two_days(paths, night)


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


def test_one_run_is_one_entry_and_undo_restores_every_byte(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    paths.core_memory.write_text("私はねむ。")
    EntityStore(paths, night).note("貴船神社", "花が好きな場所", author="user", mind="user")
    before = memory_files(paths)
    report = make_dreamer(paths, night, log).dream()
    assert len(report.entries) == 1
    assert memory_files(paths) != before
    history = History(paths, night)
    entry = history.entries(1)[0]
    assert entry.author == "dream"
    assert entry.evidence
    history.undo(report.entries[0], author="user")
    assert memory_files(paths) == before


def test_what_was_undone_stays_undone_until_asked_for(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream()
    after = memory_files(paths)
    History(paths, night).undo(report.entries[0], author="user")
    night.move(days=1)
    assert make_dreamer(paths, night, log).dream().entries == ()
    night.move(days=-1)
    make_dreamer(paths, night, log).dream(catch_up=True)
    assert {name for name in after if "episodic" in name} <= memory_files(paths).keys()


def test_undo_leaves_what_a_person_wrote_since(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    before = memory_files(paths)
    report = make_dreamer(paths, night, log).dream()
    store = EntityStore(paths, night)
    text, _ = store.read_text("貴船神社")
    store.path("貴船神社").write_text(text + "水の神様。\n")
    History(paths, night).undo(report.entries[0], author="user")
    assert "水の神様。" in store.read_text("貴船神社")[0]
    assert [fact for fact in store.all()[0].facts if not fact.is_users] == []
    assert memory_files(paths).keys() - before.keys() == {"entity_memory/貴船神社.md"}


def test_undo_shows_a_conflict_where_the_same_thing_changed_since(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream()
    store = EpisodeStore(paths, night)
    day = store.days()[0]
    episode = store.get(day)
    assert episode is not None
    store.save(episode.model_copy(update={"summary": "ほんとうは違う日。"}), author="user", reason="edited")
    changed = memory_files(paths)
    with pytest.raises(UndoConflictError):
        History(paths, night).undo(report.entries[0], author="user")
    assert memory_files(paths) == changed


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
    about = EntityStore(paths, night).find("花")
    assert about is not None
    assert any("退院" in fact.text for fact in about.facts)


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


def test_what_a_person_edits_during_a_dream_stays(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    store = EntityStore(paths, night)
    store.note("貴船神社", "水の神様", author="user", mind="user")

    def edit_meanwhile(material: DayMaterial) -> DayDraft:
        path = store.path("貴船神社")
        path.write_text(path.read_text().replace("水の神様", "縁結びの神様") + "私の一行\n")
        return DayDraft(summary="温泉の話を聞いた一日だった。", evidence=[material.messages[0].id])

    make_dreamer(paths, night, log, ScriptedDreamMind(summarise_day=edit_meanwhile)).dream()
    text = store.path("貴船神社").read_text()
    assert "縁結びの神様" in text
    assert "私の一行" in text
    assert "貴船神社に行く予定です" in text


def test_an_episode_that_a_person_corrected_is_left_alone(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    path = EpisodeStore(paths, night).path(datetime(2026, 11, 20).date())
    path.write_text(path.read_text().replace("花さんと", "花さんと楽しく"))
    log.append("user", "花", "おやすみなさい、また明日ね。", time=datetime(2026, 11, 20, 23, 0))
    corrected = path.read_text()
    dreamer.dream(catch_up=True)
    assert path.read_text() == corrected


def test_an_episode_that_a_person_deleted_does_not_come_back(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    store = EpisodeStore(paths, night)
    store.delete(datetime(2026, 11, 19).date(), author="user", reason="forget")
    assert dreamer.pending_days(thorough=True) == []


def test_a_model_that_fails_leaves_the_rest_standing_and_tries_again(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    def also_failing(_material: object) -> QuestionsDraft:
        raise NothingSaidError(day="another way to fail")

    mind = ScriptedDreamMind("gemini", summarise_day=failing, find_questions=also_failing)
    report = make_dreamer(paths, night, log, mind).dream()
    assert sorted({failure.task for failure in report.failures}) == ["episode", "questions"]
    assert [notice.code for notice in report.notices] == ["dream-incomplete"]
    episode = EpisodeStore(paths, night).get(datetime(2026, 11, 19).date())
    assert episode is not None
    assert (episode.mind, episode.redo) == ("built-in", True)
    assert any(change.what == "entity" and change.mind == "gemini" for change in report.changes)
    night.move(days=1)
    well = ScriptedDreamMind("gemini")
    make_dreamer(paths, night, log, well).dream()
    episode = EpisodeStore(paths, night).get(datetime(2026, 11, 19).date())
    assert episode is not None
    assert (episode.mind, episode.redo) == ("gemini", False)
    assert "describe_entities" not in well.calls
    assert QuestionStore(paths, night).open()
    assert make_dreamer(paths, night, log, well).pending_days() == []


def test_a_model_that_is_away_is_not_asked_again_and_again(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    mind = ScriptedDreamMind(
        "gemini", summarise_day=failing, describe_entities=failing, find_questions=failing, reflect=failing
    )
    report = make_dreamer(paths, night, log, mind).dream()
    assert len(mind.calls) == report.calls == 2
    assert len(report.failures) == 7
    assert len(EpisodeStore(paths, night).days()) == 2
    night.move(days=1)
    report = make_dreamer(paths, night, log, ScriptedDreamMind("gemini")).dream()
    assert not report.failures
    assert {"episode", "entity", "question"} <= {change.what for change in report.changes}


def test_a_disk_full_during_apply_leaves_everything_as_it_was(
    paths: PersonaPaths, night: HandClock, log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    dreamer = make_dreamer(paths, night, log)
    before = memory_files(paths)

    def full(*_args: object, **_named: object) -> None:
        raise DiskFullError(path="goals.json")

    monkeypatch.setattr(dreamer, "_apply", full)
    with pytest.raises(DiskFullError):
        dreamer.dream()
    assert memory_files(paths) == before
    monkeypatch.undo()
    assert make_dreamer(paths, night, log).dream().entries


def test_broken_memories_are_set_aside_and_the_night_goes_on(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    paths.memory.mkdir(exist_ok=True)
    paths.goals.write_text("{ broken")
    paths.insights.write_bytes(b"\xff\xfe")
    report = make_dreamer(paths, night, log).dream()
    assert {notice.code for notice in report.notices} == {"file-set-aside"}
    assert next(paths.folder.glob("goals.json.broken-*")).read_text() == "{ broken"
    assert json.loads(paths.insights.read_text())


def test_a_clock_set_back_a_year_loses_and_doubles_nothing(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    after = memory_files(paths)
    night.set(night.now() - timedelta(days=365))
    assert dreamer.pending_days() == []
    dreamer.dream()
    assert memory_files(paths) == after
    night.set(datetime(2026, 11, 22, 3))
    assert dreamer.pending_days() == []


def test_one_dream_at_a_time(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    with dreaming(paths), pytest.raises(DreamingAlreadyError):
        make_dreamer(paths, night, log).dream()


def test_the_chat_goes_on_during_a_dream(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    def talk_meanwhile(material: DayMaterial) -> DayDraft:
        log.append("user", "花", "まだ起きてる？", time=night.now())
        return DayDraft(summary="温泉の話を聞いた一日だった。", evidence=[material.messages[0].id])

    report = make_dreamer(paths, night, log, ScriptedDreamMind(summarise_day=talk_meanwhile)).dream()
    assert report.entries
    assert log.tail(1)[0].text == "まだ起きてる？"


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
