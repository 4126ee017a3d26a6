"""Put away, merged, split, brought back, undone and erased in any order: no evidence is lost but what was erased, and the index
holds what the memories hold.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.erasing import erase, plan_erasure
from agent.memories import Memories
from managers.hygiene.archive import PutAway
from managers.hygiene.errors import PlaceTakenError
from managers.hygiene.inventory import Memory
from managers.hygiene.inventory import memories as active
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight
from managers.memory.messages import Message
from managers.sleep.changes import entity_changes
from managers.sleep.tasks import DayMaterial, EntitiesDraft, EntityDraft, EntityMaterial, FactDraft
from managers.storage.errors import UndoConflictError
from managers.storage.settings import MemorySettings
from tests.hygiene.erased_life import every_byte
from tests.small_life import NOW, make_life, open_life

LIMITS = MemorySettings(merge_interval=1, prune_interval=1, prune_threshold=0.35)
YOLANDA = "Yolanda"
_TOKEN = re.compile(r"token\d{3}")
Held = Memory | PutAway


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small life: each memory has a word of its own, but for some that say the same; each has evidence of its own."""
    home = tmp_path_factory.mktemp("made") / "home"
    make_life(home)
    with closing(open_life(home)) as memories:
        copy = memories.working_copy()
        for number in range(4):
            day = (NOW - timedelta(days=5 + number)).date()
            texts = (says(10 + number // 2), says(20 + number))  # two days tell the same
            events = [KeyEvent(text, (f"e{number}-{at}",)) for at, text in enumerate(texts)]
            episode = Episode(date=day, summary=says(number), evidence=[f"d{number}"], mind="m")
            copy.put_episode(episode.with_events(events).sealed())
        facts = (Fact(likes(30 + number), (f"f{number}",), "m", f"f_{number:08d}") for number in range(4))
        copy.put_entity(Entity(YOLANDA, "person", lines=tuple(facts), mind="m"))
        for number in range(3):
            insight = {"id": f"in_{number:08d}", "insight": says(40 + number // 2), "trigger_topic": "x", "mind": "m"}
            insight |= {"created_at": f"2026-10-0{number + 1} 03:00:00", "strategy": "", "log_entry": ""}
            standing = {"evidence": [f"i{number}"], "confidence": 0.6 if number < 2 else 0.3}
            copy.insights = copy.insights.with_one(Insight.model_validate(insight | standing))
        memories.apply(copy.files(), author="dream", reason="made")
        memories.recall.catch_up()
    return home


def says(number: int) -> str:
    return f"The word of this memory is token{number:03d}."


def likes(number: int) -> str:
    return f"likes token{number:03d} in the early morning"


@dataclass
class Life:
    """A life under way: what was erased, and what must not be lost."""

    memories: Memories
    gone: set[str] = field(default_factory=set)
    expected: set[str] = field(default_factory=set)
    told: int = 0

    def active(self) -> list[Memory]:
        return [one for one in active(self.memories.working_copy()) if _TOKEN.search(one.text)]

    def archived(self) -> list[PutAway]:
        entries = self.memories.housekeeping().archive.entries(self.memories.working_copy())
        return [one for one in entries if _TOKEN.search(one.text)]

    def held(self) -> list[Held]:
        return [*self.active(), *self.archived()]

    # What can happen

    def tidy(self, _at: int) -> None:
        """Merge what says the same, and put away what has faded."""
        self.memories.housekeeping(LIMITS).after_night(1)

    def years_pass(self, _at: int) -> None:
        self.memories.clock.move(days=300)  # type: ignore[attr-defined]  # a clock of the tests

    def tell_again(self, at: int) -> None:
        self._tell(likes(30 + at % 5))

    def deny(self, at: int) -> None:
        """Deny a fact; the second time it is split."""
        self._tell(likes(30 + at % 5).replace("likes", "doesn't like"))

    def bring_back(self, _at: int) -> None:
        with suppress(PlaceTakenError):
            self.memories.housekeeping().restore(None)

    def undo(self, at: int) -> None:
        history = self.memories.history
        done = [one for one in history.entries(20) if one.reason in {"put away", "restored"} and not one.undone_by]
        if done:
            with suppress(UndoConflictError):  # it has changed since: nothing is taken back
                history.undo(done[at % len(done)].id, author="user", leave_changed=True)

    def erase(self, at: int) -> None:
        there = sorted({one.id for one in self.held()})
        if not there:
            return
        plan = plan_erasure(self.memories, there[at % len(there)])
        goes, stays = list[Held](), list[Held]()
        for one in self.held():
            is_meant = one.id in plan.traces.memories or any(words in one.text for words in plan.traces.words)
            (goes if is_meant else stays).append(one)
        self.expected -= {each for one in goes for each in _evidence_of(one)}
        self.expected |= {each for one in stays for each in _evidence_of(one)}
        erase(self.memories, plan)
        self.gone |= _tokens(one.text for one in goes) - _tokens(one.text for one in stays)

    def _tell(self, text: str) -> None:
        """Let a night hear something of Yolanda; what was erased is not told again."""
        if not self.gone.isdisjoint(_TOKEN.findall(text)):
            return
        self.told += 1
        memories, now = self.memories, self.memories.clock.now()
        message = Message(f"t{self.told}", now, "user", "Emma", f"{YOLANDA} {text}.")
        material = EntityMaterial(DayMaterial(memories.sheet(), now.date(), (message,)))
        draft = EntityDraft(name=YOLANDA, kind="person", facts=[FactDraft(text=text, evidence=[message.id])])
        copy = memories.working_copy()
        for change in entity_changes(EntitiesDraft(entities=[draft]), material, "m", now):
            change.make(copy)
        memories.apply(copy.files(), author="dream", reason="told")
        self.expected.add(message.id)

    # What must hold

    def check(self) -> None:
        self.memories.recall.catch_up()
        held = {one for memory in self.held() for one in _evidence_of(memory)}
        assert self.expected <= held
        there = {one.id: set(one.evidence) for one in self.active()}
        for one in self.archived():  # what took it in holds its evidence as well
            assert one.into not in there or there[one.into].issuperset(_evidence_of(one))
        remembered = _tokens(one.text for one in self.active())
        assert _tokens(self.memories.recall.indexes["static"].texts()) == remembered
        assert self.gone.isdisjoint(remembered)


STEPS: dict[str, Callable[[Life, int], None]] = {
    step.__name__: step
    for step in (Life.tidy, Life.years_pass, Life.tell_again, Life.deny, Life.bring_back, Life.undo, Life.erase)
}
EACH = [(name, 0) for name in "tidy deny deny years_pass tidy undo tidy erase bring_back tell_again undo".split()]  # noqa: SIM905  # as in a list, and shorter


@settings(max_examples=5, deadline=None)
@example(steps=EACH)
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 30)), min_size=4, max_size=8))
def test_no_evidence_is_lost_and_the_index_holds_what_memories_hold(made: Path, steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        home = Path(shutil.copytree(made, Path(folder) / "home"))
        with closing(open_life(home)) as memories:
            life = Life(memories)
            life.expected = {one for memory in life.active() for one in _evidence_of(memory)}
            life.check()
            for name, at in steps:
                STEPS[name](life, at)
                life.check()
        assert life.gone.isdisjoint(_tokens_in_bytes(home))


def _evidence_of(one: Held) -> Iterator[str]:
    """Yield what a memory rests on, a day that was put away with what happened on it."""
    if isinstance(one, Memory):
        yield from one.evidence
        return
    for some in (one.value.get("evidence", []), *one.value.get("key_event_evidence", [])):
        yield from some


def _tokens(texts: Iterable[str]) -> set[str]:
    return {token for text in texts for token in _TOKEN.findall(text)}


def _tokens_in_bytes(home: Path) -> set[str]:
    return {found.decode() for _, data in every_byte(home) for found in re.findall(rb"token\d{3}", data)}
