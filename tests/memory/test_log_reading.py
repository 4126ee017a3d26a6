"""Reading a file from either end gives the same, however it is cut into blocks, also while it grows."""

import io
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.memory.log import file_pieces as log_reading
from managers.memory.log.file_pieces import read_backward, read_forward
from managers.memory.log.format import Record, format_message
from managers.memory.log.parsing import parse
from managers.memory.messages import Message

texts = st.lists(
    st.sampled_from(["", "x" * 300, "## USER:a\n", "\\## AGENT:b", "\n", "おはよう", "\n\n\n", "y\r\n"]), max_size=4
).map("".join)


def written(rows: list[str]) -> bytes:
    time = datetime(2026, 1, 2, 22)
    return b"".join(
        format_message(Message(f"20260102T220000-{n:08d}", time, "persona", "Mei", text)) for n, text in enumerate(rows)
    )


@given(st.lists(texts, max_size=12), st.integers(16, 700))
@settings(max_examples=50)
def test_both_ways_give_what_parsing_it_whole_gives(rows: list[str], block: int) -> None:
    data = written(rows)
    expected = parse(data).records
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_reading, "BACKWARD_BLOCK", block)
        assert list(read_backward(io.BytesIO(data), len(data)))[::-1] == expected
    assert list(read_forward(io.BytesIO(data), 0, len(data), block=block)) == expected


@given(st.lists(texts, min_size=1, max_size=5), st.data())
@settings(max_examples=50)
def test_a_record_that_is_still_being_written_is_not_there_yet(rows: list[str], data: st.DataObject) -> None:
    """The reader saw the file shorter than it is by now, in the middle of the last record or not."""
    content = written(rows)
    seen = data.draw(st.integers(0, len(content)))
    whole = parse(content[:seen]).records
    assert ids(list(read_forward(io.BytesIO(content), 0, seen))) == ids(whole)
    assert ids(list(read_backward(io.BytesIO(content), seen))[::-1]) == ids(whole)


@given(st.lists(texts, min_size=2, max_size=5), st.data())
@settings(max_examples=50)
def test_reading_up_to_or_from_any_record(rows: list[str], data: st.DataObject) -> None:
    content = written(rows).replace(b"2026-01-02 (Fri) 22:00:00 | ", b"no trailer", 1)
    expected = parse(content).records
    number = data.draw(st.integers(0, len(expected) - 1))
    start = expected[number].start
    assert ids(list(read_backward(io.BytesIO(content), start))[::-1]) == ids(expected[:number])
    assert ids(list(read_forward(io.BytesIO(content), 0, start))) == ids(expected[:number])
    assert ids(list(read_forward(io.BytesIO(content), start, len(content)))) == ids(expected[number:])


def ids(records: list[Record]) -> list[str]:
    return [record.message.id for record in records]
