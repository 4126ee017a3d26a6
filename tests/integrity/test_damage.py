"""Damage, and copies that sync tools leave, are noticed, told with a way back, and mended by a yes as far as they can be."""

import json
import shutil
from pathlib import Path

import pytest
from dulwich.objects import Blob

from managers.integrity.repair import Mender
from managers.memory.log import ConversationLog
from managers.memory.log.lost import read_lost
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.integrity.conftest import NOW, Life
from tests.speeds import one_quick


def kinds(life: Life) -> list[str]:
    return [found.kind for found in life.examine()]


FILES = (
    "core_memory.txt", "goals.json", "log.txt", "log_archives/2026-09.txt", "entity_memory/もも.md",
    "episodic_memory/2026-08-28.json"
)  # fmt: skip
ENCODINGS = {"cp932": "Shift_JIS", "euc_jp": "EUC-JP"}


@pytest.mark.parametrize("name", one_quick(FILES, quick=3))
def test_another_encoding_is_told_and_converted_on_a_yes(life: Life, name: str) -> None:
    path, words = life.paths.folder / name, life.words()
    before, kept = path.read_bytes(), []
    for encoding, called in ENCODINGS.items():
        data = before.decode().encode(encoding)
        path.write_bytes(data)
        (found,) = life.examine()
        assert (found.kind, found.name) == ("other-encoding", name)
        assert called in found.sentence("en")
        assert path.read_bytes() == data
        life.mend()
        kept.append(data)
        assert path.read_bytes() == before
        aside = [one.read_bytes() for one in life.paths.set_aside.rglob("*") if one.is_file()]
        assert sorted(aside) == sorted(kept)
        assert life.examine() == []
        assert life.words() == words


@pytest.mark.parametrize("name", ["goals.json", "episodic_memory/2026-08-28.json"])
def test_a_broken_memory_gets_its_last_good_version_back(life: Life, name: str) -> None:
    path = life.paths.folder / name
    before = path.read_bytes()
    for damage in (b"{", b"\xff\xfe\x00", b"[[[", b"\x83\x81\x83"):
        path.write_bytes(damage)
        assert kinds(life) == ["broken"]
        life.mend()
        assert path.read_bytes() == before
        assert damage in [kept.read_bytes() for kept in life.paths.set_aside.rglob("*") if kept.is_file()]
        assert life.examine() == []


def put_aside(life: Life, name: str, data: bytes) -> Path:
    """Leave a file as the program leaves what it cannot read."""
    path = life.paths.folder / name
    path.unlink()
    kept = path.with_name(f"{path.name}.broken-20261120-120000")
    kept.write_bytes(data)
    return kept


def test_what_was_set_aside_in_another_encoding_returns_with_what_was_written_since(life: Life) -> None:
    was = life.paths.core_memory.read_text("utf-8")
    kept = put_aside(life, "core_memory.txt", was.encode("cp932"))
    life.paths.core_memory.write_text("あとから書いたこと\n", "utf-8")
    goals = json.loads(life.paths.goals.read_text("utf-8"))
    put_aside(life, "goals.json", json.dumps(goals, ensure_ascii=False).encode("euc_jp"))
    life.paths.goals.write_text(json.dumps({"short_term": [{"id": "sh_2", "goal": "新しい"}]}), "utf-8")
    assert kinds(life) == ["set-aside", "set-aside"]
    life.mend()
    assert life.paths.core_memory.read_text("utf-8") == was + "\nあとから書いたこと\n"
    ids = [goal["id"] for goal in json.loads(life.paths.goals.read_text("utf-8"))["short_term"]]
    assert ids == ["sh_2", "sh_1"]
    assert not kept.exists()
    assert life.examine() == []


def test_what_was_set_aside_and_is_beyond_reading_gives_way_to_the_history(life: Life) -> None:
    before = life.paths.goals.read_bytes()
    put_aside(life, "goals.json", b"{{{")
    assert kinds(life) == ["set-aside"]
    life.mend()
    assert life.paths.goals.read_bytes() == before
    assert life.examine() == []


def test_an_archive_that_is_gone_is_noticed_before_and_after_the_index_forgets_it(life: Life) -> None:
    life.index()
    archive = life.paths.log_archives / "2026-09.txt"
    whole = archive.read_bytes()
    archive.unlink()
    (found,) = life.examine()
    assert (found.kind, found.name, found.remedy) == ("lost", "log_archives/2026-09.txt", None)
    assert "30 message(s)" in found.sentence("en")
    life.index()
    life.index()
    assert [one.name for one in life.look()] == ["log_archives/2026-09.txt"]
    assert len(life.examine()) == 1
    archive.write_bytes(whole)
    assert life.look() == []
    assert life.examine() == []


