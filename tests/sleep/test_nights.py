"""Nights as they follow one another: each reflects once, each week and month has its own, nothing is lost silently."""

import json
from collections.abc import Collection
from datetime import date, datetime, timedelta
from random import Random

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.memory.entity_store import EntityStore
from managers.memory.goals import Goal, Goals, GoalsMeta, GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.questions import Question, QuestionStore
from managers.mind import Cancel
from managers.recall.hits import Hit
from managers.sleep.reflection_levels import levels_of
from managers.sleep.scheduler import _outcome
from managers.sleep.tasks import (
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    FactDraft,
    GoalDraft,
    Level,
    QuestionDraft,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionDraft,
    ResolutionsDraft,
)
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock
from tests.sleep.dreamers import ScriptedDreamMind, failing, make_dreamer, messages, two_days


class Reflecting:
    """Reflects on whatever it is given, and remembers what that was."""

    def __init__(self, **values: object) -> None:
        self.materials: list[ReflectionMaterial] = []
        self._values = values

    def __call__(self, material: ReflectionMaterial) -> ReflectionDraft:
        self.materials.append(material)
        return ReflectionDraft.model_validate(
            {
                "trigger_topic": "散歩",
                "insight": f"{len(self.materials)}回目に考えて気づいたこと。",
                "strategy": "ゆっくり話を聞く。",
                "log_entry": "夢の中で歩いていた。",
                "evidence": [next(iter(sorted(material.ids)))],
                **self._values,
            }
        )

    @property
    def levels(self) -> list[tuple[Level, date]]:
        return [(material.level, material.today) for material in self.materials]


