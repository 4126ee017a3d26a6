"""The room "Heart": what it shows of real memories, and what its buttons do to them."""

import re
from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from managers.memory.emotion_curve import EmotionCurve
from managers.memory.goals import Goal
from managers.memory.questions import Question
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVENING, EVIL, NAME, House, aim_for
from ui.locales import texts
from ui.rooms.heart import growth
from ui.rooms.heart.feelings import SHOWN_READINGS
from ui.server.addresses import address_of

LANGUAGE = "ja"
JA, EN = texts("ja"), texts("en")
FIGURES = re.compile(r"\b[01]\.\d")
DEATHS = ("祖母が亡くなりました。", "昨日モモが天国に行った。", "おばあちゃんが逝ってしまった。")


def heart(visitor: TestClient, **query: object) -> Element:
    answer = visitor.get(address_of(NAME, "heart", **query))
    assert answer.status_code == 200
    return read(answer).one("#room")


def follow(visitor: TestClient, link: Element) -> Element:
    """Open a link of the room."""
    return read(visitor.get(link.attributes["href"])).one("#room")


def points(page: Element) -> list[Element]:
    return page.all("svg.wide a.point")


def questions_of(house: House) -> list[Question]:
    return house.memories.questions.open()


def test_an_untouched_persona_has_nothing_that_moves_it(house: House, visitor: TestClient) -> None:
    page = heart(visitor)
    assert JA("heart.nothing_moves") in page.one("#motive").text
    for place in ("questions", "goals", "feelings", "dream"):
        assert JA(f"heart.no_{place}") in page.one(f"#{place}").text
    assert page.all("#changes") + page.all("#behind li") + page.all("svg") == []
    assert JA("heart.never_talked") in page.one("#drives").text
    house.memories.inner_state.touch()
    house.clock.move(minutes=1)
    page = heart(visitor)
    assert JA("heart.nothing_moves") in page.one("#motive").text
    assert page.all("#drives .badge") == []  # nothing that rests is called the strongest
    for room in ("heart", "dreams", "tables/drives.csv"):
        assert visitor.get(address_of("nobody", room)).status_code == 404
    assert visitor.post(address_of("nobody", "dreams/now")).status_code == 404


