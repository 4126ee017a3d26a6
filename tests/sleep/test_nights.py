"""Nights as they follow one another, months of them at once: each reflects once, each week and month has its own."""

import json
from collections.abc import Collection
from datetime import date, datetime, timedelta

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.memory.goals import Goal, Goals, GoalsMeta
from managers.memory.questions import Question
from managers.mind import Cancel
from managers.recall.hits import Hit
from managers.sleep import tasks
from managers.sleep.reflection_levels import levels_of
from managers.sleep.scheduler import _outcome
from managers.storage.settings import SleepSettings
from tests.sleep.dreamers import Life, ScriptedDreamMind, failing, messages, reflection


class Reflecting:
    """Reflects on whatever it is given, and remembers what that was."""

    def __init__(self, **values: object) -> None:
        self.materials: list[tasks.ReflectionMaterial] = []
        self._values = values

    def __call__(self, material: tasks.ReflectionMaterial) -> tasks.ReflectionDraft:
        self.materials.append(material)
        told = max(material.days[-1].messages, key=lambda one: len(one.text))
        insight = f"{len(self.materials)}回目に考えて気づいたこと。"
        usual = {"trigger_topic": told.text, "insight": insight, "evidence": [told.id]}
        return reflection(**{**usual, **self._values})

    @property
    def levels(self) -> list[tuple[tasks.Level, date]]:
        return [(material.level, material.today) for material in self.materials]


def entities(name: str, *facts: tasks.FactDraft, kind: str = "person") -> tasks.EntitiesDraft:
    return tasks.EntitiesDraft(entities=[tasks.EntityDraft(name=name, kind=kind, facts=list(facts))])


def test_a_night_that_is_done_again_does_not_reflect_again(life: Life) -> None:
    reflecting, usual = Reflecting(), BuiltInDreamMind()

    def fail_once(material: tasks.DayMaterial) -> tasks.DayDraft:
        return failing(material) if material.messages[0].id == "a0" else usual.summarise_day(material, Cancel())

    life.dreamer(ScriptedDreamMind(summarise_day=fail_once, reflect=reflecting)).dream()
    life.clock.move(days=1)
    report = life.dreamer(ScriptedDreamMind(reflect=reflecting)).dream()
    assert [change.what for change in report.changes if change.what == "episode"]
    assert len(reflecting.materials) == 1
    assert (report.level, len(life.insights.entries())) == (None, 1)


def test_a_reflection_that_failed_is_done_the_next_night(life: Life) -> None:
    life.dreamer(ScriptedDreamMind(reflect=failing)).dream()
    life.clock.move(days=1)
    mind = ScriptedDreamMind(reflect=Reflecting())
    report = life.dreamer(mind).dream()
    assert mind.calls == ["reflect"]
    assert report.level == 1
    life.clock.move(days=1)
    assert life.dreamer().pending_days() == []


def test_old_days_that_were_imported_reflect_once_a_week_not_every_night() -> None:
    meta = GoalsMeta(last_level2_date=date(2026, 11, 18), last_level3_date=date(2026, 11, 1))
    days = [date(2026, 5, 1) + timedelta(days=n) for n in range(40)]
    found = levels_of(days, meta, days[0], date(2026, 11, 21), SleepSettings())
    deep = [(days.index(day), level) for day, level in found.items() if level > 1]
    assert deep == [(6, 2), (13, 2), (20, 2), (27, 2), (29, 3), (36, 2)]
    done = Goals(meta=meta).reflected(2, date(2026, 5, 8), date(2026, 11, 21)).meta
    assert done.last_level2_date == date(2026, 11, 18)


def test_what_is_left_out_is_said_and_fails_nothing(life: Life) -> None:
    def describe(material: tasks.EntityMaterial) -> tasks.EntitiesDraft:
        told = max(material.day.messages, key=lambda message: len(message.text))  # no greeting
        moon = tasks.FactDraft(text="花さんは月に住んでいる。", evidence=["m99"])
        return entities("花", tasks.FactDraft(text=told.text, evidence=[told.id]), moon)

    report = life.dreamer(ScriptedDreamMind(describe_entities=describe)).dream()
    left_out = [failure for failure in report.failures if failure.is_left_out]
    assert {(one.task, one.error.facts["item"], one.error.facts["why"]) for one in left_out} == {
        ("entities", "花: 花さんは月に住んでいる。", "unknown_message")
    }
    assert (_outcome(report), report.notices) == ("done", ())
    record = json.loads(next(life.paths.memory.glob("dream_2*.json")).read_text(encoding="utf-8"))
    assert record["failures"][0]["item"] == "花: 花さんは月に住んでいる。"
    assert "月に住んでいる" not in life.known()


