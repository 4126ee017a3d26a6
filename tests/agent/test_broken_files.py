"""Files are damaged, of any size, closed, or cannot be written: an answer comes, what happened is said, nothing is lost."""

import json
import os
import shutil
import tracemalloc
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.events import Failed, Noticed, Replied
from agent.memories import Memories
from agent.services import open_services
from agent.sleeper import CompanionSleeper
from managers.memory.log import ConversationLog
from managers.mind import Cancel
from managers.storage import errors
from managers.storage.edges import said, told
from managers.storage.files import MAX_BYTES
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import SettingsFile
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import Scene, sure
from tests.damaging import damages
from tests.fakes import HandClock
from tests.ordinary import closed_to_all
from tests.recall.looking import assert_sound, contents
from tests.small_life import NAME, NOW, open_life
from tests.speeds import one_quick

INDEX = "rag_index/faiss_index_static/index.sqlite"


@pytest.fixture
def home(life: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(life, tmp_path / "home"))


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "characters" / NAME


def talk(memories: Memories) -> tuple[list[str], list[errors.Notice]]:
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


def codes(memories: Memories) -> set[str]:
    return {notice.code for notice in memories.gather_notices()}


def found(memories: Memories) -> list[str]:
    return [hit.text for hit in memories.recall.search("tomatoes and Zebulon")]


def live_with(home: Path, expected: set[tuple[str, str, str, str]], answer: list[str]) -> None:
    """Do what a turn, a window and a night do with derived data, and see that all of it is whole afterwards."""
    with closing(open_life(home)) as memories:
        memories.recall.for_turn("What of the harbour?", window=[])
        memories.recall.search("the sourdough")
        memories.recall.recall_memories("the knight")
        memories.recall.search_knowledge_base("bridges")
        for drawn in (memories.map.look, memories.network.look):
            with suppress(errors.DerivedDamagedError):  # the index is what is damaged
                drawn()
        assert memories.log.count() == 120
        memories.log.days()
        memories.history.notice_outside()
        memories.recall.catch_up()
        assert_sound(memories.recall)
        assert contents(memories.recall) == expected
        assert found(memories) == answer
        memories.map.redraw()
        assert memories.map.look() is not None
        memories.network.look()
        memories.recall.tidy()
        assert "index-broken" not in codes(memories)


@pytest.mark.parametrize("every", one_quick([12, 1]))
def test_wherever_a_derived_file_is_damaged_everything_goes_on(life: Path, tmp_path: Path, every: int) -> None:
    with closing(open_life(Path(shutil.copytree(life, tmp_path / "whole")))) as memories:
        expected, answer = contents(memories.recall), found(memories)
    assert any("tomatoes" in text for text in answer), "else all this would prove nothing"
    for damage in list(damages(PersonaPaths(life / "characters" / NAME), Random(17), each=2))[::every]:
        home = Path(shutil.copytree(life, tmp_path / "copy"))
        path = home / "characters" / NAME / damage.name
        path.write_bytes(damage.done_to(path.read_bytes()))
        try:
            live_with(home, expected, answer)
        except Exception as error:
            error.add_note(str(damage))
            raise
        shutil.rmtree(home)


