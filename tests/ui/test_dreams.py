"""The room "Dreams": the diary of real dreams, the way back from them, and a dream now."""

from __future__ import annotations

import json
import re
import threading
from datetime import datetime, timedelta
from html import unescape

import pytest

from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.mind import Cancel
from managers.sleep.diary import DreamDiary
from managers.sleep.dream import DreamReport
from managers.sleep.errors import DreamingAlreadyError
from managers.storage.errors import BusyError
from tests.ui.rooms import EVENING, NAME, House, clicked
from ui import dreams, taking_back
from ui.dreams import DreamHandlers
from ui.locales import texts

JA, EN = texts("ja"), texts("en")
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def room(house: House) -> DreamHandlers:
    return DreamHandlers(house.services, JA)


def diary_of(house: House) -> DreamDiary:
    return DreamDiary(house.memories.paths, house.memories.history, house.memories.insights)


def two_nights(house: House) -> None:
    house.tell()
    house.dream()
    house.clock.move(hours=12)
    house.tell([("モモちゃんが今日退院しました！もう元気です。", "joy")], at=house.clock.now() - timedelta(hours=2))
    house.clock.move(hours=8)
    house.dream()


def test_before_the_first_dream(room: DreamHandlers) -> None:
    state, now, cancel, watch, _, conflict, diary, page = room.open(NAME)
    assert JA("dreams.never") in state
    assert JA("dreams.none_waiting") in state
    assert JA("dreams.empty") in diary
    assert (now["interactive"], cancel["visible"], watch.value, conflict, page) == (True, False, 30, "", 0)


def test_the_next_time_and_the_switch_are_shown(house: House, room: DreamHandlers) -> None:
    house.tell()
    state = room.open(NAME)[0]
    assert JA("dreams.next", time=f"{JA('dreams.tomorrow')} 00:00") in state
    assert JA("dreams.waiting", count=1) in state
    house.services.settings_file.change("sleep", dreaming=False)
    assert JA("dreams.off") in room.open(NAME)[0]


def test_a_night_says_what_was_read_concluded_and_changed(house: House, room: DreamHandlers) -> None:
    house.tell()
    report = house.dream()
    diary = unescape(room.open(NAME)[6])
    insight = house.memories.insights.load().entries[0]
    assert insight.insight in diary
    assert insight.strategy in diary
    assert JA("dreams.level_1") in diary
    assert JA("dreams.read", days="きのう", count=6) in diary
    shown = [change for change in report.changes if change.target != "meta"]
    assert diary.count('<span class="kind">') == len(shown)
    assert all(change.text in diary for change in shown)
    assert f"/history/{report.entries[0]}" in diary


def test_a_dream_is_taken_back_and_done_again(house: House, room: DreamHandlers, said: list[str]) -> None:
    house.tell()
    entry = house.dream().entries[0]
    before = house.memories.inner_state.levels().curiosity
    diary = room.follow(NAME, 0, clicked(action="undo", entry=entry))[1]
    assert house.memories.questions.open() == []
    assert house.memories.episodes.get(EVENING.date()) is None
    assert house.memories.inner_state.load().drives.curiosity.level == 0 < before
    assert 'class="night undone"' in diary
    assert "モモ" in diary  # one still reads what it was
    diary = room.follow(NAME, 0, clicked(action="redo", entry=entry))[1]
    assert 'class="night undone"' not in diary
    assert house.memories.inner_state.levels().curiosity == pytest.approx(before)
    assert said == [JA("dreams.undone_done"), JA("dreams.redone_done")]


def test_an_older_dream_is_taken_back_and_what_later_ones_brought_stays(
    house: House, room: DreamHandlers, said: list[str]
) -> None:
    two_nights(house)
    memories = house.memories
    newer, older = diary_of(house).page(0, 10).nights
    assert older.entry is not None
    assert newer.insight is not None
    before = {path: path.read_bytes() for path in memories.paths.folder.rglob("*.*") if "entity_memory" in str(path)}
    conflict, diary, _ = room.follow(NAME, 0, clicked(action="undo", entry=older.entry.id))
    if conflict:  # a fact that the second night had more evidence for
        assert 'data-action="undo_rest"' in conflict
        conflict, diary, _ = room.follow(NAME, 0, clicked(action="undo_rest", entry=older.entry.id))
    assert (conflict, said) == ("", [JA("dreams.undone_done")])
    assert memories.episodes.get(EVENING.date()) is None
    assert [entry.id for entry in memories.insights.load().entries] == [newer.insight.id]
    assert diary.count('class="night undone"') == 1
    diary = room.follow(NAME, 0, clicked(action="redo", entry=older.entry.id))[1]
    assert 'class="night undone"' not in diary
    assert {path: path.read_bytes() for path in before} == before