@pytest.mark.parametrize("name", ["log.txt", "log_archives/2026-10.txt"])
def test_a_file_of_the_log_that_was_halved_is_noticed(life: Life, name: str) -> None:
    life.index()
    path = life.paths.folder / name
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"\n## ", len(data) // 2) + 1])
    (found,) = life.examine()
    assert (found.kind, found.name) == ("lost", name)  # as after a sync tool has put an older version back
    assert f"Put {name} back" in found.sentence("en")
    life.index()
    assert [one.kind for one in life.look()] == ["lost"]


def test_days_that_move_to_the_archives_and_what_was_deleted_or_edited_is_not_lost(life: Life) -> None:
    life.index()
    newest = life.log.tail(2)
    life.log.supersede(newest[0].id, None)
    life.log.supersede(newest[1].id, "別の言葉")
    life.index()
    life.clock.move(days=20)
    life.log.roll()
    life.index()
    assert life.look() == []
    assert life.examine() == []
    assert read_lost(life.paths).messages == {}


def test_whoever_took_days_away_on_purpose_is_told_once(life: Life) -> None:
    life.index()
    (life.paths.log_archives / "2026-08.txt").unlink()
    (life.paths.log_archives / "2026-09.txt").unlink()
    life.index()
    gone = life.examine()
    assert len(gone) == 2
    for trouble in gone:
        Mender(life.paths, life.clock, life.log, life.history).mend(trouble)
    assert life.look() == []
    assert life.examine() == []
    (life.paths.log_archives / "2026-10.txt").unlink()
    assert len(life.examine()) == 1


def test_a_damaged_part_of_the_history_is_told_and_healed_from_the_files(life: Life) -> None:
    content = life.paths.goals.read_bytes()
    blob = Blob.from_string(content).id.decode()
    path = life.paths.history / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"rubbish")
    life.history.close()
    (found,) = life.examine()
    assert found.kind == "history"
    life.history.maintain()  # at night
    assert [one.kind for one in life.look()] == ["history"]
    life.mend()
    assert life.look() == []
    assert life.examine() == []


NAMES = ("{} (A's conflicted copy 2026-11-20){}", "{}.sync-conflict-20261120-150405-ABCDEF7{}", "{} (1){}", "{}-PC-1{}")
MEMORIES = ("core_memory.txt", "goals.json", "entity_memory/もも.md", "episodic_memory/2026-08-28.json")


def test_a_whole_life_has_nothing_amiss(life: Life) -> None:
    life.index()
    assert life.look() == []
    assert life.examine() == []


def copy_of(life: Life, name: str, content: bytes, copy: Path) -> None:
    """The only thing amiss is a copy; a yes puts it aside."""
    (found,) = life.look()
    assert (found.kind, found.name, found.original) == ("copy", copy.relative_to(life.paths.folder).as_posix(), name)
    assert copy.name in found.sentence("ja")
    assert copy.name in found.sentence("en")
    life.mend()
    assert not copy.exists()
    (kept,) = life.paths.set_aside.rglob(copy.name)
    assert kept.read_bytes() == content
    assert (life.paths.folder / name).read_bytes() == content
    assert life.examine() == []


def test_a_copy_of_a_memory_is_shown_put_aside_and_comes_back_by_undo(life: Life) -> None:
    for number, name in enumerate(MEMORIES):
        for form in (NAMES[number % len(NAMES)], NAMES[(number + 1) % len(NAMES)]):
            original = life.paths.folder / name
            copy = Path(shutil.copy(original, original.with_name(form.format(original.stem, original.suffix))))
            copy_of(life, name, copy.read_bytes(), copy)
    life.history.undo(life.history.entries(1)[0].id, author="user")
    assert copy.exists()


@pytest.mark.parametrize("form", one_quick(NAMES))
def test_what_was_said_on_another_computer_comes_home(life: Life, form: str) -> None:
    folder = Path(shutil.copytree(life.paths.folder, life.paths.folder.with_name("other")))
    other = ConversationLog(PersonaPaths(folder), HandClock(NOW), life.log._rng)
    other.append("user", "花", "旅先から")
    life.clock.move(hours=1)
    life.log.append("user", "花", "家で")
    shutil.copy(other.paths.log, life.paths.folder / form.format("log", ".txt"))
    before = life.words()
    (found,) = life.look()
    assert (found.kind, found.original) == ("copy", "log.txt")
    life.mend()
    assert life.words() == [*before[:-1], "旅先から", "家で"]
    assert life.examine() == []


def test_a_copy_whose_original_is_gone_takes_its_place(life: Life) -> None:
    words = life.words()
    archive = min(life.paths.log_archives.glob("*.txt"))
    archive.rename(archive.with_name(NAMES[0].format(archive.stem, ".txt")))
    card = life.paths.entity_memory / "もも.md"
    card.rename(card.with_name(NAMES[1].format("もも", ".md")))
    assert [found.kind for found in life.look()] == ["orphan", "orphan"]
    assert life.words() == words
    life.mend()
    assert archive.exists()
    assert card.exists()
    assert life.words() == words
    assert life.examine() == []
