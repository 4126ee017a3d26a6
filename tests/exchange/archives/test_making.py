"""An archive of a persona: of one moment, while others go on writing."""

import os
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.archives import writing as archive_writing
from managers.exchange.archives.manifest import MANIFEST, ArchivedFile
from managers.exchange.archives.snapshot import HeldFile
from managers.storage.errors import ExportExistsError, MovedAwayError
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


def test_a_persona_that_is_renamed_meanwhile_is_told_of_and_leaves_no_half_file(
    persona: PersonaPaths, tmp_path: Path
) -> None:
    moved = persona.folder.with_name("another name")

    def rename(_share: float) -> None:
        if not moved.exists():
            persona.folder.rename(moved)

    file = tmp_path / "out.zip"
    with pytest.raises(MovedAwayError, match="renamed or moved"):
        export(persona, file, progress=rename)
    assert [one.name for one in file.parent.iterdir() if "out.zip" in one.name] == []
    assert not persona.folder.exists()
    with pytest.raises(MovedAwayError):
        export(persona, file)
    assert not persona.folder.exists()
    assert export(PersonaPaths(moved), file).count == 5
