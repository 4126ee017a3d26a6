"""The room "Dreams": the diary of real dreams, the way back from them, and a dream now."""

import json
import re
import threading
from collections.abc import Mapping
from datetime import timedelta
from unittest.mock import create_autospec

import pytest
from starlette.testclient import TestClient

from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.mind import Cancel
from managers.sleep.diary import DreamDiary
from managers.sleep.dream import Dreamer, DreamReport
from managers.sleep.errors import DreamingAlreadyError
from tests.minds.talking import until
from tests.speeds import one_quick
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVENING, EVIL, NAME, House
from ui.locales import texts
from ui.server.addresses import address_of

LANGUAGE = "ja"
JA, EN = texts("ja"), texts("en")
DAY = address_of(NAME, f"memories/days/{EVENING:%Y-%m-%d}")
UNDO, REDO = 'button[value="undo"]', 'button[value="redo"]'


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


def test_before_a_dream_and_switched_off(house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = create_autospec(Dreamer.cost, side_effect=Dreamer.cost)
    monkeypatch.setattr(Dreamer, "cost", looks)
    page = dreams(visitor)
    assert page.one("#sleep .outcome").text == JA("dreams.never")
    assert page.one("#diary .nothing").text == JA("dreams.empty")
    assert page.texts("#sleep button") == [JA("dreams.now")]
    until(lambda: len({looks.call_count for _ in range(3) if dreams(visitor)}) == 1)  # nothing changed: it is known
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
    changed = night.all(".changes li")
    assert len(changed) == report.told.count
    assert JA("dreams.changed", count=len(changed)) in night.texts("summary")
    ways = {one.attributes["href"] for one in night.all(".changes .from a")}
    assert ways >= {DAY, *(address_of(NAME, f"memories/people/{name}") for name in house.memories.entities.names())}
    assert all(" ".join(change.text.split()) in night.text for change in (*report.told.stories, *report.told.changed))
    assert page.one("#sleep .outcome").text == JA("dreams.last", time=f"今日 {house.clock.now():%H:%M}")
    rests_on = [one.attributes["data-src"] for one in night.all(".changes details")]
    assert {address_of(NAME, f"around/{one}") for one in said} >= set(rests_on)


def test_a_dream_is_taken_back_and_done_again(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    before = house.memories.inner_state.levels().curiosity
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


@pytest.mark.parametrize("step", one_quick(["undo", "redo"]))
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
    page = read(visitor.get(box.one("a").attributes["href"]))
    assert undone(page) == [step == "redo"]  # nothing has moved
    page = read(press(visitor, box, 'button[name="rest"]'))
    assert page.one("#told .done").text == JA("history.taken_back" if step == "undo" else "history.redone")
    assert bool(memories.questions.open()) == (step == "redo")
    assert sum(undone(page)) == (step == "undo")


def test_a_dream_under_way_can_be_stopped(house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_record_of_a_night_is_told_in_words_and_may_be_broken(house: House, visitor: TestClient) -> None:
    said = house.tell([(EVIL, "joy"), ("犬の<b>ポチ</b>が心配です。", "anxious")])
    house.dream()
    diary = dreams(visitor).one("#diary")
    assert diary.all("script") == []
    assert not any("ポチ" in one for one in diary.texts("b"))
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


@pytest.mark.slow
def test_many_nights_are_turned_page_by_page(house: House, visitor: TestClient) -> None:
    path = house.memories.paths.insights
    days = [f"{EVENING - timedelta(days=n):%Y-%m-%d} 03:00:00" for n in range(1000)]
    told = [(day, f"夜{n}" if n else f"夜0 {EVIL}") for n, day in enumerate(days)]
    found = [
        Insight(created_at=day, trigger_topic="t", insight=words, strategy="", log_entry="") for day, words in told
    ]
    path.parent.mkdir(exist_ok=True)
    for file, data in Insights(found).changes(path).items():
        file.write_bytes(data or b"")
    page = dreams(visitor, 100)
    assert re.findall(r"夜(\d+)", page.one("ol.nights").text) == [str(n) for n in range(990, 1000)]
    assert JA("page.page_of", page=100, pages=100) in page.one("nav.pager").text
    assert dreams(visitor, 9999).one("ol.nights").text == page.one("ol.nights").text
    for first in ("", 1, 0, -5):
        assert f"夜0 {EVIL}" in dreams(visitor, first).one("ol.nights").text
    assert visitor.get(address_of(NAME, "dreams", page="x")).status_code == 400


def test_people_and_things_of_a_day_by_a_button(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    for path in house.memories.paths.entity_memory.glob("*.md"):
        path.unlink()
    assert JA("memories.note_people") in read(visitor.get(DAY)).texts("button")
    assert visitor.post(f"{DAY}/people").status_code in (302, 303)
    house.services.sleep.stop()  # waits for the thread
    assert list(house.memories.paths.entity_memory.glob("*.md"))