def test_a_correction_ends_the_fact_on_whosever_card_it_stands(bare: Life) -> None:
    for days, text in ((2, "うちの猫のモモは8歳です。"), (1, "モモは8歳じゃなくて9歳でした。")):
        bare.tell(text, days=days, prefix=f"d{days}x")
    shown: list[str] = []

    def describe(material: tasks.EntityMaterial) -> tasks.EntitiesDraft:
        first = material.day.messages[0].id
        known = {fact.text: fact.id for one in material.known for fact in one.current_facts}
        shown.extend(known)
        if not known:
            return entities("モモ", tasks.FactDraft(text="モモは8歳。", evidence=[first]), kind="pet")
        ended = tasks.FactDraft(text="花の猫は9歳。", evidence=[first], replaces=known["モモは8歳。"])
        return entities("花の猫", ended, kind="pet")

    bare.dreamer(ScriptedDreamMind(describe_entities=describe)).dream()
    assert shown == ["モモは8歳。"]
    assert bare.entity("モモ").current_facts == []


def test_what_is_only_told_in_other_words_does_not_end(bare: Life) -> None:
    [said] = bare.tell("妻のあおいは詩人で、猫を飼ってる。")
    for words in ("花の妻。", "猫と暮らす詩人。"):
        bare.entities.note("あおい", words, author="花", mind="model", evidence=[said.id])

    def describe(material: tasks.EntityMaterial) -> tasks.EntitiesDraft:
        known = {fact.text: fact.id for one in material.known for fact in one.current_facts}
        told = (("あおいは花の妻。", "花の妻。"), ("あおいは詩人。", "猫と暮らす詩人。"))
        facts = (tasks.FactDraft(text=text, evidence=[said.id], replaces=known[old]) for text, old in told)
        return entities("あおい", *facts)

    bare.dreamer(ScriptedDreamMind(describe_entities=describe)).dream()
    card = bare.entity("あおい")
    assert [fact.text for fact in card.facts] == ["猫と暮らす詩人。", "あおいは花の妻。", "あおいは詩人。"]
    assert card.facts == card.current_facts


def answering(question: Question, answer: str, evidence: str, found: tasks.EntitiesDraft) -> ScriptedDreamMind:
    draft = tasks.ResolutionDraft(question_id=question.id, answer=answer, evidence=[evidence])
    return ScriptedDreamMind(
        resolve_questions=lambda _: tasks.ResolutionsDraft(resolutions=[draft]), describe_entities=lambda _: found
    )


def asked(life: Life, topic: str) -> Question:
    question = Question(id="q_1", topic=topic, created_at="2026-11-10 03:00:00", mind="model")
    life.questions.add(question, author="dream", reason="")
    return question


def test_a_goal_closes_with_its_question_and_the_answer_stands_on_nobodys_card(bare: Life) -> None:
    [said] = bare.tell("妹のノラが試験に受かりました。")
    question = asked(bare, "妹の試験")
    for number, text in enumerate(("妹の試験の結果を聞く", "詩を書く"), 1):
        goal = Goal(id=f"sh_{number}", goal=text, mind="model")
        bare.goals.change(lambda there, goal=goal: there.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]
    sister = entities("花", tasks.FactDraft(text="花には妹がいる。", evidence=[said.id]))
    bare.dreamer(answering(question, "受かった。", said.id, sister)).dream()
    there = {
        goal.id: (goal.status, goal.reason) for goal in bare.goals.load().short_term if goal.id in {"sh_1", "sh_2"}
    }
    assert there == {"sh_1": ("completed", "受かった。"), "sh_2": ("active", "")}
    assert [fact.text for fact in bare.entity("花").facts] == ["花には妹がいる。"]


