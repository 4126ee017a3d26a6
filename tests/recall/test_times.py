from datetime import date, datetime

from hypothesis import given
from hypothesis import strategies as st

from managers.language.reading.times import find_times, tells_when, without_times

NOW = datetime(2026, 11, 21, 12, 0)  # a Saturday

TIMES = """What did we do yesterday? = 2026-11-20
the day before yesterday = 2026-11-19
three days ago = 2026-11-18
last week = 2026-11-09 2026-11-15
last Friday = 2026-11-20
last May = 2026-05-01 2026-05-31
in December = 2025-12-01 2025-12-31
in June 2023 = 2023-06-01 2023-06-30
on 8 May, 2023 = 2023-05-08
on July 3rd = 2026-07-03
2023-05-08 = 2023-05-08
last summer = 2026-06-01 2026-08-31
last year = 2025-01-01 2025-12-31
last weekend = 2026-11-14 2026-11-15
昨日何した？ = 2026-11-20
おとといの夕飯 = 2026-11-19
三日前 = 2026-11-18
十二日前 = 2026-11-09
先週 = 2026-11-09 2026-11-15
先週の金曜日 = 2026-11-13
先月 = 2026-10-01 2026-10-31
去年の夏 = 2025-06-01 2025-08-31
9月の初め = 2026-09-01 2026-09-10
12月 = 2025-12-01 2025-12-31
2022年8月13日 = 2022-08-13
8月13日 = 2026-08-13
２０２２年 = 2022-01-01 2022-12-31
May I ask you something? =
We march on. =
Tell me a story. =
今度遊ぼう =
大工の話だ =
1234567 ="""


def test_expressions_are_read_and_what_is_no_time_is_not() -> None:
    wrong = []
    for line in TIMES.splitlines():
        text, _, told = line.rpartition(" =")
        days = [date.fromisoformat(day) for day in told.split()]
        spans = [(span.first, span.last) for span in find_times(text, NOW)]
        if spans != ([(days[0], days[-1])] if days else []):
            wrong.append((text, spans))
    assert wrong == []
    text = "What did I cook last week?"
    assert without_times(text, find_times(text, NOW)).split() == ["what", "did", "i", "cook", "?"]


def test_messages_that_tell_when() -> None:
    for text in ("I went there yesterday.", "来週行きます", "in 2019", "on Monday", "三年前のこと"):
        assert tells_when(text), text


@given(st.text(max_size=60), st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)))
def test_any_text_can_be_read(text: str, now: datetime) -> None:
    for span in find_times(text, now):
        assert span.first <= span.last
