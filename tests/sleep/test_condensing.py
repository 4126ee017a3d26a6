"""Older days in brief: weeks and months are summed up from their days, which stay, and stand in prompts in their place."""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime, time, timedelta
from itertools import pairwise

import pytest

from managers.memory.confidence import Standing
from managers.memory.episodes import Episode
from managers.memory.messages import Message
from managers.memory.periods import Period, Span, month_of, span_named, week_of
from managers.recall.engine import Recall
from managers.sleep.condensing import condensed, due_spans
from managers.sleep.dream import DreamReport
from managers.sleep.tasks import PeriodDraft, PeriodMaterial
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.sleep.dreamers import Life, ScriptedDreamMind, failing

MONDAY = date(2026, 3, 2)
DAYS = [MONDAY + timedelta(days=n) for n in range(3)]
WEEK, MARCH = Span(MONDAY, date(2026, 3, 8)), Span(date(2026, 3, 1), date(2026, 3, 31))
TOLD = ("姉と水族館でクラゲを見ました。", "日商簿記の模試で八十点を取りました。", "庭のレモンの木に花が咲きました。")
BICYCLE = "新しい自転車を買いました。"


def told(life: Life, day: date, text: str, id_: str) -> None:
    life.log.append_many([Message(id_, datetime.combine(day, time(20)), "user", "花", text)])


@pytest.fixture
def life(paths: PersonaPaths, clock: HandClock) -> Life:
    """Three days of talk in the first week of March."""
    life = Life(paths, clock)
    for number, (day, text) in enumerate(zip(DAYS, TOLD, strict=True)):
        told(life, day, text, f"m{number}")
    return life


def dream(life: Life, day: date, mind: ScriptedDreamMind | None = None) -> DreamReport:
    """Dream in the night before a day."""
    life.clock.set(datetime.combine(day, time(3)))
    return life.dreamer(mind).dream(today=False)


def summed_up(report: DreamReport) -> list[str]:
    return [change.target for change in report.changes if change.what == "period"]


def week_of_life(life: Life) -> Period:
    week = life.episodes.periods.get(WEEK)
    assert week is not None
    return week


def test_a_week_or_month_that_is_over_is_summed_up_found_and_in_prompts_instead_of_its_days(life: Life) -> None:
    assert summed_up(dream(life, date(2026, 3, 6))) == []
    told(life, date(2026, 3, 10), BICYCLE, "m9")
    assert summed_up(dream(life, date(2026, 3, 11))) == [str(WEEK)]
    with closing(Recall(life.paths, life.log, RecallSettings(), life.clock)) as recall:
        recall.catch_up()
        found = recall.search("水族館 クラゲ", types=["episodic_memory"])
    assert {f"episodic_memory/{WEEK}.json", f"episodic_memory/{MONDAY}.json"} <= {hit.path for hit in found}
    periods = life.episodes.periods
    assert [one.span for one in periods.for_prompt(date(2026, 3, 20))] == [WEEK]
    assert periods.for_prompt(date(2026, 3, 8)) == []  # its days stand there themselves

    told(life, date(2026, 4, 1), "桜を見に行きました。", "n1")
    assert summed_up(dream(life, date(2026, 4, 2))) == [str(MARCH)]  # of the second week one day is remembered
    assert life.episodes.days() == [*DAYS, date(2026, 3, 10), date(2026, 4, 1)]
    week = week_of_life(life)
    assert all(any(text.rstrip("。") in event for event in week.key_events) for text in TOLD)
    assert week.key_event_evidence == [["m0"], ["m1"], ["m2"]]
    assert (week.compressed, list(week.days)) == (True, list(map(str, DAYS)))
    assert json.loads(life.episodes.periods.path(WEEK).read_bytes())["date"] == "2026-03-02~2026-03-08"


def test_a_mind_tells_a_week_in_its_own_words_and_what_it_rests_on_stays(life: Life) -> None:
    told(life, date(2026, 3, 10), BICYCLE, "m9")
    asked: list[PeriodMaterial] = []

    def tell(material: PeriodMaterial) -> PeriodDraft:
        asked.append(material)
        return PeriodDraft(summary=" 水族館とレモンの花の週でした。 ", evidence=["m2", "m0", "m2"])

    assert dream(life, date(2026, 3, 11), ScriptedDreamMind(summarise_period=tell)).failures == ()
    week = week_of_life(life)
    assert (week.summary, week.mind, week.is_users) == ("水族館とレモンの花の週でした。", "model", False)
    assert week.key_event_evidence == [["m0"], ["m1"], ["m2"]]
    assert sorted(week.evidence) == ["m0", "m1", "m2"]
    (material,) = asked
    assert [one.date for one in material.episodes] == DAYS


