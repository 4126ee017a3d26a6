"""Conversations from elsewhere: each message back out of the log as it was in the file."""

import json
import threading
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from managers.exchange import import_engine
from managers.exchange.errors import ImportSourceError
from managers.exchange.import_words import told_of
from managers.exchange.items import NotTaken
from managers.memory.log import ConversationLog, log_archive
from managers.storage import locks
from managers.storage.paths import PersonaPaths
from tests.exchange.importing import HereReading, take_over
from tests.fakes import HandClock
from tests.speeds import one_quick

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NOW = datetime(2026, 11, 21, 12, 0, 0)


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)


def numbers_of(left: Sequence[NotTaken]) -> list[int]:
    return [int(one.place.rpartition(":")[2]) for one in left]


def line(message_id: str, text: str, time: str = "2026-05-01T10:00:00", **other: Any) -> str:
    entry = {"id": message_id, "time": time, "role": "user", "speaker": "Ann", "text": text, **other}
    return json.dumps(entry, ensure_ascii=False)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("name", one_quick(["realpersonachat-ad-ey", "locomo-1"]))
def test_real_conversations_come_back_message_by_message(log: ConversationLog, name: str) -> None:
    source = DATA / f"{name}.transcript.jsonl"
    if not source.exists():
        pytest.skip(f"the conversation {source.name} is not on this machine (expected at {source})")
    entries = [json.loads(raw) for raw in source.read_bytes().split(b"\n") if raw]
    report = take_over(log, source)
    assert (report.added, report.already_there, report.left_out) == (len(entries), 0, ())
    reader = ConversationLog(log.paths, HandClock(NOW), Random(1))
    kept = [(m.id, m.time.isoformat(), m.role, m.speaker, m.text) for m in reader.messages()]
    assert kept == [tuple(entry[key] for key in ("id", "time", "role", "speaker", "text")) for entry in entries]
    assert report.kept[0].read_bytes() == source.read_bytes()
    assert reader.count() == len(entries)
    assert not log.paths.log.exists()  # all of it is older than the days that log.txt holds


def test_bad_lines_are_named_and_cost_no_good_one(log: ConversationLog, tmp_path: Path) -> None:
    source = write(
        tmp_path,
        line("a", "one"),
        "{not json",
        '["no object"]',
        line("", "no id"),
        line("b", "no day", time="yesterday"),
        line("c", "nobody", role="narrator"),
        "",
        line("d", "no name", speaker=7),
        '{"id": "e", "time": "2026-05-01T10:00:00", "role": "user", "speaker": "Ann"}',
        line("f", "\ud800 half").replace("\ud800", "\\ud800"),
        line("g", "two"),
    )
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


def test_a_file_that_is_no_transcript_changes_nothing(log: ConversationLog, tmp_path: Path) -> None:
    picture = tmp_path / "cat.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    for source in (picture, write(tmp_path), tmp_path / "missing.jsonl"):
        for kind in ("transcript", None):
            with pytest.raises(ImportSourceError):
                take_over(log, source, kind)  # type: ignore[arg-type]  # one of the kinds
    assert not log.paths.log_import_source.exists()
    assert log.count() == 0


def test_whoever_talks_meanwhile_need_not_wait_for_the_end(
    log: ConversationLog, paths: PersonaPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_LONG_SECONDS", 0.0)  # every file takes long
    months = [f"2025-{month:02d}-01T10:00:00" for month in range(1, 13)]
    source = write(tmp_path, *(line(f"a{number}", "昔の話", time) for number, time in enumerate(months)))
    begun, said = threading.Event(), threading.Event()
    insert = log_archive.insert

    def slowly(path: Path, messages: Sequence[log_archive.Placed]) -> None:
        begun.set()
        if path.name == "2025-12.txt":
            said.wait()  # for ever, where nobody can speak before the import is over
        insert(path, messages)

    def speak() -> None:
        begun.wait()
        ConversationLog(paths, HandClock(), Random(2)).append("user", "Ann", "いまの話")
        said.set()

    monkeypatch.setattr(log_archive, "insert", slowly)
    speaking = threading.Thread(target=speak, daemon=True)
    speaking.start()
    assert take_over(log, source).added == len(months)
    speaking.join()
    assert log.tail(1)[0].text == "いまの話"
    assert log.count() == len(months) + 1
