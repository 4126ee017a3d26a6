"""The room "Dreams": the diary of real dreams, the way back from them, and a dream now."""

import json
import re
import threading
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
from tests.ui.rooms import EVENING, NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.server.addresses import address_of

JA, EN = texts("ja"), texts("en")
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def visitor(house: House) -> TestClient:
    visitor = visitor_of(house.services)
    visitor.headers["accept-language"] = "ja"
    return visitor


def dreams(visitor: TestClient, page: object = "") -> Element:
    answer = visitor.get(address_of(NAME, "dreams", page=page))
    assert answer.status_code == 200
    return read(answer).one("#room")


def nights(page: Element) -> list[Element]:
    return page.all("li.night")


def diary_of(house: House) -> DreamDiary:
    return DreamDiary(house.memories.paths, house.memories.history, house.memories.insights)


def two_nights(house: House) -> None:
    house.tell()
    house.dream()
    house.clock.move(hours=12)
    house.tell([("モモちゃんが今日退院しました！もう元気です。", "joy")], at=house.clock.now() - timedelta(hours=2))
    house.clock.move(hours=8)
    house.dream()


def test_before_the_first_dream(visitor: TestClient) -> None:
    page = dreams(visitor)
    assert page.one("h1").text == JA("dreams.title")
    assert page.one("#sleep .outcome").text == JA("dreams.never")
    assert JA("dreams.none_waiting") not in page.text  # nothing was dreamt of yet
    assert page.one("#diary .nothing").text == JA("dreams.empty")
    assert [one.text for one in page.all("#sleep button")] == [JA("dreams.now")]
    assert page.all("progress") == []


def test_the_next_time_and_the_switch_are_shown(house: House, visitor: TestClient) -> None:
    house.tell()
    page = dreams(visitor).one("#sleep")
    assert JA("dreams.next", time=f"{JA('dreams.tomorrow')} 00:00") in page.text
    assert JA("dreams.one_waiting") in page.text
    assert page.all("a") == []
    house.services.settings_file.change("sleep", dreaming=False)
    page = dreams(visitor).one("#sleep")
    assert JA("dreams.off") in page.text
    assert page.one("a").text == JA("dreams.to_switch")
    switch = page.one("a").attributes["href"]
    assert visitor.get(switch).status_code == 200
    assert f'id="{switch.partition("#")[2]}"' in visitor.get(switch).text


def test_a_night_tells_the_days_story_first_then_what_changed(house: House, visitor: TestClient) -> None:
    house.tell()
    report = house.dream()
    page = dreams(visitor)
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
    ways = [one.attributes["href"] for one in night.all(".changes .from a")]
    assert address_of(NAME, f"memories/days/{EVENING:%Y-%m-%d}") in ways
    assert {address_of(NAME, f"memories/people/{name}") for name in house.memories.entities.names()} <= set(ways)
    assert all(" ".join(change.text.split()) in night.text for change in (*report.told.stories, *report.told.changed))
    assert report.entries[0] in next(
        one.attributes["data-src"] for one in night.all("details") if one.texts("summary")[0] == JA("dreams.diff")
    )
    assert page.one("#sleep .outcome").text == JA("dreams.last", time=f"今日 {house.clock.now():%H:%M}")
    assert JA("dreams.none_waiting") in page.text


def test_what_each_change_rests_on_is_a_message_in_its_place(house: House, visitor: TestClient) -> None:
    said = house.tell()
    house.dream()
    folds = nights(dreams(visitor))[0].all(".changes details")
    addresses = {one.attributes["data-src"] for one in folds}
    assert {address_of(NAME, f"around/{one}") for one in said} >= addresses
    shown = visitor.get(folds[0].attributes["data-src"], headers={"x-utatane": "swap"})
    assert read(shown).one("li[aria-current]")


