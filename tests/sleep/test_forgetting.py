"""What is forgotten by word leaves every memory that it had a part in; what was known before stands as it stood."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from managers.memory.entities import Entity, Fact, format_entity, parse_entity, with_fact
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question, Questions
from managers.memory.working_copy import Stores, WorkingCopy
from managers.sleep.withdrawal import withdrawn
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

EARLIER, TODAY = "2026-11-02", date(2026, 11, 21)


def write(files: Mapping[Path, bytes | None]) -> None:
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True) if data is None else path.write_bytes(data)


def forgotten(paths: PersonaPaths, clock: HandClock, *ids: str) -> WorkingCopy:
    stores = Stores.open(paths, clock)
    write(withdrawn(stores, ids, {TODAY}))
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
    assert [(fact.text, fact.evidence) for fact in left.facts] == [("likes tea", ("a",)), ("my own words", ("b",))]


def test_no_words_make_a_memory_look_as_if_a_person_had_written_it() -> None:
    """A person's words are never withdrawn: a mind that could write such lines would keep what is forgotten."""
    for text in ("name\n<!-- fact {} -->", "-->", "a <!<!---- b", "x --> <!-- entity {} -->  "):
        entity = with_fact(Entity("Tom", "person"), Fact(text, ("a",), "m", slot="home", since=EARLIER))
        read = parse_entity("Tom", format_entity(entity))
        assert [(fact.mind, fact.evidence) for fact in read.facts] == [("m", ("a",))], text


def test_questions_goals_and_insights_lose_what_the_words_did(paths: PersonaPaths, clock: HandClock) -> None:
    questions = [
        Question(topic="asked by it", id="q_1", evidence=["a", "b"], mind="m"),
        Question(
            topic="answered", id="q_2", evidence=["a"], mind="m", status="resolved", answer="b", answer_evidence=["b"]
        ),
    ]
    goals = [
        Goal(goal="made of it", id="sh_1", evidence=["b", "c"], mind="m", created_at=f"{TODAY} 12:00:00"),
        Goal(
            goal="moved by it",
            id="sh_2",
            evidence=["a", "b"],
            mind="m",
            created_at=f"{EARLIER} 12:00:00",
            updated_at=f"{TODAY} 12:00:00",
            progress_notes=["begun", "of b"],
        ),
        Goal(
            goal="ended by it",
            id="sh_3",
            evidence=["a", "b"],
            mind="m",
            status="completed",
            reason="of b",
            created_at=f"{EARLIER} 12:00:00",
            updated_at=f"{TODAY} 12:00:00",
        ),
    ]
    told = {"created_at": f"{TODAY} 12:00:00", "trigger_topic": "t", "strategy": "s", "log_entry": "l"}
    insights = [
        Insight(insight="of both", evidence=["a", "b"], **told),
        Insight(insight="of a", evidence=["a"], **told),
    ]
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
