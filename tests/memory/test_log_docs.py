"""The examples that the documentation shows are what the program reads and writes."""

from pathlib import Path
from random import Random

import pytest

from managers.exchange.readers.transcript import message_of
from managers.memory.log import ConversationLog
from managers.memory.log.format import format_record
from managers.memory.log.parsing import parse
from managers.storage.paths import CHECKOUT, PersonaPaths
from tests.fakes import HandClock


@pytest.fixture(scope="module")
def section() -> str:
    return (CHECKOUT / "docs" / "files.md").read_text("utf-8").split("## log.txt, log_archives/\n", 1)[1]


def example(section: str, language: str) -> bytes:
    return section.split(f"```{language}\n", 1)[1].split("```", 1)[0].encode()


def test_the_example_is_what_would_be_written(section: str) -> None:
    shown = example(section, "text")
    parsed = parse(shown)
    assert len(parsed.records) == 9
    assert b"".join(map(format_record, parsed.records)) == shown


def test_the_example_reads_as_described(section: str, paths: PersonaPaths, clock: HandClock, rng: Random) -> None:
    paths.log.write_bytes(example(section, "text"))
    log = ConversationLog(paths, clock, rng)
    first, reply, elsewhere = log.tail(10)
    assert (first.role, first.speaker, first.text) == ("user", "Sara", "I saw a kingfisher by the old bridge!")
    assert reply.mind == "built-in"
    assert elsewhere.text == "そう、あの橋のところ。"
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


def test_the_example_of_a_transcript_can_be_imported(section: str) -> None:
    assert message_of(example(section, "json")).text == "I saw a kingfisher!"


def test_files_named_in_the_section_are_the_programs_own(section: str) -> None:
    sources = "".join(path.read_text("utf-8") for path in (Path(CHECKOUT) / "managers").rglob("*.py"))
    for name in (".moving.json", ".index", ".broken-", "log_import_source"):
        assert name in section
        assert name in sources
