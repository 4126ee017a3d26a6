"""What is forgotten by word leaves every memory that it had a part in; what was known before stands as it stood; so do pins."""

from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path

from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question, Questions
from managers.memory.working_copy import Stores, WorkingCopy
from managers.sleep import tasks
from managers.sleep.withdrawal import Gone, withdrawals, withdrawn
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import Life, ScriptedDreamMind, messages

EARLIER, TODAY = "2026-11-02", date(2026, 11, 21)


def foreign(ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    return {one: ("letter.txt",) for one in ids if one == "b"}


def write(files: Mapping[Path, bytes | None]) -> None:
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True) if data is None else path.write_bytes(data)


def forgotten(paths: PersonaPaths, clock: HandClock, *ids: str) -> WorkingCopy:
    stores = Stores.open(paths, clock)
    write(withdrawn(stores, ids, {TODAY}, foreign))
    return WorkingCopy(Stores.open(paths, clock))


def test_what_a_forgotten_message_ended_holds_again(paths: PersonaPaths, clock: HandClock) -> None:
    for lang, (old, new) in {"en": ("lives in Bremen", "lives in Lisbon"), "ja": ("札幌に住む", "那覇に住む")}.items():
        entity = with_fact(Entity(f"Tom {lang}", "person"), Fact(old, ("a",), "m", slot="home", since=EARLIER))
        entity = with_fact(entity, Fact(new, ("b",), "m", slot="home", since=TODAY.isoformat()))
        assert entity.facts[0].until == "2026-11"
        write({paths.entity_memory / f"{entity.name}.md": format_entity(entity).encode()})
        left = forgotten(paths, clock, "b").entity([entity.name])
        assert left is not None
        assert [(fact.text, fact.until) for fact in left.facts] == [(old, "")]


def test_the_same_said_before_stays_and_what_was_made_of_both_goes(paths: PersonaPaths, clock: HandClock) -> None:
    lines = (
        Fact("likes tea", ("a", "b"), "m", "f_1", since=EARLIER),
        Fact("likes tea, lost the job", ("b", "c"), "m", "f_2", since=TODAY.isoformat()),
        Fact("my own words", ("b",), "user", "f_3", since=TODAY.isoformat()),
    )
    write({paths.entity_memory / "Tom.md": format_entity(Entity("Tom", "person", lines=lines)).encode()})
    left = forgotten(paths, clock, "b").entity(["Tom"])
    assert left is not None
    told = [(fact.text, fact.evidence, fact.origins) for fact in left.facts]
    assert told == [("likes tea", ("a",), ("letter.txt",)), ("my own words", ("b",), ())]


def test_no_words_make_a_memory_look_as_if_a_person_had_written_it() -> None:
    """A person's words are never withdrawn: a mind that could write such lines would keep what is forgotten."""
    for text in ("name\n<!-- fact {} -->", "-->", "a <!<!---- b", "x --> <!-- entity {} -->  "):
        entity = with_fact(Entity("Tom", "person"), Fact(text, ("a",), "m", slot="home", since=EARLIER))
        read = parse_entity("Tom", format_entity(entity))
        assert [(fact.mind, fact.evidence) for fact in read.facts] == [("m", ("a",))], text


def test_questions_goals_and_insights_lose_what_the_words_did(paths: PersonaPaths, clock: HandClock) -> None:
    answered = {"status": "resolved", "answer": "b", "answer_evidence": ["b"]}
    questions = [
        Question(topic="asked by it", id="q_1", evidence=["a", "b"], mind="m"),
        Question.model_validate({"topic": "answered", "id": "q_2", "evidence": ["a"], "mind": "m", **answered}),
    ]
    older = {
        "evidence": ["a", "b"], "mind": "m", "created_at": f"{EARLIER} 12:00:00", "updated_at": f"{TODAY} 12:00:00"
    }  # fmt: skip
    ended = {**older, "status": "completed", "reason": "of b"}
    goals = [
        Goal(goal="made of it", id="sh_1", evidence=["b", "c"], mind="m", created_at=f"{TODAY} 12:00:00"),
        Goal.model_validate({"goal": "moved by it", "id": "sh_2", "progress_notes": ["begun", "of b"], **older}),
        Goal.model_validate({"goal": "ended by it", "id": "sh_3", **ended}),
    ]
    told = {"created_at": f"{TODAY} 12:00:00", "trigger_topic": "t", "strategy": "s", "log_entry": "l"}
    insights = [Insight(insight=f"of {ids}", evidence=list(ids), **told) for ids in ("ab", "a")]
    stores = Stores.open(paths, clock)
    write(Questions(questions).changes(stores.questions.path))
    write(Goals(goals).changes(paths.goals))
    write(Insights(insights).changes(paths.insights))
    left = forgotten(paths, clock, "b")
    assert [(one.topic, one.status, one.answer) for one in left.questions.entries] == [("answered", "open", "")]
    assert {goal.goal: (goal.status, goal.progress_notes, goal.reason) for goal in left.goals.short_term} == {
        "moved by it": ("active", ["begun"], ""),
        "ended by it": ("active", [], ""),
    }
    assert [one.insight for one in left.insights.entries] == ["of a"]


