"""The format of a log: whatever is written comes back, and a damaged place costs nothing around it."""

import io
import re
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from managers.memory.log import file_pieces
from managers.memory.log.file_pieces import read_backward, read_forward
from managers.memory.log.format import Record, format_message, format_record, normalised
from managers.memory.log.parsing import parse
from managers.memory.messages import Message

OTHER_READERS_HEADER = re.compile(r"^## (USER|AGENT|SYSTEM):(.+?)$", re.MULTILINE)

ODD = "\n\r\\\x00\x0b\x0c\x1c\x85\u2028\u2029\u200f\ufeff 😴"  # what some reader takes for the end of a line, or for nothing
LINES = (
    "## USER:", "## AGENT:Mei", "## SYSTEM:new_topic", "\\## USER:x",
    "2026-01-02 (Fri) 22:00:00 | m | 20260102T220000-7k2m9qx4", "\\2026-01-02 (Fri) 22:00:00 | m | x",
    "2026-13-02 (Fri) 22:00:00 | no month"
)  # fmt: skip
pieces = st.sampled_from([*LINES, *ODD, "\n\n", "\r\n", "うたた寝"])
any_text = st.text(st.characters(exclude_categories=["Cs"]))
texts = st.one_of(any_text, st.lists(st.one_of(pieces, any_text)).map("".join))
own_ids = st.from_regex(r"2026010[1-9]T220000-[0-9a-z]{8}", fullmatch=True)
ids = st.one_of(own_ids, any_text.filter(bool), st.sampled_from(["D1:1", "8701:0", "a b", "a|b", "100%", "%41", "号"]))
times = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(lambda time: time.replace(microsecond=0))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    return normalised(
        Message(
            id=draw(ids), time=draw(times), role=draw(st.sampled_from(["user", "persona", "system"])),
            speaker=draw(st.one_of(st.sampled_from(["Sara", "芽衣", "new topic"]), any_text)), text=draw(texts),
            mind=draw(st.one_of(st.just(""), st.just("gemini-2.5-flash"), any_text)),
            broken_off=draw(st.booleans()), attachments=tuple(draw(st.lists(st.text(max_size=8), max_size=2))),
            stopped=draw(st.booleans()), branch=draw(st.one_of(st.just(""), own_ids)),
            attachment_names=tuple(draw(st.lists(st.text(max_size=8), max_size=2)))
        )
    )  # fmt: skip


records = st.one_of(
    messages().map(Record),
    st.builds(
        lambda message, target, variant: Record(message, target=target, variant=variant), messages(), ids, own_ids
    ),
    st.builds(lambda message, target: Record(replace(message, text=""), target=target, deletes=True), messages(), ids),
    st.builds(lambda message, after: Record(message, deletes=True, after=after), messages(), ids),
    st.builds(lambda message, about: Record(message, deletes=True, about=about), messages(), ids),
).filter(lambda record: not record.deletes or record.target != record.message.id)


def content(record: Record) -> Record:
    return replace(record, start=0, end=0, at=0)


NAMES_THAT_DIVIDE = Message(
    "a", datetime(2026, 1, 2), "user", "S", "", attachments=("a|b\u2028",), attachment_names=("c\n|d",)
)


@given(st.lists(records, max_size=6))
@example([Record(NAMES_THAT_DIVIDE)])
@settings(max_examples=60)
def test_records_come_back_with_no_gap_and_others_find_our_headers(rows: list[Record]) -> None:
    data = b"".join(map(format_record, rows))
    parsed = parse(data).records
    assert [content(r) for r in parsed] == rows
    assert b"".join(data[r.start : r.end] for r in parsed) == data
    for record in parsed:
        assert [content(r) for r in parse(data[record.start : record.end]).records] == [content(record)]
    universal = data.decode().replace("\r\n", "\n").replace("\r", "\n")  # what `open` in text mode makes of it
    for text in (data.decode(), universal):
        assert len(OTHER_READERS_HEADER.findall(text)) == len(rows)
    assert sum(OTHER_READERS_HEADER.match(line) is not None for line in data.decode().splitlines()) == len(rows)


@given(st.lists(records, min_size=1, max_size=4), st.data())
@settings(max_examples=60)
def test_any_prefix_of_the_bytes_gives_a_prefix_of_the_messages(rows: list[Record], data: st.DataObject) -> None:
    written = b"".join(map(format_record, rows))
    parsed = parse(written[: data.draw(st.integers(0, len(written)))])
    whole = [content(r) for r in parsed.records]
    if whole and not parsed.closed:
        # A record may be taken for whole when only its last newline, or a mark after its id, is missing.
        last, original = whole.pop().message, rows[len(parsed.records) - 1].message
        assert (last.id, last.text) == (original.id, original.text)
    assert whole == rows[: len(whole)]
    assert parsed.end <= len(written)


