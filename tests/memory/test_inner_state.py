"""What moves a persona, and what somebody felt: read from what was said, written where it can be looked at."""

import json
from datetime import datetime, timedelta
from functools import partial

import pytest

from managers.memory.drive_course import DriveCourse
from managers.memory.drives import DRIVES, Levels, boredom, curiosity, decayed, devotion_after, goal_achievement
from managers.memory.emotion_names import feeling_name
from managers.memory.emotions import KEPT_DAYS, EmotionLog
from managers.memory.goals import Goal, GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.insights import Insight, Insights, InsightStore
from managers.memory.questions import Question, QuestionStore
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock


@pytest.fixture
def inner(paths: PersonaPaths, clock: HandClock) -> InnerStateStore:
    return InnerStateStore(paths, clock, SleepSettings())


def test_the_drives_rise_and_fall_as_the_specification_says() -> None:
    rises = [boredom(h + 1, 72) - boredom(h, 72) for h in range(20)]
    assert rises == sorted(rises, reverse=True)
    now = datetime(2026, 1, 15, 12)
    goals = [Goal(goal="g", priority=1, created_at=f"2026-01-{day:02d} 12:00:00") for day in (15, 1)]
    one, other = Question(topic="雪", priority=0.8), Question(topic="b", priority=0.1)
    levels = {
        "bored": [boredom(0, 72), boredom(12, 72), boredom(72, 72), boredom(10_000, 72), boredom(-5, 72)],
        "curious": [curiosity([]), curiosity([one]), curiosity([one, other])],
        "neglecting": [goal_achievement([goal], now) for goal in (*goals, Goal(goal="g", priority=4))],
        "devoted": [devotion_after(0.1, felt) for felt in ("sadness", "joy", "neutral")]
        + [devotion_after(0.9, "anger")],
        "calmer": [decayed(0.8, 24, 24)],
    }
    assert {drive: [round(level, 2) for level in found] for drive, found in levels.items()} == {
        "bored": [0, 0.6, 1, 1, 0], "curious": [0, 0.8, 0.82], "neglecting": [0.6, 0.7, 0.3],
        "devoted": [0.4, 0.2, 0.1, 1], "calmer": [0.4]
    }  # fmt: skip


def test_the_state_says_what_moves_it_most(paths: PersonaPaths, clock: HandClock, inner: InnerStateStore) -> None:
    question = Question(topic="初詣での雪の冷たさ", context="彼女が何を感じていたか知りたい", priority=0.8)
    QuestionStore(paths, clock).add(question, author="dream", reason="")
    goal = Goal(goal="詩を書く", id="sh_abc123")
    GoalStore(paths, clock).change(lambda goals: goals.created("short_term", goal), author="dream", reason="")
    inner.touch()
    inner.meet("sadness")
    inner.refresh(lang="ja")
    value = json.loads(paths.internal_state.read_text())
    drives, log = value["drives"], value["motivation_log"]
    assert drives["boredom"]["last_interaction"] == "2026-11-21T12:00:00"
    assert (drives["curiosity"]["level"], drives["curiosity"]["open_questions"][0]["topic"]) == (0.8, question.topic)
    assert drives["goal_achievement"]["active_goal_id"] == "sh_abc123"
    assert (drives["devotion"]["level"], drives["devotion"]["user_emotional_state"]) == (0.3, "sadness")
    assert (log["dominant_drive"], log["dominant_drive_label"]) == ("curiosity", "好奇心（Curiosity）")
    assert question.topic in log["narrative"]
    questions = QuestionStore(paths, clock)
    questions.resolve(questions.open()[0].id, author="user", reason="known")
    assert inner.levels().curiosity == 0