def change_the_dream(house: House) -> None:
    """Write over an episode and an insight that a dream made."""
    memories = house.memories
    episode = memories.episodes.get(EVENING.date())
    assert episode is not None
    rewritten = episode.model_copy(update={"summary": f"ほんとうは{EVIL}"})
    memories.episodes.save(rewritten, author="user", reason="edited")
    kept = memories.insights.load().entries
    changed = Insights([kept[0].model_copy(update={"strategy": "まず聞く"})])
    memories.apply(changed.changes(memories.paths.insights), author="user", reason="edited")


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_what_the_same_place_says_now_is_shown_small(
    house: House, room: DreamHandlers, said: list[str], step: str
) -> None:
    house.tell()
    entry = house.dream().entries[0]
    if step == "undo":
        change_the_dream(house)
    else:
        house.memories.history.undo(entry, author="user")
        episode = Episode(date=EVENING.date(), summary=f"ほんとうは{EVIL}")
        house.memories.episodes.save(episode, author="user", reason="edited")
    conflict, diary, _ = room.follow(NAME, 0, clicked(action=step, entry=entry))
    assert JA(f"taking_back.{step}_title") in conflict
    assert f"<b>{JA('dreams.what_episode')}</b> {EVENING:%Y-%m-%d}" in conflict
    assert f'<div class="removed">-{JA("taking_back.field_summary")}: ほんとうは&lt;script&gt;' in conflict
    assert ('<div class="added">+' in conflict) == (step == "redo")  # what an undo would take is gone without a trace
    assert "<script" not in conflict
    assert "covered_messages" not in conflict
    assert diary["__type__"] == "update"  # nothing else moved
    assert said == []
    english = DreamHandlers(house.services, EN).follow(NAME, 0, clicked(action=step, entry=entry))[0]
    assert EN("taking_back.nothing_changed") in english
    assert room.follow(NAME, 0, clicked(action="leave"))[0] == ""
    conflict, diary, _ = room.follow(NAME, 0, clicked(action=f"{step}_rest", entry=entry))
    assert (conflict, said) == ("", [JA(f"dreams.{step}ne_done")])
    assert bool(house.memories.questions.open()) == (step == "redo")
    assert diary.count('class="night undone"') == (step == "undo")


