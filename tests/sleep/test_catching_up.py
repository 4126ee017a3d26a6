"""Months that nobody dreamt of: the newest first, in stretches that can be stopped, each day as in its own night."""

from datetime import date, timedelta
from random import Random

import pytest

from managers.memory.episodes import EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.questions import QuestionStore
from managers.mind import Cancel
from managers.sleep.reflection_levels import NIGHTS_IN_ONE
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer, memory_files, messages

DAYS = 80
_PLACES = ("京都", "沖縄", "札幌", "金沢", "有馬温泉", "水族館", "図書館")


@pytest.fixture
def log(paths: PersonaPaths, night: HandClock) -> ConversationLog:
    """Somebody tells of their day on each of some months, and twice of something they are unsure about."""
    log = ConversationLog(paths, night, Random(1))
    evening = night.now().replace(hour=20, minute=0, second=0, microsecond=0)
    for back in range(DAYS, 0, -1):
        place = _PLACES[back % len(_PLACES)]
        lines = [("user", f"今日は友達と{place}に行って、カレーを{back}皿食べました。"), ("persona", "いいですね。")]
        if back == DAYS - 1:
            lines.append(("user", "来週は富士山に登る予定です。"))
        if back == 2:
            lines.append(("user", "来週は簿記の試験を受ける予定です。"))
        log.append_many(messages(evening - timedelta(days=back), tuple(lines), f"d{back:02}x"))
    return log


def _day(night: HandClock, back: int) -> date:
    return night.now().date() - timedelta(days=back)


def test_the_newest_month_is_dreamt_of_first_and_in_few_transactions(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream(catch_up=True)

    assert len(report.days) == DAYS
    assert not report.failures
    assert report.days[0] > _day(night, 31) > report.days[-1]
    assert EpisodeStore(paths, night).days() == sorted(report.days)
    assert len(report.entries) < DAYS / 5
    assert make_dreamer(paths, night, log).pending_days(thorough=True) == []


def test_each_day_is_thought_of_as_in_its_own_night(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log).dream(catch_up=True)

    insights = InsightStore(paths, night).entries(archived=True)
    dated = [(one.created_at[:10], one.day) for one in insights if one.day and one.day != f"{_day(night, 1)}"]
    assert len(dated) > 4
    assert all(date.fromisoformat(made) - date.fromisoformat(day) == timedelta(days=1) for made, day in dated)
    assert insights[0].created_at[:10] >= max(made for made, _ in dated)  # the newest strategy is the latest night's


def test_what_was_open_long_ago_is_given_up_and_what_is_open_now_stays(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log).dream(catch_up=True)

    questions = QuestionStore(paths, night).load().all
    by_day = {one.evidence[0][:3]: one.status for one in questions}
    assert by_day[f"d{DAYS - 1:02}"] == "dropped"
    assert by_day["d02"] == "open"
    active = GoalStore(paths, night).load().active("short_term")
    assert all(not goal.evidence or int(goal.evidence[0][1:3]) < 40 for goal in active)


def test_stopped_in_the_middle_it_keeps_what_it_has_and_goes_on_later(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    cancel = Cancel()
    done: list[int] = []

    def stop_in_the_third_stretch(days: int, _total: int) -> None:
        done.append(days)
        if days > 2 * NIGHTS_IN_ONE:
            cancel.set()

    stopped = make_dreamer(paths, night, log).dream(catch_up=True, progress=stop_in_the_third_stretch, cancel=cancel)

    kept = EpisodeStore(paths, night).days()
    assert stopped.cancelled
    assert kept == sorted(stopped.days)
    assert 0 < len(kept) < max(done)
    assert stopped.left == DAYS - len(kept)
    resumed = make_dreamer(paths, night, log).dream(catch_up=True)
    assert len(resumed.days) == DAYS - len(kept)
    assert len(EpisodeStore(paths, night).days()) == DAYS


def test_a_stretch_is_taken_back_as_a_whole(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    report = make_dreamer(paths, night, log).dream(catch_up=True)
    history = History(paths, night)
    for entry in reversed(report.entries):
        history.undo(entry, author="user")

    assert EpisodeStore(paths, night).days() == []
    assert not [name for name in memory_files(paths) if "entity_memory" in name]
