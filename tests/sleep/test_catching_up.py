"""Months that nobody dreamt of: the newest first, in stretches that can be stopped, each day as in its own night."""

from datetime import date, timedelta

import pytest

from tests.sleep.dreamers import Life, failing, messages

DAYS = 80
_PLACES = ("京都", "沖縄", "札幌", "金沢", "有馬温泉", "水族館", "図書館")


@pytest.fixture
def months(bare: Life) -> Life:
    """Somebody tells of their day on each of some months, and twice of something they are unsure about."""
    evening = bare.clock.now().replace(hour=20, minute=0, second=0, microsecond=0)
    plans = {DAYS - 1: [("user", "来週は富士山に登る予定です。")], 2: [("user", "来週は簿記の試験を受ける予定です。")]}
    for back in range(DAYS, 0, -1):
        place = _PLACES[back % len(_PLACES)]
        lines = [("user", f"今日は友達と{place}に行って、カレーを{back}皿食べました。"), ("persona", "いいですね。")]
        said = (*lines, *plans.get(back, ()))
        bare.log.append_many(messages(evening - timedelta(days=back), said, f"d{back:02}x"))
    return bare


def test_the_newest_month_is_dreamt_of_first_in_few_transactions_and_each_day_as_in_its_own_night(
    months: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "managers.sleep.night_writer.WorkingCopy", failing
    )  # where nobody writes, nothing is made twice
    today = months.clock.now().date()
    report = months.dreamer().dream(catch_up=True)
    assert len(report.days) == DAYS
    assert not report.failures
    assert report.days[0] > today - timedelta(days=31) > report.days[-1]
    assert months.episodes.days() == sorted(report.days)
    assert len(report.entries) < DAYS / 5
    assert months.dreamer().pending_days(thorough=True) == []

    insights, yesterday = months.insights.entries(archived=True), f"{today - timedelta(days=1)}"
    dated = [(one.created_at[:10], one.day) for one in insights if one.day and one.day != yesterday]
    assert len(dated) > 4
    assert all(date.fromisoformat(made) - date.fromisoformat(day) == timedelta(days=1) for made, day in dated)
    assert insights[0].created_at[:10] >= max(made for made, _ in dated)  # the newest strategy is the latest night's

    by_day = {one.evidence[0][:3]: one.status for one in months.questions.load().all}
    assert (by_day[f"d{DAYS - 1:02}"], by_day["d02"]) == ("dropped", "open")  # what was open long ago is given up
    active = months.goals.load().active("short_term")
    assert all(not goal.evidence or int(goal.evidence[0][1:3]) < 40 for goal in active)

    for entry in reversed(report.entries):
        months.history.undo(entry, author="user")
    assert months.episodes.days() == []
    assert not [name for name in months.files() if "entity_memory" in name]
