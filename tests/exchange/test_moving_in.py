"""Memories from elsewhere, and a room of Nexus Ark, find their places, join what is there, and come once."""

import io
import json
from collections.abc import Mapping
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image

from agent.importing import Imported, bring_in
from agent.services import Services
from commands.doctor import examine
from managers.exchange import import_engine
from managers.exchange.import_engine import SourceImport
from managers.exchange.import_words import told_of
from managers.exchange.items import FoundFile, FoundMemory, NotTaken
from managers.exchange.memory_places import MemoryPlaces
from managers.hygiene.inventory import memories as listed
from managers.memory.emotions import EmotionLog
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.lorebook import Lorebook, LorebookStore, marked
from managers.memory.notes import Notes
from managers.memory.questions import QuestionStore
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.exchange.importing import HereReading, take_over
from tests.exchange.readers.nexus_rooms import GENERATIONS, MONTHLY, NEWEST, PICTURE
from tests.exchange.readers.reading import folder_of
from tests.fakes import HandClock
from tests.speeds import one_quick

_NAME = "みい"
_NOW = datetime(2026, 11, 21, 12)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)


def _made(tmp_path: Path, files: Mapping[str, object]) -> Path:
    picture = io.BytesIO()
    Image.new("RGB", (32, 32), "#6d63ab").save(picture, "PNG")
    drawn = {name: picture.getvalue() if told == PICTURE else told for name, told in files.items()}
    return folder_of(tmp_path / "猫_の部屋", drawn)


def _moved_in(services: Services, room: Path, *, is_let_in: bool = True) -> Imported:
    with closing(SourceImport(services.home, room, services.clock)) as work:
        work.read()
        return bring_in(services, work, _NAME, is_let_in=is_let_in)


def _contents(folder: Path) -> dict[str, bytes]:
    kept = ("log", "memory/", "episodic_memory/", "entity_memory/", "knowledge/", "attachments/")
    names = {path: path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for path, name in names.items()
        if (name.startswith(kept) or "/" not in name)
        and "audit" not in name
        and not any(part.startswith(".") for part in name.split("/"))
    }


def test_recall_finds_it_the_memories_list_it_and_doctor_finds_no_fault(services: Services, tmp_path: Path) -> None:
    assert _moved_in(services, _made(tmp_path, MONTHLY)).report.added == 11
    persona = services.personas.get(_NAME)
    assert (persona.system_prompt.strip(), persona.user_name) == ("あなたは縁側の猫です。", "田中")
    assert persona.avatar is not None
    held = services.memories(_NAME)
    held.recall.catch_up()
    for query, told in (
        ("鎌倉に行った", "今日は鎌倉に行ったよ。"),
        ("創作活動に興味", "創作活動に興味がある"),
        ("アジの季節", "アジは夏。"),
    ):
        hits = [hit.text for hit in held.recall.search(query, 5)]
        assert any(told in text for text in hits), (query, hits)
    there = list(listed(held.working_copy()))
    assert {memory.kind for memory in there} == {"day", "event", "insight"}
    assert all(memory.confidence(services.clock.now().date()) >= 0.3 for memory in there)  # none has faded meanwhile
    assert [one for one in examine(services) if one.state != "ok" and one.about.startswith(_NAME)] == []


def test_what_nobody_let_in_whole_is_marked_and_none_is_the_personas_own(services: Services, tmp_path: Path) -> None:
    done = _moved_in(services, _made(tmp_path, NEWEST), is_let_in=False)
    held = services.memories(_NAME)
    assert {one.origins for one in held.log.messages()} == {("猫_の部屋",)}
    assert (held.entities.names(), held.goals.load().all, held.questions.load().entries) == ([], [], [])
    (outside,) = [one for one in done.report.left_out if one.code == "engine.not-let-in"]
    assert outside.count > 5
    page = Lorebook(marked({"entries": [{"keys": ["海"], "content": "青い"}]}, ["card.png"])).entries[0]
    assert page.origins == ["card.png"]