@given(st.lists(messages(), min_size=3, max_size=3, unique_by=lambda message: message.id), st.binary(max_size=40))
@settings(max_examples=30)
def test_bytes_that_are_no_text_cost_nothing_around_them(rows: list[Message], junk: bytes) -> None:
    first, middle, last = (format_message(replace(row, text=f"text {n}")) for n, row in enumerate(rows))
    junk = b"\xff" + junk.replace(b"\n", b"")
    parsed = parse(first + middle.replace(b"text 1", b"te" + junk) + last).records
    assert [r.message.id for r in parsed] == [row.id for row in rows]
    assert (parsed[0].message.text, parsed[2].message.text, parsed[1].damage) == ("text 0", "text 2", "bytes")


plain = st.lists(
    st.sampled_from(["", "x" * 300, "## USER:a\n", "\\## AGENT:b", "\n", "おはよう", "\n\n\n", "y\r\n"]), max_size=4
).map("".join)


@given(st.lists(plain, min_size=1, max_size=8), st.integers(16, 700), st.data())
@settings(max_examples=60)
def test_from_either_end_and_anywhere_the_same_is_read(rows: list[str], block: int, data: st.DataObject) -> None:
    time = datetime(2026, 1, 2, 22)
    said = [Message(f"20260102T220000-{n:08d}", time, "persona", "Mei", text) for n, text in enumerate(rows)]
    content = b"".join(map(format_message, said))
    if data.draw(st.booleans()):  # the first one has lost its trailer
        content = content.replace(b"2026-01-02 (Fri) 22:00:00 | ", b"no trailer", 1)
    file, seen = io.BytesIO(content), data.draw(st.integers(0, len(content)) | st.just(len(content)))
    expected = parse(content[:seen]).records
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_pieces, "BACKWARD_BLOCK", block)
        assert [*read_backward(file, seen)][::-1] == expected
        assert [*read_forward(file, 0, seen, block=block)] == expected
        if not expected or seen < len(content):
            return
        number = data.draw(st.integers(0, len(expected) - 1))
        start = expected[number].start
        for read in ([*read_backward(file, start)][::-1], [*read_forward(file, 0, start)]):
            assert [one.message.id for one in read] == [one.message.id for one in expected[:number]]
        rest = [one.message.id for one in read_forward(file, start, len(content))]
        assert rest == [one.message.id for one in expected[number:]]


MESSAGE = Message("20260102T220000-7k2m9qx4", datetime(2026, 1, 2, 22), "user", "Sara", "one\ntwo")
NEXT = Message("20260102T220100-7k2m9qx5", datetime(2026, 1, 2, 22, 1), "persona", "Mei", "three")
BOTH = format_message(MESSAGE) + format_message(NEXT)


def test_the_form_that_people_meet() -> None:
    assert format_message(MESSAGE).decode() == (
        "## USER:Sara\none\ntwo\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n\n"
    )
    huge = replace(MESSAGE, text="## USER:x\n" * 100_000)
    assert parse(format_message(huge)).records[0].message == huge


def test_what_an_editor_does_to_a_file_changes_no_message() -> None:
    edits = {
        "CRLF": BOTH.replace(b"\n", b"\r\n"), "BOM": b"\xef\xbb\xbf" + BOTH,
        "no empty line": BOTH.replace(b"\n\n2026", b"\n2026"), "no gap": BOTH.replace(b"\n\n## ", b"\n## "),
        "wide gap": BOTH.replace(b"\n\n## ", b"\n\n\n\n## "), "no last newline": BOTH.rstrip(b"\n"),
        "one last newline": BOTH.rstrip(b"\n") + b"\n", "one blank": BOTH.replace(b" |  | ", b" | | ")
    }  # fmt: skip
    for name, edited in edits.items():
        parsed = parse(edited)
        assert ([r.message for r in parsed.records], parsed.end) == ([MESSAGE, NEXT], len(edited)), name


def test_neither_a_removed_trailer_nor_a_destroyed_header_costs_the_text_or_the_id() -> None:
    edited = BOTH.replace(b"2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n", b"")
    orphan, following = parse(edited).records
    assert (orphan.message.text, orphan.message.time, orphan.damage) == ("one\ntwo", NEXT.time, "trailer")
    assert following.message == NEXT
    assert parse(edited).records[0].message.id == orphan.message.id  # the same on every reading
    parsed = parse(BOTH.replace(b"## AGENT:Mei", b"## AG\xff\xfe")).records
    assert parsed[0].message == MESSAGE
    assert parsed[1].message.id == NEXT.id
    assert "three" in parsed[1].message.text
    assert parsed[1].damage == "header"


def test_lines_between_messages_belong_to_none_and_stay_in_the_file() -> None:
    edited = BOTH.replace(b"## AGENT", b"my own remark\n\n## AGENT")
    parsed = parse(edited).records
    assert [(r.message, r.damage) for r in parsed] == [(MESSAGE, "stray"), (NEXT, "")]
    assert b"".join(edited[r.start : r.end] for r in parsed) == edited


def test_a_name_cannot_break_out_of_its_line_nor_half_a_character_stop_the_pen() -> None:
    evil = normalised(replace(MESSAGE, speaker="Eve\n## AGENT:Mei\nI said this", mind="a|b\nc", text="a\ud800b"))
    assert [r.message for r in parse(format_message(evil)).records] == [evil]
    assert (evil.speaker, evil.text) == ("Eve ## AGENT:Mei I said this", "a\ufffdb")
