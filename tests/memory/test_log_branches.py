"""Branches and answers in a log: what the story test does not come by."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.log.format import Record, format_record
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts


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


def test_a_branch_costs_one_record_however_long_ago_it_parts(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 100)
    log.roll()
    before = sum(path.stat().st_size for path in log.paths.folder.rglob("*.txt"))
    log.branch(log.tail(100)[0].id)
    assert sum(path.stat().st_size for path in log.paths.folder.rglob("*.txt")) - before < 250
    assert everything(log) == ["0"]
    assert log.branches()[0].count == 99
    assert log.days() == [DAY.date() - timedelta(days=99)]


def test_what_stands_aside_is_leapt_over(
    log: ConversationLog, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading the last words costs no more after a branch that parts long ago."""
    first, *_ = say(log, clock, "first", *(f"{number} " + "x" * 2000 for number in range(500)))
    log.branch(first.id)
    say(log, clock, "here")
    log.count()  # the index is there
    read: list[int] = []

    def counting(data: bytes, base: int = 0, **known: object) -> object:
        read.append(len(data))
        return parse(data, base, **known)  # type: ignore[arg-type]  # what it was called with

    monkeypatch.setattr("managers.memory.log.file_pieces.parse", counting)
    assert texts(log.tail(5)) == ["first", "here"]
    assert sum(read) < 100_000


def test_what_was_changed_while_something_else_stood_is_changed_and_no_topic_there_ends_a_thread_here(
    log: ConversationLog, clock: HandClock
) -> None:
    """The records of it are leapt over with what stands aside."""
    first, second, _ = say(log, clock, "one", "two", "away")
    log.branch(second.id)
    log.begin_topic()
    say(log, clock, "three")
    log.supersede(first.id, "one, changed")
    log.answer_anew(second.id, "two, changed", mind="m")
    log.switch_branch(FIRST)
    say(log, clock, "five")
    expected = ["one, changed", "two, changed", "away", "five"]
    for reader in (log, another(log)):
        assert texts(reader.tail(9)) == texts(reader.thread(9)) == expected
        assert texts(reader.tail(1, before=second.id)) == ["one, changed"]
    log.begin_topic()
    log.switch_branch(log.branches()[0].id)
    assert texts(another(log).thread(9)) == ["three"]


def test_nested_branches_tell_where_each_goes_another_way(log: ConversationLog, clock: HandClock) -> None:
    a, b, _ = say(log, clock, "a", "b", "c")
    log.branch(b.id)
    d, _ = say(log, clock, "d", "e")
    log.branch(d.id)
    say(log, clock, "f")
    told = {branch.first: (branch.last, branch.count, branch.after) for branch in log.branches()}
    assert told == {"c": ("c", 1, b.id), "e": ("e", 1, d.id)}
    log.branch(a.id)
    told = {branch.first: (branch.last, branch.count, branch.after) for branch in log.branches()}
    assert told == {"b": ("c", 2, a.id), "d": ("e", 2, a.id), "f": ("f", 1, a.id)}
    assert texts(log.tail(9)) == ["a"]
    log.switch_branch(next(branch.id for branch in log.branches() if branch.first == "f"))
    assert texts(log.tail(9)) == ["a", "b", "d", "f"]


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


def test_a_record_that_lost_its_trailer_stays_on_its_branch(log: ConversationLog, clock: HandClock) -> None:
    first, _ = say(log, clock, "one", "two")
    log.branch(first.id)
    say(log, clock, "three", "four", "five")
    data = log.paths.log.read_bytes()
    at = data.index(b"four\n\n") + len(b"four\n\n")
    log.paths.log.write_bytes(data[:at] + data[data.index(b"\n", at) + 1 :])
    assert everything(another(log)) == ["one", "three", "four", "five"]
    assert texts(another(log).tail(9)) == ["one", "three", "four", "five"]
    log.switch_branch(FIRST)
    assert everything(another(log)) == ["one", "two"]


def test_a_message_whose_branch_was_torn_off_is_unfinished(log: ConversationLog, clock: HandClock) -> None:
    """A crash may leave all of a message but the branch that it stands on; on another one it would stand wrong."""
    first, _ = say(log, clock, "one", "two")
    log.branch(first.id)
    (third,) = say(log, clock, "x" * 30_000)
    data = log.paths.log.read_bytes()
    for torn in (data[: data.rindex(b" | branch=")], data[: data.rindex(b"branch=") + 12]):
        log.paths.log.write_bytes(torn)
        again = another(log, clock.now())
        again.append("user", "Sara", "four")
        assert everything(another(log)) == ["one", "four"]
        assert all(path.stat().st_size > 30_000 for path in log.paths.folder.glob("log.txt.broken-*"))
    assert third.branch


def test_branches_whose_records_are_lost_show_all_that_is_left(log: ConversationLog, clock: HandClock) -> None:
    first, _ = say(log, clock, "one", "two")
    log.branch(first.id)
    say(log, clock, "three")
    records = parse(log.paths.log.read_bytes()).records
    log.paths.log.write_bytes(b"".join(format_record(one) for one in records if not one.moves))
    assert everything(another(log)) == ["one", "two", "three"]
    circle = [
        Record(replace(one.message, text="", branch=one.message.id), deletes=True, after=first.id)
        for one in records
        if one.moves
    ]
    log.paths.log.write_bytes(b"".join(map(format_record, [*records[:2], *circle, records[-1]])))
    assert "three" in everything(another(log))  # a branch that parts from itself, made by hand


def test_the_other_computers_branch_comes_along_when_copies_are_joined(
    log: ConversationLog, clock: HandClock, tmp_path: Path
) -> None:
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