def test_what_follows_a_change_may_fail_and_the_change_is_shown(
    house: House, room: DreamHandlers, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    house.tell()
    entry = house.dream().entries[0]

    def fail(_: object) -> None:
        raise BusyError(name=NAME)

    errors: list[str] = []
    for module in (dreams, taking_back):
        monkeypatch.setattr(module, "say_error", lambda error, _t: errors.append(type(error).__name__))
    monkeypatch.setattr(type(house.memories.recall), "catch_up", fail)
    assert 'class="night undone"' in room.follow(NAME, 0, clicked(action="undo", entry=entry))[1]
    assert said == [JA("dreams.undone_done")]
    assert 'class="night undone"' in room.follow(NAME, 0, clicked(action="undo", entry=entry))[1]
    assert errors == ["BusyError", "NotUndoableError"]  # once is enough


class SlowDream:
    """A dream that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, cancel: Cancel, *, progress: object = None) -> DreamReport:
        assert callable(progress)
        progress(1, 3)
        self.begun.set()
        assert self.go_on.wait(20)
        return DreamReport(started_at=EVENING, cancelled=cancel.is_set())


def test_a_dream_now_shows_its_progress_and_can_be_broken_off(
    house: House, room: DreamHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowDream()
    monkeypatch.setattr("agent.sleeper.CompanionSleeper.dream", lambda _self, cancel, **more: slow(cancel, **more))
    room.dream(NAME)
    assert slow.begun.wait(20)
    state, now, cancel, watch, _, *rest = room.watch(NAME, 0, "")
    assert JA("dreams.running_day", done=1, days=3) in state
    assert '<progress aria-label="夢の進みぐあい" value="1" max="3">' in state
    assert (now["interactive"], cancel["visible"], watch.value) == (False, True, 1)
    assert all(one["__type__"] == "update" for one in rest)  # the diary is left alone meanwhile
    with pytest.raises(DreamingAlreadyError):
        room.dream(NAME)
    assert JA("dreams.stopping") in room.cancel(NAME)[0]
    assert JA("dreams.stopping") in room.watch(NAME, 0, "")[0]
    slow.go_on.set()
    house.services.sleep.stop()
    state, now, cancel, watch, *_ = room.watch(NAME, 0, "")
    assert JA("dreams.stopped") in state
    assert (now["interactive"], cancel["visible"], watch.value) == (True, False, 30)


def test_a_dream_that_came_by_itself_appears_and_nothing_moves_otherwise(house: House, room: DreamHandlers) -> None:
    house.tell()
    seen = room.open(NAME)[4]
    assert all(one["__type__"] == "update" for one in room.watch(NAME, 0, seen))
    house.dream()
    *_, seen, _, diary, _ = room.watch(NAME, 0, seen)
    assert diary.count('class="night"') == 1
    assert all(one["__type__"] == "update" for one in room.watch(NAME, 0, seen))


def test_a_dream_now_dreams(house: House, room: DreamHandlers) -> None:
    house.tell()
    house.services.sleep.dream_now(NAME).result(60)
    state, *_, diary, _ = room.open(NAME)
    assert "件の記憶が変わりました" in state
    assert diary.count('class="night"') == 1


def test_what_failed_is_said_in_the_readers_language(house: House) -> None:
    house.tell()
    report = house.dream()
    record = next(house.memories.paths.memory.glob("dream_2*.json"))
    value = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps({**value, "failures": [{"task": "entities"}, {"task": EVIL}]}), "utf-8")
    diary = DreamHandlers(house.services, EN).open(NAME)[6]
    assert EN("dreams.failed_tasks", tasks=EN("dreams.task_entities")) in diary
    assert report.entries


def test_ten_years_of_nights_are_turned_page_by_page(house: House, room: DreamHandlers) -> None:
    path = house.memories.paths.insights
    nights = [
        Insight(
            created_at=f"{EVENING - timedelta(days=n):%Y-%m-%d} 03:00:00",
            trigger_topic="t",
            insight=f"夜{n}",
            strategy="",
            log_entry="",
        )
        for n in range(3650)
    ]
    path.parent.mkdir(exist_ok=True)
    for file, data in Insights(nights).changes(path).items():
        file.write_bytes(data or b"")
    _, diary, page = room.follow(NAME, 0, clicked(action="turn", page="364"))
    assert page == 364
    assert re.findall(r"夜(\d+)", diary) == [str(n) for n in range(3640, 3650)]
    assert JA("dreams.pages", number=365, pages=365, total="3,650") in diary
    assert room.follow(NAME, 0, clicked(action="turn", page="9999"))[2] == 364
    assert JA("dreams.unknown_to_history") in diary


def test_nights_taken_back_stay_at_their_place_on_every_page(house: House) -> None:
    clock, memories = house.clock, house.memories
    for n in range(5):
        clock.set(datetime(2026, 11, 10 + n, 12))
        house.tell(at=clock.now() - timedelta(hours=15))
        house.dream()
    diary = diary_of(house)
    nights = diary.all()
    assert len(nights) == 5
    assert nights[1].entry is not None
    memories.history.undo(nights[0].entry.id if nights[0].entry else "", author="user")
    memories.history.undo(nights[1].entry.id, author="user")
    pages = [diary.page(n, 2) for n in range(2)]
    assert [night.key for page in pages for night in page.nights] == [night.key for night in nights]
    assert [night.undone for night in pages[0].nights] == [True, True, False, False]
    latest = diary.latest()
    assert latest is not None
    assert latest.key == nights[2].key


def test_whatever_is_remembered_is_text(house: House, room: DreamHandlers) -> None:
    house.tell([(EVIL, "joy"), ("犬の<b>ポチ</b>が心配です。", "anxious")])
    house.dream()
    insight = Insight(
        created_at="2026-11-01 03:00:00", trigger_topic=EVIL, insight=EVIL, strategy=EVIL, log_entry=EVIL, mind=EVIL
    )
    path = house.memories.paths.insights
    for file, data in house.memories.insights.load().with_one(insight).changes(path).items():
        file.write_bytes(data or b"")
    diary = room.open(NAME)[6]
    assert "<script" not in diary
    assert "<b>ポチ" not in diary
    assert "&lt;script&gt;" in diary


@pytest.mark.parametrize("broken", ["[]", "{", '{"days": 3, "changes": {"a": 1}, "messages_read": "x", "level": "x"}'])
def test_a_record_broken_by_hand_does_not_hide_the_diary(house: House, room: DreamHandlers, broken: str) -> None:
    house.tell()
    house.dream()
    next(house.memories.paths.memory.glob("dream_2*.json")).write_text(broken, "utf-8")
    assert room.open(NAME)[6].count('class="night"') == 1
