"""What a terminal would obey is taken out of a text, and nothing else."""

import json
import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.as_json import line
from managers.storage.paths import Home
from managers.storage.printable import one_line, printable
from managers.storage.program_log import log_to_file

OBEYED = [chr(n) for n in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;ZXZpbA==\x07はい", "]52;c;ZXZpbA==はい"),  # would write the clipboard
        ("\x9b2Jgone", "2Jgone"),  # CSI in one character
        ("invoice\u202ecod.exe", "invoicecod.exe"),
        ("a\rb\x08c\x7fd", "abcd"),
        ("one\u2028two\u2029three", "one\ntwo\nthree"),
        ("段落\n\t字下げ", "段落\n\t字下げ"),
        ("👩‍👩‍👧 שלום\u200f é\u0301 ﷺ", "👩‍👩‍👧 שלום\u200f é\u0301 ﷺ"),  # joiners and marks are what people write
    ],
)
def test_orders_are_taken_out_and_words_stay(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters() | st.sampled_from(OBEYED)))
def test_no_text_holds_an_order_afterwards(text: str) -> None:
    left = {c for c in printable(text) if unicodedata.category(c) == "Cc"}
    assert left <= {"\n", "\t"}
    assert not set(printable(text)) & (set(OBEYED) - {"\n", "\t"})
    assert [c for c in text if c not in OBEYED] == [c for c in printable(text) if c not in "\n\t"] or (
        {"\u2028", "\u2029"} & set(text)
    )
    assert len(one_line(text).splitlines()) <= 1


@given(st.dictionaries(st.text(), st.text(st.characters() | st.sampled_from(OBEYED))))
def test_json_means_the_same_and_holds_no_order(value: dict[str, str]) -> None:
    written = line(value)
    assert json.loads(written) == value
    assert printable(written) == written
    assert len(written.splitlines()) == 1


def test_the_programs_log_holds_no_order_either(own_home: Home) -> None:
    path = log_to_file(own_home)
    try:
        int("\x1b]0;owned\x07")
    except ValueError:
        logging.getLogger("utatane").exception("model %s failed", "\x9b2Jevil")
    logging.getLogger("utatane").error("\x1b]0;owned\x07")
    assert "ValueError" in path.read_text("utf-8")
    assert not {"\x1b", "\x07", "\x9b"} & set(path.read_text("utf-8"))
