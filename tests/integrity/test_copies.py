"""Copies that sync tools leave are shown, and joined or put aside by a yes; nothing of either version is lost."""

import shutil
from pathlib import Path

import pytest

from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.integrity.conftest import NOW, Life
from tests.speeds import one_quick

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