def test_who_never_talked_is_told_so_and_the_unread_is_no_feeling(inner: InnerStateStore, clock: HandClock) -> None:
    assert "まだ話していない" in inner.full_text("ja")
    assert "You have not talked yet" in inner.full_text("en")
    inner.touch()
    assert "最終対話から0分経過" in inner.full_text("ja")
    assert inner.light_text("ja") == ""
    inner.meet("neutral")
    assert not any(calm in inner.full_text("ja") + inner.full_text("en") for calm in ("穏やか", "calm"))
    inner.meet("fear")
    assert all(word in inner.full_text("ja") for word in ("退屈", "好奇心", "目標達成欲", "奉仕欲", "恐れ"))
    clock.move(hours=5, minutes=30)
    assert "5 hours" in inner.light_text("en")


def test_a_clock_set_back_or_damage_is_borne(paths: PersonaPaths, clock: HandClock, inner: InnerStateStore) -> None:
    inner.touch()
    inner.meet("sadness")
    clock.set(clock.now() - timedelta(days=365))
    assert inner.levels().boredom == 0
    assert inner.levels().devotion == pytest.approx(0.3)
    paths.internal_state.write_text("{")
    inner.touch()
    assert inner.last_interaction() is not None
    assert inner.take_notices()


NOON = datetime(2026, 1, 31, 12)
LEVELS = Levels(0.1, 0.2, 0.3, 0.4, thresholds=dict.fromkeys(DRIVES, 0.6))


def test_hourly_at_most_also_from_two_places(paths: PersonaPaths) -> None:
    one, other = DriveCourse(paths), DriveCourse(paths)
    noted = [course.note(LEVELS, NOON + timedelta(minutes=20 * n)) for n in range(7) for course in (one, other)]
    assert noted.count(True) == 3
    times = [point.time for point in one.points(NOON, NOON + timedelta(days=1))]
    assert times == [NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=2)]
    assert one.note(LEVELS, NOON - timedelta(days=3)), "a clock that is set back silences nothing"


def test_each_month_has_its_file_and_damage_costs_one_line(paths: PersonaPaths) -> None:
    course = DriveCourse(paths)
    for hours in range(30):
        course.note(LEVELS, NOON + timedelta(hours=hours))
    files = sorted(paths.memory.glob("drive_course_*"))
    assert [path.name for path in files] == ["drive_course_2026-01.jsonl", "drive_course_2026-02.jsonl"]
    lines = files[0].read_bytes().splitlines(keepends=True)
    files[0].write_bytes(b"".join([b'{"time": "2026-01-3\n', b"[]\n", b"\xff\n", *lines[1:]]))
    assert len(course.points(NOON, NOON + timedelta(days=9))) == 29
    assert len(course.points(datetime(2026, 2, 1), datetime(2026, 3, 1))) == 18


DEATH = "昨日、母が亡くなりました。"


def test_what_a_clock_ahead_dated_is_not_newest(paths: PersonaPaths, clock: HandClock, inner: InnerStateStore) -> None:
    insights, emotions = InsightStore(paths, clock), EmotionLog(paths, clock)
    for moment, felt in ((datetime(2036, 1, 1), "anger"), (clock.now(), "joy")):
        one = Insight(trigger_topic="x", insight=felt, strategy=felt, log_entry="", created_at=f"{moment}")
        insights.change(partial(Insights.with_one, insight=one), author="dream", reason="")
        emotions.append("x", felt, time=moment)
    assert (strategy := insights.with_strategy()) is not None
    assert strategy.strategy == "joy"
    for _ in range(2):  # while they wait to be folded in, and after
        assert [one.emotion for one in emotions.recent()] == ["joy"]
        emotions.roll()


@pytest.fixture
def emotions(paths: PersonaPaths, clock: HandClock) -> EmotionLog:
    return EmotionLog(paths, clock)


def felt(inner: InnerStateStore) -> str:
    found = inner.felt()
    return found.name if found else ""