def test_a_night_that_is_done_again_does_not_reflect_again(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    reflecting, usual = Reflecting(), BuiltInDreamMind()

    def fail_once(material: DayMaterial) -> DayDraft:
        return failing(material) if material.messages[0].id == "a0" else usual.summarise_day(material, Cancel())

    make_dreamer(paths, night, log, ScriptedDreamMind(summarise_day=fail_once, reflect=reflecting)).dream()
    night.move(days=1)
    report = make_dreamer(paths, night, log, ScriptedDreamMind(reflect=reflecting)).dream()
    assert [change.what for change in report.changes if change.what == "episode"]
    assert len(reflecting.materials) == 1
    assert (report.level, len(InsightStore(paths, night).entries())) == (None, 1)


def test_a_reflection_that_failed_is_done_the_next_night(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    make_dreamer(paths, night, log, ScriptedDreamMind(reflect=failing)).dream()
    night.move(days=1)
    mind = ScriptedDreamMind(reflect=Reflecting())
    report = make_dreamer(paths, night, log, mind).dream()
    assert mind.calls == ["reflect"]
    assert report.level == 1
    night.move(days=1)
    assert make_dreamer(paths, night, log).pending_days() == []


def long_talk(paths: PersonaPaths, clock: HandClock, days: int) -> ConversationLog:
    log = ConversationLog(paths, clock, Random(1))
    evening = clock.now().replace(hour=20)
    for back in range(days, 0, -1):
        text = (("user", f"今日は駅前の店{back}で、カレーを食べました。"),)
        log.append_many(messages(evening - timedelta(days=back), text, f"d{back:02}x"))
    return log


@pytest.mark.parametrize("catch_up", [True, False])
def test_catching_up_over_weeks_gives_each_week_and_month_its_reflection(
    paths: PersonaPaths,
    night: HandClock,
    catch_up: bool,  # a row
) -> None:
    reflecting = Reflecting()
    log = long_talk(paths, night, 31)
    make_dreamer(paths, night, log, ScriptedDreamMind(reflect=reflecting)).dream(catch_up=catch_up)
    first = night.now().date() - timedelta(days=31)
    deep = sorted((level, (day - first).days) for level, day in reflecting.levels if level > 1)
    assert deep == [(2, 7), (2, 14), (2, 21), (2, 28), (3, 30)]
    assert all(len(material.episodes) > 5 for material in reflecting.materials if material.level == 2)


def test_a_fortnight_in_one_night_has_the_week_that_lies_in_it(paths: PersonaPaths, night: HandClock) -> None:
    reflecting = Reflecting()
    log = long_talk(paths, night, 10)
    report = make_dreamer(paths, night, log, ScriptedDreamMind(reflect=reflecting)).dream()
    today = night.now().date()
    assert reflecting.levels == [(2, today - timedelta(days=3)), (1, today)]
    assert len(report.entries) == 1


def test_old_days_that_were_imported_reflect_once_a_week_not_every_night() -> None:
    meta = GoalsMeta(last_level2_date=date(2026, 11, 18), last_level3_date=date(2026, 11, 1))
    days = [date(2026, 5, 1) + timedelta(days=n) for n in range(40)]
    found = levels_of(days, meta, days[0], date(2026, 11, 21), SleepSettings())
    assert [(days.index(day), level) for day, level in found.items() if level > 1] == [
        (6, 2),
        (13, 2),
        (20, 2),
        (27, 2),
        (29, 3),
        (36, 2),
    ]
    done = Goals(meta=meta).reflected(2, date(2026, 5, 8), date(2026, 11, 21)).meta
    assert done.last_level2_date == date(2026, 11, 18)


def test_what_is_left_out_is_said_and_fails_nothing(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    def describe(material: EntityMaterial) -> EntitiesDraft:
        told = max(material.day.messages, key=lambda message: len(message.text)).id  # no greeting
        facts = [
            FactDraft(text="花さんは温泉が好きだ。", evidence=[told]),
            FactDraft(text="花さんは月に住んでいる。", evidence=["m99"]),
        ]
        return EntitiesDraft(entities=[EntityDraft(name="花", kind="person", facts=facts)])

    report = make_dreamer(paths, night, log, ScriptedDreamMind(describe_entities=describe)).dream()
    left_out = [failure for failure in report.failures if failure.is_left_out]
    assert {(one.task, one.error.facts["item"], one.error.facts["why"]) for one in left_out} == {
        ("entities", "花: 花さんは月に住んでいる。", "unknown_message")
    }
    assert (_outcome(report), report.notices) == ("done", ())
    record = json.loads(next(paths.memory.glob("dream_2*.json")).read_text(encoding="utf-8"))
    assert record["failures"][0]["item"] == "花: 花さんは月に住んでいる。"
    assert "月に住んでいる" not in "".join(path.read_text(encoding="utf-8") for path in paths.entity_memory.iterdir())


def test_a_correction_ends_the_fact_on_whosever_card_it_stands(paths: PersonaPaths, night: HandClock) -> None:
    told = ["うちの猫のモモは8歳です。", "モモは8歳じゃなくて9歳でした。"]
    log = ConversationLog(paths, night, Random(1))
    evening = night.now().replace(hour=20)
    for back, text in zip((2, 1), told, strict=True):
        log.append_many(messages(evening - timedelta(days=back), (("user", text),), f"d{back}x"))
    shown: list[str] = []

    def describe(material: EntityMaterial) -> EntitiesDraft:
        first = material.day.messages[0].id
        known = {fact.text: fact.id for one in material.known for fact in one.current_facts}
        shown.extend(known)
        if not known:
            fact = FactDraft(text="モモは8歳。", evidence=[first])
            return EntitiesDraft(entities=[EntityDraft(name="モモ", kind="pet", facts=[fact])])
        fact = FactDraft(text="花の猫は9歳。", evidence=[first], replaces=known["モモは8歳。"])
        return EntitiesDraft(entities=[EntityDraft(name="花の猫", kind="pet", facts=[fact])])

    make_dreamer(paths, night, log, ScriptedDreamMind(describe_entities=describe)).dream()
    assert shown == ["モモは8歳。"]
    momo = EntityStore(paths, night).find("モモ")
    assert momo is not None
    assert momo.current_facts == []


def test_what_is_only_told_in_other_words_does_not_end(paths: PersonaPaths, night: HandClock) -> None:
    log, said = _one_day(paths, night, "妻のあおいは詩人で、猫を飼ってる。")
    for words in ("花の妻。", "猫と暮らす詩人。"):
        EntityStore(paths, night).note("あおい", words, author="花", mind="model", evidence=[said.id])

    def describe(material: EntityMaterial) -> EntitiesDraft:
        known = {fact.text: fact.id for one in material.known for fact in one.current_facts}
        facts = [
            FactDraft(text="あおいは花の妻。", evidence=[said.id], replaces=known["花の妻。"]),
            FactDraft(text="あおいは詩人。", evidence=[said.id], replaces=known["猫と暮らす詩人。"]),
        ]
        return EntitiesDraft(entities=[EntityDraft(name="あおい", kind="person", facts=facts)])

    make_dreamer(paths, night, log, ScriptedDreamMind(describe_entities=describe)).dream()
    card = EntityStore(paths, night).find("あおい")
    assert card is not None
    assert [fact.text for fact in card.facts] == ["猫と暮らす詩人。", "あおいは花の妻。", "あおいは詩人。"]
    assert card.facts == card.current_facts


def _one_day(paths: PersonaPaths, clock: HandClock, text: str) -> tuple[ConversationLog, Message]:
    log = ConversationLog(paths, clock, Random(1))
    [said] = messages(clock.now().replace(hour=20) - timedelta(days=1), (("user", text),), "d")
    log.append_many([said])
    return log, said


def test_a_goal_closes_with_its_question_and_the_answer_stands_on_nobodys_card(
    paths: PersonaPaths, night: HandClock
) -> None:
    log, said = _one_day(paths, night, "妹のノラが試験に受かりました。")
    questions, goals = QuestionStore(paths, night), GoalStore(paths, night)
    questions.add(
        Question(id="q_1", topic="妹の試験", created_at="2026-11-10 03:00:00", mind="model"), author="dream", reason=""
    )
    for goal in (
        Goal(id="sh_1", goal="妹の試験の結果を聞く", mind="model"),
        Goal(id="sh_2", goal="詩を書く", mind="model"),
    ):
        goals.change(lambda there, goal=goal: there.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]
    answer = ResolutionDraft(question_id="q_1", answer="受かった。", evidence=[said.id])
    mind = ScriptedDreamMind(
        resolve_questions=lambda _: ResolutionsDraft(resolutions=[answer]),
        describe_entities=lambda _: EntitiesDraft(
            entities=[
                EntityDraft(name="花", kind="person", facts=[FactDraft(text="花には妹がいる。", evidence=[said.id])])
            ]
        ),
    )
    make_dreamer(paths, night, log, mind).dream()
    there = {goal.id: (goal.status, goal.reason) for goal in goals.load().short_term if goal.id in {"sh_1", "sh_2"}}
    assert there == {"sh_1": ("completed", "受かった。"), "sh_2": ("active", "")}
    hana = EntityStore(paths, night).find("花")
    assert hana is not None
    assert [fact.text for fact in hana.facts] == ["花には妹がいる。"]


def test_an_answer_against_what_a_card_says_is_a_contradiction_of_it(paths: PersonaPaths, night: HandClock) -> None:
    log, said = _one_day(paths, night, "ノラはコーヒーが嫌いだよ。")
    cards = EntityStore(paths, HandClock(night.now() - timedelta(days=9)))
    cards.note("ノラ", "ノラの飲み物: コーヒーが好き。", author="dream", mind="model", evidence=["m0"])
    question = Question(id="q_1", topic="ノラの飲み物", created_at="2026-11-10 03:00:00", mind="model")
    QuestionStore(paths, night).add(question, author="dream", reason="")
    answer = ResolutionDraft(question_id="q_1", answer="コーヒーが嫌い。", evidence=[said.id])
    mind = ScriptedDreamMind(
        resolve_questions=lambda _: ResolutionsDraft(resolutions=[answer]),
        describe_entities=lambda _: EntitiesDraft(entities=[]),
    )
    make_dreamer(paths, night, log, mind).dream()
    nora = cards.find("ノラ")
    assert nora is not None
    assert [(fact.text, [move.why for move in fact.standing.moves]) for fact in nora.current_facts] == [
        ("ノラの飲み物: コーヒーが好き。", ["contradicted"]),
        ("ノラの飲み物: コーヒーが嫌い。", []),
    ]


@pytest.mark.parametrize(
    ("due", "day", "is_asked"), [("2026-11-28", 27, False), ("2026-11-28", 28, True), ("", 21, True)]
)
def test_a_question_is_silent_before_it_is_due(
    paths: PersonaPaths,
    night: HandClock,
    due: str,
    day: int,
    is_asked: bool,  # a row
) -> None:
    log, said = _one_day(paths, night, "来週の金曜に試験を受けます。")
    found = QuestionDraft(topic="花の試験", context="結果が知りたい。", evidence=[said.id], due=due)
    mind = ScriptedDreamMind(find_questions=lambda _: QuestionsDraft(questions=[found]))
    make_dreamer(paths, night, log, mind).dream()
    night.set(datetime(2026, 11, day, 12))
    store = QuestionStore(paths, night)
    assert len(store.open()) == 1
    assert bool(store.to_ask()) is is_asked


def test_the_months_values_are_kept_and_read_the_next_time(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    reflecting = Reflecting(values=["誠実さ", "ゆっくり待つこと"])
    mind = ScriptedDreamMind(reflect=reflecting)
    make_dreamer(paths, night, log, mind).dream(level=3)
    assert InsightStore(paths, night).entries()[0].values == ["誠実さ", "ゆっくり待つこと"]
    make_dreamer(paths, night, log, mind).dream(level=2)
    assert reflecting.materials[-1].values == ("誠実さ", "ゆっくり待つこと")
    assert InsightStore(paths, night).entries()[0].values == []


@pytest.mark.parametrize(
    ("draft", "left"),
    [
        ({"action": "reprioritise", "priority": 7}, ("詩を書く", 7, [])),
        ({"action": "reword", "goal": "短い詩を書く"}, ("短い詩を書く", 2, [])),
        ({"action": "revalue", "related_values": ["創作"]}, ("詩を書く", 2, ["創作"])),
    ],
)
@pytest.mark.parametrize("mind_of_goal", ["model", "user"])
def test_a_goal_is_put_in_another_order_reworded_revalued_but_never_a_persons(
    paths: PersonaPaths,
    night: HandClock,
    draft: dict[str, object],
    left: tuple[str, int, list[str]],
    mind_of_goal: str,
) -> None:
    log = two_days(paths, night)
    goals = GoalStore(paths, night)
    goal = Goal(id="sh_1", goal="詩を書く", priority=2, mind=mind_of_goal)
    goals.change(lambda there: there.created("short_term", goal), author="dream", reason="")
    change = GoalDraft.model_validate({"goal_id": "sh_1", **draft})
    make_dreamer(paths, night, log, ScriptedDreamMind(reflect=Reflecting(goals=[change]))).dream()
    found = goals.load().get("sh_1")
    assert found is not None
    there = (found[1].goal, found[1].priority, found[1].related_values)
    assert there == (left if mind_of_goal == "model" else ("詩を書く", 2, []))


def test_the_past_is_searched_before_a_model_reflects(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    old, new = night.now() - timedelta(days=200), night.now() - timedelta(days=1)
    asked: list[str] = []
    taken_from: list[str] = []

    def recall(gist: str, messages: Collection[str]) -> list[Hit]:
        asked.append(gist)
        taken_from.extend(messages)
        return [
            Hit("昨日の話", "current_log", "semantic", "log.txt", ("b0",), 0.1, new, "花"),
            Hit("モモを拾った日の話", "log_archive", "semantic", "log.txt", ("old1",), 0.2, old, "花"),
        ]

    reflecting = Reflecting()
    dreamer = make_dreamer(paths, night, log, ScriptedDreamMind(reflect=reflecting), recall=recall)
    dreamer.dream()
    assert "モモ" in asked[0] or "桃" in asked[0]
    assert {message.id for message in log.tail(1)} <= {*taken_from}
    assert [hit.text for hit in reflecting.materials[0].past] == ["モモを拾った日の話"]
    assert "old1" in reflecting.materials[0].ids


def test_what_a_night_costs_is_known_before_it_begins(paths: PersonaPaths, night: HandClock) -> None:
    log = long_talk(paths, night, 8)
    mind = ScriptedDreamMind()
    dreamer = make_dreamer(paths, night, log, mind)
    cost = dreamer.cost()
    assert mind.calls == []
    assert (cost.mind, cost.days) == ("model", 8)
    report = dreamer.dream()
    assert "summarise_period" in mind.calls
    assert report.calls <= cost.calls <= report.calls + 8  # no question may be open for the answers to be looked for
    assert cost.tokens == cost.calls * 10
    assert make_dreamer(paths, night, log).cost().calls == 0  # the built-in mind costs nothing


def test_a_long_catch_up_is_estimated_from_some_of_its_days(paths: PersonaPaths, night: HandClock) -> None:
    log = long_talk(paths, night, 65)
    cost = make_dreamer(paths, night, log, ScriptedDreamMind()).cost(catch_up=True)
    assert cost.days == 65
    assert cost.calls == 65 * 5 + 2  # a week and a month


def test_a_sister_whom_an_earlier_night_took_for_a_cat_becomes_a_person(paths: PersonaPaths, night: HandClock) -> None:
    log, _ = _one_day(paths, night, "うちの猫のノラが逃げました。")
    make_dreamer(paths, night, log, BuiltInDreamMind()).dream()
    taken = EntityStore(paths, night).find("ノラ")
    assert taken is not None
    assert taken.kind == "pet"
    night.move(days=1)
    [said] = messages(night.now().replace(hour=20) - timedelta(days=1), (("user", "妹のノラが会いに来ました。"),), "e")
    log.append_many([said])
    make_dreamer(paths, night, log, BuiltInDreamMind()).dream()
    told = EntityStore(paths, night).find("ノラ")
    assert told is not None
    assert told.kind == "person"


@pytest.mark.parametrize(("text", "due"), [("来週の面接が心配です。", "2026-11-27"), ("昨日の面接が心配です。", "")])
def test_what_is_to_come_is_asked_after_once_it_has_been(
    text: str, due: str, paths: PersonaPaths, night: HandClock
) -> None:
    log, _ = _one_day(paths, night, text)
    make_dreamer(paths, night, log, BuiltInDreamMind()).dream()
    assert [question.due for question in QuestionStore(paths, night).load().entries] == [due]