@pytest.mark.parametrize(
    "tell",
    [
        failing,
        lambda _: PeriodDraft(summary="", evidence=["m0"]),
        lambda _: PeriodDraft(summary="花さんの週。", evidence=["m9"]),
        lambda _: PeriodDraft(summary="This was the week of the aquarium.", evidence=["m0"]),
    ],
)
def test_if_the_mind_fails_a_week_has_its_days_words(life: Life, tell: Callable[[PeriodMaterial], PeriodDraft]) -> None:
    told(life, date(2026, 3, 10), BICYCLE, "m9")
    report = dream(life, date(2026, 3, 11), ScriptedDreamMind(summarise_period=tell))
    assert [failure.task for failure in report.failures] == ["period"]
    week = week_of_life(life)
    assert week.mind == "built-in"
    assert any(text.rstrip("。") in week.summary for text in TOLD)


def test_a_mind_is_asked_of_two_in_a_night_and_no_more(bare: Life) -> None:
    for number in range(0, 49, 3):
        told(bare, date(2026, 1, 5) + timedelta(days=number), f"{TOLD[number % 3]}{number}日目の話です。", f"m{number}")
    bare.clock.set(datetime(2026, 3, 2, 3))
    mind = ScriptedDreamMind()
    report = bare.dreamer(mind).dream(today=False, catch_up=True)
    assert len(summed_up(report)) > 2
    assert 0 < mind.calls.count("summarise_period") <= 2


def test_months_stand_where_no_week_does_and_a_few_of_each(bare: Life) -> None:
    bare.paths.episodic_memory.mkdir(parents=True)
    periods = bare.episodes.periods
    for day in (date(2025, 1, 1) + timedelta(days=number) for number in range(400)):
        for span in (week_of(day), month_of(day)):
            periods.path(span).write_bytes(Period(date=str(span), summary="x").sealed().dump())
    shown = [one.span for one in periods.for_prompt(date(2026, 1, 5))]
    assert [span.is_week for span in shown] == [False] * 6 + [True] * 4
    assert shown == sorted(shown)
    assert all(one.last < other.first for one, other in pairwise(shown))


def test_a_day_that_changes_is_summed_up_anew_and_a_persons_own_words_stay(life: Life) -> None:
    told(life, date(2026, 3, 10), BICYCLE, "m9")
    dream(life, date(2026, 3, 11))
    episodes = life.episodes
    seen = episodes.digest_of(MONDAY)
    episodes.edit(MONDAY, "水族館の日", ["ペンギンに会った"], based_on=seen, author="user", reason="x")
    assert episodes.periods.get(WEEK) is None  # what it was made from reads otherwise now
    told(life, date(2026, 3, 11), "カレーを作りました。", "n1")
    assert str(WEEK) in summed_up(dream(life, date(2026, 3, 12)))
    week = week_of_life(life)
    assert "ペンギンに会った" in week.key_events
    own = {**json.loads(week.dump()), "summary": "わたしの一週間"}
    episodes.periods.path(WEEK).write_text(json.dumps(own, ensure_ascii=False), "utf-8")
    episodes.delete(MONDAY, author="user", reason="x")
    dream(life, date(2026, 3, 13))
    assert week_of_life(life).summary == "わたしの一週間"


def test_a_night_costs_what_is_new() -> None:
    days = [MONDAY + timedelta(days=n) for n in range(60)]
    today = days[-1] + timedelta(days=1)
    due = due_spans(days, [], days[-1:], today)
    assert len(due) == 10  # eight weeks, two months
    assert due == sorted(due, key=lambda span: (span.last, span.first), reverse=True)
    assert due_spans(days, due, days[-1:], today) == [span for span in due if span.first <= days[-1] <= span.last]
    assert due_spans(days[:1], [], [], today) == []
    for name in ("2026-03-02", "2026-02-30~2026-03-01", "a~b", "2026-03-02~2026-03-08~", ""):
        assert span_named(name) is None


def test_what_mattered_most_is_what_is_trusted_most_from_each_day_first(clock: HandClock) -> None:
    today = clock.now().date()
    span = Span(today - timedelta(days=6), today)
    episodes = [
        Episode(
            date=today - timedelta(days=6 - day),
            summary="x",
            key_events=[f"{day}-{number}" for number in range(4)],
            key_event_standings=[Standing(confidence=0.9 if (day, number) == (0, 3) else 0.5) for number in range(4)],
        )
        for day in range(5)
    ]
    whole = condensed(span, episodes, (), "en", today)
    assert {"0-3", "0-0", "1-0", "2-0", "3-0", "4-0"} <= set(whole.key_events)
    assert len(whole.key_events) == 7
    assert "days with a conversation: 5" in whole.summary
