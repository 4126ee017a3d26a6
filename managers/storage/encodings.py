"""Which encoding a text is in that is no UTF-8: what editors on Japanese and European computers write.

Each candidate must decode every byte; among those that do, the one whose characters are those that people
write wins. A text of ours with a few damaged bytes is none of them.
"""

import codecs
import re
from typing import Final

UTF_16_MARKS: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
NAMES: Final = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "cp1252": "Windows-1252",
}
"""What people call them, by Python's names."""

_PLAUSIBLE: Final = 0.8
"""So great a share of the characters that are not ASCII must be usual ones."""
_MOST_WESTERN: Final = 0.4
"""More of a Western text than this is never accented."""
_LEVEL_1: Final = range(0xB0, 0xD0)
"""First bytes in EUC-JP of the 2,965 kanji that nearly all text is written with (JIS X 0208, level 1)."""

_FOREIGN = re.compile(r"[^\x00-\x7f]")
_KANA_AND_MARKS = re.compile(
    "[\u3001-\u303d\u3041-\u3096\u3099-\u30ff\uff01-\uff5e\uffe5\u2026\u2015\u2014\u301c\u25cb\u25cf\u2192]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]")
_WESTERN = re.compile(r"[À-ÏÑ-ÖØ-Üß-ïñ-öø-üŒœ‘’“”–—…•€£«»¿¡°§]")


def foreign_encoding(data: bytes) -> str | None:
    """Return Python's name of the encoding of a text, None if it is UTF-8 or nothing that can be told."""
    for mark, encoding in UTF_16_MARKS:
        if data.startswith(mark):
            return encoding if _decoded(data[len(mark) :], encoding) is not None else None
    if b"\0" in data:
        texts = {one: text for one in ("utf-16-le", "utf-16-be") if (text := _written_in(data, one)) is not None}
        return max(texts, key=lambda one: len(_FOREIGN.sub("", texts[one])), default=None)
    if _is_damaged_utf_8(data):
        return None
    shares = {one: share for one in ("cp932", "euc_jp") if (share := _japanese_share(data, one)) >= _PLAUSIBLE}
    if shares:
        return max(shares, key=lambda one: shares[one])
    return "cp1252" if _is_western(data) else None


def decode_foreign(data: bytes) -> str | None:
    """Return the text of a file that is in another encoding, None if it is in none (see `foreign_encoding`)."""
    encoding = foreign_encoding(data)
    if encoding is None:
        return None
    mark = next((mark for mark, _ in UTF_16_MARKS if data.startswith(mark)), b"")
    return data[len(mark) :].decode(encoding)


def text_of(data: bytes) -> str:
    """Return what a file says, for whoever only reads it: in whichever encoding, and with U+FFFD for what is damaged."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = decode_foreign(data)
        return data.decode("utf-8", "replace") if text is None else text


def _is_damaged_utf_8(data: bytes) -> bool:
    """Whether a text is UTF-8, whole or damaged here and there.

    Three bytes that make a character of UTF-8 are one in no other encoding but by a rare chance; two are now and then.
    """
    foreign: list[str] = _FOREIGN.findall(data.decode("utf-8", "replace"))
    lost = foreign.count("\ufffd")
    long = sum(one > "\u07ff" for one in foreign) - lost
    return lost <= 2 * long or 2 * lost <= len(foreign) - long - lost


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _written_in(data: bytes, encoding: str) -> str | None:
    """Return a text that holds nothing that nobody writes, None if it would."""
    text = _decoded(data, encoding)
    return None if text is None or _CONTROL.search(text) else text


def _japanese_share(data: bytes, encoding: str) -> float:
    """Return how great a share of what is not ASCII is usual Japanese; 0 where a byte cannot be decoded."""
    text = _decoded(data, encoding)
    foreign = _FOREIGN.findall(text or "")
    return sum(map(_is_usual_japanese, foreign)) / len(foreign) if foreign else 0.0


def _is_usual_japanese(character: str) -> bool:
    if _KANA_AND_MARKS.match(character):
        return True
    written = character.encode("euc_jp", "ignore")
    return len(written) == 2 and written[0] in _LEVEL_1  # noqa: PLR2004  # two bytes: JIS X 0208


def _is_western(data: bytes) -> bool:
    """Whether a text is mostly ASCII, and the rest are the letters and marks of Western languages."""
    text = _written_in(data, "cp1252") or ""
    foreign = _FOREIGN.findall(text)
    usual = len(_WESTERN.findall(text))
    return bool(foreign) and usual >= _PLAUSIBLE * len(foreign) and len(foreign) <= _MOST_WESTERN * len(text)


def is_utf_8(data: bytes) -> bool:
    """Tell whether bytes are text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
