"""An import as a whole: what arrives, what is told, what a second time does, what stops it; and the process that reads."""

import json
import os
import random
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from managers.exchange import import_engine, import_reading
from managers.exchange.errors import ImportCancelledError, ImportSourceError
from managers.exchange.import_engine import SourceImport
from managers.exchange.import_source import open_source
from managers.exchange.import_words import both_of, told_of
from managers.exchange.items import FoundAnswer, FoundFile, FoundMessage, Kind, NotTaken, ReadingWishes
from managers.exchange.message_records import MessageRecords
from managers.exchange.readers import sillytavern
from managers.exchange.spool import open_spool
from managers.memory.log import ConversationLog
from managers.storage.errors import DiskFullError
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.exchange.importing import HereReading, lines_of, take_over, target_of
from tests.fakes import HandClock

THEN = datetime(2024, 5, 1, 22, 0)
WISHES = ReadingWishes(persona="Mei", user="Ann")
OtherProcess = import_engine.ImportReading


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)


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


def test_times_with_an_offset_make_the_same_ids_in_every_time_zone(
    log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None]
) -> None:
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


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Tokyo"])
@pytest.mark.parametrize("has_offsets", [True, False])
def test_an_hour_that_the_clock_showed_twice_keeps_the_order_of_the_talk(
    log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None], zone: str, *, has_offsets: bool
) -> None:
    in_zone(zone)
    begun = datetime.fromisoformat("2024-10-27T01:40:00+02:00")
    times = [(begun + timedelta(minutes=15 * number)).astimezone(ZoneInfo("Europe/Berlin")) for number in range(10)]
    written = [one.isoformat() if has_offsets else f"{one:%Y-%m-%dT%H:%M:%S}" for one in times]
    entries = [(("Ann", "Mei")[number % 2], one, str(number)) for number, one in enumerate(written)]
    for some in ([*entries[:2], *entries[4:6]], entries) if has_offsets else (entries,):
        take_over(log, telegram(tmp_path, *some), None, WISHES)
    said = [*log.messages()]
    if has_offsets or zone == "Europe/Berlin":  # elsewhere nothing tells that the clock was put back
        assert [one.text for one in said] == [str(number) for number in range(10)]
    twice = ["09:10", "10:10"] if has_offsets and zone == "Asia/Tokyo" else ["02:10", "02:10"]
    assert sorted(f"{one.time:%H:%M}" for one in said if one.text in {"2", "6"}) == twice


def test_what_earlier_versions_imported_is_known_by_the_ids_that_they_gave(
    log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None]
) -> None:
    in_zone("Asia/Tokyo")
    in_log(log, *[FoundMessage("user", "Ann", "hm", datetime(2024, 5, 1, 22))] * 2)  # ids of local times
    hm = ("Ann", "2024-05-01T13:00:00Z", "hm")
    report = take_over(log, telegram(tmp_path, hm, hm, ("Mei", "2024-05-01T13:00:09Z", "Yes?")), None, WISHES)
    assert (report.added, report.already_there) == (1, 2)
    assert [one.text for one in log.messages()] == ["hm", "hm", "Yes?"]
    source = swipes(tmp_path)
    with open_source(source) as opened:
        found = [one for one in sillytavern.read(opened, ReadingWishes()) if isinstance(one, FoundMessage)]
    in_log(log, *(replace(one, id=one.former_id, former_id="") for one in found))
    with source.open("a", encoding="utf-8") as file:
        more = {"name": "Ann", "is_user": True, "mes": "And you?", "send_date": "2024-05-01T22:01:00"}
        file.write(lines_of([more]))
    for added in (1, 0):
        report = take_over(log, source)
        assert (report.added, report.already_there) == (added, 3 - added)


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


def test_characters_that_cannot_be_decoded_are_counted(log: ConversationLog, tmp_path: Path) -> None:
    source = tmp_path / "WhatsApp Chat with Mei.txt"
    said = "Ann: 今日は海へ行った\nMei: いいね、きれいだった？\nAnn: とても\n".encode()
    said = said.replace("海".encode(), b"\xe6\xb5", 1)
    source.write_bytes(said.replace("いいね".encode(), b"\xe3\x81\xe3\x81\x84\xff"))
    report = take_over(log, source)
    assert report.added == 3
    lost = sum(one.text.count("\ufffd") for one in log.messages())
    assert lost > 1
    assert [(one.count, one.is_changed) for one in report.left_out if one.code == "engine.lost"] == [(lost, True)]


def test_an_answer_with_others_before_it_is_known_by_the_first(log: ConversationLog) -> None:
    in_log(log, FoundMessage("persona", "Mei", "one", THEN))
    in_log(log, FoundMessage("persona", "Mei", "two", THEN, answers=(FoundAnswer("one"),), at=1))
    assert log.count() == 1


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("when", ["reading", "writing"])
def test_it_can_be_stopped_and_goes_on_the_next_time(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
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


def test_a_full_disk_is_told_and_nothing_is_lost(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("user", "Ann", "before")

    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with closing(SourceImport(log.paths.home, transcript(tmp_path, 20), log._clock)) as work:
        work.read()
        with closing(History(log.paths, log._clock)) as history, monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            with pytest.raises(DiskFullError):
                work.carry_out(target_of(log, history))
    assert [one.text for one in log.messages()] == ["before"]
    assert take_over(log, transcript(tmp_path, 20)).added == 20


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
        path.write_bytes(random.Random(1).randbytes(200_000))
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
def test_a_reader_that_is_silent_or_unfolds_is_ended(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
