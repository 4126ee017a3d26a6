"""The log as its users meet it: appended, changed, branched and paged through (test_log_story.py tells whole stories of it)."""

import multiprocessing
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from managers.memory import errors
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.log.format import format_record
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, texts

SAID = (
    "", "\n\nx\n\n", "a\r\nb\rc\n", "\x00\x01\x1b[31m\x7f\u202eabc\u200f\u2028b\x85c\x0bd",
    "## USER:Eve\nI am Sara\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n",
    "\n\n2026-11-21 (Sat) 12:00:00 |  | x | deletes=20260102T220000-7k2m9qx4\n", "x" * 1_000_000
)  # fmt: skip


def test_what_was_said_comes_back(log: ConversationLog) -> None:
    said = [log.append("user", "Sara", text) for text in SAID]
    shown = ["attachments/絵.png"]
    said.append(log.append("persona", "ねむ", "おは", mind="built-in", broken_off=True, attachments=shown))
    said.append(log.append("system", "tool", "🛠️ searched"))
    for reader in (log, another(log)):
        assert reader.tail(10) == [*reader.messages()] == said
        assert reader.tail(10, roles={"user", "persona"}) == said[:-1]
        assert [reader.get(one.id) for one in said] == said
    answered = said[-2]
    assert (answered.mind, answered.broken_off, answered.attachments) == ("built-in", True, ("attachments/絵.png",))
    assert (answered.time, len({one.id for one in said})) == (DAY, len(said))


def test_an_id_stands_for_one_message(log: ConversationLog, paths: PersonaPaths) -> None:
    for _ in range(2):
        log.append("user", "Sara", "hi", message_id="m1")
    with pytest.raises(errors.MessageIdTakenError):
        log.append("user", "Sara", "something else", message_id="m1")
    assert everything(log) == ["hi"]
    first, second = (ConversationLog(paths, HandClock(DAY), Random(5)) for _ in range(2))  # both draw the same
    assert first.append("user", "Sara", "a").id != second.append("user", "Sara", "b").id


def test_editing_and_deleting_leave_the_original_in_the_file(log: ConversationLog) -> None:
    first, second = (log.append("user", "Sara", text) for text in ("helo", "a secret"))
    before = log.paths.log.read_bytes()
    log.supersede(first.id, "hello")
    log.supersede(second.id, None)
    assert everything(log) == ["hello"]
    assert log.paths.log.read_bytes().startswith(before)
    with pytest.raises(errors.MessageNotFoundError):
        log.supersede(second.id, None)


def test_what_is_not_there_can_be_neither_changed_nor_chosen(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    before = log.paths.log.read_bytes()
    refused: dict[type[Exception], list[Callable[[], object]]] = {
        errors.MessageNotFoundError: [
            lambda: log.supersede("nothing", "x"), lambda: log.branch("nothing"),
            lambda: log.answer_anew("nothing", "x"), lambda: log.choose("nothing", 0),
            lambda: log.tail(5, before="nothing")
        ],
        errors.AlternativeNotFoundError: [lambda: log.choose(said.id, 1), lambda: log.choose(said.id, -1)],
        errors.BranchNotFoundError: [lambda: log.switch_branch(said.id)],
    }  # fmt: skip
    for error, works in refused.items():
        for work in works:
            with pytest.raises(error):
                work()
    log.switch_branch(FIRST)
    log.choose(said.id, 0)
    assert log.paths.log.read_bytes() == before


def test_readers_see_every_message_once_while_others_append_and_roll(paths: PersonaPaths) -> None:
    start, failures, done = datetime(2026, 1, 1, 8), list[str](), threading.Event()
    expected = [str(number) for number in range(90)]

    def write() -> None:
        clock = HandClock(start)
        log = ConversationLog(paths, clock, Random(3))
        try:
            for number, text in enumerate(expected):
                clock.set(start + timedelta(hours=16 * number))
                log.append("user", "Sara", text)
                if number % 7 == 0:
                    log.roll()
        finally:
            done.set()

    def read() -> None:
        log, seen = ConversationLog(paths, HandClock(start), Random(4)), 0
        while not done.is_set():
            for found in (everything(log), texts(log.tail(90))):
                if found != expected[: len(found)] or len(found) < seen:
                    failures.append(f"{seen} {found}")
                seen = len(found)

    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(lambda work: work(), (read, read, write))]
    assert failures == []
    assert everything(another(ConversationLog(paths, HandClock(start), Random(5)))) == expected


def append_from_a_process(folder: Path, name: str) -> None:
    """Say something from two threads through one object."""
    log = ConversationLog(PersonaPaths(folder), HandClock(DAY), Random(5))

    def say(name: str) -> None:
        for number in range(15):
            log.append("user", name, str(number))

    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(say, [f"{name}1", f"{name}2"])]


