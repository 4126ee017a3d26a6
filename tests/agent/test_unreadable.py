"""A file that cannot be read stops no reply: it is waited for a moment, then gone without, and named."""

import errno
import json
import os
import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agent.companion import Companion
from agent.events import Failed, Noticed, Replied
from agent.memories import Memories
from agent.services import open_services
from managers.personas import Persona
from managers.storage import retrying
from managers.storage.errors import Notice, UnreadableError
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import Scene
from tests.fakes import HandClock
from tests.ordinary import closed_to_all
from tests.small_life import NAME, NOW, make_life, open_life

SECONDARY = (
    "SystemPrompt.txt",
    "persona.json",
    "core_memory.txt",
    "notepad.txt",
    "goals.json",
    "memory/insights.json",
    "memory/internal_state.json",
    "memory/emotion_log.json",
    "memory/open_questions.json",
    "memory/recall_log.jsonl",
    "episodic_memory",
    "episodic_memory/2026-11-01.json",
    "entity_memory",
    "entity_memory/Zebulon.md",
    "knowledge",
    "knowledge/bridges.txt",
    "log_archives/2026-10.txt",
    "log_archives/2026-11.txt",
    ".history",
    ".history/pending",
    "rag_index",
    "rag_index/current_log_index/index.sqlite",
)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has been talked in, so that there is everything a turn reads."""
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    folder = home / "characters" / NAME
    (folder / "core_memory.txt").write_text("Zebulon has a green boat.\n", "utf-8")
    (folder / "goals.json").write_text(json.dumps({"short_term": [{"id": "s", "goal": "sail"}]}), "utf-8")
    insight = {"id": "i", "insight": "x", "strategy": "Be kind.", "date": "2026-11-01"}
    (folder / "memory" / "insights.json").write_text(json.dumps([insight]), "utf-8")
    (folder / "memory" / "open_questions.json").write_text("[]", "utf-8")
    with closing(open_life(home)) as memories:
        talk(memories)
    return home


@pytest.fixture
def home(life: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(life, tmp_path / "home"))


def talk(memories: Memories) -> tuple[list[str], list[Notice]]:
    """Live a turn with all that comes before and after it; return what was answered, and what a person is told."""
    clock = HandClock(NOW + timedelta(minutes=1))
    with closing(Companion(memories, Always(ScriptedMind("By the window.")), clock, Random(2))) as companion:
        companion.wake()
        events = list(companion.say("Do you remember what Zebulon sails in the harbour?").events())
        companion.settle()
        told = [event.notice for event in events if isinstance(event, Noticed)]
        told += memories.gather_notices()
        assert not [event for event in events if isinstance(event, Failed)]
        return [event.message.text for event in events if isinstance(event, Replied)], told


@pytest.mark.parametrize("name", SECONDARY)
def test_an_answer_comes_though_a_file_cannot_be_read(home: Path, name: str) -> None:
    path = home / "characters" / NAME / name
    with closed_to_all(path), closing(open_life(home)) as memories:
        replied, told = talk(memories)
    assert replied == ["By the window."]
    named = "rag_index" if "rag_index" in name else path.name
    assert any(named in notice.en and named in notice.ja for notice in told), told
    assert not any("unforeseen" in notice.en for notice in told)


def test_an_archive_that_nobody_has_indexed_stops_no_answer_either(home: Path) -> None:
    folder = home / "characters" / NAME
    shutil.rmtree(folder / "log_archives" / ".index")
    with closed_to_all(folder / "log_archives" / "2026-11.txt"), closing(open_life(home)) as memories:
        assert talk(memories)[0] == ["By the window."]
        assert "log-unreadable" in {notice.code for notice in memories.gather_notices()}


def test_what_is_deleted_in_an_archive_that_cannot_be_read_does_not_come_back(home: Path) -> None:
    archive = home / "characters" / NAME / "log_archives" / "2026-11.txt"
    with closing(open_life(home)) as memories:
        old = next(memories.log.messages())
        memories.log.supersede(old.id, None)
        memories.clock.move(days=40)  # type: ignore[attr-defined]  # a clock moved by hand
        memories.log.roll()
        assert old.id in archive.read_text("utf-8")
        with closed_to_all(archive):
            assert old.id not in {message.id for message in memories.log.tail(1_000)}


def test_what_can_be_read_again_is_used_again_and_no_notice_stays(home: Path) -> None:
    folder = home / "characters" / NAME
    closed = [folder / name for name in ("core_memory.txt", "log_archives/2026-11.txt", "goals.json")]
    with closing(open_life(home)) as memories:
        with closed_to_all(*closed):
            talk(memories)
            memories.recall.catch_up()
        memories.notices._notices.clear()
        memories.recall.catch_up()
        assert len(memories.log.tail(60)) == 60
        assert any("green boat" in hit.text for hit in memories.recall.search("green boat"))
        assert not [one.en for one in memories.gather_notices() if "cannot be read" in one.en]


@pytest.mark.parametrize("name", ["log.txt", "memory/internal_state.json", "memory/recall_log.jsonl", ".persona-id"])
def test_a_file_that_is_held_for_a_moment_leaves_no_trace(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    scene.mind.enqueue("The first answer.", "The second answer.")
    scene.live(scene.companion.say("Do you remember my red scarf?"))
    file = scene.memories.paths.folder / name
    if name == ".persona-id":
        file.touch()  # else it is not read again
    denied = deny_once(monkeypatch, file)
    events = scene.live(scene.companion.say("Do you remember my scarf?"))
    assert denied
    assert [event.message.text for event in events if isinstance(event, Replied)] == ["The second answer."]
    assert not [event for event in events if isinstance(event, Noticed)]
    assert not [one.en for one in scene.memories.gather_notices() if "cannot be" in one.en]


def deny_once(patch: pytest.MonkeyPatch, wanted: Path) -> list[str]:
    """Let the next opening of a file fail; return what was denied."""
    patch.setattr(retrying, "_in_vain", {})
    denied: list[str] = []
    real = os.open

    def opened(path: Any, *rest: Any, **named: Any) -> int:
        if path == os.fspath(wanted) and not denied:
            denied.append(path)
            raise PermissionError(errno.EACCES, "held by a scanner", path)
        return real(path, *rest, **named)

    patch.setattr(os, "open", opened)
    return denied


def test_a_room_goes_without_what_cannot_be_read(scene: Scene) -> None:
    def broken() -> list[str]:
        raise UnreadableError(path="held_writes.json", cause="held")

    assert scene.memories.spare("held", broken, list[str]()) == []
    assert "held_writes.json" in " ".join(notice.en for notice in scene.memories.gather_notices())
    assert scene.memories.spare("held", lambda: ["one"], list[str]()) == ["one"]
    assert "held_writes.json" not in " ".join(notice.en for notice in scene.memories.gather_notices())


def test_the_settings_that_were_read_last_hold_on(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[user]\nname = "Emma"\n', "utf-8")
    known, fresh = SettingsFile(path), SettingsFile(path)
    known.load()
    with closed_to_all(path):
        settings, notices = known.load()
        assert settings.user.name == "Emma"
        assert [notice.code for notice in notices] == ["settings-unreadable"]
        assert [notice.code for notice in fresh.load()[1]] == ["settings-unreadable"]
        with pytest.raises(UnreadableError):  # there may be caps on what models may cost
            fresh.load_known()
    assert known.load()[1] == []


def test_one_that_cannot_be_opened_keeps_no_other_from_dreaming(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_services(Home(home))) as services:
        real = services.personas.get

        def get(name: str) -> Persona:
            if name == NAME:
                raise UnreadableError(path="persona.json", cause="held")
            return real(name)

        monkeypatch.setattr(services.personas, "get", get)
        assert sorted(sleeper.name for sleeper in services.sleep._sleepers()) == ["Hazel", "ねむ"]
        assert "sleep-without" in {notice.code for notice in services.notices.all}


@pytest.mark.parametrize("name", ["settings.toml", ".samples.json"])
def test_the_program_starts_without_what_cannot_be_read(home: Path, name: str) -> None:
    with closing(open_services(Home(home))) as services:
        services.settings_file.change("user", name="Emma")
    with closed_to_all(home / name), closing(open_services(Home(home))) as services:
        memories = services.memories(NAME)
        assert talk(memories)[0] == ["By the window."]
