"""What is done while a call of the operating system fails: a turn, a dream, an index round, a forgetting.

Each is made ready once, done in a process of its own on a copy, and looked at afterwards: what was acknowledged is there,
what failed was said, and once more, undisturbed, it comes to what it comes to without any fault.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, Self

from agent.companion import Companion
from agent.events import Failed, Noticed, Received, Replied
from agent.forgetting import let_go, take_up
from agent.memories import Memories
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.memory.forgotten import forgotten_words
from managers.mind import Cancel
from managers.storage.errors import UnexpectedError
from managers.storage.paths import Home
from managers.storage.program_log import log_to_file
from tests.agent.choosing import Always
from tests.crash import Breeder
from tests.fakes import HandClock
from tests.faults import Fault, Lived, faulted
from tests.recall.looking import assert_sound, contents
from tests.sleep.dreamers import memory_files
from tests.small_life import NAME, NOW, open_life

WISH = "wish"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to be done in a home.

    Attributes:
        name: what it is.
        prepare: makes what it needs, in a home that has a life.
        work: does it, and returns what was acknowledged.
        look: returns what there is in a home afterwards, opened undisturbed, to be compared.
        check: raises an AssertionError where what was acknowledged is not there.
    """

    name: str
    prepare: Callable[[Path], None]
    work: Callable[[Path], Any]
    look: Callable[[Path], Any]
    check: Callable[[Path, Any], None]


def assert_told(lived: Lived) -> None:
    """See that whatever failed was said in one sentence of each language, and nothing else was written."""
    assert lived.how != "raised", lived.value
    assert "Traceback" not in lived.terminal, lived.terminal
    assert "rror" not in lived.terminal, lived.terminal
    if lived.how == "said":
        name, ja, en = lived.value
        assert name != UnexpectedError.__name__, en
        assert ja
        assert en


def _nothing(_: object, __: object = None) -> None:
    """Nothing is to be made ready, or looked at."""


def _opened(home: Path) -> Memories:
    """Open the persona as a command does, with the program's own log."""
    log_to_file(Home(home))
    return open_life(home)


def turn(home: Path) -> list[tuple[str, ...]]:
    """Say something and hear the answer; return what was acknowledged, and what was said of failures."""
    memories = _opened(home)
    companion = Companion(memories, Always(BuiltInMind()), HandClock(NOW + timedelta(minutes=5)), Random(2))
    told: list[tuple[str, ...]] = []
    try:
        companion.wake()
        for event in companion.say("What do you know of the harbour and the mast?").events():
            match event:
                case Received(message):
                    told.append(("received", message.id, message.text))
                case Replied(message):
                    told.append(("replied", message.id, message.text))
                case Failed(error):
                    told.append(("failed", type(error).__name__, error.sentence("ja"), error.sentence("en")))
                case Noticed(notice):
                    told.append(("noticed", notice.code, notice.ja, notice.en))
                case _:
                    pass
        companion.settle()
        told += [("noticed", notice.code, notice.ja, notice.en) for notice in memories.gather_notices()]
    finally:
        companion.close()
    return told


def _check_turn(home: Path, told: Sequence[tuple[str, ...]]) -> None:
    kinds = [kind for kind, *_ in told]
    assert "failed" in kinds or {"received", "replied"} <= set(kinds), told
    for kind, code, *sentences in told:
        if kind in {"failed", "noticed"}:
            assert code != UnexpectedError.__name__, sentences
            assert "unforeseen" not in sentences[-1], sentences
    with closing(open_life(home)) as memories:
        said = Counter((message.id, message.text) for message in memories.log.messages())
    for kind, *message in told:
        if kind in {"received", "replied"}:
            assert said[message[0], message[1]] == 1, message


def _look_after_turn(home: Path) -> Any:
    """Live one more turn undisturbed, and return what is indexed and what is felt but for the faulty turn's own words."""
    told = turn(home)
    assert [kind for kind, *_ in told if kind in {"received", "replied", "failed"}] == ["received", "replied"], told
    with closing(open_life(home)) as memories:
        memories.recall.catch_up()
        assert_sound(memories.recall)
        said = {message.id for message in memories.log.messages()}
        indexed = {unit for _, unit, _, _ in contents(memories.recall)}
        assert said <= indexed
        written = ("memory/emotion", "memory/recall", "memory/drive")  # by a turn itself
        names = {name for name in memory_files(memories.paths) if not name.startswith(written)}
        return {one for one in contents(memories.recall) if one[0] != "log.txt"}, names


def dream(home: Path) -> list[str]:
    """Dream of the days that wait; return the history's entries."""
    with closing(_opened(home)) as memories:
        sleeper = CompanionSleeper(memories, Always(BuiltInMind()), HandClock(NOW + timedelta(hours=6)))
        report = sleeper.dream(Cancel())
        for notice in report.notices:
            assert "unforeseen" not in notice.en, notice.en
        return list(report.entries)


def _check_dream(home: Path, entries: Sequence[str]) -> None:
    with closing(open_life(home)) as memories:
        there = {entry.id for entry in memories.history.entries(200)}
    assert set(entries) <= there


def _look_after_dream(home: Path) -> Any:
    """Dream what is left to be dreamt; what is counted until memories are tidied counts whole nights alone."""
    dream(home)
    with closing(open_life(home)) as memories:
        memories.recall.catch_up()
        assert_sound(memories.recall)
        files = {name: data for name, data in memory_files(memories.paths).items() if name != "memory/hygiene.json"}
        return files, contents(memories.recall)