def test_what_the_newest_versions_note_is_where_the_house_looks_for_it(services: Services, tmp_path: Path) -> None:
    left = _moved_in(services, _made(tmp_path, NEWEST)).report.left_out
    held = services.memories(_NAME)
    snow, statue = held.questions.load().entries
    assert (snow.topic, snow.created_at) == ("雪の冷たさ", "2025-12-24 00:00:00")
    times = (statue.created_at, statue.asked, statue.closed_at)
    assert times == ("2025-10-03 00:00:00", "2025-10-04 09:00:00", "2026-01-02 08:00:00")
    assert statue.answer == "1252年から。\n古いものが好き。"
    assert held.entities.names() == ["田中さん 本人", "鎌倉"]
    assert (owner := held.entities.get("田中さん 本人"))
    assert owner.aliases == ("たなか",)
    goals = held.goals.load()
    assert [one.id for one in goals.all] == ["sh_1", "sh_3", "lo_1", "lo_2"]
    assert goals.meta.last_level2_date == date(2026, 1, 2)
    drives = held.inner_state.load().drives
    assert [one["topic"] for one in drives.curiosity.open_questions] == ["雪の冷たさ"]
    assert drives.goal_achievement.active_goal_id == "sh_1"
    for one in left:
        words = told_of(one)
        assert "{" not in words["ja"] + words["en"]
        assert one.code not in words["en"]  # known, and so not said in general words


@pytest.mark.parametrize("generation", one_quick(GENERATIONS))
def test_a_room_twice_changes_nothing_nor_other_layouts(services: Services, tmp_path: Path, generation: str) -> None:
    room = _made(tmp_path, GENERATIONS[generation])
    before = {path: path.read_bytes() for path in room.rglob("*") if path.is_file()}
    first = _moved_in(services, room)
    folder = services.memories(_NAME).paths.folder
    there = _contents(folder)
    again = _moved_in(services, room)
    assert (first.report.added, again.report.added, again.report.already_there) == (11, 0, 11)
    assert not any(again.report.memories.values())
    assert again.report.memories_there == first.report.memories
    assert _contents(folder) == there
    assert {path: path.read_bytes() for path in room.rglob("*") if path.is_file()} == before
    others = [_moved_in(services, _made(tmp_path / other, GENERATIONS[other])) for other in GENERATIONS]
    assert [one.report.added for one in others] == [0, 0, 0, 0]


def test_words_answered_since_are_the_same(paths: PersonaPaths, clock: HandClock, rng: Random, tmp_path: Path) -> None:
    log = ConversationLog(paths, clock, rng)
    began = "## AGENT:猫_の部屋\nおかえり。\n\n2025-10-03 (Fri) 21:00:00 | x\n\n## USER:user\nただいま\n\n## USER:user\nうん\n\n"
    answered = began + "## AGENT:猫_の部屋\nおはよう。\n\n2025-10-04 (Sat) 08:00:00 | x\n\n## USER:user\nうん\n\n"
    room = {"room_config.json": {}, "log.txt": began}
    take_over(log, folder_of(tmp_path / "room", room))
    report = take_over(log, folder_of(tmp_path / "room", {**room, "log.txt": answered}))
    take_over(log, folder_of(tmp_path / "moved", {**room, "log.txt": "", "logs/2025-10.txt": answered}))
    assert (report.added, report.already_there) == (2, 3)
    assert [one.text for one in log.messages()] == ["おかえり。", "ただいま", "うん", "おはよう。", "うん"]


