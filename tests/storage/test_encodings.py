"""Texts and JSON in other encodings are told from UTF-8, damaged or not; what a terminal would obey is taken out of a text."""

import json
import logging
import unicodedata
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.storage.encodings import decode_foreign, foreign_encoding
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.paths import Home
from managers.storage.printable import one_line, printable
from managers.storage.program_log import log_to_file

JAPANESE = (
    "やったー！試験に合格した！",
    "めっちゃ嬉しい！！",
    "母が怒ってる",
    "朝はパンを食べました。",
    "猫のももが逃げたので、駅前まで探しに行った。",
    "表示とソフトの能力を十分に予測する",  # second bytes that are a backslash or a bar in Shift_JIS
    "## USER:花\n雷が鳴るたびに震えてしまう\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n",
)
WESTERN = ("café au lait", "Élodie s'est levée à l'aube.", "naïve — “yes”", "Grüße aus München", "jalapeño", "Ångström")


def test_each_encoding_is_known_however_short_the_text() -> None:
    foreign = [(text, encoding) for text in JAPANESE for encoding in ("cp932", "euc_jp")]
    foreign += [(text, "cp1252") for text in WESTERN]
    foreign += [(t, f"utf-16{end}") for t in (JAPANESE[-1], "Hello,\nworld", "今日は\n") for end in ("", "-le", "-be")]
    assert [pair for pair in foreign if decode_foreign(pair[0].encode(pair[1])) != pair[0]] == []
    assert [pair for pair in foreign[:14] if foreign_encoding(pair[0].encode(pair[1])) != pair[1]] == []


def test_utf_8_damaged_or_not_is_no_other_encoding() -> None:
    texts = [*JAPANESE, *WESTERN, "", "plain", "😀🎉", "한국어", "\x1b[31mred"]
    assert [t for t in texts if foreign_encoding(t.encode()) or foreign_encoding(t.encode("utf-8-sig"))] == []
    rng = Random(3)
    for text in JAPANESE:
        for _ in range(100):
            data = bytearray(text.encode())
            for _ in range(rng.choice([1, 1, 2, 3])):
                data[rng.randrange(len(data))] = rng.randrange(128, 256)
            assert foreign_encoding(bytes(data)) is None, bytes(data)
        for cut in range(1, 4):
            assert foreign_encoding(text.encode()[:-cut]) is None


def test_what_cannot_be_told_is_not_guessed() -> None:
    assert foreign_encoding(b"\xff\xfe\x00") is None  # half a character
    assert foreign_encoding(b"\x83\x81\x83") is None
    assert foreign_encoding(bytes(range(256)) * 4) is None


def test_whatever_is_no_json_is_one_error() -> None:
    nested = (b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5000)
    for data in (b"", b"{", *nested, b"\xff\xfe\xff", b'"\xed\xa0\x80"', "\ufeff", "{'a': 1}"):
        with pytest.raises(NotJsonError):
            load_json(data)


def test_halves_of_characters_are_joined_or_replaced_and_every_spelling_of_editors_is_read() -> None:
    assert load_json(rb'["\ud83d\ude00", "a\ud83d", {"\udc00": "\uD83D"}]') == ["😀", "a\ufffd", {"\ufffd": "\ufffd"}]
    assert load_json('["\ud83d\ude00"]') == ["😀"]
    text = '{"猫": "クロ"}'
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), b"\xff\xfe" + text.encode("utf-16-le")):
        assert load_json(data) == {"猫": "クロ"}


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
