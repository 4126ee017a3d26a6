"""An import as a whole, with the process that reads: what arrives, what is told, what a second time does, what stops it."""

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
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from managers.exchange import import_engine, import_reading
from managers.exchange.errors import ImportCancelledError, ImportSourceError
from managers.exchange.import_engine import SourceImport
from managers.exchange.import_source import open_source
from managers.exchange.import_words import both_of, told_of
from managers.exchange.items import FoundAnswer, FoundFile, FoundMessage, NotTaken, ReadingWishes
from managers.exchange.message_records import MessageRecords
from managers.exchange.readers import sillytavern
from managers.exchange.spool import open_spool
from managers.memory.log import ConversationLog
from managers.storage.errors import DiskFullError
from managers.storage.history import History
from managers.storage.paths import Home, PersonaPaths
from tests.exchange.importing import HereReading, lines_of, take_over, target_of
from tests.fakes import HandClock

THEN = datetime(2024, 5, 1, 22, 0)


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)


def entry(number: int, **other: Any) -> dict[str, Any]:
    time = (THEN + timedelta(minutes=number)).isoformat()
    who = {"role": "user", "speaker": "Ann"} if number % 2 else {"role": "persona", "speaker": "Mei"}
    return {"id": f"a{number}", "time": time, "text": f"word {number}", **who, **other}


def transcript(folder: Path, count: int) -> Path:
    path = folder / "talk.jsonl"
    path.write_text(lines_of([entry(number) for number in range(count)]), "utf-8")
    return path


def swipes(folder: Path) -> Path:
    """Return a SillyTavern chat in which an answer was swiped."""
    path = folder / "Mei - 2024-05-01.jsonl"
    head = {"user_name": "Ann", "character_name": "Mei", "create_date": "2024-05-01 @22h 00m 00s 0ms"}
    said = [
        {"name": "Ann", "is_user": True, "mes": "Hello", "send_date": "2024-05-01T22:00:00"},
        {
            "name": "Mei", "is_user": False, "mes": "Second", "send_date": "2024-05-01T22:00:09",
            "swipe_id": 1, "swipes": ["First", "Second", "Third"],
        },
    ]  # fmt: skip
    path.write_text(lines_of([head, *said]), "utf-8")
    return path


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
        assert {(role, name): count for role, name, count in found.speakers} == {
            ("user", "Ann"): 15,
            ("persona", "Mei"): 15,
        }
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


def in_log(
    log: ConversationLog, home: Home, *found: FoundMessage, files: dict[str, bytes] | None = None
) -> list[NotTaken]:
    """Take messages over that were found; return what was left out."""
    left: list[NotTaken] = []
    with open_spool(home) as spool:
        for one in found:
            spool.add(one)
        spool.finish(THEN)
        records = MessageRecords(log.paths, ("Ann", "Mei"), (files or {}).get, left.append)
        for batch in spool.batches(3):
            log.take_in([records.of(waiting) for waiting in batch])
        return [*spool.left_out, *left]


