"""Files that are given away: text with placeholders, and nothing in which none can stand."""

import gzip
import json
import zipfile
from pathlib import Path

from managers.exchange.archives.making import ArchiveWishes
from managers.exchange.archives.manifest import MANIFEST
from managers.storage.paths import PersonaPaths
from tests.exchange.archives.lives import export

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
