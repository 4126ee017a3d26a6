"""An archive of a persona: of one moment, while others go on writing; and masked, to be given away."""

import gzip
import json
import os
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.archives import writing as archive_writing
from managers.exchange.archives.making import ArchiveWishes
from managers.exchange.archives.manifest import MANIFEST, ArchivedFile
from managers.exchange.archives.snapshot import HeldFile
from managers.storage.errors import ExportExistsError
from managers.storage.files import append_durably, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.exchange.archives.lives import export


@pytest.fixture
def persona(paths: PersonaPaths) -> PersonaPaths:
    paths.log.write_text("はじめの言葉\n", "utf-8")
    paths.core_memory.write_text("まえの記憶", "utf-8")
    paths.attachments.mkdir()
    (paths.attachments / "空 の絵.png").write_bytes(os.urandom(3_000_000))
    paths.rag_index.mkdir()
    (paths.rag_index / "derived").write_bytes(b"x")
    return paths


def contents(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return {one.filename: archive.read(one) for one in archive.infolist() if one.filename != MANIFEST}


def test_all_files_are_in_it_but_what_is_derived(persona: PersonaPaths, tmp_path: Path) -> None:
    odd = "a\udc83\udcff.txt" if sys.platform == "linux" else "a.txt"  # other systems have no names that are no text
    (persona.attachments / odd).write_bytes(b"x")
    file = tmp_path / "out.zip"
    assert export(persona, file).count == 6
    found = {name.partition("/")[2]: data for name, data in contents(file).items()}
    said = {"log.txt", "core_memory.txt", "attachments/空 の絵.png", "memory/audit_2026-11.jsonl", "memory/.audit_end"}
    assert set(found) - said == {f"attachments/{odd}".replace("\udc83\udcff", "%83%FF")}
    assert found["attachments/空 の絵.png"] == (persona.attachments / "空 の絵.png").read_bytes()
    with pytest.raises(ExportExistsError):
        export(persona, file)


def test_an_export_that_fails_leaves_nothing_behind(
    persona: PersonaPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(archive_writing, "_add", fail)
    (tmp_path / "there").mkdir()
    with pytest.raises(RuntimeError):
        export(persona, tmp_path / "there" / "out.zip")
    assert list((tmp_path / "there").iterdir()) == []


def test_whoever_writes_meanwhile_need_not_wait_and_does_not_get_into_it(
    persona: PersonaPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, written = threading.Event(), threading.Event()
    add = archive_writing._add

    def slowly(archive: zipfile.ZipFile, entry: str, held: HeldFile, *rest: Any) -> ArchivedFile | None:
        begun.set()
        written.wait()  # for ever, where nobody can write before the export is over
        return add(archive, entry, held, *rest)

    def write() -> None:
        begun.wait()
        with writing(persona):
            append_durably(persona.log, "あとの言葉\n".encode())
            write_atomic(persona.core_memory, "あとの記憶")
        written.set()

    monkeypatch.setattr(archive_writing, "_add", slowly)
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    export(persona, tmp_path / "out.zip")
    writer.join()
    found = contents(tmp_path / "out.zip")
    assert found[f"{persona.name}/log.txt"].decode() == "はじめの言葉\n"
    assert found[f"{persona.name}/core_memory.txt"].decode() == "まえの記憶"
    assert "あとの言葉" in persona.log.read_text("utf-8")


@pytest.mark.parametrize("links", [True, False], ids=["with second names", "on a disk without them"])
def test_nothing_is_left_in_the_folder(
    persona: PersonaPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(1, "no such thing as a second name")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    leftover = persona.folder / ".export.utatane-tmp"
    leftover.mkdir()
    (leftover / "0").write_bytes(b"of an export that was killed")
    assert export(persona, tmp_path / "out.zip").count == 5
    assert not leftover.exists()
    assert [name for name in contents(tmp_path / "out.zip") if "export" in name] == []


MAIL, TELEPHONE = "hana@example.jp", "090-1234-5678"


def test_an_export_has_the_same_placeholder_everywhere_and_stays_readable(paths: PersonaPaths, tmp_path: Path) -> None:
    paths.log.write_text(f"## USER:花\n{MAIL}に送って\n\n2026-11-20 (Fri) 20:00:00 | | m1\n", "utf-8")
    paths.core_memory.write_text(f"花のメールは{MAIL}", "utf-8")
    paths.memory.mkdir()
    goals = {"id": "g1", "size": 4111111111111111, "goal": f"{TELEPHONE}にかける"}
    paths.goals.write_text(json.dumps(goals), "utf-8")
    (paths.memory / "recall_log.jsonl").write_text(
        json.dumps({"query": f"{MAIL}\u2028or not"}, ensure_ascii=False) + "\n" + json.dumps({"k": 1}) + "\n", "utf-8"
    )
    (paths.memory / "archive_2026.json.gz").write_bytes(gzip.compress(json.dumps([MAIL]).encode()))
    (paths.folder / "avatar.png").write_bytes(b"\x89PNG")
    (paths.folder / ".history").mkdir()
    (paths.folder / ".history" / "note.txt").write_text(MAIL, "utf-8")
    paths.attachments.mkdir()
    (paths.attachments / "photo.png").write_bytes(b"\x89PNG")
    (paths.memory / "odd.txt").write_bytes(MAIL.encode("utf-16"))
    (paths.memory / "broken.json").write_text("{" + MAIL, "utf-8")
    made = export(paths, tmp_path / "out.zip", ArchiveWishes(is_masked=True))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist() if name != MANIFEST}
    assert made.count == len(found)
    assert {Path(name).name for name in made.left_out} >= {"note.txt", "photo.png", "odd.txt", "broken.json"}
    assert "[REDACTED_EMAIL]に送って\n\n2026-11-20 (Fri) 20:00:00 | | m1" in found["log.txt"].decode()
    assert found["core_memory.txt"].decode() == "花のメールは[REDACTED_EMAIL]"
    assert json.loads(found["goals.json"]) == {**goals, "goal": "[REDACTED_PHONE]にかける"}
    [line, _] = found["memory/recall_log.jsonl"].splitlines()
    assert json.loads(line) == {"query": "[REDACTED_EMAIL]\u2028or not"}
    assert json.loads(gzip.decompress(found["memory/archive_2026.json.gz"])) == ["[REDACTED_EMAIL]"]


def test_a_file_whose_name_is_private_stays_behind_and_is_named(paths: PersonaPaths, tmp_path: Path) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / f"{MAIL}.txt").write_text("x", "utf-8")
    (paths.knowledge / "2026-11-20 notes.txt").write_text("x", "utf-8")
    (paths.folder / "own" / MAIL).mkdir(parents=True)
    made = export(paths, tmp_path / "out.zip", ArchiveWishes(is_masked=True))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        names = archive.namelist()
        assert MAIL.encode() not in archive.read(MANIFEST)
    assert [name for name in names if MAIL in name] == []
    assert f"{paths.name}/knowledge/2026-11-20 notes.txt" in names
    assert f"knowledge/{MAIL}.txt" in made.left_out
