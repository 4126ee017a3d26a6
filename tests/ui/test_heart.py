"""The room "Heart": what it shows of real memories, and what its buttons do to them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient

from managers.memory.emotion_curve import EmotionCurve
from managers.memory.goals import Goal
from managers.memory.questions import Question
from tests.ui.rooms import EVENING, NAME, House, clicked
from ui import heart_view
from ui.charts import Point, Tick, point_chart
from ui.csv_files import as_csv
from ui.heart import HeartHandlers
from ui.locales import texts
from ui.server import create_app
from ui.spans import LENGTHS, Length, span_name, span_of, ticks

JA, EN = texts("ja"), texts("en")
EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)">'


@pytest.fixture
def room(house: House) -> HeartHandlers:
    return HeartHandlers(house.services, JA)


def questions_of(house: House) -> list[Question]:
    return house.memories.questions.open()


def test_an_untouched_persona_has_a_calm_room(room: HeartHandlers) -> None:
    motive, drives, questions, goals, changes, length, day, feelings, behind, dream, *_ = room.open(NAME, 7)
    assert JA("heart.calm") in motive
    assert drives.count('role="meter"') == 4
    assert JA("heart.no_questions") in questions
    assert JA("heart.no_goals") in goals
    assert JA("heart.no_feelings") in feelings
    assert JA("heart.no_dream") in dream
    assert (changes, behind, length, day) == ("", "", "week", "2026-11-21")


def test_after_a_talk_and_a_dream_the_room_says_what_moves_it(house: House, room: HeartHandlers) -> None:
    house.tell()
    house.dream()
    motive, drives, questions, goals, _, _, _, feelings, _, dream, *_ = room.open(NAME, 7)
    top = questions_of(house)[0]
    levels = house.memories.inner_state.levels()
    assert levels.dominant == "curiosity"
    assert f"{levels.curiosity:.2f}" in motive
    assert top.topic in unescape(motive)
    assert questions.count('data-action="resolve"') == len(questions_of(house))
    assert top.context in unescape(questions)
    assert "日商簿記" in unescape(goals)
    assert feelings.count('class="point"') == 2 * 3  # wide and narrow
    assert house.memories.insights.load().entries[0].insight in unescape(dream)
    assert re.findall(r'data-drive="(\w+)"', drives) == ["boredom", "curiosity", "goal_achievement", "devotion"]


def test_the_drives_show_the_four_kinds_of_dynamic_information(house: House, room: HeartHandlers) -> None:
    house.tell()
    house.dream()
    house.clock.move(hours=3)
    drives = unescape(room.show_drives(NAME, 7))
    for drive in ("boredom", "curiosity", "goal_achievement", "devotion"):
        assert house.memories.inner_state.why(drive, "ja") in drives


def test_the_course_is_drawn_over_the_chosen_days(house: House, room: HeartHandlers) -> None:
    house.tell()
    start = EVENING + timedelta(hours=1)
    for hour in range(48):
        house.memories.inner_state.note_course(start + timedelta(hours=hour))
    house.clock.set(start + timedelta(days=20))
    week, month = room.show_drives(NAME, 7), room.show_drives(NAME, 30)
    assert week.count("<svg") == 0
    assert month.count("<svg") == 8
    assert "30日間の移り変わり" in month


def test_resolving_a_question_lets_curiosity_fall(house: House, room: HeartHandlers, said: list[str]) -> None:
    house.tell()
    house.dream()
    before, top = house.memories.inner_state.levels().curiosity, questions_of(house)[0]
    _, drives, questions, _, changes = room.change(NAME, 7, clicked(action="resolve", question=top.id))
    after = house.memories.inner_state.levels().curiosity
    assert after < before
    assert said == [JA("heart.resolved", before=f"{before:.2f}", after=f"{after:.2f}")]
    assert f'aria-valuenow="{after:.2f}"' in drives
    assert f'data-question="{top.id}"' not in questions
    assert JA("heart.closed_resolved") in questions
    assert house.memories.inner_state.load().drives.curiosity.level == pytest.approx(after, abs=1e-4)
    entry = re.search(r'data-entry="(\w+)"', changes)
    assert entry
    room.change(NAME, 7, clicked(action="undo", entry=entry[1]))
    assert house.memories.inner_state.levels().curiosity == pytest.approx(before)


def test_deleting_a_question_can_be_taken_back(house: House, room: HeartHandlers, said: list[str]) -> None:
    house.memories.questions.add(Question(topic="雪", priority=0.8), author="dream", reason="")
    question = questions_of(house)[0]
    changes = room.change(NAME, 7, clicked(action="delete", question=question.id))[-1]
    assert questions_of(house) == []
    assert JA("history.reason_question_deleted") in changes
    entry = re.search(r'data-entry="(\w+)"', changes)
    assert entry
    room.change(NAME, 7, clicked(action="undo", entry=entry[1]))
    assert [one.topic for one in questions_of(house)] == ["雪"]
    assert said[0].startswith("消しました")


@pytest.mark.parametrize(("action", "status"), [("complete", "completed"), ("abandon", "abandoned")])
def test_a_goal_can_be_ended_by_the_person(
    house: House, room: HeartHandlers, said: list[str], action: str, status: str
) -> None:
    goals = house.memories.goals.change(
        lambda goals: goals.created("short_term", Goal(goal="海へ行く")), author="dream", reason=""
    )
    shown = room.change(NAME, 7, clicked(action=action, goal=goals.short_term[0].id))[3]
    assert house.memories.goals.load().short_term[0].status == status
    assert JA(f"heart.status_{status}") in shown
    assert len(said) == 1
    room.change(NAME, 7, clicked(action=action, goal="sh_gone"))  # another window was faster
    assert len(said) == 1


def test_what_moves_elsewhere_moves_here_and_nothing_else_does(house: House, room: HeartHandlers) -> None:
    house.tell()
    house.dream()
    seen = room.open(NAME, 7)[-1]
    assert all(one["__type__"] == "update" for one in room.glance(NAME, 7, seen))
    house.memories.questions.delete(questions_of(house)[0].id, author="user", reason="elsewhere")
    *_, questions, _, _, seen = room.glance(NAME, 7, seen)
    assert questions.count('data-action="resolve"') == len(questions_of(house))
    house.clock.move(hours=2)  # boredom rises
    _, drives, *lists, _ = room.glance(NAME, 7, seen)
    assert f'aria-valuenow="{house.memories.inner_state.levels().boredom:.2f}"' in drives
    assert all(one["__type__"] == "update" for one in lists)  # a fold that is open there stays open


def test_a_point_opens_the_message_with_its_neighbours(house: House, room: HeartHandlers) -> None:
    house.tell()
    feelings = room.open(NAME, 7)[7]
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]+)"', feelings)]
    assert keys[0].startswith(EVENING.isoformat())
    behind = room.look(NAME, "week", "2026-11-21", clicked(action="point", key=keys[1]))[3]
    assert re.findall(r'<li class="(\w+)"( aria-current="true")?>', behind) == [
        ("user", ""),
        ("persona", ""),
        ("user", ' aria-current="true"'),
        ("persona", ""),
        ("user", ""),
        ("persona", ""),
    ]
    assert "貴船神社" in behind


def test_two_messages_of_one_second_are_two_points(house: House, room: HeartHandlers) -> None:
    for text in ("ひとつめ", "ふたつめ"):
        message = house.memories.log.append("user", "花", text, time=EVENING)
        house.memories.emotions.append(text, "joy", message_id=message.id, time=EVENING)
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]+)"', room.open(NAME, 7)[7])]
    here = [
        re.findall(
            r'aria-current="true">.*?<div>(\w+)</div>', room.look(NAME, "week", "", clicked(action="point", key=key))[3]
        )
        for key in keys[:2]
    ]
    assert sorted(here) == [["ひとつめ"], ["ふたつめ"]]


def test_a_reading_whose_message_is_gone_still_shows_its_words(house: House, room: HeartHandlers) -> None:
    house.memories.emotions.append("消えたことば", "joy", message_id="20200101T000000-gone", time=EVENING)
    key = f"{EVENING.isoformat()}/{(EVENING + timedelta(seconds=1)).isoformat()}"
    behind = room.look(NAME, "day", "2026-11-20", clicked(action="point", key=key))[3]
    assert "消えたことば" in behind


def test_words_that_were_taken_back_are_shown_behind_no_point(house: House, room: HeartHandlers) -> None:
    said = house.tell()
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]+)"', room.open(NAME, 7)[7])]
    house.memories.log.supersede(said[1], None)
    shown = [room.look(NAME, "week", "2026-11-21", clicked(action="point", key=key))[3] for key in keys]
    assert not any("貴船神社" in behind for behind in shown)
    assert any("モモちゃん" in behind for behind in shown)


def test_many_readings_become_averages_that_open(house: House, room: HeartHandlers) -> None:
    for number in range(400):
        moment = datetime(2026, 11, 16) + timedelta(minutes=20 * number)
        house.memories.emotions.append(f"{number}", "joy" if number % 2 else "anger", time=moment)
    feelings = room.show_curve(NAME, "week", "2026-11-20")[2]
    assert feelings.count('class="point"') == 2 * 134  # one an hour, not one a reading
    key = "2026-11-17T00:00:00/2026-11-18T00:00:00"
    behind = room.look(NAME, "month", "2026-11-20", clicked(action="point", key=key))[3]
    assert behind.count("<blockquote>") == heart_view.SHOWN_READINGS
    assert 'data-length="day" data-day="2026-11-17"' in behind
    length, day, *_ = room.look(NAME, "month", "2026-11-20", clicked(action="zoom", length="day", day="2026-11-17"))
    assert (length, day) == ("day", "2026-11-17")


def test_one_walks_from_span_to_span(house: House, room: HeartHandlers) -> None:
    house.tell(at=datetime(2026, 9, 30, 9))
    assert JA("heart.no_feelings") in room.show_curve(NAME, "month", "2026-11-21")[2]
    assert room.look(NAME, "month", "2026-11-21", clicked(action="earlier"))[1] == "2026-10-31"
    assert room.look(NAME, "month", "2026-10-31", clicked(action="later"))[1] == "2026-11-01"
    _, day, feelings, _ = room.look(NAME, "month", "2026-11-21", clicked(action="latest"))
    assert day == "2026-09-30"
    assert 'data-action="earlier" aria-label="前へ" disabled' in feelings


def test_the_curve_reads_what_the_log_reads(house: House) -> None:
    for number in range(300):
        moment = datetime(2026, 5, 1, 12) + timedelta(hours=16 * number)
        house.memories.emotions.append(f"{number}", ("joy", "anger", "sadness")[number % 3], time=moment)
    house.memories.emotions.roll()
    curve = EmotionCurve(house.memories.paths, house.clock)
    since, until = datetime(2026, 6, 10), datetime(2026, 10, 3, 4)
    entries = list(reversed(house.memories.emotions.entries(since, until)))
    assert [(r.time, r.value) for r in curve.readings(since, until)] == [(e.timestamp, e.value) for e in entries]
    for step in ("hour", "day", "week", "month"):
        buckets = curve.buckets(since, until, step)
        assert sum(bucket.count for bucket in buckets) == len(entries)
        inside = [e.value for e in entries if buckets[3].start <= e.timestamp < buckets[3].end]
        assert buckets[3].mean == pytest.approx(sum(inside) / len(inside))
    assert curve.first() == datetime(2026, 5, 1)


@pytest.mark.parametrize("length", LENGTHS)
def test_every_span_has_a_name_and_marks_inside(length: Length) -> None:
    now = datetime(2026, 11, 21, 12)
    for first in (None, datetime(2016, 2, 29), datetime(2026, 11, 20)):
        for day in (date(2026, 11, 21), date(2024, 2, 29), date(2025, 12, 31)):
            span = span_of(length, day, first, now)
            assert span.since < span.until
            for t in (JA, EN):
                assert span_name(span, now.date(), t)
                marks = ticks(span, t)
                assert 1 <= len(marks) <= 13
                assert all(0 <= mark.at <= 1 for mark in marks)


def test_a_curve_has_one_stop_for_the_tab_key() -> None:
    points = [Point(n / 4, 0.5, f"p{n}", str(n)) for n in range(5)]
    svg = point_chart(points, [], [Tick(0, "x")], "t", lowest=-1, highest=1)
    assert svg.count('tabindex="0"') == 2  # one in the wide, one in the narrow picture
    assert "http" not in svg


def test_whatever_is_remembered_is_text(house: House, room: HeartHandlers) -> None:
    memories = house.memories
    memories.questions.add(Question(topic=EVIL, context=EVIL, priority=0.9, id=EVIL), author="dream", reason="")
    goal = Goal(goal=EVIL, progress_notes=[EVIL], related_values=[EVIL], id=EVIL, updated_at=EVIL)
    memories.goals.change(lambda goals: goals.created("long_term", goal), author="dream", reason="")
    house.tell([(EVIL, "joy")])
    memories.emotions.append(EVIL, EVIL, message_id=EVIL, time=EVENING)
    shown = room.open(NAME, 7)
    key = f"{EVENING.isoformat()}/{(EVENING + timedelta(seconds=1)).isoformat()}"
    behind = room.look(NAME, "week", "2026-11-21", clicked(action="point", key=key))[3]
    for html in (*(part for part in shown if isinstance(part, str)), behind):
        assert "<script" not in html
        assert "<img" not in html


def test_tables_are_handed_out_in_both_languages(house: House) -> None:
    house.tell([("=HYPERLINK(1)", "joy"), *[("きのう、海へ行った。", "happy")]])
    house.dream()
    browser = TestClient(create_app(house.services), base_url="http://127.0.0.1")
    for table, ja, en in (
        ("feelings", "気持ち", "Feeling"),
        ("questions", "問い", "Question"),
        ("goals", "優先順位", "Priority"),
        ("drives", "好奇心", "Curiosity"),
        ("dreams", "次に話すとき", "When you next talk"),
    ):
        answer = browser.get(f"/personas/{NAME}/tables/{table}.csv?lang=ja")
        assert answer.status_code == 200
        assert answer.content.startswith(b"\xef\xbb\xbf")
        assert ja in answer.text.splitlines()[0]
        assert en in browser.get(f"/personas/{NAME}/tables/{table}.csv?lang=en").text.splitlines()[0]
    feelings = browser.get(f"/personas/{NAME}/tables/feelings.csv?lang=ja&since=2026-11-20&until=2026-11-21").text
    assert "'=HYPERLINK(1)" in feelings  # words are never a formula
    assert len(feelings.splitlines()) == 3
    assert browser.get(f"/personas/{NAME}/tables/secrets.csv").status_code == 422


def test_numbers_stay_numbers_in_a_table() -> None:
    assert as_csv([[-0.5, "-0.5", "a,b", None]]).decode("utf-8-sig") == '-0.5,\'-0.5,"a,b",\r\n'
