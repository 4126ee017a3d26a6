"""Files in a persona's folder are of any size: none is read whole that is larger than a memory can be."""

import os
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.errors import AttachmentTooLargeError
from agent.events import Replied
from managers.memory.log import ConversationLog
from managers.storage.errors import FileTooLargeError
from managers.storage.files import MAX_BYTES
from managers.storage.paths import PersonaPaths
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import Scene
from tests.fakes import HandClock
from tests.small_life import NAME, make_life, open_life

SECONDARY = (
    "SystemPrompt.txt",
    "core_memory.txt",
    "notepad.txt",
    "goals.json",
    "memory/insights.json",
    "memory/memory_main.txt",
    "memory/open_questions.json",
    "memory/recall_log.jsonl",
    "entity_memory/Zebulon.md",
    "episodic_memory/2026-11-01.json",
    "knowledge/bridges.txt",
    "log_import_source/old.txt",
)


def blow_up(path: Path) -> None:
    """Let a file be of a size that nobody can read; it takes no room on the disk."""
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.truncate(path, 5 * MAX_BYTES)


def most_memory(work: Callable[[], object]) -> int:
    tracemalloc.start(1)
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_answer_comes_though_every_other_file_is_too_large(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_life(home)
    mind = ScriptedMind()
    mind.enqueue("Hello.", "It is by the harbour.")
    with closing(open_life(home)) as memories:
        companion = Companion(memories, Always(mind), memories.clock, Random(1))
        answers: list[str] = []

        def talk() -> None:
            events = list(companion.say("Do you remember where the mast is?").events())
            answers[:] = [event.message.text for event in events if isinstance(event, Replied)]
            companion.settle()

        talk()  # what the first turn loads is not what is measured
        for name in SECONDARY:
            blow_up(home / "characters" / NAME / name)
        assert most_memory(talk) < MAX_BYTES
        assert answers == ["It is by the harbour."]
        said = " ".join(notice.en for notice in memories.gather_notices())
        companion.close()
    for name in ("SystemPrompt.txt", "core_memory.txt", "notepad.txt"):
        assert f'{name}" is too large to be read (at most 64 MB)' in said


def test_a_log_that_goes_on_without_a_message_is_not_read_whole(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    log.append("user", "Aoi", "Hello.")
    blow_up(paths.log)

    def look() -> None:
        ways: list[Callable[[], object]] = [
            lambda: log.tail(3),
            lambda: list(log.messages()),
            lambda: log.append("user", "Aoi", "There?"),
        ]
        for way in ways:
            with pytest.raises(FileTooLargeError):
                way()

    assert most_memory(look) < 3 * MAX_BYTES
    assert paths.log.stat().st_size == 5 * MAX_BYTES


def test_an_attachment_that_has_grown_is_refused_before_anything_is_changed(scene: Scene, tmp_path: Path) -> None:
    poem = tmp_path / "poem.txt"
    poem.write_text("The moon is out.", "utf-8")
    scene.mind.enqueue("Lovely.")
    scene.live(scene.companion.say("Read this", attachments=[poem]))
    sent = scene.memories.log.tail(2)
    blow_up(scene.memories.paths.folder / sent[0].attachments[0])

    def ask() -> None:
        with pytest.raises(AttachmentTooLargeError):
            scene.companion.regenerate()
        with pytest.raises(AttachmentTooLargeError):
            scene.companion.edit(scene.last, "Read that", answer=True)

    assert most_memory(ask) < MAX_BYTES
    assert scene.memories.log.tail(2) == sent