def test_small_talk_wipes_no_feeling_away(inner: InnerStateStore, emotions: EmotionLog, clock: HandClock) -> None:
    emotions.append("試験に落ちて悲しい。", "sadness", message_id="m1")
    for number in range(5):
        clock.move(minutes=1)
        emotions.append("うん。", "neutral", message_id=f"n{number}")
    assert felt(inner) == "sadness"
    clock.move(minutes=1)
    emotions.append("でも、友達が来てくれてうれしい！", "happy", message_id="m2")
    assert felt(inner) == "happy"
    clock.move(hours=30)
    emotions.append("おはよう。", "neutral", message_id="m3")
    assert felt(inner) == ""


def test_what_weighs_outweighs_what_comes_after(inner: InnerStateStore, emotions: EmotionLog, clock: HandClock) -> None:
    weighing = {
        DEATH: ("loss", "grief"),
        "もう消えてしまいたい。": ("self_harm", "distress"),
        "My cat died.": ("loss", "grief"),
    }
    for number, (text, (concern, name)) in enumerate(weighing.items()):
        emotions.append(text, "neutral", message_id=f"m{number}")
        clock.move(hours=3)
        emotions.append("ありがとう、うれしい。", "happy", message_id=f"h{number}")
        found = inner.felt()
        assert found is not None
        assert (found.name, found.concern, found.words, found.message_id) == (name, concern, text, f"m{number}")
        assert feeling_name(name, "ja") in inner.full_text("ja")
        assert feeling_name(name, "en") in inner.full_text("en")
        clock.move(hours=30)
        emotions.append("うれしい！", "happy", message_id=f"l{number}")
        assert felt(inner) == "happy"


def test_words_that_were_taken_back_weigh_no_more(inner: InnerStateStore, emotions: EmotionLog) -> None:
    emotions.append(DEATH, "neutral", message_id="m1")
    emotions.roll()
    assert felt(inner) == "grief"
    emotions.reword({"m1": "昨日、母が来ました。"})
    assert felt(inner) == ""
    emotions.reword({"m1": DEATH})
    assert felt(inner) == "grief"
    emotions.reword({"m1": ""})
    assert felt(inner) == ""


def test_months_that_have_passed_move_out_whole(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 1, 1))
    log = EmotionLog(paths, clock)
    for day in range(200):
        log.append(f"day {day}", "tired", message_id=f"d{day}")
        clock.move(days=1)
    moved = log.roll()
    kept = json.loads(paths.emotion_log.read_text())
    assert moved + len(kept) == 200
    assert KEPT_DAYS <= len(kept) <= KEPT_DAYS + 31
    assert (paths.memory / "emotion_log_2026-02.json").exists()
    assert len(log.entries(datetime(2026, 2, 1), datetime(2026, 3, 1))) == 28
    assert len(log.entries()) == 200


def test_a_roll_killed_between_its_files_doubles_nothing(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 1, 10))
    log = EmotionLog(paths, clock)
    log.append("old", "fear", message_id="old")
    clock.move(days=150)
    log.append("new", "joy", message_id="new")
    waiting = (paths.memory / "emotion_log.new.jsonl").read_bytes()
    log.roll()
    # As if the process had died after the month was written and before the readings left.
    (paths.memory / "emotion_log.new.jsonl").write_bytes(waiting)
    assert [entry.message_id for entry in log.entries()] == ["new", "old"]
    log.roll()
    assert [entry.message_id for entry in log.entries()] == ["new", "old"]


def test_a_broken_file_is_set_aside_and_what_waits_is_kept(paths: PersonaPaths, clock: HandClock) -> None:
    paths.memory.mkdir()
    paths.emotion_log.write_text("[{ broken")
    log = EmotionLog(paths, clock)
    log.append("hello", "happy", message_id="m1")
    assert [entry.message_id for entry in log.entries()] == ["m1"]
    assert log.take_notices()[0].code == "file-set-aside"
    assert next(paths.memory.glob("emotion_log.json.broken-*")).read_text() == "[{ broken"
