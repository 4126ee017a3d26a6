"""What a terminal would obey is taken out of a text, and nothing else."""

import json
import logging
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from managers.storage.paths import Home
from managers.storage.printable import one_line, printable
from managers.storage.program_log import log_to_file

OBEYED = [chr(n) for n in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
SHOWN = {
    "\x1b]52;c;ZXZpbA==\x07はい": "]52;c;ZXZpbA==はい",  # would write the clipboard
    "\x9b2Jgone": "2Jgone",  # CSI in one character
    "invoice\u202ecod.exe": "invoicecod.exe",
    "a\rb\x08c\x7fd": "abcd",
    "one\u2028two\u2029three": "one\ntwo\nthree",
    "段落\n\t字下げ": "段落\n\t字下げ",
    "👩‍👩‍👧 שלום\u200f é\u0301 ﷺ": "👩‍👩‍👧 שלום\u200f é\u0301 ﷺ",  # joiners and marks are what people write
}


def test_orders_are_taken_out_and_words_stay() -> None:
    assert {text: printable(text) for text in SHOWN} == SHOWN


@settings(max_examples=50)
@given(st.text(st.characters() | st.sampled_from(OBEYED)))
def test_no_text_holds_an_order_afterwards(text: str) -> None:
    from agent.as_json import line  # noqa: PLC0415  # of another floor

    assert {c for c in printable(text) if unicodedata.category(c) == "Cc" or c in OBEYED} <= {"\n", "\t"}
    assert [c for c in text if c not in OBEYED] == [c for c in printable(text) if c not in "\n\t"] or (
        {"\u2028", "\u2029"} & set(text)
    )
    assert len(one_line(text).splitlines()) <= 1
    written = line({"said": text})
    assert json.loads(written) == {"said": text}
    assert printable(written) == written
    assert len(written.splitlines()) == 1


def test_the_programs_log_holds_no_order_either(own_home: Home) -> None:
    path = log_to_file(own_home)
    try:
        int("\x1b]0;owned\x07")
    except ValueError:
        logging.getLogger("utatane").exception("model %s failed", "\x9b2Jevil")
    assert "ValueError" in path.read_text("utf-8")
    assert not {"\x1b", "\x07", "\x9b"} & set(path.read_text("utf-8"))