def test_an_answer_against_what_a_card_says_is_a_contradiction_of_it(bare: Life) -> None:
    [said] = bare.tell("ノラはコーヒーが嫌いだよ。")
    bare.clock.move(days=-9)
    bare.entities.note("ノラ", "ノラの飲み物: コーヒーが好き。", author="dream", mind="model", evidence=["m0"])
    bare.clock.move(days=9)
    question = asked(bare, "ノラの飲み物")
    bare.dreamer(answering(question, "コーヒーが嫌い。", said.id, tasks.EntitiesDraft(entities=[]))).dream()
    moves = [(fact.text, [move.why for move in fact.standing.moves]) for fact in bare.entity("ノラ").current_facts]
    assert moves == [("ノラの飲み物: コーヒーが好き。", ["contradicted"]), ("ノラの飲み物: コーヒーが嫌い。", [])]


@pytest.mark.parametrize("due", ["2026-11-28", ""])
def test_a_question_is_silent_before_it_is_due(bare: Life, due: str) -> None:
    [said] = bare.tell("来週の金曜に試験を受けます。")
    found = tasks.QuestionDraft(topic="花の試験", context="結果が知りたい。", evidence=[said.id], due=due)
    bare.dreamer(ScriptedDreamMind(find_questions=lambda _: tasks.QuestionsDraft(questions=[found]))).dream()
    assert len(bare.questions.open()) == 1
    bare.clock.set(datetime(2026, 11, 27, 12))
    assert bool(bare.questions.to_ask()) is not bool(due)
    bare.clock.set(datetime(2026, 11, 28, 12))
    assert bare.questions.to_ask()


def test_a_goal_is_put_in_another_order_reworded_revalued_but_never_a_persons(life: Life) -> None:
    wishes = (
        {"action": "reprioritise", "priority": 7},
        {"action": "reword", "goal": "短い詩を書く"},
        {"action": "revalue", "related_values": ["創作"]},
    )
    for number, mind in enumerate(("model", "user"), 1):
        goal = Goal(id=f"sh_{number}", goal="詩を書く" if mind == "model" else "姉に会う", priority=2, mind=mind)
        life.goals.change(lambda there, goal=goal: there.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]
    changes = [
        tasks.GoalDraft.model_validate({"goal_id": goal, **wish}) for goal in ("sh_1", "sh_2") for wish in wishes
    ]
    life.dreamer(ScriptedDreamMind(reflect=Reflecting(goals=changes))).dream()
    there = {goal.id: (goal.goal, goal.priority, goal.related_values) for goal in life.goals.load().short_term}
    assert (there["sh_1"], there["sh_2"]) == (("短い詩を書く", 7, ["創作"]), ("姉に会う", 2, []))


def test_the_past_is_searched_before_a_model_reflects(life: Life) -> None:
    old, new = life.clock.now() - timedelta(days=200), life.clock.now() - timedelta(days=1)
    asked: list[str] = []
    taken_from: list[str] = []

    def recall(gist: str, messages: Collection[str]) -> list[Hit]:
        asked.append(gist)
        taken_from.extend(messages)
        return [
            Hit("昨日の話", "current_log", "semantic", "log.txt", ("b0",), 0.1, new, "花"),
            Hit("モモを拾った日の話", "log_archive", "semantic", "log.txt", (found.id,), 0.2, old, "花"),
        ]

    found = life.log.append("system", "note", "", time=old)
    reflecting = Reflecting()
    life.dreamer(ScriptedDreamMind(reflect=reflecting), recall=recall).dream()
    assert "モモ" in asked[0] or "桃" in asked[0]
    assert life.log.tail(2)[0].id in taken_from
    assert [hit.text for hit in reflecting.materials[0].past] == ["モモを拾った日の話"]
    assert found.id in reflecting.materials[0].ids


def test_what_a_night_costs_is_known_before_it_begins(bare: Life) -> None:
    for back in range(8, 0, -1):
        bare.tell(f"今日は駅前の店{back}で、カレーを食べました。", days=back, prefix=f"d{back:02}x")
    mind = ScriptedDreamMind()
    dreamer = bare.dreamer(mind)
    cost = dreamer.cost()
    assert mind.calls == []
    assert (cost.mind, cost.days) == ("model", 8)
    report = dreamer.dream()
    assert "summarise_period" in mind.calls
    assert report.calls <= cost.calls <= report.calls + 8  # no question may be open for the answers to be looked for
    assert cost.tokens == cost.calls * 10
    assert bare.dreamer().cost().calls == 0  # the built-in mind costs nothing


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


def test_the_newest_month_is_first_each_day_as_in_its_own_night(months: Life, monkeypatch: pytest.MonkeyPatch) -> None:
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
