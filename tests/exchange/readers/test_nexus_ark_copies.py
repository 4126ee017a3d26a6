"""Logs of a Nexus Ark room that overlap: however the app has divided and copied them, each message comes once, in order."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from managers.exchange.readers.nexus_ark.room_conversation import RoomConversation
from managers.exchange.readers.nexus_ark.room_log import split_log

_WORDS = st.sampled_from(["うん", "はい", "やあ", "そうだね", "海に行った。\n楽しかった", "それで?"])


@dataclass(frozen=True)
class _Spoken:
    """A message of a log; `pause` seconds after the one before, and without its date where `is_dated` is false."""

    words: str
    pause: int
    is_dated: bool


_SPOKEN = st.builds(_Spoken, _WORDS, st.integers(1, 200_000), st.sampled_from([True, True, True, False]))


def _records(spoken: list[_Spoken]) -> list[tuple[str, str]]:
    """Return what each message is known by in the test, and how it stands in a log."""
    now, records = datetime(2025, 1, 1, 8), []
    for number, one in enumerate(spoken):
        now += timedelta(seconds=one.pause)
        header = "## AGENT:みい" if number % 2 else "## USER:user"
        date = f"\n\n{now:%Y-%m-%d (%a) %H:%M:%S}" if one.is_dated else ""
        records.append((f"{header[3:7]} {one.words}", f"{header}\n{one.words}{date}\n\n"))
    return records


def _joined(*logs: str) -> list[str]:
    room = RoomConversation()
    for number, log in enumerate(logs):
        room.add([(f"log{number}", split_log(log).pieces)])
    return [
        f"{'USER' if one.piece.role == 'user' else 'AGEN'} {one.read().text}"
        for one in room.messages(datetime(2024, 1, 1))
    ]


@given(st.lists(_SPOKEN, max_size=14), st.integers(0, 14), st.integers(0, 14))
def test_a_copy_of_a_part_adds_nothing(spoken: list[_Spoken], begin: int, length: int) -> None:
    spoken = [_Spoken(one.words, one.pause, is_dated=True) if n % 4 != 2 else one for n, one in enumerate(spoken)]
    records = _records(spoken)
    whole = [record for _, record in records]
    part = whole[begin - begin % 4 : begin - begin % 4 + length]  # an archive is cut before a message that has a date

    assert _joined("".join(whole), "".join(part)) == [told for told, _ in records]


@given(st.lists(_SPOKEN, min_size=1, max_size=14), st.integers(0, 14), st.integers(0, 14))
def test_archives_that_overlap_make_one_conversation(spoken: list[_Spoken], first: int, second: int) -> None:
    records = _records([_Spoken(one.words, one.pause, is_dated=True) for one in spoken])
    begin, end = sorted((min(first, len(records)), min(second, len(records))))
    older, newer = [record for _, record in records[:end]], [record for _, record in records[begin:]]

    assert _joined("".join(newer), "".join(older)) == [told for told, _ in records]
