"""The examples in docs/files.md are what the program reads and writes."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from managers.memory.dream_state import DreamState
from managers.memory.emotions import EmotionEntry
from managers.memory.entities import Entity
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.episodes import Episode
from managers.memory.goals import Goals
from managers.memory.inner_state import InnerState
from managers.memory.insights import Insight
from managers.memory.periods import Period
from managers.memory.questions import Question
from managers.memory.strategies import AnyPattern
from managers.storage.audit import events, flaws
from managers.storage.paths import PersonaPaths

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")


def example(heading: str) -> str:
    """Return the first block of code under a heading."""
    found = re.search(rf"^## {re.escape(heading)}.*?^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no example under {heading}"
    return found.group(1)


def value(heading: str) -> Any:
    return json.loads(example(heading))


def test_episode() -> None:
    shown = value("episodic_memory/")
    episode = Episode.model_validate(shown)
    assert episode.date == date(2026, 1, 2)
    assert json.loads(episode.dump()).keys() == shown.keys()
    assert not episode.sealed().is_users


def test_period() -> None:
    shown = value("episodic_memory/YYYY-MM-DD~")
    period = Period.model_validate(shown)
    assert json.loads(period.dump()) == shown
    assert not period.is_users


def test_entity() -> None:
    text = example("entity_memory/")
    entity = parse_entity("田中さん", text)
    assert format_entity(entity) == text
    assert isinstance(entity, Entity)
    assert entity.lines[0] == "私のマスター。創作活動に興味がある。"
    assert [(fact.until, fact.is_users) for fact in entity.facts] == [("2026-03", False), ("", False)]


def test_goals() -> None:
    shown = value("goals.json")
    goals = Goals.parse(shown)
    assert [goal.goal for goal in goals.active("short_term")] == [shown["short_term"][0]["goal"]]
    written = goals.plain()
    assert written["short_term"] == shown["short_term"]
    assert written["meta"] == shown["meta"]


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("memory/insights.json", Insight),
        ("memory/open_questions.json", Question),
        ("memory/strategies.json", AnyPattern),
        ("memory/emotion_log.json", EmotionEntry),
    ],
)
def test_lists(heading: str, model: type[Any]) -> None:
    shown = value(heading)
    assert [model.model_validate(one).model_dump(mode="json") for one in shown] == shown


def test_inner_state_and_dream_state() -> None:
    shown = value("memory/internal_state.json")
    assert InnerState.model_validate(shown).model_dump(mode="json") == shown
    shown = value("memory/dream_state.json")
    assert DreamState.model_validate(shown).model_dump(mode="json") == shown


def test_the_audit_s_example_is_whole(paths: PersonaPaths) -> None:
    paths.memory.mkdir()
    (paths.memory / "audit_2026-01.jsonl").write_text(example("memory/audit_YYYY-MM.jsonl"), "utf-8")
    undo, call = events(paths)
    assert (call.kind, call.to.service, call.given.is_masked, undo.kind) == ("model_call", "Gemini", False, "undo")
    assert flaws(paths) == []
