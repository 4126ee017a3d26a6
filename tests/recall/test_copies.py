"""What sync tools leave beside a memory is found by no search, and what stands in the log twice is found once."""

import json
import shutil

from managers.memory.entity_store import EntityStore
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.recall.conftest import Episode
from tests.recall.looking import Talk, assert_sound, contents

CARD = "# Entity Memory: {}\nCreated: 2026-01-01 12:00:00\n\n- one called so\n"
CONFLICT = "{} (Hana's conflicted copy 2026-02-03).{}"


def paths_in(recall: Recall) -> set[str]:
    recall.catch_up()
    assert_sound(recall)
    return {path for path, *_ in contents(recall)}


def test_copies_of_memories_are_not_indexed_and_what_only_looks_alike_is(
    recall: Recall, talk: Talk, paths: PersonaPaths, episode: Episode, clock: HandClock
) -> None:
    talk.past("The lighthouse keeper sings", 400)
    episode("2026-01-02", "We spoke of the sea")
    for folder in (paths.entity_memory, paths.knowledge, paths.memory):
        folder.mkdir(exist_ok=True)
    for name in ("Momo", "Anna", "Anna-Maria", "Anna 2"):
        (paths.entity_memory / f"{name}.md").write_text(CARD.format(name))
    (paths.knowledge / "guide.txt").write_text("How to sail")
    (paths.memory / "memory_main.txt").write_text("A quiet day")
    (paths.memory / "insights_archived_001.json").write_text(
        json.dumps([{"id": "in_1", "insight": "likes the sea", "created_at": "2026-01-03"}])
    )
    before = paths_in(recall)
    assert len(before) == 9
    for original in (paths.folder / name for name in before):
        shutil.copy(original, original.with_name(CONFLICT.format(original.stem, original.suffix[1:])))
        shutil.copy(original, original.with_name(f"{original.stem} (1){original.suffix}"))
        shutil.copy(original, original.with_name(f"{original.stem}-LAPTOP-1{original.suffix}"))
    assert paths_in(recall) == before
    paths.log_import_source.mkdir()
    source = paths.log_import_source / "old.txt"
    source.write_text("## USER:Sara\nthe canoe\n\n2020-01-02 (Thu) 22:00:00\n")
    shutil.copy(source, paths.log_import_source / CONFLICT.format("old", "txt"))
    assert len(recall.search_past_conversations("canoe")) == 1
    assert sorted(EntityStore(paths, clock).names()) == ["Anna", "Anna 2", "Anna-Maria", "Momo"]


def test_messages_that_stand_twice_are_indexed_once(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    def units() -> int:
        recall.catch_up()
        assert_sound(recall)
        return len(contents(recall))

    for days in (100, 70, 40):
        talk.past(f"Something {days} days ago", days)
    talk.user("And now")
    assert units() == 4
    months = sorted(paths.log_archives.glob("*.txt"))
    twice = paths.log_archives / "everything.txt"
    twice.write_bytes(b"".join(month.read_bytes() for month in months))
    assert units() == 4
    months[0].write_bytes(months[0].read_bytes() * 2)
    assert units() == 4
    paths.log.write_bytes(months[-1].read_bytes() + paths.log.read_bytes())
    assert units() == 4
    for month in months:
        month.unlink()
    assert units() == 4
    twice.unlink()
    assert units() == 2  # what `log.txt` holds
    paths.log.write_bytes(b"")
    assert units() == 0
