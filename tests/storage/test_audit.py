"""The audit: added to and never rewritten, without a word, whole after a crash, and telling of every hand that was laid on it."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage.audit import Flaw, Given, Recipient, events, flaws, months, record
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, full_disk, needs_signals

NOW = datetime(2026, 11, 21, 22, 0, 7)
CLOUD = Recipient("Gemini", "generativelanguage.googleapis.com", "gemini-flash-latest")
SAID = "20261121T220000-7k2m9qx4"


def lived(paths: PersonaPaths, count: int = 5, *, now: datetime = NOW) -> list[Path]:
    for number in range(count):
        record(paths, now, "model_call", Given({"hits": number}, ids=(SAID,)), to=CLOUD, at_once=True)
    return months(paths)


def test_an_event_comes_back_as_it_was_told(paths: PersonaPaths) -> None:
    given = Given({"messages": 12, "hits": 0}, ids=(SAID, SAID), days=("2026-11-21", "2026-11-20"), is_masked=True)
    record(paths, NOW, "model_call", given, to=CLOUD, purpose="talk")
    record(paths, NOW, "export", Given({"files": 40}))
    export, call = events(paths)
    assert (call.kind, call.to, call.purpose, call.time) == ("model_call", CLOUD, "talk", NOW)
    assert call.given == Given({"messages": 12}, (SAID,), ("2026-11-20", "2026-11-21"), is_masked=True)
    assert (export.kind, export.to.is_here, export.given.is_masked) == ("export", True, None)
    assert export.id != call.id
    assert flaws(paths) == []


def test_ids_that_were_made_elsewhere_are_only_counted(paths: PersonaPaths) -> None:
    record(paths, NOW, "model_call", Given(ids=("my diary, p. 3", SAID)), to=CLOUD)
    (event,) = events(paths)
    assert (event.given.ids, event.more_ids) == ((SAID,), 1)
    assert b"diary" not in months(paths)[0].read_bytes()


def test_each_month_has_a_file_that_goes_on_from_the_last(paths: PersonaPaths) -> None:
    lived(paths, 4)
    (first,) = lived(paths, 1, now=datetime(2025, 1, 1))  # a clock that is set back begins no file
    before = first.read_bytes()
    lived(paths, 2, now=datetime(2027, 2, 1))
    assert [path.name for path in months(paths)] == ["audit_2026-11.jsonl", "audit_2027-02.jsonl"]
    assert first.read_bytes() == before
    assert flaws(paths) == []
    first.unlink()
    assert flaws(paths) == [Flaw("audit_2027-02.jsonl", 1)]


def test_a_line_that_was_changed_by_hand_or_taken_out_is_named(paths: PersonaPaths) -> None:
    (path,) = lived(paths)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        before, after = lines[: number - 1], lines[number:]
        path.write_text("".join([*before, line.replace("Gemini", "gemini", 1), *after]), "utf-8")
        assert flaws(paths) == [Flaw(path.name, number)]
        path.write_text("".join([*before, *after]), "utf-8")
        assert flaws(paths) == [Flaw(path.name, number if after else 0)]


def test_a_line_that_was_put_in_and_one_that_is_no_json_are_named(paths: PersonaPaths) -> None:
    (path,) = lived(paths, 2)
    first, second = path.read_text("utf-8").splitlines()
    forged = json.dumps(json.loads(first) | {"kind": "export"})
    path.write_text(f"{first}\n{forged}\n{second}\nthis is no line\n", "utf-8")
    assert {flaw.line for flaw in flaws(paths)} == {2, 4}
    assert len(list(events(paths))) == 3
    lived(paths, 1)
    assert {flaw.line for flaw in flaws(paths)} == {2, 4}


def test_a_torn_last_line_is_no_flaw_and_the_next_one_tells_of_it(paths: PersonaPaths) -> None:
    (path,) = lived(paths, 2)
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for torn in (1, len(last) // 2, len(last) - 1):
        path.write_bytes(whole + last[:torn])
        assert flaws(paths) == []
        record(paths, NOW, "undo", at_once=True)
        assert json.loads(path.read_bytes().splitlines()[-1])["torn"] == torn
        assert flaws(paths) == []
        assert len(list(events(paths))) == 3
        path.write_bytes(whole)
        (paths.memory / ".audit_end").write_text(json.loads(last)["hash"])


def _record_twice(folder: Path) -> None:
    paths = PersonaPaths(folder)
    for count in (1, 2):
        record(paths, NOW, "export", Given({"files": count}), at_once=True)


@needs_signals
def test_wherever_a_process_dies_the_audit_is_whole(tmp_path: Path, kill: Kill) -> None:
    def fresh() -> tuple[Path]:
        folder = tmp_path / f"home{len(list(tmp_path.iterdir()))}" / "characters" / "Nemu"
        folder.mkdir(parents=True)
        return (folder,)

    for death in kill(_record_twice, fresh):
        paths = PersonaPaths(death.given[0])
        assert flaws(paths) == [], death
        before = len(list(events(paths)))
        record(paths, NOW, "undo", at_once=True)
        assert flaws(paths) == [], death
        assert len(list(events(paths))) == before + 1
        assert death.when or before == 2


def test_threads_that_write_at_once_make_one_chain(paths: PersonaPaths) -> None:
    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(lambda _: lived(paths, 10), range(4))]
    assert len(list(events(paths))) == 40
    assert flaws(paths) == []


def test_what_was_not_written_is_told_by_the_next_line(paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(paths, 1)
    with full_disk(monkeypatch, room=0):
        record(paths, NOW, "undo")
    lived(paths, 1)
    assert [event.missed for event in events(paths)] == [1, 0]
    lived(paths, 1)
    assert next(events(paths)).missed == 0


def test_a_line_is_short_whatever_is_given(paths: PersonaPaths) -> None:
    many = tuple(f"20261121T22{number // 60:02d}{number % 60:02d}-7k2m9qx4" for number in range(3000))
    record(paths, NOW, "model_call", Given(ids=many), to=Recipient("x" * 5000, "h\x1b\n" * 900, "m" * 5000))
    (line,) = months(paths)[0].read_bytes().splitlines()
    assert len(line) < 8000
    assert not re.search(rb"[\x00-\x1f]", line)
    (event,) = events(paths)
    assert (len(event.given.ids), event.more_ids) == (100, 2900)
    shutil.rmtree(paths.folder)
    record(paths, NOW, "model_call", to=CLOUD)
    assert not paths.folder.exists(), "a persona that is gone is not brought back"
