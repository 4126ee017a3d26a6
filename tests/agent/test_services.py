"""What holds together in the program: settings are followed, whoever talks waits for no work, uploads lie as they stood."""

import os
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from agent.import_jobs import lay
from agent.services import Services
from managers.mind import Cancel
from managers.sleep.report import DreamReport
from managers.storage import watching
from tests.agent.conftest import NEMU, Scene, Waits


def test_memories_follow_a_changed_setting_without_a_restart(services: Services) -> None:
    memories = services.companion(NEMU).memories
    assert memories.log.log_days == 7
    services.settings_file.change("conversation", log_days=3)
    services.personas.set_settings(NEMU, "recall", neighbour_share=0.25)
    memories.settings()
    assert memories.log.log_days == 3
    assert memories.recall._ranker.ways.neighbour_share == 0.25


def test_one_can_talk_while_the_index_is_made_anew_and_while_it_dreams(services: Services) -> None:
    services.settings_file.change("mind", provider="builtin")
    memories, reports = services.companion(NEMU).memories, list[DreamReport]()
    for day in range(1, 4):
        time = services.clock.now() - timedelta(days=day)
        for number in range(6):
            text = f"{day}日前の海の話、その{number}。"
            memories.log.append("persona" if number % 2 else "user", "花", text, time=time)
    memories.recall.catch_up()

    def dream(progress: Callable[[int, int], None]) -> None:
        reports.append(services.sleeper(NEMU).dream(Cancel(), catch_up=True, progress=progress))

    works: list[Callable[[Callable[[int, int], None]], object]] = [memories.recall.rebuild, dream]
    for work in works:
        waits = Waits("")
        working = threading.Thread(target=work, args=[lambda _done, _total, waits=waits: waits(None)])
        working.start()
        waits.reached.wait()
        companion = services.companion(NEMU)
        assert list(companion.say("いま、聞こえる?").events())
        said, answered = [message.text for message in memories.log.tail(2)]
        waits.go_on.set()
        working.join()
        companion.settle()
        assert said == "いま、聞こえる?"
        assert answered
    assert memories.recall.search("海の話", 3)
    assert reports[0].changes


def test_the_next_turn_knows_what_an_editor_wrote_into_a_file_though_its_folder_looks_the_same(scene: Scene) -> None:
    entities, folder = scene.memories.entities, scene.memories.paths.entity_memory
    entities.note("Herder", "keeps a goat", author="dream", mind="built-in", evidence=["m1"])
    scene.memories.recall.catch_up()
    assert entities.find("Herder") is not None
    before = folder.stat()
    file = folder / "Herder.md"
    file.write_text(file.read_text("utf-8").replace("a goat", "the quokka Oleander"), "utf-8")
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    watching.look_at_all()  # as the thread does every few seconds
    scene.talk("Do you remember who keeps the quokka Oleander?", "Mm.")
    assert "quokka Oleander" in str(scene.asked)


def test_files_whose_names_are_the_same_on_the_disk_are_all_kept(tmp_path: Path) -> None:
    names = ["room/a?.txt", "room/a*.txt", "room/a_.txt", "room/b/a_.txt"]
    laid = lay(tmp_path, [(name, lambda path, name=name: path.write_text(name, "utf-8")) for name in names])  # type: ignore[misc]  # a default binds it
    assert laid == tmp_path / "room"
    found = {path.relative_to(laid).as_posix(): path.read_text("utf-8") for path in laid.rglob("*.txt")}
    assert sorted(found.values()) == sorted(names)
    assert {"a_.txt", "a_ 2.txt", "a_ 3.txt", "b/a_.txt"} == set(found)
