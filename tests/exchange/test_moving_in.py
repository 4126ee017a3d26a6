"""A room of Nexus Ark moves in: what it holds is there for whoever reads a persona's folder, and once however often it comes."""

import io
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from agent.importing import Imported, bring_in
from agent.services import Services, open_services
from commands.doctor import examine
from managers.exchange import import_engine
from managers.exchange.import_engine import SourceImport
from managers.exchange.import_words import told_of
from managers.hygiene.inventory import memories as listed
from managers.memory.log import ConversationLog
from managers.storage.paths import Home, PersonaPaths
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


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    yield services
    services.close()


def _made(tmp_path: Path, files: Mapping[str, object]) -> Path:
    picture = io.BytesIO()
    Image.new("RGB", (32, 32), "#6d63ab").save(picture, "PNG")
    drawn = {name: picture.getvalue() if told == PICTURE else told for name, told in files.items()}
    return folder_of(tmp_path / "猫_の部屋", drawn)


def _moved_in(services: Services, room: Path) -> Imported:
    with closing(SourceImport(services.home, room, services.clock)) as work:
        work.read()
        return bring_in(services, work, _NAME)


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


def test_every_store_of_the_house_reads_what_moved_in(services: Services, tmp_path: Path) -> None:
    done = _moved_in(services, _made(tmp_path, MONTHLY))

    assert done.report.added == 11
    held = services.memories(_NAME)
    assert [one.text for one in held.log.messages() if one.role == "user"][:2] == ["今日は鎌倉に行ったよ。", "うん"]
    episode = held.episodes.get(date(2025, 10, 3))
    assert episode is not None
    assert (episode.summary, episode.key_events) == ("鎌倉の海の話をした。", ["絵を見せてもらった。"])
    assert [str(span) for span in held.episodes.periods.spans()] == ["2025-10-01~2025-10-31", "2025-10-06~2025-10-12"]
    assert [one.trigger_topic for one in held.insights.entries()] == ["鎌倉", "詩"]
    assert [one.goal for one in held.goals.load().active("short_term")] == ["詩を書く"]
    assert [(one.topic, one.priority) for one in held.questions.open()] == [("雪の冷たさ", 0.8)]
    assert [one.emotion for one in held.emotions.entries()] == ["sadness"]
    assert held.inner_state.load().drives.devotion.user_emotional_state == "sadness"
    assert "名前は みい。" in held.notes.read("core_memory").text
    assert "いま詩を書いている。" in held.notes.read("notepad").text
    assert "10月3日。海の話を聞いた。" in held.notes.read("main_memory").text
    assert held.notes.read("secret_diary").text.strip() == "ほんとうは寂しい。"
    persona = services.personas.get(_NAME)
    assert (persona.system_prompt.strip(), persona.user_name) == ("あなたは縁側の猫です。", "田中")
    assert persona.avatar is not None


def test_recall_finds_it_the_memories_list_it_and_doctor_finds_nothing_amiss(
    services: Services, tmp_path: Path
) -> None:
    _moved_in(services, _made(tmp_path, MONTHLY))

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
def test_a_room_that_comes_twice_changes_nothing_nor_do_its_other_generations(
    services: Services, tmp_path: Path, generation: str
) -> None:
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


def test_words_that_were_answered_since_are_the_same_words(
    paths: PersonaPaths, clock: HandClock, rng: Random, tmp_path: Path
) -> None:
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
def test_who_has_a_name_for_the_user_keeps_it_whatever_an_import_says(
    services: Services, tmp_path: Path, tells: str
) -> None:
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
