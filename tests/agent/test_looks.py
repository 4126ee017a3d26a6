"""What a turn asks of the disk: as little with thousands of memory files as with a few, and no edit is missed."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.storage import watching
from managers.storage.paths import PersonaPaths
from tests.agent.conftest import Scene

LONG_AGO = (1e9, 1e9)


class _Entry:
    """An entry of a folder that counts looks at it."""

    def __init__(self, entry: os.DirEntry[str], count: Callable[[str], None]) -> None:
        self._entry, self._count = entry, count

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        self._count("stat of an entry")
        return self._entry.stat(follow_symlinks=follow_symlinks)

    def __getattr__(self, name: str) -> Any:  # whatever an entry has
        return getattr(self._entry, name)


@contextmanager
def counted(patch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count what is asked of the disk, but for what the watching thread asks."""
    asked: Counter[str] = Counter()

    def count(what: str) -> None:
        if threading.current_thread().name != "watching":
            asked[what] += 1

    def counting(name: str) -> Callable[..., Any]:
        known = getattr(os, name)

        def ask(*arguments: Any, **named: Any) -> Any:  # whatever it takes and gives
            count(name)
            return known(*arguments, **named)

        return ask

    scandir = os.scandir

    @contextmanager
    def scan(folder: str) -> Iterator[Iterator[_Entry]]:
        count("scandir")
        with scandir(folder) as found:
            yield (_Entry(entry, count) for entry in found)

    with patch.context() as context:
        for name in ("stat", "lstat", "open", "listdir"):
            context.setattr(os, name, counting(name))
        context.setattr(os, "scandir", scan)
        yield asked


def remember(paths: PersonaPaths, people: range, days: range) -> None:
    """Write what a persona knows, as it lay there long ago."""
    for folder in (paths.entity_memory, paths.episodic_memory):
        folder.mkdir(exist_ok=True)
    for number in people:
        fact = Fact(f"keeps goat {number}", (f"m{number}",), "built-in", since="2018-01-01")
        entity = Entity(f"Herder {number}", "person", "2018-01-01 03:00:00", mind="built-in", lines=(fact,))
        (paths.entity_memory / f"{entity.name}.md").write_text(format_entity(entity), "utf-8")
    for number in days:
        episode = Episode.model_validate({"date": f"{2000 + number // 300}-01-01", "summary": f"Goat {number}."})
        path = paths.episodic_memory / f"{2000 + number // 300}-{1 + number % 300 // 25:02}-{1 + number % 25:02}.json"
        path.write_bytes(episode.dump())
    age(paths)


def age(paths: PersonaPaths) -> None:
    for folder in (paths.entity_memory, paths.episodic_memory, paths.memory, paths.log_archives, paths.knowledge):
        if folder.is_dir():
            os.utime(folder, LONG_AGO)


def asked_in_a_turn(scene: Scene, patch: pytest.MonkeyPatch) -> Counter[str]:
    """Return what a turn asks of the disk, with what is done after it; another one has gone before."""
    for _ in range(2):
        scene.mind.enqueue("Mm.")
        age(scene.memories.paths)
        with counted(patch) as asked:
            scene.live(scene.companion.say("Where do I live, and what did Oleander say of the lighthouse?"))
    return asked


def test_a_turn_asks_the_disk_no_more_with_hundreds_of_files(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(scene.memories.paths, range(5), range(5))
    scene.memories.recall.catch_up()
    few = asked_in_a_turn(scene, monkeypatch)
    remember(scene.memories.paths, range(400), range(400))
    scene.memories.recall.catch_up()
    many = asked_in_a_turn(scene, monkeypatch)
    assert many["stat of an entry"] <= few["stat of an entry"] + 5
    assert (
        many.total() < few.total() + 100
    )  # which connection to the index a thread still has differs from turn to turn


def test_the_next_turn_knows_what_an_editor_wrote_into_a_file(scene: Scene) -> None:
    paths = scene.memories.paths
    remember(paths, range(3), range(0))
    scene.memories.recall.catch_up()
    assert scene.memories.entities.find("Herder 1") is not None
    file = paths.entity_memory / "Herder 1.md"
    file.write_text(file.read_text("utf-8").replace("goat 1", "the quokka Oleander"), "utf-8")
    age(paths)  # a folder's time tells nothing of it
    watching.look_at_all()  # as the thread does every few seconds
    scene.mind.enqueue("Mm.")
    scene.live(scene.companion.say("Do you remember who keeps the quokka Oleander?"))
    assert "quokka Oleander" in str(scene.mind.requests[-1])
