"""The room "Dreams": the diary of real dreams, the way back from them, and a dream now."""

import json
import re
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest
from starlette.testclient import TestClient

from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.mind import Cancel
from managers.sleep.diary import DreamDiary
from managers.sleep.dream import DreamReport
from managers.sleep.errors import DreamingAlreadyError
from managers.storage.errors import BusyError
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVENING, EVIL, NAME, House
from ui.locales import texts
from ui.server.addresses import address_of

JA, EN = texts("ja"), texts("en")
DAY = address_of(NAME, f"memories/days/{EVENING:%Y-%m-%d}")
UNDO, REDO = 'button[value="undo"]', 'button[value="redo"]'


@pytest.fixture
def visitor(visitor: TestClient) -> TestClient:
    visitor.headers["accept-language"] = "ja"
    return visitor


def dreams(visitor: TestClient, page: object = "") -> Element:
    answer = visitor.get(address_of(NAME, "dreams", page=page))
    assert answer.status_code == 200
    return read(answer).one("#room")


def nights(page: Element) -> list[Element]:
    return page.all("li.night")


def undone(page: Element) -> list[bool]:
    return ["undone" in night.classes for night in nights(page)]


def diary_of(house: House) -> DreamDiary:
    return DreamDiary(house.memories.paths, house.memories.history, house.memories.insights)


def told_by_hand(house: House, told: Mapping[str, object] | str) -> None:
    """Write other facts into the record of the only dream, or another record over it."""
    record = next(house.memories.paths.memory.glob("dream_2*.json"))
    found = told if isinstance(told, str) else json.dumps(json.loads(record.read_text("utf-8")) | dict(told))
    record.write_text(found, "utf-8")


def test_before_the_first_dream_and_with_dreaming_switched_off(house: House, visitor: TestClient) -> None:
    page = dreams(visitor)
    assert page.one("h1").text == JA("dreams.title")
    assert page.one("#sleep .outcome").text == JA("dreams.never")
    assert JA("dreams.none_waiting") not in page.text  # nothing was dreamt of yet
    assert page.one("#diary .nothing").text == JA("dreams.empty")
    assert page.texts("#sleep button") == [JA("dreams.now")]
    house.tell()
    sleep = dreams(visitor).one("#sleep")
    assert JA("dreams.next", time=f"{JA('dreams.tomorrow')} 00:00") in sleep.text
    assert JA("dreams.one_waiting") in sleep.text
    house.services.settings_file.change("sleep", dreaming=False)
    sleep = dreams(visitor).one("#sleep")
    assert JA("dreams.off") in sleep.text
    switch = sleep.one("a").attributes["href"]
    assert f'id="{switch.partition("#")[2]}"' in visitor.get(switch).text


def test_a_night_tells_the_days_story_first_then_what_changed(house: House, visitor: TestClient) -> None:
    said = house.tell()
    seen = dreams(visitor)
    report = house.dream()
    page = dreams(visitor)
    assert page.attributes["data-revision"] != seen.attributes["data-revision"]  # an open window sees it
    night = nights(page)[0]
    story = house.memories.episodes.get(EVENING.date())
    insight = house.memories.insights.load().entries[0]
    assert story is not None
    told = [story.summary, insight.log_entry, insight.insight, insight.strategy, JA("dreams.what_changed")]
    places = [night.text.index(" ".join(words.split())) for words in told]
    assert places == sorted(places)
    assert JA("dreams.level_1") in night.text
    assert JA("dreams.read", days="きのう", count=6) in night.text
    changed = night.all(".changes li")
    assert len(changed) == report.told.count
    assert JA("dreams.changed", count=len(changed)) in night.texts("summary")
    ways = {one.attributes["href"] for one in night.all(".changes .from a")}
    assert ways >= {DAY, *(address_of(NAME, f"memories/people/{name}") for name in house.memories.entities.names())}
    assert all(" ".join(change.text.split()) in night.text for change in (*report.told.stories, *report.told.changed))
    assert any(report.entries[0] in one.attributes.get("data-src", "") for one in night.all("details"))
    assert page.one("#sleep .outcome").text == JA("dreams.last", time=f"今日 {house.clock.now():%H:%M}")
    assert JA("dreams.none_waiting") in page.text
    rests_on = [one.attributes["data-src"] for one in night.all(".changes details")]
    assert {address_of(NAME, f"around/{one}") for one in said} >= set(rests_on)
    assert read(visitor.get(rests_on[0], headers={"x-utatane": "swap"})).one("li[aria-current]")