def test_the_room_says_what_moves_it_in_words_or_figures(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    house.clock.move(hours=3)
    page = heart(visitor)
    top = questions_of(house)[0]
    assert house.memories.inner_state.levels().dominant == "curiosity"
    assert JA("heart.curiosity") in page.one("#motive .why-now").text
    assert top.topic in page.one("#motive .words").text
    assert len(points(page)) == 3
    assert (story := house.memories.episodes.get(EVENING.date())) is not None
    assert page.one("#dream .words").text == " ".join(story.summary.split())
    shown = [one.attributes["data-key"] for one in page.all("article.drive")]
    assert shown == ["boredom", "curiosity", "goal_achievement", "devotion"]
    last = house.memories.inner_state.last_interaction()
    assert last is not None
    goal = house.memories.goals.load().active("short_term")[0].goal
    for why in (
        JA("heart.why_boredom", time=f"きのう {last:%H:%M}"), JA("heart.why_curiosity", topic=top.topic),
        JA("heart.why_goal", goal=goal), JA("heart.why_devotion", feeling="喜び")
    ):  # fmt: skip
        assert why in page.one("#drives").text
    said = [one.attributes["aria-label"] for one in [*points(page), *page.all("svg")]]
    assert not [one for one in (page.text, *said) if FIGURES.search(one)]
    assert not re.findall(r'(?:src|href|action)="(?!/|#|\?)[^"]*"', visitor.get(address_of(NAME, "heart")).text)
    page = follow(visitor, page.one("p.figures a"))
    level = f"{house.memories.inner_state.levels().curiosity:.2f}"
    assert level in page.one("#motive").text
    page = follow(visitor, page.all("nav.choice a")[0])
    assert level in page.one("#motive").text  # what is chosen beside it keeps them
    assert not FIGURES.search(follow(visitor, page.one("p.figures a")).text)
    visitor.headers["accept-language"] = "en"
    page = heart(visitor)
    assert EN("heart.why_devotion", feeling="joy") in page.one("#drives").text


def test_nothing_is_called_calm_beside_a_death_that_was_told(house: House, visitor: TestClient) -> None:
    companion = house.services.companion(NAME)
    for death in DEATHS:
        companion.say(death).wait()
    companion.say("うん。").wait()
    companion.settle()
    for lang in ("ja", "en"):
        visitor.headers["accept-language"] = lang
        page = heart(visitor, figures=int(lang == "en"))
        shown = page.text + "".join(one.attributes["aria-label"] for one in page.all("svg a"))
        shown += " ".join(follow(visitor, point).one("#behind").text for point in points(page))
        assert all(death in shown for death in DEATHS)
        assert not re.search(r"穏やか|おだやか|静かに満ち|\bcalm\b|All is quiet", shown)


def test_what_weighs_heavily_is_held_up_to_nobody(house: House, visitor: TestClient) -> None:
    for words in ("もう死にたい。", "I want to die."):
        house.tell([(words, "sadness")], at=house.clock.now())
        house.clock.move(minutes=30)
        motive = heart(visitor).one("#motive").text
        assert "打ち明けてくれた" in motive
        assert words.rstrip("。.") not in motive
    house.clock.move(hours=20)
    for words in ("もう死にたい。", "I want to die."):
        dark = Question(topic=words, context=f"「{words}」と話していた。", priority=1.0)
        house.memories.questions.add(dark, author="ねむ", reason="-")
        page = heart(visitor)
        assert JA("heart.curiosity") in page.one("#motive .why-now").text
        assert words.rstrip("。.") not in page.one("#motive").text


@pytest.mark.slow
def test_the_course_is_drawn_over_days(house: House, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "_PATIENCE", 900)  # a busy machine is no fault of the room
    house.tell()
    for hour in range(1, 49):
        house.memories.inner_state.note_course(EVENING + timedelta(hours=hour))
    house.clock.set(EVENING + timedelta(days=20))
    week = heart(visitor)
    assert week.all("#drives svg") == []
    assert JA("heart.course_empty") in week.one("#drives").text
    assert JA("heart.level", level=house.memories.kpi.all_of().level) in week.one("#growth").text
    month = follow(visitor, week.all("#drives nav a")[1])
    assert len(month.all("#drives svg")) == 8  # wide and narrow
    assert "30日間の移り変わり" in month.all("#drives svg")[0].attributes["aria-label"]


def test_resolving_a_question_lets_curiosity_fall_and_can_be_taken_back(house: House, visitor: TestClient) -> None:
    house.tell()
    house.dream()
    state = house.memories.inner_state
    page, before, top = heart(visitor, days=30), state.levels().curiosity, questions_of(house)[0]
    answer = press(visitor, page, 'button[value="resolve"]')
    after = state.levels().curiosity
    assert after < before
    assert parse_qs(urlsplit(str(answer.url)).query)["days"] == ["30"]
    page = read(answer)
    assert page.one("#told .done").text == f"{JA('heart.resolved')} {JA('heart.settled')}"
    bar = page.one('article.drive[data-key="curiosity"]').one(".level-bar")
    assert bar.attributes["aria-valuenow"] == f"{round(after, 4)}"
    assert top.id not in [one.attributes.get("data-key") for one in page.all("#questions tbody tr")]
    answer = press(visitor, page, '#changes button[value="undo"]')
    assert parse_qs(urlsplit(str(answer.url)).query)["days"] == ["30"]
    assert state.levels().curiosity == pytest.approx(before)
    assert read(answer).all('#changes button[value="redo"]')


def test_deleting_a_question_asks_first_and_can_be_taken_back_once(house: House, visitor: TestClient) -> None:
    house.memories.questions.add(Question(topic="雪", priority=0.8), author="dream", reason="")
    page = heart(visitor)
    assert "雪" in page.one('button[value="delete"]').attributes["data-ask"]
    gone = read(press(visitor, page, 'button[value="delete"]'))
    assert questions_of(house) == []
    press(visitor, gone, '#changes button[value="undo"]')
    assert [one.topic for one in questions_of(house)] == ["雪"]
    revision = heart(visitor).attributes["data-revision"]
    house.memories.questions.resolve(questions_of(house)[0].id, author="user", reason="question_resolved")
    assert heart(visitor).attributes["data-revision"] != revision  # an open window sees it
    for step in ("resolve", "delete"):  # it was closed elsewhere
        told = read(press(visitor, page, f'button[value="{step}"]')).one("#told .problem")
        assert told.text == JA("heart.question_gone")
    assert house.memories.questions.load().entries[0].status == "resolved"


def test_a_goal_is_ended_once_and_a_form_leads_nowhere_else(house: House, visitor: TestClient) -> None:
    for step, status in (("complete", "completed"), ("abandon", "abandoned")):
        goal = Goal(goal=f"海へ行く {step}")
        aim_for(house.memories, goal)
        before = heart(visitor)
        page = read(press(visitor, before, f'button[value="{step}"]'))
        found = {one.goal: one.status for one in house.memories.goals.load().short_term}
        assert found[goal.goal] == status
        assert JA(f"heart.status_{status}") in page.one("#goals").text
        assert page.one("#told .done").text == JA(f"heart.{status}", goal=goal.goal)
        entries = house.memories.history.entries(10)
        page = read(press(visitor, before, f'button[value="{step}"]'))  # a window that still shows it
        assert page.one("#told .problem").text == JA("heart.goal_gone")
        assert house.memories.history.entries(10) == entries
    for back in ("https://example.com/", "//example.com", "/settings", ""):
        answer = visitor.post(address_of(NAME, "heart/goals"), data={"goal": "x", "step": "complete", "back": back})
        led = urlsplit(answer.headers["location"])
        assert (answer.status_code, led.netloc, led.path) == (303, "", address_of(NAME, "heart"))


def test_a_point_opens_the_message_with_its_neighbours_while_it_is_there(house: House, visitor: TestClient) -> None:
    said = house.tell()
    for text in ("ひとつめ", "ふたつめ"):  # in one second
        message = house.memories.log.append("user", "花", text, time=EVENING + timedelta(hours=1))
        house.memories.emotions.append(text, "joy", message_id=message.id, time=message.time)
    gone = EVENING + timedelta(hours=2)
    house.memories.emotions.append("消えたことば", "joy", message_id="20200101T000000-gone", time=gone)
    found = points(heart(visitor))
    page = follow(visitor, found[1])
    row = page.one("#behind .in-place li[aria-current]")
    assert "貴船神社" in row.text
    opened = [follow(visitor, one).one("#behind .in-place li[aria-current] div").text for one in found[3:5]]
    assert sorted(opened) == ["ひとつめ", "ふたつめ"]
    assert "消えたことば" in follow(visitor, found[5]).one("#behind blockquote").text
    house.memories.log.supersede(said[1], None)
    shown = [follow(visitor, point).one("#behind").text for point in found]
    assert not any("貴船神社" in behind for behind in shown)
    assert JA("around.gone") in shown[1]


@pytest.mark.slow
def test_many_readings_become_averages_that_open(house: House, visitor: TestClient) -> None:
    for number in range(400):
        moment = datetime(2026, 11, 16) + timedelta(minutes=20 * number)
        house.memories.emotions.append(f"{number}", "joy" if number % 2 else "anger", time=moment)
    assert len(points(heart(visitor))) == 134  # one an hour, not one a reading
    page = follow(visitor, points(heart(visitor, span="month"))[1])
    assert len(page.all("#behind blockquote")) == SHOWN_READINGS
    assert JA("heart.more_readings", count=72 - SHOWN_READINGS) in page.one("#behind").text
    page = follow(visitor, next(one for one in page.all("#behind a") if one.text == JA("heart.zoom")))
    assert page.one("#feelings nav a[aria-current]").text == JA("heart.span_day")
    assert len(points(page)) == 72


@pytest.mark.slow
def test_one_walks_from_span_to_span_and_a_changed_address_shows_the_room(house: House, visitor: TestClient) -> None:
    house.tell(at=datetime(2026, 9, 30, 9))
    page = heart(visitor, span="month")
    assert JA("heart.no_feelings") in page.one("#feelings").text
    earlier = follow(visitor, page.one('a[rel="prev"]'))
    assert earlier.one("#feelings h3").text == "2026年10月"
    latest = follow(visitor, page.one("#feelings .nothing a"))
    assert latest.one("#feelings h3").text == "2026年9月"
    odd = (EVIL, "0001-01-01_9999-12-31T23:59:59.999999_", "2026-11-20T00:00:00+09:00_2026-11-21T00:00")
    changed: list[dict[str, object]] = [{"days": -1}, {"day": "0001-01-01"}, {"day": "9999-12-31", "span": "year"}]
    changed += [{"point": one} for one in odd]
    for query in changed:
        page = heart(visitor, **query)
        assert len(page.all("#feelings nav a")) == 5
    assert visitor.get(address_of(NAME, "heart", span="century")).status_code == 400


def test_the_curve_reads_what_the_log_reads(house: House) -> None:
    for number in range(300):
        moment = datetime(2026, 5, 1, 12) + timedelta(hours=16 * number)
        house.memories.emotions.append(f"{number}", ("joy", "anger", "sadness")[number % 3], time=moment)
    house.memories.emotions.roll()
    curve = EmotionCurve(house.memories.paths, house.clock)
    since, until = datetime(2026, 6, 10), datetime(2026, 10, 3, 4)
    entries = list(reversed(house.memories.emotions.entries(since, until)))
    assert [(r.time, r.value) for r in curve.readings(since, until)] == [(e.timestamp, e.value) for e in entries]
    for step in ("hour", "day", "week", "month"):
        buckets = curve.buckets(since, until, step)
        assert sum(bucket.count for bucket in buckets) == len(entries)
        inside = [e.value for e in entries if buckets[3].start <= e.timestamp < buckets[3].end]
        assert buckets[3].mean == pytest.approx(sum(inside) / len(inside))
    assert curve.first() == datetime(2026, 5, 1)


def test_whatever_is_remembered_is_text(house: House, visitor: TestClient) -> None:
    memories = house.memories
    memories.questions.add(Question(topic=EVIL, context=EVIL, priority=0.9, id=EVIL), author="dream", reason="")
    goal = Goal(goal=EVIL, progress_notes=[EVIL], related_values=[EVIL], id=EVIL, updated_at=EVIL)
    memories.goals.change(lambda goals: goals.created("long_term", goal), author="dream", reason="")
    house.tell([(EVIL, "joy")])
    memories.emotions.append(EVIL, EVIL, message_id=EVIL, time=EVENING)
    for figures in ("", "1"):
        page = heart(visitor, figures=figures)
        for shown in (page, *(follow(visitor, point) for point in points(page))):
            assert shown.all("script") + shown.all("img") == []
    assert EVIL in heart(visitor).one("#questions b").text
    page = read(press(visitor, heart(visitor), 'button[value="resolve"]'))