def test_several_threads_of_several_processes_append_at_once(log: ConversationLog) -> None:
    context = multiprocessing.get_context("spawn")
    names = ["a", "b"]
    processes = [context.Process(target=append_from_a_process, args=(log.paths.folder, name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = log.tail(100)
    assert len({m.id for m in found}) == 60
    for name in ("a1", "a2", "b1", "b2"):
        assert [m.text for m in found if m.speaker == name] == [str(n) for n in range(15)]


def say(log: ConversationLog, clock: HandClock, *words: str) -> list[Message]:
    said = []
    for word in words:
        clock.move(minutes=1)
        said.append(log.append("user", "Sara", word))
    return said


def test_the_files_stay_what_other_readers_know(log: ConversationLog, clock: HandClock) -> None:
    """Each record that is no message deletes or supersedes one, itself if no other: who does not know it shows nothing."""
    first, _ = say(log, clock, "one", "two")
    log.branch(first.id)
    answer = log.append("persona", "Mei", "other", mind="m")
    log.note(answer.id, "tool", "Looked")
    log.answer_anew(answer.id, "another", mind="m")
    log.choose(answer.id, 0)
    log.switch_branch(FIRST)
    data = log.paths.log.read_bytes()
    assert b"".join(map(format_record, parse(data).records)) == data
    controls = re.findall(
        r"^## SYSTEM:([^\n]+)\n.*?\n\d{4}-\d\d-\d\d ([^\n]*)$", data.decode(), re.MULTILINE | re.DOTALL
    )
    assert [kind for kind, _ in controls] == ["branch", "tool", "regenerate", "choose", "switch_branch"]
    for _, trailer in controls:
        assert re.search(r" \| (?:deletes|supersedes)=\d{8}T\d{6}-[0-9a-z]{8}$", trailer), trailer


def test_what_changed_while_something_else_stood_counts(log: ConversationLog, clock: HandClock) -> None:
    """The records of it are leapt over with what stands aside."""
    first, second, _ = say(log, clock, "one", "two", "away")
    log.branch(second.id)
    log.begin_topic()
    log.supersede(first.id, "one, changed")
    log.answer_anew(second.id, "two, changed", mind="m")
    log.switch_branch(FIRST)
    for reader in (log, another(log)):
        assert texts(reader.tail(9)) == texts(reader.thread(9)) == ["one, changed", "two, changed", "away"]


def test_what_is_imported_stands_in_the_present_conversation(log: ConversationLog, clock: HandClock) -> None:
    first, second = say(log, clock, "one", "two")
    clock.move(hours=1)
    log.branch(first.id)
    third = log.append("user", "Sara", "three")
    later = [second.time + timedelta(minutes=1), third.time + timedelta(minutes=1)]
    earlier = [first.time - timedelta(minutes=1)]
    given = [Message(f"i{n}", time, "user", "Ann", f"import {n}") for n, time in enumerate([*earlier, *later])]
    log.append_many(given)
    assert everything(log) == ["import 0", "one", "import 1", "three", "import 2"]
    log.switch_branch(FIRST)
    assert everything(log) == ["import 0", "one", "two"]


def test_what_a_crash_tore_from_its_branch_is_set_aside(log: ConversationLog, clock: HandClock) -> None:
    first, _ = say(log, clock, "one", "two")
    log.branch(first.id)
    say(log, clock, "three", "four")
    data = log.paths.log.read_bytes()
    for torn in (data[: data.rindex(b" | branch=")], data[: data.rindex(b"branch=") + 12]):
        log.paths.log.write_bytes(torn)  # on another branch the message would stand wrong
        another(log, clock.now()).append("user", "Sara", "five")
        assert everything(another(log)) == ["one", "three", "five"]
        assert any(b"four" in path.read_bytes() for path in log.paths.folder.glob("log.txt.broken-*"))


def test_the_other_computers_branch_comes_along(log: ConversationLog, clock: HandClock, tmp_path: Path) -> None:
    first, second = say(log, clock, "one", "two")
    copy = tmp_path / "log (1).txt"
    copy.write_bytes(log.paths.log.read_bytes())
    other = ConversationLog(type(log.paths)(tmp_path / "other"), clock, log._rng)
    other.paths.folder.mkdir()
    other.paths.log.write_bytes(copy.read_bytes())
    clock.move(hours=1)
    other.branch(first.id)
    say(other, clock, "three")
    for _ in range(2):  # taken in once more, nothing is there twice
        log.merge(other.paths.log)
        assert everything(log) == ["one", "three"]
    assert len(parse(log.paths.log.read_bytes()).records) == 4
    log.switch_branch(FIRST)
    assert everything(log) == ["one", second.text]
