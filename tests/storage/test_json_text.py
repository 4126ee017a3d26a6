"""JSON of others: one error for whatever is wrong with it, whole characters for what is right."""

import pytest

from managers.storage.json_text import NotJsonError, load_json


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"9" * 5000,
        b"\xff\xfe\xff",
        b'"\xed\xa0\x80"',
        "\ufeff",
        "{'a': 1}",
    ],
)
def test_whatever_is_no_json_is_one_error(data: bytes | str) -> None:
    with pytest.raises(NotJsonError):
        load_json(data)


def test_halves_of_characters_are_joined_or_replaced() -> None:
    assert load_json(rb'["\ud83d\ude00", "a\ud83d", {"\udc00": "\uD83D"}]') == ["😀", "a\ufffd", {"\ufffd": "\ufffd"}]
    assert load_json('["\ud83d\ude00"]') == ["😀"]


def test_every_spelling_that_editors_use_is_read() -> None:
    text = '{"猫": "クロ"}'
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), b"\xff\xfe" + text.encode("utf-16-le")):
        assert load_json(data) == {"猫": "クロ"}
