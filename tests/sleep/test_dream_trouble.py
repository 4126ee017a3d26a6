"""Nights on which something goes wrong: a model fails, a disk is full, a memory is broken, a clock is set back."""

import json
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import pytest

from managers.memory.dream_state import DreamStateFile
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.log import ConversationLog
from managers.memory.questions import QuestionStore
from managers.sleep.dream import dreaming
from managers.sleep.errors import DreamingAlreadyError, NothingSaidError
from managers.sleep.tasks import DayDraft, DayMaterial, QuestionsDraft
from managers.storage.errors import DiskFullError
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import (
    ScriptedDreamMind,
    failing,
    make_dreamer,
    memory_files,
)


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


def test_what_failed_waits_on_while_another_task_of_its_day_is_done_by_hand(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    away = ScriptedDreamMind("gemini", describe_entities=failing, find_questions=failing, reflect=failing)
    make_dreamer(paths, night, log, away).dream()
    state, day = DreamStateFile(paths, night), datetime(2026, 11, 20).date()
    waiting = state.load().waiting
    assert waiting["2026-11-20"] == ["episode", "entities", "questions", "reflection"]
    well = ScriptedDreamMind("gemini")
    make_dreamer(paths, night, log, well).dream_of(day, ("episode",))
    assert state.load().waiting == waiting | {"2026-11-20": ["entities", "questions", "reflection"]}
    make_dreamer(paths, night, log, well).dream_of(day, ("questions",))
    assert state.load().waiting == waiting | {"2026-11-20": ["entities", "reflection"]}
    night.move(days=1)
    make_dreamer(paths, night, log, well).dream()
    assert state.load().waiting == {}
    assert well.calls.count("describe_entities") == 2  # of both days


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

    monkeypatch.setattr(dreamer._writer, "_apply", full)
    with pytest.raises(DiskFullError):
        dreamer.dream()
    assert memory_files(paths) == before
    monkeypatch.undo()
    assert make_dreamer(paths, night, log).dream().entries


def test_what_a_person_edits_right_before_the_lock_is_taken_stands_beside_what_was_dreamt(
    paths: PersonaPaths, night: HandClock, log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    episodes, days = EpisodeStore(paths, night), [datetime(2026, 11, 19).date(), datetime(2026, 11, 10).date()]

    def edited_first(of: PersonaPaths) -> AbstractContextManager[None]:
        for day in set(days) - set(episodes.days()):
            episodes.save(Episode(date=day, summary="わたしの日。"), author="user", reason="")
        return writing(of)

    monkeypatch.setattr("managers.sleep.night_writer.writing", edited_first)
    assert make_dreamer(paths, night, log).dream().entries
    assert [kept.summary for day in days if (kept := episodes.get(day))] == ["わたしの日。"] * 2
    assert any(paths.entity_memory.iterdir())


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
