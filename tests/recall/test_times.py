from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.language.reading.times import find_times, tells_when, without_times

NOW = datetime(2026, 11, 21, 12, 0)  # a Saturday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did we do yesterday?", (2026, 11, 20), (2026, 11, 20)),
        ("the day before yesterday", (2026, 11, 19), (2026, 11, 19)),
        ("three days ago", (2026, 11, 18), (2026, 11, 18)),
        ("last week", (2026, 11, 9), (2026, 11, 15)),
        ("last Friday", (2026, 11, 20), (2026, 11, 20)),
        ("last May", (2026, 5, 1), (2026, 5, 31)),
        ("in December", (2025, 12, 1), (2025, 12, 31)),
        ("in June 2023", (2023, 6, 1), (2023, 6, 30)),
        ("on 8 May, 2023", (2023, 5, 8), (2023, 5, 8)),
        ("on July 3rd", (2026, 7, 3), (2026, 7, 3)),
        ("2023-05-08", (2023, 5, 8), (2023, 5, 8)),
        ("last summer", (2026, 6, 1), (2026, 8, 31)),
        ("last year", (2025, 1, 1), (2025, 12, 31)),
        ("last weekend", (2026, 11, 14), (2026, 11, 15)),
        ("昨日何した？", (2026, 11, 20), (2026, 11, 20)),
        ("おとといの夕飯", (2026, 11, 19), (2026, 11, 19)),
        ("三日前", (2026, 11, 18), (2026, 11, 18)),
        ("十二日前", (2026, 11, 9), (2026, 11, 9)),
        ("先週", (2026, 11, 9), (2026, 11, 15)),
        ("先週の金曜日", (2026, 11, 13), (2026, 11, 13)),
        ("先月", (2026, 10, 1), (2026, 10, 31)),
        ("去年の夏", (2025, 6, 1), (2025, 8, 31)),
        ("9月の初め", (2026, 9, 1), (2026, 9, 10)),
        ("12月", (2025, 12, 1), (2025, 12, 31)),
        ("2022年8月13日", (2022, 8, 13), (2022, 8, 13)),
        ("8月13日", (2026, 8, 13), (2026, 8, 13)),
        ("２０２２年", (2022, 1, 1), (2022, 12, 31)),
    ],
)
def test_expressions_are_read(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    spans = find_times(text, NOW)
    assert [(span.first, span.last) for span in spans] == [(date(*first), date(*last))]


@pytest.mark.parametrize(
    "text",
    [
        "May I ask you something?",
        "We march on.",
        "Tell me a story.",
        "今度遊ぼう",
        "大工の話だ",
        "1234567",
    ],
)
def test_what_is_no_time_is_not_read(text: str) -> None:
    assert find_times(text, NOW) == []


def test_text_without_its_times() -> None:
    text = "What did I cook last week?"
    assert without_times(text, find_times(text, NOW)).split() == ["what", "did", "i", "cook", "?"]


@pytest.mark.parametrize("text", ["I went there yesterday.", "来週行きます", "in 2019", "on Monday", "三年前のこと"])
def test_messages_that_tell_when(text: str) -> None:
    assert tells_when(text)


@given(st.text(max_size=60), st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)))
def test_any_text_can_be_read(text: str, now: datetime) -> None:
    for span in find_times(text, now):
        assert span.first <= span.last