@pytest.mark.parametrize("tells", one_quick(["talk", "nobody", "settings"], quick=2))
def test_a_name_for_the_user_is_kept_whatever_an_import_says(services: Services, tmp_path: Path, tells: str) -> None:
    services.personas.create(_NAME, language="en", system_prompt="You are a cat.")
    if tells == "settings":
        services.settings_file.change("user", name="Thomas")
    elif tells == "talk":
        services.memories(_NAME).log.append("user", "Thomas", "It rained today.")
    source = tmp_path / "WhatsApp Chat with Ava.txt"
    source.write_text("Tom: I bought a kite.\nAva: How nice! What colour is it?\nTom: Red.\n", "utf-8")
    done = _moved_in(services, source)
    assert done.report.added == 3
    assert services.personas.get(_NAME).user_name == ("Tom" if tells == "nobody" else "")
    assert [one.code for one in done.report.left_out if "user" in one.code] == (
        [] if tells == "nobody" else ["engine.user"]
    )


THEN = datetime(2024, 5, 1, 22, 30)
FILES = {"knowledge/boats.md": b"# Boats\nGreen ones.", "tool.exe": b"MZ", "profile.png": b"\x89PNG"}

MEMORIES = [
    FoundMemory("episode", day="2024-05-01", fields={"summary": "We spoke of boats.", "key_events": ["A boat"]}),
    FoundMemory("episode", day="2024-05-01", fields={"summary": "And of the sea.", "key_events": ["The sea"]}),
    FoundMemory(
        "episode", day="2024-05-06~2024-05-12", fields={"summary": "A week at sea.", "key_events": [], "arousal": 0.4}
    ),
    FoundMemory("insight", time=THEN, fields={"trigger_topic": "sea", "insight": "Loves it", "strategy": "Ask more"}),
    FoundMemory("entity", name="Ann", text="Likes boats.\n\n--- Update: 2024-05-02 ---\nHas one.", time=THEN),
    FoundMemory("goal", name="short_term", fields={"goal": "Learn to sail", "status": "active", "priority": 1}),
    FoundMemory("goal", name="long_term", fields={"goal": "See the ocean", "status": "completed"}),
    FoundMemory("reflections", fields={"last_reflection_level": 2, "last_level2_date": "2024-05-05"}),
    FoundMemory("question", fields={"topic": "What is the boat called?", "context": "Ann's boat"}),
    FoundMemory("emotion", name="joy", time=THEN, text="I love it"),
    FoundMemory("emotion", name="sadness", time=datetime(2025, 1, 2, 3), text="Rain"),
    FoundMemory(
        "inner_state", fields={"drives": {"boredom": {"level": 0.4}, "goal_achievement": {"active_goal_id": "sh_gone"}}}
    ),
    FoundMemory("core_memory", text="Ann is my friend.\n\nShe sails."),
    FoundMemory("notepad", text="buy rope"),
    FoundMemory("diary", text="2024-05-01\nA fine day."),
    FoundMemory("secret_diary", text="I miss her."),
    FoundMemory("knowledge", file=FoundFile("knowledge/boats.md")),
    FoundMemory("avatar", file=FoundFile("profile.png")),
    FoundMemory("lorebook", fields={"name": "Sea", "entries": [{"keys": ["boat"], "content": "Boats float."}]}),
    FoundMemory("card", fields={"taken_as": "Mei", "card": {"spec": "chara_card_v3"}}),
]


class Bringing:
    """Takes memories into a persona, as an import does."""

    def __init__(self, paths: PersonaPaths, clock: HandClock) -> None:
        self.paths, self.clock = paths, clock
        self.left: list[NotTaken] = []
        self.has_picture = False

    def bring(self, *memories: FoundMemory) -> tuple[int, int]:
        self.left = []
        with closing(History(self.paths, self.clock)) as history:
            copy = WorkingCopy(Stores.open(self.paths, self.clock))
            emotions = EmotionLog(self.paths, self.clock)
            places = MemoryPlaces(
                self.paths, self.clock, history, copy, emotions, FILES.get, self.left.append, self._avatar
            )
            for memory in memories:
                places.take(memory)
            places.write("import")
        self.added = +places.added
        return places.added.total(), places.there.total()

    def _avatar(self, _data: bytes) -> str:
        had, self.has_picture = self.has_picture, True
        return "there" if had else ""

    def note(self, kind: Any) -> str:
        with closing(History(self.paths, self.clock)) as history:
            return Notes(self.paths, history, self.clock).read(kind).text


