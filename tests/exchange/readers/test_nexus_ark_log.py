"""The log of a Nexus Ark room, taken apart: what was written is read, not one character is lost, and copies add nothing."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from managers.exchange.readers.nexus_ark.room_conversation import RoomConversation
from managers.exchange.readers.nexus_ark.room_dates import date_line
from managers.exchange.readers.nexus_ark.room_log import split_log
from managers.exchange.readers.nexus_ark.room_marks import read_body
from managers.memory.messages import Role

_TAGS: dict[Role, str] = {"user": "USER", "persona": "AGENT", "other": "AGENT", "system": "SYSTEM"}
_DAYS = "月火水木金土日"
_WORDS = st.text(alphabet="あ海いう。 a1#-|:\u2028\n", max_size=40).map(lambda text: text.strip("\n"))
_MOMENTS = st.datetimes(datetime(2023, 1, 1), datetime(2027, 1, 1)).map(lambda one: one.replace(microsecond=0))
_SPOKEN = st.tuples(
    st.sampled_from(["user", "persona"]), _WORDS, _MOMENTS, st.sampled_from(["", "gemini-2.5-pro", "⭐ x (y)"])
)


def _rendered(role: Role, text: str, time: datetime, model: str, *, japanese: bool = False) -> str:
    weekday = f"({_DAYS[time.weekday()]})" if japanese else f" ({time:%a})"
    trailer = f"{time:%Y-%m-%d}{weekday} {time:%H:%M:%S}{f' | {model}' if model else ''}"
    return f"## {_TAGS[role]}:{'user' if role == 'user' else '猫 の部屋'}\n{text}\n\n{trailer}\n\n"


@given(st.lists(_SPOKEN, max_size=6), st.booleans())
def test_what_was_written_is_what_is_read(spoken: list[tuple[Role, str, datetime, str]], japanese: bool) -> None:
    spoken = [one for one in spoken if not any(date_line(line) for line in one[1].split("\n"))]
    found = split_log("".join(_rendered(*one, japanese=japanese) for one in spoken))
    assert not found.before
    read = [(piece.role, read_body(piece.role, piece.body)) for piece in found.pieces]
    assert [(role, one.text, one.date.time, one.date.model) for role, one in read if one.date] == spoken


_LINES = st.sampled_from(
    ["## USER:user", "## AGENT:みい", "## SYSTEM:x:y:z", "##USER:", "```", "[THOUGHT]", "[/THOUGHT]", "<details>", "</details>",
     "[RAW_RESULT]", "[/RAW_RESULT]", "2025-10-03 (Fri) 21:00:00 | x", "2025-10-03(金) 9:00", "2025-13-41 (Mon) 25:00:00",
     "【表情】…joy…", "<memory_trace id='1'/>", "[VIEW_IMAGE: a b.png]", "THOUGHT: うん", "## みい:", "言葉", "", " "]
)  # fmt: skip


@given(st.lists(_LINES, max_size=30).map("\n".join))
def test_no_line_of_a_log_is_lost_whatever_stands_in_it(log: str) -> None:
    found = split_log(log)
    headers = [f"{_TAGS[one.role]}{one.speaker}" for one in found.pieces]
    told = "".join([found.before, *headers, *(one.body for one in found.pieces)])
    missing = Counter(log) - Counter(told)
    assert set(missing) <= set("#: \nみい")  # of headers: the marks around the name


@given(st.sampled_from(["user", "persona", "system"]), st.lists(_LINES, max_size=20).map("\n".join))
def test_no_word_of_a_body_is_lost_whatever_stands_in_it(role: Role, body: str) -> None:
    found = read_body(role, body)
    told = "".join([found.text, found.thought, *(words for _, words in found.notes)])
    for word in ("言葉", "うん", "2025-13-41"):
        assert told.count(word) == body.count(word), (word, found)
    named = "".join(found.files)  # what a block names stands in its note, too
    assert max(told.count("a b.png"), named.count("a b.png")) <= body.count("a b.png")
    assert told.count("a b.png") + named.count("a b.png") >= body.count("a b.png"), found


@given(st.lists(st.tuples(st.sampled_from(["said", "thought", "raw", "details", "file"]), _WORDS), max_size=6))
def test_each_part_comes_where_it_belongs(parts: list[tuple[str, str]]) -> None:
    forms = {
        "said": "{}",
        "thought": "[THOUGHT]\n{}\n[/THOUGHT]",
        "raw": "[RAW_RESULT]\n{}\n[/RAW_RESULT]",
        "details": "<details>{}</details>",
        "file": "[ファイル添付: {}]",
    }
    parts = [
        (kind, words if kind != "file" else words.replace("\n", "").strip())
        for kind, words in parts
        if words.strip() and not any(date_line(line) for line in words.split("\n"))
    ]
    found = read_body("persona", "\n\n".join(forms[kind].format(words) for kind, words in parts))

    def of(wanted: str) -> str:
        return "".join("".join(words.split()) for kind, words in parts if kind == wanted)

    assert "".join(found.text.split()) == of("said")
    assert "".join(found.thought.split()) == of("thought")
    for kind, name in (("raw", "raw_result"), ("details", "details")):
        assert "".join("".join(words.split()) for one, words in found.notes if one == name) == of(kind)
    assert "".join("".join(words.split()) for words in found.files) == of("file")


def test_what_only_looks_like_a_header_does_not_divide_a_message() -> None:
    before: list[tuple[Role, str]] = [("user", "やあ"), ("persona", "はい")]
    for inner in (
        "続きの行\n## AGENT:みい\nと書く",
        "```\n\n## AGENT:みい\n\n```",
        "段落。\n\n## AGENT:そんな名前はない\nと言った。",
    ):
        spoken: list[tuple[Role, str]] = [*(before * 4), ("user", inner)]
        log = "".join(_rendered(role, text, datetime(2025, 10, 3, 21), "") for role, text in spoken)
        assert [read_body(one.role, one.body).text for one in split_log(log).pieces] == [text for _, text in spoken]


def test_dates_in_all_their_forms_and_words_with_a_date_in_them() -> None:
    dates = {
        "2026-05-12 (Tue) 09:01:20 | gemini-2.5-pro": datetime(2026, 5, 12, 9, 1, 20),
        "2026-05-12(火) 09:01:20": datetime(2026, 5, 12, 9, 1, 20),
        "2026/5/12 （火曜日） 9:01": datetime(2026, 5, 12, 9, 1),
        "2026年5月12日(火) 午後9時01分20秒": datetime(2026, 5, 12, 21, 1, 20),
        "2026-05-12T09:01:20.123456": datetime(2026, 5, 12, 9, 1, 20),
        "2026-05-12 (Tue)": datetime(2026, 5, 12),
        "2026-02-31 (Tue) 09:01:20": None,
        "2026-05-12 (Tue) 29:01:20": None,
    }
    assert {line: (found := date_line(line)) and found.time for line in dates} == dates
    assert all(date_line(line) is not None for line in dates)
    for words in ("2026-05-12", "きょうは 2026-05-12 (Tue) 09:01:20", "09:01:20", "2026-05-12 の 9:01:20", ""):
        assert date_line(words) is None


def test_a_date_that_somebody_wrote_last_is_theirs() -> None:
    plan = "歯医者は\n2026-05-12 (Tue) 10:00"
    found = read_body("user", f"{plan}\n\n2026-05-01 (Fri) 09:00:00")
    assert (found.text, found.date and found.date.time) == (plan, datetime(2026, 5, 1, 9))


def test_an_answer_that_was_broken_off_is_still_an_answer() -> None:
    for body, *told in (
        ('[THOUGHT]\n海かな。\nうん。\n<persona_emotion category="joy"/>', "海かな。\nうん。", "", "joy"),
        ("[THOUGHT]\n海。\n[/THOUGHT]\n[THOUGHT]\nうん。", "うん。", "海。", ""),
        ("うん。\n[THOUGHT]\n海かな", "うん。", "海かな", ""),
        ("<think>\n海かな。\n【表情】…joy…", "海かな。", "", "joy"),
        ("印は <think> と <think> です。", "印は <think> と <think> です。", "", ""),
        ('<memory_trace id="a"></memory_trace>\nうん。<persona_emotion category="joy">', "うん。", "", "joy"),
    ):
        found = read_body("persona", body)
        assert [found.text, found.thought, found.emotion] == told


_SHORT = st.sampled_from(["うん", "はい", "やあ", "そうだね", "海に行った。\n楽しかった", "それで?"])


@dataclass(frozen=True)
class _Record:
    """A message of a log; `pause` seconds after the one before, and without its date where `is_dated` is false."""

    words: str
    pause: int
    is_dated: bool


_RECORDED = st.builds(_Record, _SHORT, st.integers(1, 200_000), st.sampled_from([True, True, True, False]))


def _records(spoken: list[_Record]) -> list[tuple[str, str]]:
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


@given(st.lists(_RECORDED, min_size=1, max_size=14), st.integers(0, 14), st.integers(0, 14))
def test_archives_that_overlap_make_one_conversation(spoken: list[_Record], first: int, second: int) -> None:
    records = _records([_Record(one.words, one.pause, is_dated=True) for one in spoken])
    begin, end = sorted((min(first, len(records)), min(second, len(records))))
    older, newer = [record for _, record in records[:end]], [record for _, record in records[begin:]]
    assert _joined("".join(newer), "".join(older)) == [told for told, _ in records]
