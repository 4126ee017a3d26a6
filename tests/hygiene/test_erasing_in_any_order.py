"""Erased, put away and brought back in any order: the index holds what the memories hold, and nothing that was erased."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from agent.erasing import erase, plan_erasure
from agent.memories import Memories
from managers.hygiene.archive import Going
from managers.hygiene.errors import PlaceTakenError
from managers.hygiene.inventory import Memory
from managers.hygiene.inventory import memories as active
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight
from tests.hygiene.erased_life import every_byte
from tests.small_life import NOW, make_life, open_life

STEPS = 10
_TOKEN = re.compile(r"token\d{3}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small life in which every memory has a word of its own."""
    home = tmp_path_factory.mktemp("made") / "home"
    make_life(home)
    memories = open_life(home)
    tokens = (f"The word of this memory is token{number:03d}." for number in range(1000))
    copy = memories.working_copy()
    for number in range(4):
        day = (NOW - timedelta(days=40 + number)).date()
        events = [KeyEvent(next(tokens), (f"e{number}",)), KeyEvent(next(tokens), (f"f{number}",))]
        episode = Episode(date=day, summary=next(tokens), evidence=[f"e{number}", f"f{number}"], mind="m")
        copy.put_episode(episode.with_events(events).sealed())
    facts = tuple(Fact(next(tokens), (f"g{number}",), "m", f"f_{number:08d}") for number in range(4))
    copy.put_entity(Entity("Yolanda", "person", lines=facts, mind="m"))
    for number in range(3):
        insight = Insight.model_validate(
            {"id": f"in_{number:08d}", "insight": next(tokens), "strategy": "", "log_entry": "", "trigger_topic": "x"}
            | {"created_at": f"2026-10-0{number + 1} 03:00:00", "mind": "m"}
        )
        copy.insights = copy.insights.with_one(insight)
    memories.apply(copy.files(), author="dream", reason="made")
    memories.recall.catch_up()
    memories.close()
    return home


@pytest.mark.parametrize("seed", range(3))
def test_the_index_and_the_memories_hold_the_same(made: Path, tmp_path: Path, seed: int) -> None:
    home, rng = Path(shutil.copytree(made, tmp_path / "home")), Random(seed)
    memories = open_life(home)
    gone: set[str] = set()
    for _ in range(STEPS):
        step = rng.choice(("erase", "put away", "put away", "bring back", "undo"))
        if step == "erase":
            gone |= _erase_one(memories, rng)
        elif step == "put away":
            _put_away(memories, rng)
        elif step == "bring back":
            _bring_back(memories)
        else:
            _undo(memories)
        memories.recall.catch_up()
        assert _indexed(memories) == _remembered(memories), (seed, step)
        assert gone.isdisjoint(_remembered(memories)), (seed, step)
    memories.close()
    assert gone
    left = {found.decode() for _, data in every_byte(home) for found in re.findall(rb"token\d{3}", data)}
    assert gone.isdisjoint(left)


def _all(memories: Memories) -> list[Memory]:
    return [one for one in active(memories.working_copy()) if _TOKEN.search(one.text)]


def _remembered(memories: Memories) -> set[str]:
    return {token for one in _all(memories) for token in _TOKEN.findall(one.text)}


def _indexed(memories: Memories) -> set[str]:
    return set(_tokens(memories.recall.indexes["static"].texts()))


def _tokens(texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        yield from _TOKEN.findall(text)


def _erase_one(memories: Memories, rng: Random) -> set[str]:
    archived = list(memories.housekeeping().archive.entries(memories.working_copy()))
    there = sorted({one.id for one in _all(memories)} | {one.id for one in archived})
    if not there:
        return set()
    plan = plan_erasure(memories, rng.choice(there))
    erase(memories, plan)
    return {token for word in plan.traces.words for token in _TOKEN.findall(word)}


def _put_away(memories: Memories, rng: Random) -> None:
    copy = memories.working_copy()
    chosen = [one for one in _all(memories) if one.kind != "day"]
    going = [Going(one, "pruned") for one in rng.sample(chosen, min(2, len(chosen)))]
    archived = memories.housekeeping().archive.put_away(copy, going)
    if archived:
        memories.apply({**copy.files(), **archived}, author="utatane", reason="put away")


def _bring_back(memories: Memories) -> None:
    with suppress(PlaceTakenError):
        memories.housekeeping().restore(None)


def _undo(memories: Memories) -> None:
    entry = next((one for one in memories.history.entries(20) if one.reason == "put away" and not one.undone_by), None)
    if entry is not None:
        memories.history.undo(entry.id, author="user", leave_changed=True)