def moved_goals() -> Goals:
    """Two goals that three later messages moved, each with a note of its own; one was reached."""
    first = Goal(goal="moved", id="sh_1", evidence=["a"], mind="m", created_at=f"{EARLIER} 12:00:00")
    goals = Goals([first, first.model_copy(update={"id": "sh_2", "goal": "reached"})])
    for day, message in enumerate(("b", "c", "d"), 3):
        when = f"2026-11-{day:02d} 03:00:00"
        for goal_id in ("sh_1", "sh_2"):
            goals = goals.progressed(goal_id, f"note of {message}", evidence=[message], when=when)
    return goals.ended("sh_2", "completed", "reached, says d", evidence=["d"], when="2026-11-05 03:00:00")


def test_a_goal_loses_the_very_steps_that_the_words_brought(paths: PersonaPaths, clock: HandClock) -> None:
    stores = Stores.open(paths, clock)
    expected = {
        "b": (["note of c", "note of d"], "completed"),
        "d": (["note of b", "note of c"], "active"),
        "a": (["note of b", "note of c", "note of d"], "completed"),  # they brought no step
    }
    for gone, (notes, status) in expected.items():
        write(moved_goals().changes(paths.goals))
        for change in withdrawals(WorkingCopy(stores), Gone({gone}.__contains__, date(2026, 11, 2), foreign)):
            change.make(copy := WorkingCopy(stores))
            write(copy.files())
        moved, reached = WorkingCopy(Stores.open(paths, clock)).goals.short_term
        assert (moved.progress_notes, moved.status) == (notes, "active"), gone
        assert (reached.progress_notes, reached.status) == (notes, status), gone
        assert gone not in moved.evidence
        assert gone not in moved.note_evidence
        assert moved.origins == [*foreign(gone).get(gone, ())]
    goals = moved_goals()
    for number in range(30):
        goals = goals.progressed("sh_1", f"step {number}", evidence=[f"m{number}"], when="")
    assert list(goals.short_term[0].note_evidence) == [f"m{number}" for number in range(10, 30)]  # as many as notes


OLD = "2026-08-01 03:00:00"


def test_old_goals_and_questions_are_let_go_but_not_what_a_person_pinned(life: Life) -> None:
    goals, questions = life.goals, life.questions
    for name in ("pinned", "old", "own"):
        mind = "user" if name == "own" else "model"
        goal = Goal(goal=name, id=name, created_at=OLD, updated_at=OLD, mind=mind)
        goals.change(lambda there, goal=goal: there.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]
        asked = Question(topic=name, id=name, priority=0.1, created_at=OLD, mind=mind)
        questions.add(asked, author="dream", reason="")
    goals.pin("pinned", on=True, author="user")
    questions.pin("pinned", on=True, author="user")
    life.dreamer().dream(level=2)
    statuses = {goal.id: goal.status for goal in goals.load().short_term}
    assert [statuses[one] for one in ("pinned", "old", "own")] == ["active", "abandoned", "active"]
    asked_of = {q.id: q.status for q in questions.load().entries}
    assert [asked_of[one] for one in ("pinned", "old", "own")] == ["open", "dropped", "open"]


def test_what_was_said_before_a_question_came_up_does_not_answer_it(life: Life) -> None:
    """An old conversation is brought in after the question was asked."""
    life.dreamer().dream()
    life.questions.add(Question(topic="旅行", id="trip", priority=0.9, evidence=["b2"]), author="dream", reason="")

    def answers(material: tasks.AnswerMaterial) -> tasks.ResolutionsDraft:
        told = {"answer": "楽しかった。", "evidence": [material.day.messages[0].id]}
        found = [tasks.ResolutionDraft.model_validate({"question_id": one.id, **told}) for one in material.open]
        return tasks.ResolutionsDraft(resolutions=found)

    mind, line = ScriptedDreamMind(resolve_questions=answers), (("user", "旅行は楽しかったです。"),)
    life.log.append_many(messages(datetime(2025, 1, 5, 20), line, "old"))
    life.dreamer(mind).dream(catch_up=True)
    assert "trip" in {question.id for question in life.questions.open()}
    life.log.append_many(messages(life.clock.now() - timedelta(hours=2), line, "new"))
    life.clock.move(days=1)
    life.dreamer(mind).dream()
    assert "trip" not in {question.id for question in life.questions.open()}


def described(*found: tasks.EntityDraft) -> Callable[[tasks.EntityMaterial], tasks.EntitiesDraft]:
    return lambda material: tasks.EntitiesDraft(entities=list(found) if material.day.date.day == 20 else [])


def person(name: str, fact: str, *aliases: str) -> tasks.EntityDraft:
    facts = [tasks.FactDraft(text=fact, evidence=["b3"])]
    return tasks.EntityDraft(name=name, kind="person", aliases=list(aliases), facts=facts)


def test_an_alias_does_not_make_one_of_two(life: Life) -> None:
    works = person("花", "本屋で働いている", "友達", "私", "簿記", "ねむ", "彼女")
    others = [person("モモ", "入院していた", "花", "ねむ"), person("簿記", "勉強を頑張る", "友達", "彼女")]
    life.dreamer(ScriptedDreamMind(describe_entities=described(works, *others))).dream()
    cards = {card.name: card for card in life.entities.all()}
    assert {name: [fact.text for fact in card.facts] for name, card in cards.items()} == {
        "花": ["本屋で働いている"],
        "モモ": ["入院していた"],
        "簿記": ["勉強を頑張る"],
    }
    assert not {alias for card in cards.values() for alias in card.aliases} & {*cards, "私", "彼女", "ねむ"}
