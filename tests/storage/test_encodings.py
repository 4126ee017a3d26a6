"""Texts in other encodings are told from UTF-8, from each other, and from UTF-8 of which bytes are damaged."""

from datetime import datetime
from pathlib import Path
from random import Random

from managers.storage.encodings import decode_foreign, foreign_encoding
from managers.storage.files import set_aside

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


def test_utf_8_is_no_other_encoding() -> None:
    texts = [*JAPANESE, *WESTERN, "", "plain", "😀🎉", "한국어", "\x1b[31mred"]
    assert [t for t in texts if foreign_encoding(t.encode()) or foreign_encoding(t.encode("utf-8-sig"))] == []


def test_damaged_utf_8_is_no_other_encoding() -> None:
    rng = Random(3)
    for text in JAPANESE:
        for _ in range(100):
            data = bytearray(text.encode())
            for _ in range(rng.choice([1, 1, 2, 3])):
                data[rng.randrange(len(data))] = rng.randrange(128, 256)
            assert foreign_encoding(bytes(data)) is None, bytes(data)
        for cut in range(1, 4):
            assert foreign_encoding(text.encode()[:-cut]) is None


def test_what_was_put_aside_names_the_way_back_that_there_is(tmp_path: Path) -> None:
    file = tmp_path / "notepad.txt"
    file.write_bytes("猫のももを知っている。".encode("cp932"))
    notice = set_aside(file, datetime(2026, 11, 20))
    for sentence in (notice.ja, notice.en):
        assert "`app.py mend`" in sentence
    assert "「直す」" not in notice.ja  # there is no such button
    assert "on the page" not in notice.en


def test_what_cannot_be_told_is_not_guessed() -> None:
    assert foreign_encoding(b"\xff\xfe\x00") is None  # half a character
    assert foreign_encoding(b"\x83\x81\x83") is None
    assert foreign_encoding(bytes(range(256)) * 4) is None
