"""Nights on which something goes wrong: a model fails, a disk is full, a memory is broken, a clock is set back, the program dies."""

import json
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from managers.memory.episodes import Episode
from managers.sleep.dream import dreaming
from managers.sleep.errors import DreamingAlreadyError, NothingSaidError
from managers.sleep.tasks import DayDraft, DayMaterial, QuestionsDraft
from managers.storage.errors import DiskFullError
from managers.storage.journal import settle
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, copies, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.sleep.dreamers import Life, ScriptedDreamMind, failing, make_dreamer, memory_files, two_days

DAY = date(2026, 11, 19)


def test_a_model_that_fails_leaves_the_rest_standing_and_tries_again(life: Life) -> None:
    def also_failing(_material: object) -> QuestionsDraft:
        raise NothingSaidError(day="another way to fail")

    report = life.dreamer(ScriptedDreamMind("gemini", summarise_day=failing, find_questions=also_failing)).dream()
    assert sorted({failure.task for failure in report.failures}) == ["episode", "questions"]
    assert [notice.code for notice in report.notices] == ["dream-incomplete"]
    assert (life.episode(DAY).mind, life.episode(DAY).redo) == ("built-in", True)
    assert any(change.what == "entity" and change.mind == "gemini" for change in report.changes)
    life.clock.move(days=1)
    well = ScriptedDreamMind("gemini")
    life.dreamer(well).dream()
    assert (life.episode(DAY).mind, life.episode(DAY).redo) == ("gemini", False)
    assert "describe_entities" not in well.calls
    assert life.questions.open()
    assert life.dreamer(well).pending_days() == []


def test_a_model_that_is_away_is_not_asked_again_and_again(life: Life) -> None:
    tasks = dict.fromkeys(("summarise_day", "describe_entities", "find_questions", "reflect"), failing)
    mind = ScriptedDreamMind("gemini", **tasks)
    report = life.dreamer(mind).dream()
    assert len(mind.calls) == report.calls == 2
    assert len(report.failures) == 7
    assert len(life.episodes.days()) == 2
    life.clock.move(days=1)
    report = life.dreamer(ScriptedDreamMind("gemini")).dream()
    assert not report.failures
    assert {"episode", "entity", "question"} <= {change.what for change in report.changes}


def test_a_disk_full_during_apply_leaves_everything_as_it_was(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_named: object) -> str:
        raise DiskFullError(path="goals.json")

    before = life.files()
    with pytest.raises(DiskFullError):
        life.dreamer(apply=full).dream()
    assert life.files() == before
    monkeypatch.setattr("managers.sleep.dream.InnerStateStore.refresh", full)
    report = life.dreamer().dream()
    assert report.entries
    assert [notice.code for notice in report.notices] == ["dream-follow-up"]  # it counts, whatever its last step met


def test_an_edit_right_before_the_lock_stands_beside_the_dream(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [DAY, date(2026, 11, 10)]

    def edited_first(of: PersonaPaths) -> AbstractContextManager[None]:
        for day in set(days) - set(life.episodes.days()):
            life.episodes.save(Episode(date=day, summary="わたしの日。"), author="user", reason="")
        return writing(of)

    monkeypatch.setattr("managers.sleep.night_writer.writing", edited_first)
    assert life.dreamer().dream().entries
    assert [life.episode(day).summary for day in days] == ["わたしの日。"] * 2
    assert any(life.paths.entity_memory.iterdir())


def test_broken_memories_are_set_aside_and_the_night_goes_on(life: Life) -> None:
    life.paths.memory.mkdir(exist_ok=True)
    life.paths.goals.write_text("{ broken")
    life.paths.insights.write_bytes(b"\xff\xfe")
    report = life.dreamer().dream()
    assert {notice.code for notice in report.notices} == {"file-set-aside"}
    assert next(life.paths.folder.glob("goals.json.broken-*")).read_text() == "{ broken"
    assert json.loads(life.paths.insights.read_text())


def test_a_clock_set_back_a_year_loses_and_doubles_nothing(life: Life) -> None:
    dreamer = life.dreamer()
    dreamer.dream()
    after = life.files()
    life.clock.set(life.clock.now() - timedelta(days=365))
    assert dreamer.pending_days() == []
    dreamer.dream()
    assert life.files() == after
    life.clock.set(datetime(2026, 11, 22, 3))
    assert dreamer.pending_days() == []


def test_one_dream_at_a_time_and_the_chat_goes_on_meanwhile(life: Life) -> None:
    with dreaming(life.paths), pytest.raises(DreamingAlreadyError):
        life.dreamer().dream()

    def talk_meanwhile(material: DayMaterial) -> DayDraft:
        life.say("まだ起きてる？")
        return DayDraft(summary="温泉の話を聞いた一日だった。", evidence=[material.messages[0].id])

    assert life.dreamer(ScriptedDreamMind(summarise_day=talk_meanwhile)).dream().entries
    assert life.log.tail(1)[0].text == "まだ起きてる？"


def test_a_night_whose_words_are_taken_back_while_it_thinks_remembers_nothing_of_them(life: Life) -> None:
    (secret,) = life.tell("秘密の温泉に行きました。", days=2, prefix="s")

    def take_back_meanwhile(material: DayMaterial) -> DayDraft:
        told = next((one for one in material.messages if one.id == secret.id), material.messages[0])
        life.log.supersede(secret.id, None)
        return DayDraft(summary=told.text, evidence=[told.id])

    life.dreamer(ScriptedDreamMind(summarise_day=take_back_meanwhile)).dream()
    assert not [path for path in life.paths.folder.rglob("*.json") if "秘密" in path.read_text("utf-8")]


NIGHT = datetime(2026, 11, 21, 3, 0)


def dream_once(folder: Path) -> None:
    make_dreamer(PersonaPaths(folder), HandClock(NIGHT)).dream()


@needs_signals
def test_killed_at_any_step_it_is_as_if_not_begun(tmp_path: Path, kill: Kill) -> None:
    origin = tmp_path / "ねむ"
    origin.mkdir()
    two_days(PersonaPaths(origin), HandClock(NIGHT))
    prepare = copies(origin, tmp_path)
    before = memory_files(PersonaPaths(origin))
    (undisturbed,) = prepare()
    dream_once(undisturbed)
    after = memory_files(PersonaPaths(undisturbed))
    for death in kill(dream_once, prepare, whens=("before", "half"), stride=5, ready=load_what_is_needed):
        paths = PersonaPaths(death.given[0])
        settle(paths)
        assert memory_files(paths) in (before, after), death
        dream_once(death.given[0])
        assert memory_files(paths) == after, death