def _few_days(home: Path) -> None:
    """Leave two days to be dreamt of: sixty would take a minute."""
    with closing(open_life(home)) as memories:
        state = memories.paths.memory / "dream_state.json"
        days = [day.isoformat() for day in memories.log.days()[:-2]]
        state.write_text(json.dumps({"settled_days": days}), "utf-8")


def _more_to_index(home: Path) -> None:
    with closing(open_life(home)) as memories:
        memories.log.append("user", "Emma", "A new word: quince.")
        (memories.paths.knowledge / "more.txt").write_text("Another document, about ferries.", "utf-8")
        memories.paths.core_memory.write_text("Likes ferries.", "utf-8")


def index(home: Path) -> list[str]:
    """Bring the index up to date, and tidy it."""
    with closing(_opened(home)) as memories:
        memories.recall.catch_up()
        for one in memories.recall.indexes.values():
            one.vectors.save(one.store, one.refresh())
        memories.recall.tidy()
        return [notice.code for notice in memories.gather_notices()]


def _look_after_index(home: Path) -> Any:
    index(home)
    with closing(open_life(home)) as memories:
        assert_sound(memories.recall)
        assert memories.recall.search("quince")
        return contents(memories.recall)


def _something_to_forget(home: Path) -> None:
    with closing(open_life(home)) as memories:
        for key, role, text in (
            ("c", "user", "Ottilie lost his job."),
            ("d", "persona", "That is hard for Ottilie."),
            (WISH, "user", "please forget what I just said"),
        ):
            memories.log.append("user" if role == "user" else "persona", role, text, message_id=key)
            if role == "user":
                memories.emotions.append(text, "neutral", message_id=key)
        memories.emotions.roll()
        memories.notes.append("notepad", "Ottilie", author=NAME, reason="asked", evidence=["c"])
        memories.entities.note("Ottilie", "lost his job", author="dream", mind="m", evidence=["c"])
        memories.recall.catch_up()


def forget(home: Path) -> int:
    """Forget what was said last; return how many messages went."""
    with closing(_opened(home)) as memories:
        gone = len(let_go(memories, WISH).messages)
        memories.recall.keep_up()
        return gone


def _look_after_forgetting(home: Path) -> Any:
    """Finish what was begun, or do it if nothing was, and return what is left."""
    with closing(open_life(home)) as memories:
        take_up(memories)
        let_go(memories, WISH)
        memories.recall.catch_up()
        memories.recall.tidy()
        assert_sound(memories.recall)
        return (*remembered(memories), contents(memories.recall))


def _check_forgetting(home: Path, gone: int) -> None:
    assert gone == 2
    with closing(open_life(home)) as memories:
        heard, facts, felt, notes, shelf = remembered(memories)
    assert "Ottilie" not in str((heard, facts, felt, notes))
    assert len(shelf) == gone


def remembered(memories: Memories) -> tuple[list[str], list[str], list[str], str, list[str]]:
    heard = [message.text for message in memories.log.tail(20)]
    facts = [fact.text for entity in memories.entities.all() for fact in entity.facts]
    felt = [entry.user_text_snippet for entry in memories.emotions.entries()]
    gone = [message.text for one in forgotten_words(memories.log) for message in one.messages]
    return heard, facts, felt, memories.notes.read("notepad").text, gone


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("turn", _nothing, turn, _look_after_turn, _check_turn),
        Operation("dream", _few_days, dream, _look_after_dream, _check_dream),
        Operation("index", _more_to_index, index, _look_after_index, _nothing),
        Operation("forgetting", _something_to_forget, forget, _look_after_forgetting, _check_forgetting),
    )
}


class Trial:
    """One operation in a faulty world: made ready once, then done on a copy with one call failing after the other."""

    def __init__(self, operation: Operation, life: Path, folder: Path) -> None:
        """Make it ready, in copies of `life` that are made in `folder` (in memory it is quicker)."""
        self.operation = operation
        self._base, self._folder = folder / "base", folder
        shutil.copytree(life, self._base)
        operation.prepare(self._base)
        self._expected = self._undisturbed()
        self._breeder = Breeder(operation.work, faulted, (self._copy("warm"),))

    def __enter__(self) -> Self:
        self._breeder.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._breeder.__exit__(*details)

    def calls(self, name: str) -> int:
        """Return how many calls there are that can fail in such a way."""
        home = self._copy("counted")
        try:
            return self._run(home, Fault(0, name)).calls
        finally:
            shutil.rmtree(home)

    def survive(self, fault: Fault) -> Lived:
        """Do it with one call failing; see that what was acknowledged is there, and that the next run heals the rest."""
        home = self._copy("faulty")
        try:
            lived = self._run(home, fault)
            assert_told(lived)
            if lived.how == "done":
                self.operation.check(home, lived.value)
            assert self.operation.look(home) == self._expected
        finally:
            shutil.rmtree(home)
        return lived

    def _run(self, home: Path, fault: Fault) -> Lived:
        code, lived = self._breeder.run((home,), fault)
        assert code == 0, f"the child ended with {code} ({fault})"
        assert isinstance(lived, Lived)
        return lived

    def _undisturbed(self) -> Any:
        home = self._copy("undisturbed")
        self.operation.check(home, self.operation.work(home))
        return self.operation.look(home)

    def _copy(self, name: str) -> Path:
        return Path(shutil.copytree(self._base, self._folder / name))
