"""Older days in brief: weeks and months are summed up from their days, which stay, and stand in prompts in their place."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest

from agent.minds.language_model.model_dreams import LanguageModelDreamMind
from managers.memory.confidence import Standing
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.periods import Period, Span, month_of, span_named, week_of
from managers.mind import Cancel
from managers.recall.engine import Recall
from managers.sleep.condensing import condensed, due_spans
from managers.sleep.tasks import PeriodDraft, PeriodMaterial
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.minds.talking import behind_openai
from tests.model_server import ModelServer
from tests.sleep.dreamers import SHEET, ScriptedDreamMind, failing, make_dreamer

MONDAY = date(2026, 3, 2)
WEEK, MARCH = Span(MONDAY, date(2026, 3, 8)), Span(date(2026, 3, 1), date(2026, 3, 31))
TOLD = ("姉と水族館でクラゲを見ました。", "日商簿記の模試で八十点を取りました。", "庭のレモンの木に花が咲きました。")


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock) -> ConversationLog:
    """Three days of talk in the first week of March."""
    log = ConversationLog(paths, clock, Random(1))
    for number, text in enumerate(TOLD):
        at = datetime.combine(MONDAY + timedelta(days=number), datetime.min.time()).replace(hour=20)
        log.append_many([Message(f"m{number}", at, "user", "花", text)])
    return log


def dream(paths: PersonaPaths, clock: HandClock, log: ConversationLog, day: date) -> list[str]:
    """Dream in the night before a day; return the weeks and months that were summed up."""
    clock.set(datetime.combine(day, datetime.min.time()).replace(hour=3))
    report = make_dreamer(paths, clock, log).dream(today=False)
    return [change.target for change in report.changes if change.what == "period"]


def store(paths: PersonaPaths, clock: HandClock) -> EpisodeStore:
    return EpisodeStore(paths, clock)


def test_a_week_is_summed_up_once_it_is_over_and_a_month_likewise(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    assert dream(paths, clock, log, MONDAY + timedelta(days=4)) == []
    log.append_many([Message("m9", datetime(2026, 3, 10, 20), "user", "花", "新しい自転車を買いました。")])
    assert dream(paths, clock, log, date(2026, 3, 11)) == [str(WEEK)]
    log.append_many([Message("n1", datetime(2026, 4, 1, 20), "user", "花", "桜を見に行きました。")])
    assert dream(paths, clock, log, date(2026, 4, 2)) == [str(MARCH)]  # of the second week one day is remembered
    episodes = store(paths, clock)
    assert episodes.days() == [*(MONDAY + timedelta(days=n) for n in range(3)), date(2026, 3, 10), date(2026, 4, 1)]
    week = episodes.periods.get(WEEK)
    assert week is not None
    assert all(any(text.rstrip("。") in event for event in week.key_events) for text in TOLD)
    assert week.key_event_evidence == [["m0"], ["m1"], ["m2"]]
    assert (week.compressed, list(week.days)) == (True, [f"{MONDAY + timedelta(days=n)}" for n in range(3)])
    shown = json.loads(episodes.periods.path(WEEK).read_bytes())
    assert shown["date"] == "2026-03-02~2026-03-08"


def test_a_mind_tells_a_week_in_its_own_words_and_what_it_rests_on_stays(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    log.append_many([Message("m9", datetime(2026, 3, 10, 20), "user", "花", "新しい自転車を買いました。")])
    asked: list[PeriodMaterial] = []

    def tell(material: PeriodMaterial) -> PeriodDraft:
        asked.append(material)
        return PeriodDraft(summary=" 水族館とレモンの花の週でした。 ", evidence=["m2", "m0", "m2"])

    mind = ScriptedDreamMind("model", summarise_period=tell)
    clock.set(datetime(2026, 3, 11, 3))
    report = make_dreamer(paths, clock, log, mind).dream(today=False)
    assert report.failures == ()
    week = store(paths, clock).periods.get(WEEK)
    assert week is not None
    assert (week.summary, week.mind, week.is_users) == ("水族館とレモンの花の週でした。", "model", False)
    assert week.key_event_evidence == [["m0"], ["m1"], ["m2"]]
    assert sorted(week.evidence) == ["m0", "m1", "m2"]
    (material,) = asked
    assert [one.date for one in material.episodes] == [MONDAY + timedelta(days=n) for n in range(3)]


@pytest.mark.parametrize(
    "tell",
    [
        failing,
        lambda _: PeriodDraft(summary="", evidence=["m0"]),
        lambda _: PeriodDraft(summary="花さんの週。", evidence=["m9"]),
        lambda _: PeriodDraft(summary="This was the week of the aquarium.", evidence=["m0"]),
    ],
)
def test_where_the_mind_fails_a_week_is_told_in_the_words_of_its_days(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog, tell: Callable[[PeriodMaterial], PeriodDraft]
) -> None:
    log.append_many([Message("m9", datetime(2026, 3, 10, 20), "user", "花", "新しい自転車を買いました。")])
    clock.set(datetime(2026, 3, 11, 3))
    mind = ScriptedDreamMind("model", summarise_period=tell)
    report = make_dreamer(paths, clock, log, mind).dream(today=False)
    assert [failure.task for failure in report.failures] == ["period"]
    week = store(paths, clock).periods.get(WEEK)
    assert week is not None
    assert week.mind == "built-in"
    assert any(text.rstrip("。") in week.summary for text in TOLD)


def test_a_mind_is_asked_of_two_in_a_night_and_no_more(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    first = date(2026, 1, 5)
    for number in range(0, 49, 3):
        at = datetime.combine(first + timedelta(days=number), datetime.min.time()).replace(hour=20)
        log.append_many([Message(f"m{number}", at, "user", "花", f"{TOLD[number % 3]}{number}日目の話です。")])
    clock.set(datetime(2026, 3, 2, 3))
    mind = ScriptedDreamMind("model")
    report = make_dreamer(paths, clock, log, mind).dream(today=False, catch_up=True)
    summed = [change for change in report.changes if change.what == "period"]
    assert len(summed) > 2
    assert 0 < mind.calls.count("summarise_period") <= 2


def test_over_the_wire_a_model_is_asked_once_and_given_the_days(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    dream(paths, clock, log, MONDAY + timedelta(days=4))
    answer = {"summary": "花さんは水族館に行き、模試を受けた。", "evidence": ["m1", "m2"]}
    episodes = tuple(store(paths, clock).between(*WEEK))
    with ModelServer() as server:
        server.enqueue(json.dumps(answer, ensure_ascii=False))
        mind = LanguageModelDreamMind(behind_openai(server))
        draft = mind.summarise_period(PeriodMaterial(SHEET, WEEK, episodes), Cancel())
    assert draft is not None
    assert (draft.summary, draft.evidence) == (answer["summary"], ["m0", "m1"])
    (chat,) = server.chats
    assert all(text.rstrip("。") in chat.prompt for text in TOLD)
    assert "一週間" in chat.prompt


def test_what_is_summed_up_is_found_and_stands_in_prompts_instead_of_its_days(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    log.append_many([Message("m9", datetime(2026, 3, 10, 20), "user", "花", "新しい自転車を買いました。")])
    dream(paths, clock, log, date(2026, 3, 11))
    recall = Recall(paths, log, RecallSettings(), clock)
    recall.catch_up()
    found = recall.search("水族館 クラゲ", types=["episodic_memory"])
    assert {f"episodic_memory/{WEEK}.json", f"episodic_memory/{MONDAY}.json"} <= {hit.path for hit in found}
    recall.close()
    episodes = store(paths, clock)
    assert [one.span for one in episodes.periods.for_prompt(date(2026, 3, 20))] == [WEEK]
    assert episodes.periods.for_prompt(date(2026, 3, 8)) == []  # its days stand there themselves


def test_months_stand_where_no_week_does_and_a_few_of_each(paths: PersonaPaths, clock: HandClock) -> None:
    paths.episodic_memory.mkdir(parents=True)
    periods = store(paths, clock).periods
    for number in range(400):
        for span in (
            week_of(date(2025, 1, 1) + timedelta(days=number)),
            month_of(date(2025, 1, 1) + timedelta(days=number)),
        ):
            periods.path(span).write_bytes(Period(date=str(span), summary="x").sealed().dump())
    shown = [one.span for one in periods.for_prompt(date(2026, 1, 5))]
    assert [span.is_week for span in shown] == [False] * 6 + [True] * 4
    assert shown == sorted(shown)
    assert all(one.last < other.first for one, other in pairwise(shown))


def test_a_day_that_changes_is_summed_up_anew_and_a_persons_own_words_stay(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    later = Message("m9", datetime(2026, 3, 10, 20), "user", "花", "新しい自転車を買いました。")
    log.append_many([later])
    dream(paths, clock, log, date(2026, 3, 11))
    episodes = store(paths, clock)
    first = episodes.get(MONDAY)
    assert first is not None
    episodes.edit(
        MONDAY, "水族館の日", ["ペンギンに会った"], based_on=episodes.digest_of(MONDAY), author="user", reason="x"
    )
    assert episodes.periods.get(WEEK) is None  # what it was made from reads otherwise now
    log.append_many([Message("n1", datetime(2026, 3, 11, 20), "user", "花", "カレーを作りました。")])
    assert str(WEEK) in dream(paths, clock, log, date(2026, 3, 12))
    week = episodes.periods.get(WEEK)
    assert week is not None
    assert "ペンギンに会った" in week.key_events
    own = {**json.loads(week.dump()), "summary": "わたしの一週間"}
    episodes.periods.path(WEEK).write_text(json.dumps(own, ensure_ascii=False), "utf-8")
    episodes.delete(MONDAY, author="user", reason="x")
    dream(paths, clock, log, date(2026, 3, 13))
    kept = episodes.periods.get(WEEK)
    assert kept is not None
    assert kept.summary == "わたしの一週間"


def test_a_night_costs_what_is_new(paths: PersonaPaths, clock: HandClock) -> None:
    days = [MONDAY + timedelta(days=n) for n in range(60)]
    today = days[-1] + timedelta(days=1)
    due = due_spans(days, [], days[-1:], today)
    assert len(due) == 10  # eight weeks, two months
    assert due == sorted(due, key=lambda span: (span.last, span.first), reverse=True)
    assert due_spans(days, due, days[-1:], today) == [span for span in due if span.first <= days[-1] <= span.last]
    assert due_spans(days[:1], [], [], today) == []


def test_what_mattered_most_is_what_is_trusted_most_from_each_day_first(clock: HandClock) -> None:
    today = clock.now().date()
    episodes = [
        Episode(
            date=today - timedelta(days=9 - day),
            summary="x",
            key_events=[f"{day}-{number}" for number in range(4)],
            key_event_evidence=[[f"e{day}-{number}"] for number in range(4)],
            key_event_standings=[Standing(confidence=0.9 if (day, number) == (0, 3) else 0.5) for number in range(4)],
            emotional_tone="positive" if day else "negative",
        )
        for day in range(5)
    ]
    week = condensed(Span(today - timedelta(days=9), today), episodes[:2], {"e1-0"}, "en", today)
    assert week.key_events[:3] == ["0-0", "0-1", "0-2"]
    whole = condensed(Span(today - timedelta(days=6), today), episodes, (), "en", today)
    assert {"0-3", "0-0", "1-0", "2-0", "3-0", "4-0"} <= set(whole.key_events)
    assert len(whole.key_events) == 7
    assert whole.emotional_tone == "positive"
    assert all("e1-0" not in ids for ids in week.key_event_evidence)
    assert "days with a conversation: 5" in whole.summary


@pytest.mark.parametrize("name", ["2026-03-02", "2026-02-30~2026-03-01", "a~b", "2026-03-02~2026-03-08~", ""])
def test_other_names_are_no_spans(name: str) -> None:
    assert span_named(name) is None
