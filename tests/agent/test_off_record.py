"""What is said off the record is in no byte of the home folder, whatever the mind does with it."""

from pathlib import Path

import pytest

from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.mind import Cancel, ToolCall
from managers.storage.paths import Home
from tests.agent.conftest import Scene

SECRET = "Qwxzebra極秘"


def holding(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name for path in files if any(word.encode() in path.read_bytes() for word in (SECRET, "Qwxzebra"))}


def test_nothing_of_it_is_written(
    scene: Scene, own_home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sent = tmp_path / f"{SECRET}.txt"
    sent.write_text(f"the plan is {SECRET}", encoding="utf-8")
    scene.mind.enqueue(
        [
            ToolCall("1", "recall_memories", {"query": SECRET}),
            ToolCall("2", "append_to_notepad", {"text": SECRET}),
            ToolCall("3", SECRET, {SECRET: SECRET}),
        ],
        f"So it is {SECRET}.",
        [RuntimeError(f"what nobody foresaw: {SECRET}")],
    )
    for line in (f"My secret is {SECRET}.", f"Please remember {SECRET}.", f"{SECRET}のことを覚えておいて"):
        scene.live(scene.companion.say(line, attachments=[sent], off_record=True))
        scene.minds.mind = scene.mind
    scene.minds.mind = BuiltInMind()
    for line in (f"What did I tell you about {SECRET}?", f"please forget what I said about {SECRET}"):
        scene.live(scene.companion.say(line, off_record=True))
    scene.companion.new_topic()
    scene.live(scene.companion.say("Hello again."))
    scene.clock.move(hours=20)
    night = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    night.dream(Cancel())
    night.end_conversation()
    assert holding(own_home.folder) == set()
    assert "a turn off the record failed: RuntimeError" in caplog.text
    assert "Qwxzebra" not in caplog.text
