"""Branches and answers in a log: what the story test does not come by."""

import re
from datetime import timedelta
from pathlib import Path

from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.log.format import format_record
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from tests.fakes import HandClock
from tests.memory.logs import another, everything, texts


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


def test_what_changed_while_something_else_stood_counts_and_no_topic_there(
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