def test_thoughts_feelings_and_notes_stand_beside_and_are_not_said(log: ConversationLog) -> None:
    left = in_log(
        log,
        log.paths.home,
        FoundMessage(
            "user", "", "Look", THEN, files=(FoundFile("pics/../cat.png", "My cat.png"), FoundFile("gone.png"))
        ),
        FoundMessage(
            "persona", "", "A cat!", THEN, thought="So sweet", emotion="joy", notes=(("Memory Trace", "ep_1"),)
        ),
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
    said = [
        FoundMessage("user", "Ann", text, time)
        for text, time in (("hm", None), ("yes", THEN), ("yes", THEN), ("no", None))
    ]
    for _ in range(2):
        in_log(log, log.paths.home, *said)
        assert [(one.text, one.time) for one in log.messages()] == [
            ("hm", THEN),
            ("yes", THEN),
            ("yes", THEN),
            ("no", THEN),
        ]
    more = [*said, FoundMessage("user", "Ann", "yes", THEN + timedelta(hours=1))]
    in_log(log, log.paths.home, *more)
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
    said = [
        {"sender_name": ("Ann", "Mei")[one % 2], "timestamp_ms": 1_700_000_000_000 + one // 2 * 60_000, "content": "hm"}
        for one in range(8)
    ]
    source.write_text(json.dumps({"participants": [], "messages": said}), "utf-8")
    for zone, added in (("Asia/Tokyo", 8), ("Europe/London", 0), ("America/New_York", 0)):
        in_zone(zone)
        report = take_over(log, source, None, ReadingWishes(persona="Mei", user="Ann"))
        assert (report.added, report.already_there) == (added, 8 - added)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Tokyo"])
@pytest.mark.parametrize("has_offsets", [True, False])
def test_an_hour_that_the_clock_showed_twice_keeps_the_order_of_the_talk(
    log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None], zone: str, *, has_offsets: bool
) -> None:
    in_zone(zone)
    begun = datetime.fromisoformat("2024-10-27T01:40:00+02:00")
    times = [(begun + timedelta(minutes=15 * number)).astimezone(ZoneInfo("Europe/Berlin")) for number in range(10)]
    entries = [
        {
            "from": ("Ann", "Mei")[number % 2],
            "date": one.isoformat() if has_offsets else f"{one:%Y-%m-%dT%H:%M:%S}",
            "text": str(number),
        }
        for number, one in enumerate(times)
    ]
    source = tmp_path / "result.json"
    for some in ([*entries[:2], *entries[4:6]], entries) if has_offsets else (entries,):
        source.write_text(json.dumps({"messages": some}), "utf-8")
        take_over(log, source, None, ReadingWishes(persona="Mei", user="Ann"))
    said = [*log.messages()]
    if has_offsets or zone == "Europe/Berlin":  # elsewhere nothing tells that the clock was put back
        assert [one.text for one in said] == [str(number) for number in range(10)]
    assert sorted(f"{one.time:%H:%M}" for one in said if one.text in {"2", "6"}) == (
        ["09:10", "10:10"] if has_offsets and zone == "Asia/Tokyo" else ["02:10", "02:10"]
    )


def test_what_an_earlier_version_imported_is_known_by_the_id_that_it_gave(
    log: ConversationLog, tmp_path: Path, in_zone: Callable[[str], None]
) -> None:
    in_zone("Asia/Tokyo")
    said = [FoundMessage("user", "Ann", "hm", datetime(2024, 5, 1, 22)) for _ in range(2)]
    in_log(log, log.paths.home, *said)  # ids of local times, as every message had them
    entries = [{"from": "Ann", "date": "2024-05-01T13:00:00Z", "text": "hm"}] * 2
    entries += [{"from": "Mei", "date": "2024-05-01T13:00:09Z", "text": "Yes?"}]
    source = tmp_path / "result.json"
    source.write_text(json.dumps({"messages": entries}), "utf-8")
    report = take_over(log, source, None, ReadingWishes(persona="Mei", user="Ann"))
    assert (report.added, report.already_there) == (1, 2)
    assert [one.text for one in log.messages()] == ["hm", "hm", "Yes?"]


def test_a_chat_of_sillytavern_that_an_earlier_version_imported_is_there(log: ConversationLog, tmp_path: Path) -> None:
    source = swipes(tmp_path)
    with open_source(source) as opened:
        found = [one for one in sillytavern.read(opened, ReadingWishes()) if isinstance(one, FoundMessage)]
    in_log(log, log.paths.home, *(replace(one, id=one.former_id, former_id="") for one in found))
    with source.open("a", encoding="utf-8") as file:
        told = {"name": "Ann", "is_user": True, "mes": "And you?", "send_date": "2024-05-01T22:01:00"}
        file.write(lines_of([told]))
    for added in (1, 0):
        report = take_over(log, source)
        assert (report.added, report.already_there) == (added, 3 - added)
    assert [one.text for one in log.messages()] == ["Hello", "Second", "And you?"]


def test_what_stands_newest_first_is_turned_where_times_are_the_same(log: ConversationLog) -> None:
    said = [
        FoundMessage("persona" if number % 2 else "user", "", str(number), THEN + timedelta(minutes=number // 2))
        for number in range(12)
    ]
    in_log(log, log.paths.home, *reversed(said))
    assert [one.text for one in log.messages()] == [one.text for one in said]


def test_conversations_that_stand_newest_first_keep_their_own_order(log: ConversationLog) -> None:
    said = [
        FoundMessage(role, "", f"{role} {hour}", THEN + timedelta(hours=hour), thread=f"talk {hour}")
        for hour in (3, 2, 1)
        for role in ("user", "persona")
    ]
    in_log(log, log.paths.home, *said)
    assert [one.text for one in log.messages()] == [
        f"{role} {hour}" for hour in (1, 2, 3) for role in ("user", "persona")
    ]


def test_characters_that_cannot_be_decoded_are_counted(log: ConversationLog, tmp_path: Path) -> None:
    source = tmp_path / "WhatsApp Chat with Mei.txt"
    said = "Ann: 今日は海へ行った\nMei: いいね、きれいだった？\nAnn: とても\n".encode()
    source.write_bytes(
        said.replace("海".encode(), b"\xe6\xb5", 1).replace("いいね".encode(), b"\xe3\x81\xe3\x81\x84\xff")
    )
    report = take_over(log, source)
    assert report.added == 3
    lost = sum(one.text.count("\ufffd") for one in log.messages())
    assert lost > 1
    assert [(one.count, one.is_changed) for one in report.left_out if one.code == "engine.lost"] == [(lost, True)]


def test_several_conversations_are_told_apart(log: ConversationLog) -> None:
    said = [
        FoundMessage("user", "Ann", f"{thread}{number}", THEN + timedelta(hours=hour), thread=thread)
        for thread, hour in (("B", 5), ("A", 1))
        for number in range(2)
    ]
    in_log(log, log.paths.home, *said)
    told = log.tail(10, controls=True)
    assert [one.speaker if one.role == "system" else one.text for one in told] == [
        "new_topic",
        "A0",
        "A1",
        "new_topic",
        "B0",
        "B1",
    ]


def test_an_answer_with_others_before_it_is_known_by_the_first(log: ConversationLog) -> None:
    def swiped(at: int, text: str, *others: str) -> FoundMessage:
        return FoundMessage("persona", "Mei", text, THEN, answers=tuple(map(FoundAnswer, others)), at=at)

    in_log(log, log.paths.home, swiped(0, "one"))
    in_log(log, log.paths.home, swiped(1, "two", "one"))
    assert log.count() == 1


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
    assert report.added + report.already_there == 60
    assert log.count() == 60


def test_a_full_disk_is_told_and_nothing_is_lost(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("user", "Ann", "before")
    full = OSError(28, "No space left on device")

    def refuse(*_: object) -> int:
        raise full

    with closing(SourceImport(log.paths.home, transcript(tmp_path, 20), log._clock)) as work:
        work.read()
        with closing(History(log.paths, log._clock)) as history, monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            with pytest.raises(DiskFullError):
                work.carry_out(target_of(log, history))
    assert [one.text for one in log.messages()] == ["before"]
    assert take_over(log, transcript(tmp_path, 20)).added == 20


def bomb(folder: Path) -> Path:
    path = folder / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"0" * 50_000_000)
    return path


def nested(folder: Path) -> Path:
    path = folder / "deep.json"
    path.write_text('[{"mapping":' * 300_000, "utf-8")
    return path


def outside(folder: Path) -> Path:
    path = folder / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../conversations.json", "[]")
    return path


def noise(folder: Path) -> Path:
    path = folder / "noise.bin"
    path.write_bytes(random.Random(1).randbytes(200_000))  # any bytes
    return path


@pytest.mark.parametrize("make", [bomb, nested, outside, noise])
def test_traps_end_in_a_sentence_and_change_nothing(log: ConversationLog, tmp_path: Path, make: Any) -> None:
    (tmp_path / "traps").mkdir()
    source = make(tmp_path / "traps")
    for kind in (None, "chatgpt", "text", "card", "nexus-ark"):
        with suppress(ImportSourceError):  # anything else would be an error that nobody foresaw
            take_over(log, source, kind)
    assert list((tmp_path / "traps").iterdir()) == [source]
    assert not (tmp_path / "conversations.json").exists()


def test_a_reader_that_is_silent_or_unfolds_is_ended(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_reading, "SILENCE_SECONDS", 0.0)
    with pytest.raises(ImportSourceError, match="no progress"):
        take_over(log, transcript(tmp_path, 5))
    monkeypatch.setattr(import_reading, "SILENCE_SECONDS", 60.0)
    monkeypatch.setattr(import_reading, "MEMORY_BYTES", 1_000_000)
    with pytest.raises(ImportSourceError, match="unfolds"):
        take_over(log, transcript(tmp_path, 5))


def test_what_killed_imports_left_is_swept(
    log: ConversationLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
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


def test_wishes_reach_the_reader(log: ConversationLog, tmp_path: Path) -> None:
    source = tmp_path / "chat.txt"
    source.write_text("Rin: good evening\nAnn: hello there\nRin: how was your day?\nAnn: long\n" * 3, "utf-8")
    take_over(log, source, "text", ReadingWishes(roles={"Rin": "persona", "Ann": "user"}))
    assert {(one.role, one.speaker) for one in log.messages()} == {("persona", "Rin"), ("user", "Ann")}
    assert json.dumps([one.text for one in log.messages()][:2]) == '["good evening", "hello there"]'
