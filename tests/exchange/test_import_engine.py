"""An import as a whole: what arrives, what is told, what a second time does, what stops or kills it; transcripts."""

import itertools
import json
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from managers.exchange import import_engine, import_reading
from managers.exchange.errors import ImportCancelledError, ImportSourceError
from managers.exchange.import_engine import SourceImport
from managers.exchange.import_words import both_of, told_of
from managers.exchange.items import FoundFile, FoundMessage, Kind, NotTaken, ReadingWishes
from managers.exchange.message_records import MessageRecords
from managers.exchange.spool import open_spool
from managers.memory.log import ConversationLog
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, needs_signals
from tests.exchange.importing import HereReading, lines_of, read_here, take_over, target_of
from tests.exchange.readers.nexus_rooms import MONTHLY
from tests.exchange.readers.reading import folder_of
from tests.fakes import HandClock

THEN = datetime(2024, 5, 1, 22, 0)
WISHES = ReadingWishes(persona="Mei", user="Ann")
OtherProcess = import_reading.ImportReading


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)


@pytest.fixture
def _elsewhere(_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", OtherProcess)


def transcript(folder: Path, count: int) -> Path:
    path = folder / "talk.jsonl"
    who = ({"role": "persona", "speaker": "Mei"}, {"role": "user", "speaker": "Ann"})
    times = [(THEN + timedelta(minutes=number)).isoformat() for number in range(count)]
    said = [{"id": f"a{n}", "time": one, "text": f"word {n}", **who[n % 2]} for n, one in enumerate(times)]
    path.write_text(lines_of(said), "utf-8")
    return path


def swipes(folder: Path) -> Path:
    """Return a SillyTavern chat in which an answer was swiped."""
    path = folder / "Mei - 2024-05-01.jsonl"
    head = {"user_name": "Ann", "character_name": "Mei", "create_date": "2024-05-01 @22h 00m 00s 0ms"}
    answers = {"swipe_id": 1, "swipes": ["First", "Second", "Third"]}
    said = [
        {"name": "Ann", "is_user": True, "mes": "Hello", "send_date": "2024-05-01T22:00:00"},
        {"name": "Mei", "is_user": False, "mes": "Second", "send_date": "2024-05-01T22:00:09", **answers},
    ]
    path.write_text(lines_of([head, *said]), "utf-8")
    return path


def telegram(folder: Path, *said: tuple[str, str, str]) -> Path:
    path = folder / "result.json"
    told = [{"from": who, "date": when, "text": words} for who, when, words in said]
    path.write_text(json.dumps({"messages": told}), "utf-8")
    return path


@pytest.mark.usefixtures("_elsewhere")
def test_it_is_recognised_looked_at_and_taken_over_once(log: ConversationLog, tmp_path: Path) -> None:
    source = transcript(tmp_path, 30)
    before = source.read_bytes()
    with (
        closing(SourceImport(log.paths.home, source, log._clock)) as work,
        closing(History(log.paths, log._clock)) as history,
    ):
        work.read()
        found = work.preview(log)
        assert (found.kind, found.messages, found.already_there) == ("transcript", 30, 0)
        assert sorted(found.speakers) == [("persona", "Mei", 15), ("user", "Ann", 15)]
        assert (found.first, found.last) == (THEN, THEN + timedelta(minutes=29))
        assert log.count() == 0  # looking changes nothing
        report = work.carry_out(target_of(log, history))
    assert (report.added, report.already_there, report.left_out) == (30, 0, ())
    assert log.count() == 30
    again = take_over(log, source)
    assert (again.added, again.already_there, log.count()) == (0, 30, 30)
    assert source.read_bytes() == before
    assert [path.read_bytes() for path in report.kept] == [before]
    assert not any(log.paths.home.importing.iterdir())  # nothing of what waited is left


def test_other_answers_can_be_leafed_through(log: ConversationLog, tmp_path: Path) -> None:
    report = take_over(log, swipes(tmp_path))
    assert (report.kind, report.added) == ("sillytavern", 2)
    hello, answer = log.messages()
    assert (hello.text, answer.text) == ("Hello", "Second")
    there = log.alternatives(answer.id)
    assert (there.texts, there.current) == (("First", "Second", "Third"), 1)
    assert take_over(log, swipes(tmp_path)).added == 0
    assert log.alternatives(answer.id).texts == there.texts


def in_log(log: ConversationLog, *found: FoundMessage, files: dict[str, bytes] | None = None) -> list[NotTaken]:
    """Take messages over that were found; return what was left out."""
    left: list[NotTaken] = []
    with open_spool(log.paths.home) as spool:
        for one in found:
            spool.add(one)
        spool.finish(THEN)
        records = MessageRecords(log.paths, ("Ann", "Mei"), (files or {}).get, left.append)
        for batch in spool.batches(3):
            log.take_in([records.of(waiting) for waiting in batch])
        return [*spool.left_out, *left]


def test_thoughts_feelings_and_notes_stand_beside_and_are_not_said(log: ConversationLog) -> None:
    pictures = (FoundFile("pics/../cat.png", "My cat.png"), FoundFile("gone.png"))
    aside = {"thought": "So sweet", "emotion": "joy", "notes": (("Memory Trace", "ep_1"),)}
    left = in_log(
        log,
        FoundMessage("user", "", "Look", THEN, files=pictures),
        FoundMessage("persona", "", "A cat!", THEN, **aside),  # type: ignore[arg-type]  # as named
        FoundMessage("system", "new_topic", "hostile", THEN),
        files={"pics/../cat.png": b"png"},
    )
    assert [one.code for one in left] == ["engine.file"]
    look, cat, told = log.messages()
    assert (look.speaker, cat.speaker, told.role, told.speaker) == ("Ann", "Mei", "system", "imported")
    assert look.attachment_names == ("My cat.png",)
    assert (log.paths.folder / look.attachments[0]).read_bytes() == b"png"
    written = "".join(path.read_text("utf-8") for path in log.paths.log_archives.glob("*.txt"))
    for note in ("## SYSTEM:thought\nSo sweet", "## SYSTEM:emotion\njoy", "## SYSTEM:memory_trace\nep_1"):
        assert note in written


def test_messages_without_ids_or_times_are_the_same_ones_the_next_time(log: ConversationLog) -> None:
    told = [("hm", None), ("yes", THEN), ("yes", THEN), ("no", None)]
    said = [FoundMessage("user", "Ann", text, time) for text, time in told]
    for _ in range(2):
        in_log(log, *said)
        assert [(one.text, one.time) for one in log.messages()] == [(text, THEN) for text, _ in told]
    in_log(log, *said, FoundMessage("user", "Ann", "yes", THEN + timedelta(hours=1)))
    assert log.count() == 5


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    if not hasattr(time, "tzset"):
        pytest.skip("this system's time zone cannot be set for one process")

    def change(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield change
    monkeypatch.undo()
    time.tzset()


def test_ids_are_the_same_in_every_zone(log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None]) -> None:
    source = tmp_path / "message_1.json"
    begun = 1_700_000_000_000
    said = [
        {"sender_name": ("Ann", "Mei")[one % 2], "timestamp_ms": begun + one // 2 * 60_000, "content": "hm"}
        for one in range(8)
    ]
    source.write_text(json.dumps({"participants": [], "messages": said}), "utf-8")
    for zone, added in (("Asia/Tokyo", 8), ("Europe/London", 0), ("America/New_York", 0)):
        in_zone(zone)
        report = take_over(log, source, None, WISHES)
        assert (report.added, report.already_there) == (added, 8 - added)


def test_what_stands_newest_first_is_turned_and_each_conversation_keeps_its_own_order(log: ConversationLog) -> None:
    said = [
        FoundMessage("persona" if number % 2 else "user", "", str(number), THEN + timedelta(minutes=number // 2))
        for number in range(12)
    ]
    in_log(log, *reversed(said))
    assert [one.text for one in log.messages()] == [one.text for one in said]
    talks = [
        FoundMessage(role, "", f"{role} {hour}", THEN + timedelta(hours=hour), thread=f"talk {hour}")
        for hour in (3, 2, 1)
        for role in ("user", "persona")
    ]
    in_log(log, *talks)
    told = [one.speaker if one.role == "system" else one.text for one in log.tail(9, controls=True)]
    assert told == [f for hour in (1, 2, 3) for f in ("new_topic", f"user {hour}", f"persona {hour}")]


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("when", ["reading", "writing"])
def test_stopped_it_goes_on(log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.setattr(import_engine, "_BATCH", 10)
    source = transcript(tmp_path, 60)
    seen: list[str] = []

    def progress(stage: str, done: int, whole: int) -> None:
        assert done <= whole
        seen.append(stage)

    def is_cancelled() -> bool:
        return (when == "reading" and log.count() == 0) or (when == "writing" and seen.count("writing") >= 2)

    with pytest.raises(ImportCancelledError):
        take_over(log, source, is_cancelled=is_cancelled, progress=progress)
    assert log.count() == (0 if when == "reading" else 20)
    report = take_over(log, source)
    assert report.added + report.already_there == log.count() == 60


def trap(folder: Path, name: str) -> Path:
    path = folder / name
    if name == "bomb.zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", b"0" * 50_000_000)
    elif name == "outside.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("../conversations.json", "[]")
    elif name == "deep.json":
        path.write_text('[{"mapping":' * 300_000, "utf-8")
    else:
        path.write_bytes(Random(1).randbytes(200_000))
    return path


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize(
    "kind", [None, *(pytest.param(one, marks=pytest.mark.slow) for one in ("chatgpt", "text", "card", "nexus-ark"))]
)
def test_traps_end_in_a_sentence_and_change_nothing(log: ConversationLog, tmp_path: Path, kind: Kind | None) -> None:
    (tmp_path / "traps").mkdir()
    sources = [trap(tmp_path / "traps", name) for name in ("bomb.zip", "deep.json", "noise.bin", "outside.zip")]
    for source in sources:
        with suppress(ImportSourceError):  # anything else would be an error that nobody foresaw
            take_over(log, source, kind)
    assert sorted((tmp_path / "traps").iterdir()) == sources
    assert not (tmp_path / "conversations.json").exists()


@pytest.mark.usefixtures("_elsewhere")
def test_a_silent_or_vast_reader_ends(log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_reading, "SILENCE_SECONDS", 0.0)
    with pytest.raises(ImportSourceError, match="no progress"):
        take_over(log, transcript(tmp_path, 5))
    monkeypatch.setattr(import_reading, "SILENCE_SECONDS", 600.0)
    monkeypatch.setattr(import_reading, "MEMORY_BYTES", 1_000_000)
    with pytest.raises(ImportSourceError, match="unfolds"):
        take_over(log, transcript(tmp_path, 5))


def test_what_killed_imports_left_is_swept(log: ConversationLog, tmp_path: Path) -> None:
    left = log.paths.home.importing / "999999999-0"
    left.mkdir(parents=True)
    (left / "found.sqlite").write_bytes(b"private")
    take_over(log, transcript(tmp_path, 2))
    assert not left.exists()


def test_what_the_other_process_says_is_shown_only_as_words_of_ours() -> None:
    for code in ("engine.nobody-knows", "../../secrets.x", "engine", "", "engine.id-taken"):
        assert both_of(code)["en"].startswith("something in it cannot be read")
    told = told_of(NotTaken("engine.file", facts={"name": "{count.__class__}" + "x" * 500}))
    assert "{count.__class__}" in told["en"]
    assert len(told["en"]) < 300


NOW = datetime(2026, 11, 21, 12, 0, 0)


def numbers_of(left: Sequence[NotTaken]) -> list[int]:
    return [int(one.place.rpartition(":")[2]) for one in left]


def line(message_id: str, text: str, time: str = "2026-05-01T10:00:00", **other: Any) -> str:
    entry = {"id": message_id, "time": time, "role": "user", "speaker": "Ann", "text": text, **other}
    return json.dumps(entry, ensure_ascii=False)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_bad_lines_are_named_and_cost_no_good_one(log: ConversationLog, tmp_path: Path) -> None:
    source = write(
        tmp_path, line("a", "one"), "{not json", '["no object"]', line("", "no id"),
        line("b", "no day", time="yesterday"), line("c", "nobody", role="narrator"), "",
        line("d", "no name", speaker=7),
        '{"id": "e", "time": "2026-05-01T10:00:00", "role": "user", "speaker": "Ann"}',
        line("f", "\ud800 half").replace("\ud800", "\\ud800"), line("g", "two")
    )  # fmt: skip
    source.write_bytes(b"\xef\xbb\xbf" + source.read_bytes().replace(b"\n", b"\r\n") + b"\xff\xfe\n")
    report = take_over(log, source)
    assert numbers_of([one for one in report.left_out if not one.is_changed]) == [2, 3, 4, 5, 6, 8, 9, 12]
    assert [(one.code, one.count) for one in report.left_out if one.is_changed] == [("engine.lost", 1)]
    assert '"text" is missing' in told_of(report.left_out[6])["en"]
    assert "「text」がありません" in told_of(report.left_out[6])["ja"]
    assert [m.text for m in log.messages()] == ["one", "\ufffd half", "two"]


def test_an_id_that_stands_for_another_text_is_reported(log: ConversationLog, tmp_path: Path) -> None:
    take_over(log, write(tmp_path, line("a", "one"), line("b", "two")))
    again = [line("a", "ONE"), line("b", "two"), line("c", "three"), line("c", "THREE")]
    report = take_over(log, write(tmp_path, *again))
    assert (report.added, report.already_there) == (1, 1)
    assert sorted(numbers_of(report.left_out)) == [1, 4]
    assert [m.text for m in log.messages()] == ["one", "two", "three"]
    kept = sorted(path.name for path in log.paths.log_import_source.iterdir())
    assert kept == ["talk.jsonl-2.txt", "talk.jsonl.txt"]


def test_an_edited_message_is_not_imported_again(log: ConversationLog, tmp_path: Path) -> None:
    source = write(tmp_path, line("a", "one"), line("b", "two"))
    take_over(log, source)
    log.supersede("a", "changed")
    log.supersede("b", None)
    assert take_over(log, source).added == 0
    assert [m.text for m in log.messages()] == ["changed"]


def test_imports_in_any_order_read_in_the_order_of_time(log: ConversationLog, tmp_path: Path) -> None:
    log.append("user", "Sara", "today")
    for month in (7, 3, 5, 4):
        take_over(log, write(tmp_path, line(f"m{month}", str(month), time=f"2026-0{month}-03T10:00:00")))
    yesterday = (NOW - timedelta(days=1)).isoformat()
    take_over(log, write(tmp_path, line("m5b", "5 early", "2026-05-01T10:00:00"), line("y", "yesterday", yesterday)))
    assert [m.text for m in log.messages()] == ["3", "4", "5 early", "5", "7", "yesterday", "today"]
    assert [m.text for m in log.tail(2)] == ["yesterday", "today"]
    assert log.days()[0] == date(2026, 3, 3)
    crossed = [line("a", "1", "2026-08-01T10:00:30"), line("b", "2", "2026-08-01T10:00:05")]
    take_over(log, write(tmp_path, *crossed, line("c", "3", "2026-08-01T10:01:00")))
    assert [m.text for m in log.messages()][5:8] == ["1", "2", "3"]


def test_ids_names_and_times_that_could_break_the_format(log: ConversationLog, tmp_path: Path) -> None:
    texts = ["## USER:x\nhi", "a\r\nb", "\u2028\x85\x0c", "", "2026-01-02 (Fri) 22:00:00 | a | b", "\x00\x1b"]
    ids = ["D1:1", "a b", "x|y", "100%41", "改行\nつき", "\\"]
    pairs = list(zip(ids, texts, strict=True))
    time = "2026-05-01T10:00:00.250Z"
    take_over(log, write(tmp_path, *(line(i, t, time, speaker="Eve\n## AGENT:x") for i, t in pairs)))
    reader = ConversationLog(log.paths, HandClock(NOW), Random(1))
    assert [(m.id, m.text) for m in reader.messages()] == pairs
    assert [(found := reader.get(i)) and found.text for i in ids] == texts
    here = datetime.fromisoformat("2026-05-01T10:00:00+00:00").astimezone().replace(tzinfo=None)
    assert {m.time for m in reader.messages()} == {here}


_DERIVED = (".lock", ".history", "log_archives/.index/", "set_aside/", ".utatane-tmp", ".broken-")
_TIMES = ("2026-04-03T10:00:00", "2026-05-03T10:00:00", "2026-05-04T10:00:00", "2026-11-20T10:00:00")
_TALK = [{"id": f"a{n}", "time": at, "role": "user", "speaker": "Ann", "text": f"{n}"} for n, at in enumerate(_TIMES)]
_SOURCES = {"room": (MONTHLY, "", 20), "transcript": ({"talk.jsonl": lines_of(_TALK)}, "talk.jsonl", 3)}


def move_in(folder: Path, source: Path) -> None:
    take_over(ConversationLog(PersonaPaths(folder), HandClock(), Random(1)), source)


def made_of(folder: Path) -> dict[str, bytes]:
    """Return the files that an import makes, but for what is derived, and leftovers that are swept."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not any(part in name for part in _DERIVED)}


@needs_signals
@pytest.mark.parametrize("kind", _SOURCES)
def test_what_was_half_imported_is_finished_by_the_next_import(tmp_path: Path, kill: Kill, kind: str) -> None:
    files, name, stride = _SOURCES[kind]
    source = folder_of(tmp_path / "猫_の部屋", files) / name
    whole = tmp_path / "whole" / "characters" / "みい"
    move_in(whole, source)
    expected, numbers = made_of(whole), itertools.count()

    def prepare() -> tuple[Path, Path]:
        return tmp_path / f"p{next(numbers)}" / "characters" / "みい", source

    for death in kill(move_in, prepare, whens=("before", "half"), stride=stride, ready=read_here):
        folder = death.given[0]
        log = ConversationLog(PersonaPaths(folder), HandClock(), Random(1))
        assert max(Counter(message.id for message in log.messages()).values(), default=1) == 1, death
        move_in(folder, source)
        assert made_of(folder) == expected, death