@pytest.fixture
def bringing(paths: PersonaPaths, clock: HandClock) -> Bringing:
    return Bringing(paths, clock)


def test_each_kind_arrives_and_comes_once(bringing: Bringing, paths: PersonaPaths, clock: HandClock) -> None:
    assert bringing.bring(*MEMORIES) == (len(MEMORIES), 0)
    assert bringing.left == []
    before = {p: p.read_bytes() for p in paths.folder.rglob("*") if p.is_file() and ".history" not in str(p)}
    _, there = bringing.bring(*MEMORIES)
    assert (bringing.added, there, bringing.left) == ({}, len(MEMORIES), [])
    assert {path: path.read_bytes() for path in before} == before
    assert (day := EpisodeStore(paths, clock).get(date(2024, 5, 1)))
    assert (day.summary, day.key_events) == ("We spoke of boats.\n\nAnd of the sea.", ["A boat", "The sea"])
    assert day.is_users  # no dream writes over it
    assert json.loads((paths.episodic_memory / "2024-05-06~2024-05-12.json").read_bytes())["arousal"] == 0.4
    assert [one.insight for one in InsightStore(paths, clock).entries()] == ["Loves it"]
    assert (ann := EntityStore(paths, clock).get("Ann"))
    assert "Likes boats." in ann.text()
    assert "Has one." in ann.text()
    goals = GoalStore(paths, clock).load()
    assert [(one.goal, one.status) for one in goals.short_term] == [("Learn to sail", "active")]
    assert [(one.goal, one.status) for one in goals.long_term] == [("See the ocean", "completed")]
    assert (goals.meta.last_reflection_level, goals.meta.last_level2_date) == (2, date(2024, 5, 5))
    assert [one.topic for one in QuestionStore(paths, clock).open()] == ["What is the boat called?"]
    assert [(one.emotion, one.timestamp) for one in EmotionLog(paths, clock).entries()][-1] == ("joy", THEN)
    drives = json.loads(paths.internal_state.read_bytes())["drives"]
    assert drives["boredom"]["level"] == 0.4
    assert [one["topic"] for one in drives["curiosity"]["open_questions"]] == ["What is the boat called?"]
    assert drives["goal_achievement"]["active_goal_id"] == goals.short_term[0].id
    assert bringing.note("core_memory") == "Ann is my friend.\n\nShe sails.\n"
    assert bringing.note("main_memory") == "2024-05-01\nA fine day.\n"
    assert (paths.knowledge / "boats.md").read_bytes() == FILES["knowledge/boats.md"]
    assert len(LorebookStore(paths, clock).load().entries) == 1


def test_what_is_there_stays(bringing: Bringing, paths: PersonaPaths, clock: HandClock) -> None:
    with closing(History(paths, clock)) as history:
        Notes(paths, history, clock).write("core_memory", "She sails.\n", based_on=None, author="user", reason="x")
        Notes(paths, history, clock).write("main_memory", "Today.\n", based_on=None, author="user", reason="x")
    EpisodeStore(paths, clock).save(Episode(date=date(2024, 5, 1), summary="Mine"), author="dream", reason="night")
    bringing.bring(*MEMORIES)
    assert [one.code for one in bringing.left] == ["engine.day-dreamt"] * 2
    assert bringing.note("core_memory") == "She sails.\n\nAnn is my friend.\n"
    assert bringing.note("main_memory") == "2024-05-01\nA fine day.\n\nToday.\n"  # a diary's older days stand first
    assert (kept := EpisodeStore(paths, clock).get(date(2024, 5, 1)))
    assert kept.summary == "Mine"
    more = FoundMemory("entity", name="Ann", text="Likes boats.\n\nSold it.")
    assert bringing.bring(more) == (1, 0)
    assert (ann := EntityStore(paths, clock).get("Ann"))
    assert ann.text().count("Likes boats.") == 1
    assert "Sold it." in ann.text()


