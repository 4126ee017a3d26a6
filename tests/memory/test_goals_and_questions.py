import json
from datetime import date

from managers.memory.entry_files import shelves
from managers.memory.goals import KEPT_ENDED, MAX_ACTIVE, Goal, Goals, GoalStore
from managers.memory.insights import Insight, Insights, InsightStore
from managers.memory.json_documents import USER
from managers.memory.questions import MAX_OPEN, Question, Questions, QuestionStore
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

WHEN = "2026-01-02 04:53:57"


def goal(text: str, priority: int = 1) -> Goal:
    return Goal(goal=text, priority=priority, evidence=["m1"], mind="built-in", created_at=WHEN)


def test_a_reflection_is_noted_with_its_level_and_those_below_it(paths: PersonaPaths, clock: HandClock) -> None:
    store = GoalStore(paths, clock)
    for term, reflected in (("short_term", 1), ("long_term", 3)):
        made = goal(f"新世界を創造する {term}")
        change = lambda goals, t=term, g=made, r=reflected: goals.created(t, g).reflected(r, date(2026, 1, r))  # noqa: E731
        store.change(change, author="dream", reason="")
    value = json.loads(paths.goals.read_text())
    assert [value["short_term"][0]["id"][:3], value["long_term"][0]["id"][:3]] == ["sh_", "lo_"]
    assert value["meta"]["last_reflection_level"] == 3
    assert value["meta"]["last_level2_date"] == value["meta"]["last_level3_date"] == "2026-01-03"


def test_the_prompt_holds_three_short_goals_and_two_long_ones(paths: PersonaPaths, clock: HandClock) -> None:
    store, goals = GoalStore(paths, clock), Goals()
    for number in range(5):
        for term in ("short_term", "long_term"):
            goals = goals.created(term, goal(f"{term[0]} {number}", priority=number + 1))
    store.change(lambda _: goals, author="dream", reason="")
    assert [one.goal for _, one in store.for_prompt()] == ["s 0", "l 0", "s 1", "l 1", "s 2"]


def test_goals_progress_and_end_with_reasons_and_only_so_many_are_pursued() -> None:
    goals = Goals().created("short_term", goal("learn the piano"))
    one = goals.short_term[0]
    goals = goals.progressed(one.id, "first lesson", evidence=["m2"], when=WHEN)
    goals = goals.ended(one.id, "completed", "played a whole piece", evidence=["m3"], when=WHEN)
    ended = goals.short_term[0]
    assert (ended.status, ended.reason, ended.progress_notes) == ("completed", "played a whole piece", ["first lesson"])
    assert ended.evidence == ["m1", "m2", "m3"]
    assert goals.active("short_term") == []
    for number in range(200):
        goals = goals.created("short_term", goal(f"goal {number}"))
    assert len(goals.active("short_term")) == MAX_ACTIVE["short_term"]


def test_what_we_do_not_understand_stays_in_the_file(paths: PersonaPaths, clock: HandClock) -> None:
    written = {"short_term": [{"goal": "fine", "mood": "blue"}, "just a line"], "notes": "mine", "meta": {"own": 1}}
    paths.goals.write_text(json.dumps(written))
    GoalStore(paths, clock).change(lambda goals: goals.reflected(1, date(2026, 1, 3)), author="dream", reason="")
    value = json.loads(paths.goals.read_text())
    assert value["short_term"][0]["mood"] == "blue"
    assert value["short_term"][1] == "just a line"
    assert value["notes"] == "mine"
    assert value["meta"]["own"] == 1


def test_ended_goals_are_put_on_a_shelf(paths: PersonaPaths) -> None:
    goals = Goals()
    for number in range(2 * KEPT_ENDED):
        goals = goals.created("short_term", goal(f"goal {number}"))
        goals = goals.ended(goals.short_term[0].id, "completed", "done", evidence=[], when=WHEN)
    files = goals.changes(paths.goals)
    assert len(files) == 2
    kept = json.loads(files[paths.goals] or b"")
    shelf = json.loads(files[paths.goals.with_name("goals_archived_001.json")] or b"")
    assert len(kept["short_term"]) == KEPT_ENDED == len(shelf["short_term"])


def question(topic: str, priority: float = 0.5) -> Question:
    return Question(topic=topic, context="c", priority=priority, evidence=["m1"], created_at=WHEN)


def test_a_question_is_resolved_with_its_answer(paths: PersonaPaths, clock: HandClock) -> None:
    store = QuestionStore(paths, clock)
    store.add(question("初詣での雪の冷たさ", 0.8), author="dream", reason="")
    asked = store.open()[0]
    store.resolve(asked.id, author="user", reason="解決済み", answer="冷たかった", evidence=["m7"])
    assert store.open() == []
    closed = store.load().entries[0]
    assert (closed.status, closed.answer, closed.answer_evidence) == ("resolved", "冷たかった", ["m7"])


def test_what_was_asked_rests_a_while(paths: PersonaPaths, clock: HandClock) -> None:
    store = QuestionStore(paths, clock)
    store.add(question("貴船神社", 0.8), author="dream", reason="")
    store.add(question("the piano", 0.4), author="dream", reason="")
    assert [q.topic for q in store.to_ask()] == ["貴船神社", "the piano"]
    assert store.note_asked("貴船神社、いいね。", author="ねむ") == []
    assert [q.topic for q in store.note_asked("そういえば貴船神社はどうだった？", author="ねむ")] == ["貴船神社"]
    assert [q.topic for q in store.to_ask()] == ["the piano"]
    clock.move(days=4)
    assert [q.topic for q in store.to_ask()] == ["貴船神社", "the piano"]
    assert len(store.open()) == 2


def test_the_same_topic_is_not_open_twice_and_the_least_pressing_are_let_go() -> None:
    questions = Questions([])
    questions = questions.with_one(question("the trip")).with_one(question("The  Trip"))
    assert len(questions.open) == 1
    pinned = question("pinned", priority=0).model_copy(update={"pinned": True})
    questions = questions.with_one(pinned)
    for number in range(MAX_OPEN + 5):
        questions = questions.with_one(question(f"topic {number}", priority=number / 100))
    assert len(questions.open) == MAX_OPEN
    assert "pinned" in {one.topic for one in questions.open}
    assert all(q.topic != "topic 0" for q in questions.open)


def test_old_nights_go_on_shelves_and_what_a_person_pinned_never(paths: PersonaPaths, clock: HandClock) -> None:
    about = {"created_at": WHEN, "trigger_topic": "t", "log_entry": "l"}
    nights = [Insight(id=f"in_{n}", insight=f"i{n}", strategy=f"s{n}", **about) for n in range(2 * Insights.KEPT + 2)]
    nights[-1] = nights[-1].model_copy(update={"pinned": True})
    nights[-2] = nights[-2].model_copy(update={"mind": USER})
    assert len(Insights(nights[1:]).changes(paths.insights)) == 1  # they are not counted
    paths.memory.mkdir()
    for path, data in Insights(nights).changes(paths.insights).items():
        path.write_bytes(data or b"")
    store = InsightStore(paths, clock)
    assert [one.id for one in store.entries()] == [one.id for one in (*nights[: Insights.KEPT], *nights[-2:])]
    assert len(store.entries(archived=True)) == len(nights)
    assert (getattr(store.with_strategy(), "strategy", ""), len(shelves(paths.insights))) == ("s0", 1)
