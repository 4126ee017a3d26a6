"""The examples in docs/files.md are what the program reads and writes."""

import json
import re
from datetime import date
from random import Random
from typing import Any

from managers.memory.dream_state import DreamState
from managers.memory.drive_course import DriveCourse
from managers.memory.drives import Levels
from managers.memory.emotions import EmotionEntry
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.episodes import Episode
from managers.memory.goals import Goals
from managers.memory.inner_state import InnerState
from managers.memory.insights import Insight
from managers.memory.log import ConversationLog
from managers.memory.log.format import format_record
from managers.memory.log.parsing import parse
from managers.memory.periods import Period
from managers.memory.questions import Question
from managers.memory.strategies import AnyPattern
from managers.storage.audit import events, flaws
from managers.storage.paths import CHECKOUT, PersonaPaths
from tests.fakes import HandClock

PAGE = (CHECKOUT / "docs" / "files.md").read_text("utf-8")
LOG = PAGE.split("## log.txt, log_archives/\n", 1)[1]


def example(heading: str, language: str = r"\w*") -> str:
    """Return the first block of code under a heading."""
    found = re.search(rf"^## {re.escape(heading)}.*?^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no example under {heading}"
    return found.group(1)


def value(heading: str) -> Any:
    return json.loads(example(heading))


def test_episode_and_period() -> None:
    shown = value("episodic_memory/")
    episode = Episode.model_validate(shown)
    assert episode.date == date(2026, 1, 2)
    assert json.loads(episode.dump()).keys() == shown.keys()
    assert not episode.sealed().is_users
    shown = value("episodic_memory/YYYY-MM-DD~")
    period = Period.model_validate(shown)
    assert json.loads(period.dump()) == shown
    assert not period.is_users


def test_entity() -> None:
    text = example("entity_memory/")
    entity = parse_entity("田中さん", text)
    assert format_entity(entity) == text
    assert entity.lines[0] == "私のマスター。創作活動に興味がある。"
    assert [(fact.until, fact.is_users) for fact in entity.facts] == [("2026-03", False), ("", False)]


def test_lists_and_states() -> None:
    shown = value("goals.json")
    goals = Goals.parse(shown)
    assert [goal.goal for goal in goals.active("short_term")] == [shown["short_term"][0]["goal"]]
    assert {key: goals.plain()[key] for key in ("short_term", "meta")} == {
        key: shown[key] for key in ("short_term", "meta")
    }
    models: dict[str, Any] = {
        "insights": Insight, "open_questions": Question, "strategies": AnyPattern, "emotion_log": EmotionEntry
    }  # fmt: skip
    for name, model in models.items():
        shown = value(f"memory/{name}.json")
        assert [model.model_validate(one).model_dump(mode="json") for one in shown] == shown, name
    for state, heading in ((InnerState, "memory/internal_state.json"), (DreamState, "memory/dream_state.json")):
        assert state.model_validate(value(heading)).model_dump(mode="json") == value(heading)


def test_the_course_of_the_drives(paths: PersonaPaths, clock: HandClock) -> None:
    DriveCourse(paths).note(Levels(0.16, 0.55, 0.6, 0.3, {}), clock.now().replace(2026, 1, 2, 22))
    written = (paths.memory / "drive_course_2026-01.jsonl").read_text("utf-8")
    assert json.loads(written) == value("memory/drive_course_YYYY-MM.jsonl")


def test_the_audit_s_example_is_whole(paths: PersonaPaths) -> None:
    paths.memory.mkdir()
    (paths.memory / "audit_2026-01.jsonl").write_text(example("memory/audit_YYYY-MM.jsonl"), "utf-8")
    undo, call = events(paths)
    assert (call.kind, call.to.service, call.given.is_masked, undo.kind) == ("model_call", "Gemini", False, "undo")
    assert flaws(paths) == []


def test_the_log_reads_as_described_and_is_as_written(paths: PersonaPaths, clock: HandClock, rng: Random) -> None:
    shown = example("log.txt, log_archives/", "text")
    records = parse(shown).records
    assert (len(records), b"".join(map(format_record, records))) == (9, shown.encode())
    paths.log.write_bytes(shown.encode())
    log = ConversationLog(paths, clock, rng)
    first, reply, elsewhere = log.tail(10)
    assert (first.role, first.speaker, first.text) == ("user", "Sara", "I saw a kingfisher by the old bridge!")
    assert (reply.mind, elsewhere.text) == ("built-in", "そう、あの橋のところ。")
    assert log.thread(10) == [first, reply, elsewhere]
    (aside,) = log.branches()
    assert (aside.count, aside.after, aside.last) == (2, reply.id, "ところで、あしたは晴れるって。")
    log.switch_branch(aside.id)
    first, reply, third, last = log.tail(10)
    assert third.attachments == ("attachments/kingfisher.png",)
    assert "\n## AGENT:Nobody\n" in third.text
    assert log.alternatives(last.id).texts == ("ところで、あした", "ところで、あしたは晴れるって。")
    assert [one.broken_off for one in log.alternatives(last.id).messages] == [True, False]
    assert log.thread(10) == [last]