def test_a_dream_is_taken_back_and_done_again(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    before = house.memories.inner_state.levels().curiosity
    assert dreams(visitor).all("button[data-ask]")[0].attributes["data-ask"] == JA("dreams.undo_ask")
    page = read(press(visitor, dreams(visitor), UNDO))
    assert house.memories.questions.open() == []
    assert house.memories.episodes.get(EVENING.date()) is None
    assert house.memories.inner_state.load().drives.curiosity.level == 0 < before
    assert page.one("#told .done").text == JA("history.taken_back")
    assert undone(page) == [True]
    assert "モモ" in nights(page)[0].text  # one still reads what it was
    page = read(press(visitor, page, REDO))
    assert page.one("#told .done").text == JA("history.redone")
    assert undone(page) == [False]
    assert house.memories.inner_state.levels().curiosity == pytest.approx(before)


def test_an_older_dream_is_taken_back_and_what_later_ones_brought_stays(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    house.clock.move(hours=12)
    house.tell([("モモちゃんが今日退院しました！もう元気です。", "joy")], at=house.clock.now() - timedelta(hours=2))
    house.clock.move(hours=8)
    house.dream()
    memories = house.memories
    newer, older = diary_of(house).page(0, 10).nights
    assert older.entry is not None
    assert newer.insight is not None
    before = {path: path.read_bytes() for path in memories.paths.entity_memory.iterdir()}
    answer = press(visitor, nights(dreams(visitor))[1], UNDO)
    if answer.status_code == 409:  # a fact that the second night had more evidence for
        answer = press(visitor, read(answer), 'button[name="rest"]')
    page = read(answer)
    assert page.one("#told .done").text == JA("history.taken_back")
    assert memories.episodes.get(EVENING.date()) is None
    assert [entry.id for entry in memories.insights.load().entries] == [newer.insight.id]
    assert undone(page) == [False, True]
    page = read(press(visitor, page, REDO))
    assert undone(page) == [False, False]
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_what_the_same_place_says_now_is_shown_small(house: House, visitor: TestClient, step: str) -> None:
    house.tell()
    entry, memories = house.dream().entries[0], house.memories
    if step == "undo":
        episode = memories.episodes.get(EVENING.date())
        assert episode is not None
        rewritten = episode.model_copy(update={"summary": f"ほんとうは{EVIL}"})
        changed = Insights([memories.insights.load().entries[0].model_copy(update={"strategy": "まず聞く"})])
        memories.apply(changed.changes(memories.paths.insights), author="user", reason="edited")
    else:
        memories.history.undo(entry, author="user")
        rewritten = Episode(date=EVENING.date(), summary=f"ほんとうは{EVIL}")
    memories.episodes.save(rewritten, author="user", reason="edited")
    answer = press(visitor, dreams(visitor), f'button[value="{step}"]')
    assert answer.status_code == 409
    box = read(answer).one("[data-conflict]")
    assert box.one("h1").text == JA(f"taking_back.{step}_title")
    assert f"{JA('dreams.what_episode')} {EVENING:%Y-%m-%d}" in box.text
    summary = f"-{JA('taking_back.field_summary')}: ほんとうは<script>"
    assert any(one.startswith(summary) for one in box.texts(".removed"))
    assert bool(box.all(".added")) == (step == "redo")  # what an undo would take is gone without a trace
    assert box.all("script") == []
    assert "covered_messages" not in box.text
    page = read(visitor.get(box.one("a").attributes["href"]))
    assert undone(page) == [step == "redo"]  # nothing has moved
    page = read(press(visitor, box, 'button[name="rest"]'))
    assert page.one("#told .done").text == JA("history.taken_back" if step == "undo" else "history.redone")
    assert bool(memories.questions.open()) == (step == "redo")
    assert undone(page) == [step == "undo"]


def test_what_follows_a_change_may_fail_and_the_change_is_shown(
    house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.tell()
    house.dream()

    def fail(*_: object, **__: object) -> None:
        raise BusyError(name=NAME)

    monkeypatch.setattr(type(house.memories.recall), "catch_up", fail)
    monkeypatch.setattr(type(house.memories.inner_state), "refresh", fail)
    before = dreams(visitor)
    page = read(press(visitor, before, UNDO))
    assert undone(page) == [True]
    assert page.one("#told .done").text == JA("history.taken_back")
    assert page.one("#told .problem").text == BusyError(name=NAME).sentence("ja")
    assert press(visitor, before, UNDO).status_code == 400  # once is enough
    assert undone(dreams(visitor)) == [True]
    assert "index-behind" in {notice.code for notice in house.memories.gather_notices()}


def test_a_dream_now_shows_its_progress_and_can_be_broken_off(
    house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(_: object, cancel: Cancel, **more: object) -> DreamReport:
        more["progress"](1, 3)  # type: ignore[operator]
        begun.set()
        go_on.wait()
        return DreamReport(started_at=EVENING, cancelled=cancel.is_set())

    monkeypatch.setattr("agent.sleeper.CompanionSleeper.dream", slowly)
    before = dreams(visitor)
    press(visitor, before, "#sleep button")
    begun.wait()
    page = dreams(visitor)
    assert page.one("#sleep .outcome").text == JA("dreams.running_day", done=1, days=3)
    progress = page.one("progress").attributes
    assert (progress["aria-label"], progress["value"], progress["max"]) == (JA("dreams.progress"), "1", "3")
    assert page.texts("#sleep button") == [JA("dreams.cancel")]
    refused = press(visitor, before, "#sleep button")
    assert DreamingAlreadyError(name=NAME).sentence("ja") in read(refused).text
    stopping = read(press(visitor, page, "#sleep button")).one("#room")
    assert stopping.one("#sleep .outcome").text == JA("dreams.stopping")
    seen = [one.attributes["data-revision"] for one in (before, page, stopping)]
    assert len(set(seen)) == 3  # an open window sees it
    go_on.set()
    house.services.sleep.stop()
    page = dreams(visitor)
    assert page.one("#sleep .outcome").text == JA("dreams.stopped", time=f"今日 {house.clock.now():%H:%M}")
    assert page.texts("#sleep button") == [JA("dreams.now")]


def test_a_dream_now_shows_what_it_dreamt_and_the_headline_agrees(house: House, visitor: TestClient) -> None:
    house.tell()
    older = house.dream()
    house.clock.move(hours=3)
    house.tell([("モモちゃんが退院しました！もう元気です。", "joy")], at=house.clock.now() - timedelta(minutes=20))
    house.services.sleep.dream_now(NAME).result()
    page = dreams(visitor)
    newest, before = nights(page)
    count = len(newest.all(".changes li"))
    headline = JA("dreams.done", time=f"今日 {house.clock.now():%H:%M}", count=count)
    assert count
    assert page.one("#sleep .outcome").text == headline
    assert "退院" in newest.all(".story")[0].text
    assert newest.texts("h4") == [JA("dreams.changed", count=count)]  # it stands open: somebody has just asked for it
    assert JA("dreams.changed", count=older.told.count) in before.texts("summary")
    page = read(press(visitor, newest, UNDO))
    assert page.one("#sleep .outcome").text == JA("dreams.done_undone", time=f"今日 {house.clock.now():%H:%M}")


def test_the_record_of_a_night_is_told_in_words_and_may_be_broken(house: House, visitor: TestClient) -> None:
    said = house.tell([(EVIL, "joy"), ("犬の<b>ポチ</b>が心配です。", "anxious")])
    house.dream()
    diary = dreams(visitor).one("#diary")
    assert diary.all("script") == []
    assert not any("ポチ" in one for one in diary.texts("b"))
    told_by_hand(house, {"level": None})
    page = dreams(visitor)
    assert not re.search(r"ふり返りのない夢|夢を待っている日はありません", page.text)
    assert nights(page)[0].all("header span") == []
    told_by_hand(house, {"failures": [{"task": "entities"}, {"task": EVIL}]})
    visitor.headers["accept-language"] = "en"
    assert EN("dreams.failed_tasks", tasks=EN("dreams.task_entities")) in nights(dreams(visitor))[0].text
    visitor.headers["accept-language"] = "ja"
    failure = {"task": "entities", "day": f"{EVENING:%Y-%m-%d}", "error": "", "evidence": [said[0]]}
    left_out = {**failure, "item": "花: 花さんは月に住んでいる。", "why": "nobody_said"}
    gone = {**failure, "item": "忘れたこと", "why": "language", "evidence": ["gone"]}
    told_by_hand(house, {"failures": [left_out, gone]})
    night = nights(dreams(visitor))[0]
    assert JA("dreams.left_out", item=left_out["item"], why=JA("dreams.why_nobody_said")) in night.text
    assert JA("dreams.failed_tasks", tasks="").strip() not in night.text
    for broken in ("[]", "{", '{"days": 3, "changes": {"a": 1}, "messages_read": "x", "level": "x"}'):
        told_by_hand(house, broken)
        assert len(nights(dreams(visitor))) == 1


def test_ten_years_of_nights_are_turned_page_by_page(house: House, visitor: TestClient) -> None:
    path = house.memories.paths.insights
    days = [f"{EVENING - timedelta(days=n):%Y-%m-%d} 03:00:00" for n in range(3650)]
    told = [(day, f"夜{n}" if n else f"夜0 {EVIL}") for n, day in enumerate(days)]
    found = [
        Insight(created_at=day, trigger_topic="t", insight=words, strategy="", log_entry="") for day, words in told
    ]
    path.parent.mkdir(exist_ok=True)
    for file, data in Insights(found).changes(path).items():
        file.write_bytes(data or b"")
    page = dreams(visitor, 365)
    assert re.findall(r"夜(\d+)", page.one("ol.nights").text) == [str(n) for n in range(3640, 3650)]
    assert JA("page.page_of", page=365, pages=365) in page.one("nav.pager").text
    assert "3,650" in page.one("h2#diary-title").text
    assert JA("dreams.unknown_to_history") in page.text
    assert page.one('a[rel="prev"]').attributes["href"] == address_of(NAME, "dreams", page=364)
    assert page.all('a[rel="next"]') == []
    assert dreams(visitor, 9999).one("ol.nights").text == page.one("ol.nights").text
    for first in ("", 1, 0, -5):
        assert f"夜0 {EVIL}" in dreams(visitor, first).one("ol.nights").text
    newest = JA("dreams.last", time="きのう 03:00")  # on any page
    assert page.one("#sleep .outcome").text == newest
    assert visitor.get(address_of(NAME, "dreams", page="x")).status_code == 400


def test_nights_taken_back_stay_at_their_place_on_every_page(house: House) -> None:
    for n in range(5):
        house.clock.set(datetime(2026, 11, 10 + n, 12))
        house.tell(at=house.clock.now() - timedelta(hours=15))
        house.dream()
    diary = diary_of(house)
    found = diary.all()
    assert len(found) == 5
    for night in found[:2]:
        assert night.entry is not None
        house.memories.history.undo(night.entry.id, author="user")
    pages = [diary.page(n, 2) for n in range(2)]
    assert [night.key for page in pages for night in page.nights] == [night.key for night in found]
    assert [night.undone for night in pages[0].nights] == [True, True, False, False]
    latest = diary.latest()
    assert latest is not None
    assert latest.key == found[2].key


def test_people_and_things_of_a_day_by_a_button(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    for path in house.memories.paths.entity_memory.glob("*.md"):
        path.unlink()
    assert JA("memories.note_people") in read(visitor.get(DAY)).texts("button")
    assert visitor.post(f"{DAY}/people").status_code in (302, 303)
    house.services.sleep.stop()  # waits for the thread
    assert list(house.memories.paths.entity_memory.glob("*.md"))