def test_a_dream_is_taken_back_and_done_again(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    before = house.memories.inner_state.levels().curiosity
    assert dreams(visitor).all("button[data-ask]")[0].attributes["data-ask"] == JA("dreams.undo_ask")
    answer = press(visitor, dreams(visitor), 'button[value="undo"]')
    assert house.memories.questions.open() == []
    assert house.memories.episodes.get(EVENING.date()) is None
    assert house.memories.inner_state.load().drives.curiosity.level == 0 < before
    page = read(answer)
    assert page.one("#told .done").text == JA("history.taken_back")
    assert "undone" in nights(page)[0].classes
    assert "モモ" in nights(page)[0].text  # one still reads what it was
    page = read(press(visitor, page, 'button[value="redo"]'))
    assert page.one("#told .done").text == JA("history.redone")
    assert "undone" not in nights(page)[0].classes
    assert house.memories.inner_state.levels().curiosity == pytest.approx(before)


def test_an_older_dream_is_taken_back_and_what_later_ones_brought_stays(house: House, visitor: TestClient) -> None:
    two_nights(house)
    memories = house.memories
    newer, older = diary_of(house).page(0, 10).nights
    assert older.entry is not None
    assert newer.insight is not None
    before = {path: path.read_bytes() for path in memories.paths.folder.rglob("*.*") if "entity_memory" in str(path)}
    answer = press(visitor, nights(dreams(visitor))[1], 'button[value="undo"]')
    if answer.status_code == 409:  # a fact that the second night had more evidence for
        answer = press(visitor, read(answer), 'button[name="rest"]')
    page = read(answer)
    assert page.one("#told .done").text == JA("history.taken_back")
    assert memories.episodes.get(EVENING.date()) is None
    assert [entry.id for entry in memories.insights.load().entries] == [newer.insight.id]
    assert ["undone" in night.classes for night in nights(page)] == [False, True]
    page = read(press(visitor, page, 'button[value="redo"]'))
    assert not any("undone" in night.classes for night in nights(page))
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
def test_what_the_same_place_says_now_is_shown_small(house: House, visitor: TestClient, step: str) -> None:
    house.tell()
    entry = house.dream().entries[0]
    if step == "undo":
        change_the_dream(house)
    else:
        house.memories.history.undo(entry, author="user")
        episode = Episode(date=EVENING.date(), summary=f"ほんとうは{EVIL}")
        house.memories.episodes.save(episode, author="user", reason="edited")
    answer = press(visitor, dreams(visitor), f'button[value="{step}"]')
    assert answer.status_code == 409
    box = read(answer).one("[data-conflict]")
    assert box.one("h1").text == JA(f"taking_back.{step}_title")
    assert f"{JA('dreams.what_episode')} {EVENING:%Y-%m-%d}" in box.text
    assert any(
        one.startswith(f"-{JA('taking_back.field_summary')}: ほんとうは<script>") for one in box.texts(".removed")
    )
    assert bool(box.all(".added")) == (step == "redo")  # what an undo would take is gone without a trace
    assert box.all("script") == []
    assert "covered_messages" not in box.text
    visitor.headers["accept-language"] = "en"
    assert EN("taking_back.nothing_changed") in read(press(visitor, dreams(visitor), f'button[value="{step}"]')).text
    visitor.headers["accept-language"] = "ja"
    page = read(visitor.get(box.one("a").attributes["href"]))
    assert ["undone" in night.classes for night in nights(page)] == [step == "redo"]  # nothing has moved
    page = read(press(visitor, box, 'button[name="rest"]'))
    assert page.one("#told .done").text == JA("history.taken_back" if step == "undo" else "history.redone")
    assert bool(house.memories.questions.open()) == (step == "redo")
    assert sum("undone" in night.classes for night in nights(page)) == (step == "undo")


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
    page = read(press(visitor, before, 'button[value="undo"]'))
    assert "undone" in nights(page)[0].classes
    assert page.one("#told .done").text == JA("history.taken_back")
    assert page.one("#told .problem").text == BusyError(name=NAME).sentence("ja")
    again = press(visitor, before, 'button[value="undo"]')  # once is enough
    assert again.status_code == 400
    assert "undone" in nights(dreams(visitor))[0].classes
    assert "index-behind" in {notice.code for notice in house.memories.gather_notices()}


class SlowDream:
    """A dream that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, cancel: Cancel, **more: object) -> DreamReport:
        progress = more["progress"]
        assert callable(progress)
        progress(1, 3)
        self.begun.set()
        assert self.go_on.wait(60)
        return DreamReport(started_at=EVENING, cancelled=cancel.is_set())


def test_a_dream_now_shows_its_progress_and_can_be_broken_off(
    house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowDream()
    monkeypatch.setattr("agent.sleeper.CompanionSleeper.dream", lambda _self, cancel, **more: slow(cancel, **more))
    before = dreams(visitor)
    press(visitor, before, "#sleep button")
    assert slow.begun.wait(60)
    page = dreams(visitor)
    assert page.one("#sleep .outcome").text == JA("dreams.running_day", done=1, days=3)
    progress = page.one("progress").attributes
    assert (progress["aria-label"], progress["value"], progress["max"]) == (JA("dreams.progress"), "1", "3")
    assert page.texts("#sleep button") == [JA("dreams.cancel")]
    assert page.attributes["data-revision"] != before.attributes["data-revision"]  # an open window sees it
    refused = press(visitor, before, "#sleep button")
    assert DreamingAlreadyError(name=NAME).sentence("ja") in read(refused).text
    stopping = read(press(visitor, page, "#sleep button")).one("#room")
    assert stopping.one("#sleep .outcome").text == JA("dreams.stopping")
    assert stopping.attributes["data-revision"] != page.attributes["data-revision"]
    slow.go_on.set()
    house.services.sleep.stop()
    page = dreams(visitor)
    assert page.one("#sleep .outcome").text == JA("dreams.stopped", time=f"今日 {house.clock.now():%H:%M}")
    assert page.texts("#sleep button") == [JA("dreams.now")]


def test_a_dream_now_shows_what_it_dreamt_and_the_headline_agrees(house: House, visitor: TestClient) -> None:
    house.tell()
    older = house.dream()
    house.clock.move(hours=3)
    house.tell([("モモちゃんが退院しました！もう元気です。", "joy")], at=house.clock.now() - timedelta(minutes=20))
    house.services.sleep.dream_now(NAME).result(60)
    page = dreams(visitor)
    newest, before = nights(page)
    count = len(newest.all(".changes li"))
    assert count
    headline = JA("dreams.done", time=f"今日 {house.clock.now():%H:%M}", count=count)
    assert page.one("#sleep .outcome").text == headline
    assert "退院" in newest.all(".story")[0].text
    assert newest.texts("h4") == [JA("dreams.changed", count=count)]  # it stands open: somebody has just asked for it
    assert JA("dreams.changed", count=older.told.count) in before.texts("summary")
    page = read(press(visitor, newest, 'button[value="undo"]'))
    assert page.one("#sleep .outcome").text == JA("dreams.done_undone", time=f"今日 {house.clock.now():%H:%M}")


def test_a_dream_that_came_by_itself_is_seen_by_an_open_window(house: House, visitor: TestClient) -> None:
    house.tell()
    seen = dreams(visitor)
    assert dreams(visitor).attributes["data-revision"] == seen.attributes["data-revision"]
    house.dream()
    page = dreams(visitor)
    assert page.attributes["data-revision"] != seen.attributes["data-revision"]
    assert len(nights(page)) == 1


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_what_failed_read_aloud_is_gone(house: House, visitor: TestClient, lang: str) -> None:
    house.tell()
    report = house.dream()
    record = next(house.memories.paths.memory.glob("dream_2*.json"))
    value = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps({**value, "level": None}), "utf-8")
    assert report.entries
    visitor.headers["accept-language"] = lang
    page = dreams(visitor)
    assert not re.search(r"without reflection|No day waits|ふり返りのない夢|夢を待っている日はありません", page.text)
    assert nights(page)[0].all("header span") == []


def test_what_failed_is_said_in_the_readers_language(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    record = next(house.memories.paths.memory.glob("dream_2*.json"))
    value = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps({**value, "failures": [{"task": "entities"}, {"task": EVIL}]}), "utf-8")
    visitor.headers["accept-language"] = "en"
    assert EN("dreams.failed_tasks", tasks=EN("dreams.task_entities")) in nights(dreams(visitor))[0].text


def test_ten_years_of_nights_are_turned_page_by_page(house: House, visitor: TestClient) -> None:
    path = house.memories.paths.insights
    nights_ = [
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
    for file, data in Insights(nights_).changes(path).items():
        file.write_bytes(data or b"")
    page = dreams(visitor, 365)
    assert re.findall(r"夜(\d+)", page.one("ol.nights").text) == [str(n) for n in range(3640, 3650)]
    assert JA("page.page_of", page=365, pages=365) in page.one("nav.pager").text
    assert "3,650" in page.one("h2#diary-title").text
    assert JA("dreams.unknown_to_history") in page.text
    newer = page.one('a[rel="prev"]').attributes["href"]
    assert newer == address_of(NAME, "dreams", page=364)
    assert page.all('a[rel="next"]') == []
    assert dreams(visitor, 9999).one("ol.nights").text == page.one("ol.nights").text
    for first in ("", 1, 0, -5):
        assert "夜0" in dreams(visitor, first).one("ol.nights").text
    assert page.one("#sleep .outcome").text == JA(
        "dreams.last", time="きのう 03:00"
    )  # of the newest night, on any page
    assert visitor.get(address_of(NAME, "dreams", page="x")).status_code == 400


def test_nights_taken_back_stay_at_their_place_on_every_page(house: House) -> None:
    clock, memories = house.clock, house.memories
    for n in range(5):
        clock.set(datetime(2026, 11, 10 + n, 12))
        house.tell(at=clock.now() - timedelta(hours=15))
        house.dream()
    diary = diary_of(house)
    found = diary.all()
    assert len(found) == 5
    assert found[1].entry is not None
    memories.history.undo(found[0].entry.id if found[0].entry else "", author="user")
    memories.history.undo(found[1].entry.id, author="user")
    pages = [diary.page(n, 2) for n in range(2)]
    assert [night.key for page in pages for night in page.nights] == [night.key for night in found]
    assert [night.undone for night in pages[0].nights] == [True, True, False, False]
    latest = diary.latest()
    assert latest is not None
    assert latest.key == found[2].key


def test_whatever_is_remembered_is_text(house: House, visitor: TestClient) -> None:
    house.tell([(EVIL, "joy"), ("犬の<b>ポチ</b>が心配です。", "anxious")])
    house.dream()
    insight = Insight(
        created_at="2026-11-01 03:00:00", trigger_topic=EVIL, insight=EVIL, strategy=EVIL, log_entry=EVIL, mind=EVIL
    )
    path = house.memories.paths.insights
    for file, data in house.memories.insights.load().with_one(insight).changes(path).items():
        file.write_bytes(data or b"")
    diary = dreams(visitor).one("#diary")
    assert diary.all("script") == []
    assert not any("ポチ" in one for one in diary.texts("b"))
    assert diary.text.count(EVIL) >= 4


@pytest.mark.parametrize("broken", ["[]", "{", '{"days": 3, "changes": {"a": 1}, "messages_read": "x", "level": "x"}'])
def test_a_record_broken_by_hand_does_not_hide_the_diary(house: House, visitor: TestClient, broken: str) -> None:
    house.tell()
    house.dream()
    next(house.memories.paths.memory.glob("dream_2*.json")).write_text(broken, "utf-8")
    assert len(nights(dreams(visitor))) == 1


def test_what_was_left_out_is_named_with_why(house: House, visitor: TestClient) -> None:
    said = house.tell()
    house.dream()
    path = next(house.memories.paths.memory.glob("dream_2*.json"))
    record = json.loads(path.read_text(encoding="utf-8"))
    failure = {"task": "entities", "day": f"{EVENING:%Y-%m-%d}", "error": "", "evidence": [said[0]]}
    record["failures"] = [
        {**failure, "item": "花: 花さんは月に住んでいる。", "why": "nobody_said"},
        {**failure, "item": "忘れたこと", "why": "language", "evidence": ["gone"]},
    ]
    path.write_text(json.dumps(record), encoding="utf-8")
    night = nights(dreams(visitor))[0]
    assert JA("dreams.left_out", item="花: 花さんは月に住んでいる。", why=JA("dreams.why_nobody_said")) in night.text
    assert JA("dreams.failed_tasks", tasks="").strip() not in night.text


def test_people_and_things_of_a_day_by_a_button(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    for path in house.memories.paths.entity_memory.glob("*.md"):
        path.unlink()
    day = address_of(NAME, f"memories/days/{EVENING:%Y-%m-%d}")
    page = read(visitor.get(day))
    assert JA("memories.note_people") in page.texts("button")
    answer = visitor.post(
        f"{day}/people", headers={"origin": str(visitor.base_url).rstrip("/")}, follow_redirects=False
    )
    assert answer.status_code in (302, 303)
    house.services.sleep.stop()  # waits for the thread
    assert list(house.memories.paths.entity_memory.glob("*.md"))