UNFIT = [
    (FoundMemory("episode", day="someday", fields={"summary": "x"}), "engine.unfit"),
    (FoundMemory("entity", name="../../etc/passwd", text="x"), "engine.name"),
    (FoundMemory("goal", fields={"goal": 7}), "engine.unfit"),
    (FoundMemory("emotion", name="joy"), "engine.no-time"),
    (FoundMemory("knowledge", file=FoundFile("tool.exe")), "engine.no-document"),
    (FoundMemory("knowledge", file=FoundFile("gone.md")), "engine.file"),
    (FoundMemory("knowledge", name="../x.md", file=FoundFile("knowledge/boats.md")), ""),
]


def test_what_does_not_fit_is_named_and_nothing_lands_outside(bringing: Bringing, paths: PersonaPaths) -> None:
    around = set(paths.folder.parent.parent.rglob("*.md"))
    for memory, code in UNFIT:
        added, _ = bringing.bring(memory)
        assert (added, [one.code for one in bringing.left]) == ((0, [code]) if code else (1, [])), memory
    new = set(paths.folder.parent.parent.rglob("*.md")) - around
    assert all(path.is_relative_to(paths.knowledge) for path in new)
    why = FoundMemory("question", fields={"topic": "Why?", "priority": 7})
    bringing.bring(_goal("Row", priority=70), why, FoundMemory("avatar", place="room/profile.png"))
    assert [one.facts["name"] for one in bringing.left] == ["Row", "Why?", "profile.png"]


def _goal(words: str, status: str = "active", **other: Any) -> FoundMemory:
    return FoundMemory("goal", name="short_term", fields={"goal": words, "status": status, **other}, place="goals.json")


def test_all_goals_come_however_many_and_alike(bringing: Bringing, paths: PersonaPaths, clock: HandClock) -> None:
    active = [_goal(f"Read book {n}", id=f"sh_{n:06x}", created_at="2024-05-01 10:00:00") for n in range(12)]
    ended = [
        _goal("Read book 1", "completed", id="sh_aaaaaa", created_at="2024-03-01 10:00:00"),
        _goal("Read book 1", "abandoned", created_at="2024-02-01 10:00:00"),
        _goal("Read book 1", "abandoned", updated_at="2024-01-01 10:00:00"),
    ]
    odd = [_goal("Sail", id="lo_1"), _goal("Swim", id="../x"), _goal("Dive", id="sh_000001")]
    assert bringing.bring(*active, *ended, *odd) == (18, 0)
    assert bringing.bring(*odd, *reversed(ended), *active) == (0, 18)
    assert bringing.left == []
    ids = {one.id for one in GoalStore(paths, clock).load().short_term}
    own = ids - {*(f"sh_{n:06x}" for n in range(12)), "sh_aaaaaa"}
    assert (len(ids), len(own)) == (18, 5)
    assert all(one.startswith("sh_") and len(one) == 11 for one in own)


def test_a_day_that_grew_there_has_each_part_once(bringing: Bringing, paths: PersonaPaths, clock: HandClock) -> None:
    fields = {"summary": "In the morning.", "key_events": ["Rain"], "source_ids": ["episode_1"], "arousal": 0.7}
    morning = FoundMemory("episode", day="2024-05-01", fields=fields)
    grown = FoundMemory("episode", day="2024-05-01", fields={**fields, "summary": "In the morning.\n\nAt night."})
    assert [bringing.bring(one) for one in (morning, grown, grown, morning)] == [(1, 0), (1, 0), (0, 1), (0, 1)]
    day = json.loads((paths.episodic_memory / "2024-05-01.json").read_bytes())
    assert (day["summary"], day["key_events"]) == ("In the morning.\n\nAt night.", ["Rain"])
    assert (day["source_ids"], day["arousal"]) == (["episode_1"], 0.7)