def test_a_search_alone_has_damage_mended_by_itself(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("managers.recall.index.upkeep.MEND_AFTER_SECONDS", 0)
    (folder / INDEX).write_bytes(b"no database" * 500)
    with closing(open_life(home)) as memories:
        assert found(memories) == []
        sure(memories.recall._upkeep._mending).join()
        assert found(memories)
        assert "index-mended" in codes(memories)


SECONDARY = (
    *("core_memory.txt", "memory/internal_state.json", "entity_memory", "log_archives/2026-11.txt", "rag_index"),
    *("SystemPrompt.txt", "persona.json", "notepad.txt", "goals.json", "memory/insights.json"),
    *("memory/emotion_log.json", "memory/open_questions.json", "memory/recall_log.jsonl", "episodic_memory"),
    *("episodic_memory/2026-11-01.json", "entity_memory/Zebulon.md", "knowledge", "knowledge/bridges.txt"),
    *("log_archives/2026-10.txt", ".history", ".history/pending", "rag_index/current_log_index/index.sqlite"),
)


@pytest.fixture(scope="module")
def talked_in(life: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has been talked in, so that there is everything a turn reads."""
    home = Path(shutil.copytree(life, tmp_path_factory.mktemp("talked") / "home"))
    folder, insight = home / "characters" / NAME, {"id": "i", "insight": "x", "strategy": "y", "date": "2026-11-01"}
    (folder / "core_memory.txt").write_text("Zebulon has a green boat.\n", "utf-8")
    (folder / "goals.json").write_text(json.dumps({"short_term": [{"id": "s", "goal": "sail"}]}), "utf-8")
    (folder / "memory" / "insights.json").write_text(json.dumps([insight]), "utf-8")
    (folder / "memory" / "open_questions.json").write_text("[]", "utf-8")
    with closing(open_life(home)) as memories:
        talk(memories)
    return home


@pytest.fixture
def lived(talked_in: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(talked_in, tmp_path / "home"))  # what is read is known by its path, and read anew


@pytest.fixture
def their(lived: Path) -> Path:
    return lived / "characters" / NAME


@pytest.mark.parametrize("name", one_quick(SECONDARY, quick=5))
def test_an_answer_comes_though_a_file_cannot_be_read(lived: Path, their: Path, name: str) -> None:
    with closed_to_all(their / name), closing(open_life(lived)) as memories:
        replied, told = talk(memories)
    assert replied == ["By the window."]
    named = "rag_index" if "rag_index" in name else Path(name).name
    assert any(named in notice.en and named in notice.ja for notice in told), told
    assert not any("unforeseen" in notice.en for notice in told)


def test_what_is_deleted_in_an_archive_that_cannot_be_read_does_not_come_back(home: Path, folder: Path) -> None:
    archive = folder / "log_archives" / "2026-11.txt"
    with closing(open_life(home)) as memories:
        old = next(memories.log.messages())
        memories.log.supersede(old.id, None)
        memories.clock.move(days=40)  # type: ignore[attr-defined]  # a clock moved by hand
        memories.log.roll()
        assert old.id in archive.read_text("utf-8")
        with closed_to_all(archive):
            assert old.id not in {message.id for message in memories.log.tail(1_000)}


def test_what_can_be_read_again_is_used_again_and_no_notice_stays(lived: Path, their: Path) -> None:
    closed = [their / name for name in ("core_memory.txt", "log_archives/2026-11.txt", "goals.json")]
    with closing(open_life(lived)) as memories:
        with closed_to_all(*closed):
            talk(memories)
            memories.recall.catch_up()
        memories.notices._notices.clear()
        memories.recall.catch_up()
        assert len(memories.log.tail(60)) == 60
        assert any("green boat" in hit.text for hit in memories.recall.search("green boat"))
        assert not [one.en for one in memories.gather_notices() if "cannot be read" in one.en]


def test_the_settings_that_were_read_last_hold_on_and_the_program_starts_without(home: Path) -> None:
    path = home / "settings.toml"
    path.write_text('[user]\nname = "Emma"\n', "utf-8")
    known, fresh = SettingsFile(path), SettingsFile(path)
    known.load()
    with closed_to_all(path):
        settings, notices = known.load()
        assert settings.user.name == "Emma"
        assert [notice.code for notice in notices] == ["settings-unreadable"]
        assert [notice.code for notice in fresh.load()[1]] == ["settings-unreadable"]
        with pytest.raises(errors.UnreadableError):  # there may be caps on what models may cost
            fresh.load_known()
    assert known.load()[1] == []
    with closing(open_services(Home(home))):
        pass
    with closed_to_all(path, home / ".samples.json"), closing(open_services(Home(home))) as services:
        assert talk(services.memories(NAME))[0] == ["By the window."]


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


def test_a_log_that_goes_on_without_a_message_is_not_read_whole(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    log.append("user", "Aoi", "Hello.")
    blow_up(paths.log)
    ways: list[Callable[[], object]] = [
        lambda: log.tail(3),
        lambda: list(log.messages()),
        lambda: log.append("user", "Aoi", "There?"),
    ]

    def look() -> None:
        for way in ways:
            with pytest.raises(errors.FileTooLargeError):
                way()

    assert most_memory(look) < 3 * MAX_BYTES
    assert paths.log.stat().st_size == 5 * MAX_BYTES


@pytest.mark.parametrize(
    "name",
    one_quick(
        [
            *("memory/emotion_log.new.jsonl", "memory/recall_log.jsonl"),
            *("memory/internal_state.json", "memory/emotion_log.json"),
        ]
    ),
)
def test_an_answer_comes_though_what_follows_from_it_cannot_be_written(scene: Scene, name: str) -> None:
    scene.mind.enqueue("It is by the window.")
    path = scene.memories.paths.folder / name
    path.parent.mkdir()
    path.write_text("" if name.endswith("l") else "[]" if "log" in name else "{}", "utf-8")
    with closed_to_all(path):  # before the turn, whose threads are ordinary then
        events = scene.live(scene.companion.say("Do you remember my red scarf?"))
    assert [event.message.text for event in events if isinstance(event, Replied)] == ["It is by the window."]
    known = [event.notice for event in events if isinstance(event, Noticed)] + scene.memories.gather_notices()
    assert any(path.name in notice.en for notice in known)
    assert all(notice.ja and "unforeseen" not in notice.en for notice in known)


def test_a_dream_that_is_applied_is_told_though_the_index_cannot_follow(home: Path, folder: Path) -> None:
    with closing(open_life(home)) as memories:
        state = memories.paths.memory / "dream_state.json"
        days = [day.isoformat() for day in memories.log.days()[:-1]]
        state.write_text(json.dumps({"settled_days": days}), "utf-8")
        index = (folder / INDEX).parent
        with closed_to_all(index / "index.sqlite", index):
            sleeper = CompanionSleeper(memories, Always(ScriptedMind()), HandClock(NOW + timedelta(hours=6)))
            report = sleeper.dream(Cancel())
        assert "index-behind" in {notice.code for notice in report.notices}
        assert report.entries[0] in {entry.id for entry in memories.history.entries(5)}
        memories.recall.catch_up()
        assert "index-behind" not in {notice.code for notice in memories.recall.keep_up()}


def test_what_the_disk_refuses_is_one_sentence_at_every_edge() -> None:
    assert isinstance(told(OSError(28, "No space left on device", "log.txt")), errors.DiskFullError)
    assert isinstance(told(OSError(28, "No space left on device")), errors.DiskFullError)
    refused = said(OSError(5, "Input/output error", "/home/a/goals.json"), "a test")
    assert isinstance(refused, errors.DiskTroubleError)
    assert "goals.json" in refused.sentence("ja")
    assert isinstance(told(ConnectionResetError(104, "reset")), errors.UnexpectedError)
    assert isinstance(told(ZeroDivisionError()), errors.UnexpectedError)
    original = errors.DiskFullError(path="a")
    assert told(original) is original
