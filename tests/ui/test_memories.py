"""The memories on real files, as a browser is shown them: found, opened, corrected, pinned, forgotten, brought back."""

import re
from datetime import date, datetime
from typing import get_args
from urllib.parse import quote

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from agent.forgetting import let_go
from agent.memories import Memories
from agent.services import Services
from agent.tools import all_tools
from managers.exchange.items import MemoryKind
from managers.hygiene.limits import weigh
from managers.memory.confidence import Move, Standing
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.memory.forgotten import forget_words
from managers.memory.goals import KEPT_ENDED, Goal, Goals
from managers.memory.insights import Insight, Insights
from managers.memory.periods import Period
from managers.memory.questions import KEPT_CLOSED, Question, Questions
from managers.sleep.tasks import Tone
from managers.storage.audit import Given, Recipient, months, record
from managers.storage.errors import Lang
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVENING, NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, texts
from ui.rooms.memories import inner, people
from ui.rooms.memories.search import marked
from ui.rooms.memories.shelves import GROUPS, SHOWN_EVIDENCE
from ui.server.addresses import address_of

EVIL = '<img src=x onerror="alert(1)"> ${alert(2)} {{alert(3)}}'
JA = texts("ja")
DAY = date(2026, 11, 3)


class Shelves:
    """A browser in front of the shelves."""

    def __init__(self, services: Services, lang: str = "ja") -> None:
        self.browser: TestClient = visitor_of(services)
        self.browser.headers["accept-language"] = lang

    def answer(self, place: str = "", **query: object) -> Response:
        return self.browser.get(address_of(NAME, f"memories{place}", **query), follow_redirects=True)

    def look(self, place: str = "", **query: object) -> Element:
        return read(self.answer(place, **query)).one("#room")

    def press(self, page: Element, selector: str, **typed: str) -> Element:
        return read(press(self.browser, page, selector, **typed)).one("#room")


@pytest.fixture
def shelves(services: Services) -> Shelves:
    return Shelves(services)


def tell_of_tanaka(memories: Memories) -> str:
    said = memories.log.append("user", "ミナ", "田中さんは大阪に引っ越したよ")
    entity = Entity(
        "田中さん",
        kind="person",
        created="2026-01-02 12:00:00",
        mind="built-in",
        lines=(
            Fact("2026-10まで: 京都に住んでいる", (said.id,), "built-in", "f_1", "home", "2025-12-31", "2026-10"),
            Fact("大阪に住んでいる", (said.id,), "built-in", "f_2", "home", "2026-10-20"),
            "紅茶を出すこと。",
        ),
    )
    memories.apply({memories.entities.path(entity.name): format_entity(entity).encode()}, author="dream", reason="met")
    memories.recall.catch_up()
    return said.id


def episode(day: date, summary: str = "川をながめた") -> Episode:
    return Episode(
        date=day, summary=summary, key_events=["灯りを見た"], key_event_evidence=[["m1"]], mind="built-in"
    ).sealed()


def insight(number: int) -> Insight:
    return Insight(
        created_at=f"2026-11-{number:02d} 03:00:00",
        trigger_topic=f"話題{number}",
        insight=f"気づき{number}",
        strategy="",
        log_entry="",
    )


def conclude(memories: Memories, *numbers: int) -> None:
    diary = Insights(memories.insights.entries())
    for number in numbers:
        diary = diary.with_one(insight(number))
    memories.apply(diary.changes(memories.paths.insights), author="dream", reason="night")


# --- the shelves


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_shelf_says_what_it_is_for_while_it_is_empty(services: Services, memories: Memories, lang: str) -> None:
    shelves, t = Shelves(services, lang), texts("ja" if lang == "ja" else "en")
    for name in (name for names in GROUPS.values() for name in names):
        page = shelves.look("" if name == "search" else f"/{name}")
        assert page.one('a[aria-current="page"]').text == t(f"shelves.{name}")
        assert len(page.all(".nothing") + page.all(".covered")) == 1
        assert len(page.all("h1")) == 1


def test_the_shelves_stand_in_groups_each_with_a_sign(shelves: Shelves, memories: Memories) -> None:
    groups = shelves.look().all('nav.shelves [role="group"]')
    shown = [len(group.all("a")) - len(group.all("a.group")) for group in groups]
    assert shown == [len(names) + (group == "inner") for group, names in GROUPS.items()]  # and the notes
    assert all(len(one.all("i.icon")) == 1 for group in groups for one in group.all("a") if "group" not in one.classes)
    for one in groups[0].all("a"):
        assert shelves.browser.get(one.attributes["href"]).status_code == 200


def test_there_is_no_shelf_of_another_name(shelves: Shelves, memories: Memories) -> None:
    for place in ("/nothing", "/days/2026-13", "/days/2026-02-31", "/days/20261103", "/map/x", "/insights/x/y"):
        assert shelves.answer(place).status_code in {400, 404, 405}
        assert JA("page.no_such_page") in shelves.answer(place).text


# --- looking for something


def test_a_search_finds_all_kinds_and_is_narrowed_by_kind_and_day(shelves: Shelves, memories: Memories) -> None:
    said = tell_of_tanaka(memories)
    old = memories.log.append("user", "ミナ", "大阪は遠いね", time=datetime(2026, 11, 2, 9, 0))
    memories.recall.catch_up()
    page = shelves.look(query="大阪")
    assert {JA("types.current_log"), JA("types.entity_memory")} <= set(page.texts(".found .kind"))
    only = shelves.look(query="大阪", kinds="entity_memory")
    assert set(only.texts(".found .kind")) == {JA("types.entity_memory")}
    assert "open" in only.one(".lookup details").attributes
    assert [one.attributes["value"] for one in only.all("input[checked]")] == ["entity_memory"]
    then = shelves.look(query="大阪", since="2026-11-01", until="2026-11-03")
    assert then.texts(".found blockquote") == ["大阪は遠いね"]
    assert then.one(".found details").attributes["data-src"] == address_of(NAME, f"around/{old.id}")
    assert "大阪" in page.texts("mark")
    assert any(said in one.attributes["data-src"] for one in page.all(".found details"))
    assert shelves.look(query="大阪", since="nonsense").texts(".found .kind")  # a day that is none narrows nothing


def test_each_kind_of_memory_opens_in_its_place(shelves: Shelves, memories: Memories) -> None:
    memories.entities.note("灯台", "灯台の鍵は青い", author="dream", mind="built-in")
    memories.apply({memories.episodes.path(DAY): episode(DAY, "灯台へ行った").dump()}, author="dream", reason="night")
    told = insight(4).model_copy(update={"insight": "灯台がよく出る"})
    memories.apply(Insights([]).with_one(told).changes(memories.paths.insights), author="dream", reason="night")
    memories.notes.append("main_memory", "灯台の日記", author=NAME, reason="diary")
    memories.notes.append("core_memory", "灯台が好き", author="user", reason="edited")
    memories.recall.catch_up()
    page = shelves.look(query="灯台")
    found = [one for one in page.all(".found li") if "灯台" in one.one("blockquote").text]
    ways = {one.one(".kind").text: one.one("a.small").attributes["href"] for one in found}
    heads = {
        "entity_memory": "灯台",
        "episodic_memory": "11月3日(火)",
        "dream_insight": JA("shelves.insights"),
        "diary": JA("shelves.diary"),
        "note": JA("notes.title"),
    }
    assert ways.keys() == {JA(f"types.{kind}") for kind in heads}
    for kind, head in heads.items():
        opened = read(shelves.browser.get(ways[JA(f"types.{kind}")], follow_redirects=True)).one("#room")
        assert opened.one("h1").text == head
        assert "灯台" in opened.text


def test_words_that_were_looked_for_are_marked_whatever_they_are() -> None:
    assert marked("<b>大阪</b>と大阪弁", "大阪 <b>") == [
        ("<b>", True),
        ("大阪", True),
        ("</b>と", False),
        ("大阪", True),
        ("弁", False),
    ]
    assert marked("a&b", "amp") == [("a&b", False)]


def test_a_long_list_of_what_was_found_has_pages_that_keep_the_question(shelves: Shelves, memories: Memories) -> None:
    for number in range(30):
        memories.log.append("user", "ミナ", f"{number}番目の手紙と万年筆の{chr(0x3042 + number)}の話")
    memories.recall.catch_up()
    page = shelves.look(query="手紙 万年筆", kinds="current_log")
    older = page.one('.pager [rel="next"]').attributes["href"]
    assert "kinds=current_log" in older
    following = read(shelves.browser.get(older)).one("#room")
    assert following.one("#memory-query").attributes["value"] == "手紙 万年筆"
    assert not set(page.texts("blockquote")) & set(following.texts("blockquote"))
    assert len(shelves.look(query="手紙 万年筆", page=99_999).all(".found li")) > 0


# --- people and things


def test_an_entity_says_what_holds_what_held_and_who_said_so(shelves: Shelves, memories: Memories) -> None:
    message = tell_of_tanaka(memories)
    page = shelves.look("/people/田中さん")
    assert page.texts(".shelf h2") == [JA("memories.holds_now"), JA("memories.held_once"), JA("memories.in_own_words")]
    now, once = page.all(".told-list")
    assert "大阪に住んでいる" in now.text
    assert "京都に住んでいる" in once.text
    assert page.one(".words.own").text == "紅茶を出すこと。"
    assert {one.attributes["data-src"] for one in page.all(".evidence details")} == {
        address_of(NAME, f"around/{message}")
    }


def test_a_corrected_line_is_the_users_and_the_others_keep_where_they_come_from(
    shelves: Shelves, memories: Memories
) -> None:
    message = tell_of_tanaka(memories)
    page = shelves.look("/people/田中さん", edit=1)
    assert "data-keep" in page.one("#memory-editor").attributes
    text = "- 2026-10まで: 京都に住んでいる\r\n- 神戸に住んでいる\r\n紅茶を出すこと。"
    page = shelves.press(page, "#memory-editor .main", text=text, aliases="田中、 田中、田中さん", kind="person")
    entity = memories.entities.get("田中さん")
    assert entity is not None
    assert [fact.evidence for fact in entity.facts] == [(message,)]
    assert "- 神戸に住んでいる" in entity.lines
    assert entity.aliases == ("田中",)
    assert "神戸に住んでいる" in page.one(".words.own").text
    assert any("神戸" in hit.text for hit in memories.recall.search("田中さんの神戸"))


def test_an_edit_that_met_another_one_shows_both_and_loses_neither(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    page = shelves.look("/people/田中さん", edit=1)
    path = memories.entities.path("田中さん")
    path.write_text(path.read_text(encoding="utf-8") + "よそで書いた行\n", encoding="utf-8")
    answer = press(shelves.browser, page, "#memory-editor .main", text="ページで書いた行", kind="person")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    assert "よそで書いた行" in page.one("[data-conflict] pre").text
    assert page.one("textarea").text == "ページで書いた行"
    assert "ページで書いた行" not in path.read_text(encoding="utf-8")
    shelves.press(page, "#memory-editor .main", kind="person")  # now that both were seen, one's own is kept
    assert "ページで書いた行" in path.read_text(encoding="utf-8")
    assert "よそで書いた行" not in path.read_text(encoding="utf-8")


def test_somebody_new_is_written_about_and_the_known_are_opened(shelves: Shelves, memories: Memories) -> None:
    page = shelves.press(shelves.look("/people"), ".new button", name="ゆうちゃん")
    assert memories.entities.names() == []  # nothing is written before it is saved
    page = shelves.press(page, "#memory-editor .main", text="ピアノを弾く", kind="person")
    assert page.one("h1").text == "ゆうちゃん"
    assert memories.entities.names() == ["ゆうちゃん"]
    again = shelves.press(shelves.look("/people"), ".new button", name="ゆうちゃん")
    assert again.one(".words.own").text == "ピアノを弾く"
    refused = press(shelves.browser, shelves.look("/people"), ".new button", name="../悪い名前")
    assert refused.status_code == 400
    assert refused.url.path == f"/p/{NAME}/memories/people"


def test_people_are_sought_by_name_word_and_kind(shelves: Shelves, memories: Memories) -> None:
    for name, kind, fact in (
        ("モモ", "pet", "青い首輪"),
        ("京都", "place", "春に行った"),
        ("青山さん", "person", "隣の人"),
    ):
        memories.entities.note(name, fact, author="dream", mind="built-in", kind=kind)  # type: ignore[arg-type]  # kinds
    assert shelves.look("/people").texts(".cards b") == ["モモ", "京都", "青山さん"]
    assert shelves.look("/people", query="青").texts(".cards b") == ["青山さん", "モモ"]
    assert shelves.look("/people", kind="place").texts(".cards b") == ["京都"]
    assert shelves.look("/people", query="いない").texts(".nothing") == [JA("memories.found_nothing")]


def test_a_long_shelf_has_pages(shelves: Shelves, memories: Memories) -> None:
    memories.paths.entity_memory.mkdir(exist_ok=True)
    for n in range(people.PAGE + 3):
        memories.entities.path(f"名{n:02d}").write_text(format_entity(Entity(f"名{n:02d}")), encoding="utf-8")
    page = shelves.look("/people")
    assert len(page.texts(".cards b")) == people.PAGE
    following = read(shelves.browser.get(page.one('.pager [rel="next"]').attributes["href"]))
    assert following.texts(".cards b") == [f"名{n:02d}" for n in range(people.PAGE, people.PAGE + 3)]


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_what_left_and_what_tools_wrote_is_told_in_words(services: Services, memories: Memories, lang: str) -> None:
    tools = {spec.name for spec in all_tools().specs("ja")}
    for tool in tools:
        record(memories.paths, memories.clock.now(), "tool_write", Given({tool: 2}))
    record(memories.paths, memories.clock.now(), "import", Given(dict.fromkeys(get_args(MemoryKind), 3)))
    record(
        memories.paths,
        memories.clock.now(),
        "program",
        Given(dict.fromkeys(("lore", "world", "world_before", "episodes"), 4)),
    )
    page = Shelves(services, lang).look("/audit")
    words = " ".join(page.texts(".history p"))
    assert ("メモ帳に書く 2件" if lang == "ja" else "write in the notepad: 2") in words
    assert "×" not in words
    assert "_" not in words
    if lang == "ja":
        assert not re.search("[a-z]", words)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("tone", get_args(Tone))
def test_how_a_day_felt_is_told_in_words(services: Services, memories: Memories, lang: Lang, tone: Tone) -> None:
    day = episode(DAY).model_copy(update={"emotional_tone": tone})
    memories.apply({memories.episodes.path(DAY): day.dump()}, author="dream", reason="night")
    said = Shelves(services, lang).look(f"/days/{DAY}").texts(".from .kind")
    assert said == ([texts(lang)(f"memories.tone_{tone}")] if tone != "neutral" else [])


# --- pins, forgetting, bringing back


def test_what_is_forgotten_leaves_search_at_once_and_can_be_brought_back(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    page = shelves.press(shelves.look("/people/田中さん"), ".danger")
    assert page.one(".nothing")
    assert "entity_memory" not in {hit.type for hit in memories.recall.search("田中さん 大阪")}
    assert shelves.look("/people/田中さん").one(".nothing p").text == JA("memories.gone")
    page = shelves.look("/forgotten")
    assert page.texts(".history b") == ["田中さん"]
    page = shelves.press(page, ".history button")
    assert page.all(".history") == []
    assert "entity_memory" in {hit.type for hit in memories.recall.search("田中さん 大阪")}


def test_one_of_a_list_is_brought_back_beside_what_came_later(shelves: Shelves, memories: Memories) -> None:
    conclude(memories, 1, 2)
    page = shelves.look("/insights")
    one = next(one for one in page.all(".told-list li") if one.one("h3").text == "話題1")
    page = shelves.press(page, f"#{one.attributes['id']} .danger")
    assert page.texts("h3") == ["話題2"]
    assert shelves.look("/forgotten").texts(".history b") == ["話題1"]
    conclude(memories, 3)
    shelves.press(shelves.look("/forgotten"), ".history button")
    assert [entry.trigger_topic for entry in memories.insights.entries()] == ["話題3", "話題2", "話題1"]
    assert shelves.look("/forgotten").one(".nothing")


@pytest.mark.parametrize("shelf", ["people", "days", "insights", "goals", "questions"])
def test_what_is_forgotten_leads_to_where_it_waits(shelves: Shelves, memories: Memories, shelf: str) -> None:
    item = _one_of(memories, shelf)
    opened = f"/{shelf}/{item}" if shelf in {"people", "days"} else f"/{shelf}"
    page = read(press(shelves.browser, shelves.look(opened), f'[formaction="{_at(shelf, item)}/forget"]'))
    assert page.one("#told a").attributes["href"] == address_of(NAME, "memories/forgotten")


@pytest.mark.parametrize("shelf", ["people", "days", "insights", "goals", "questions"])
def test_a_pin_is_kept_in_the_memory_and_shown_first(shelves: Shelves, memories: Memories, shelf: str) -> None:
    item = _one_of(memories, shelf)
    opened = f"/{shelf}/{item}" if shelf in {"people", "days"} else f"/{shelf}"
    button = f'[formaction="{_at(shelf, item)}/pin"]'
    assert shelves.look(f"/{shelf}").all(".pinned") == []
    page = shelves.press(shelves.look(opened), button)
    assert page.texts(".pinned") == [JA("memories.pinned")]
    listed = shelves.look(f"/{shelf}")
    if shelf != "days":  # a calendar keeps its order
        assert listed.all(".shelf li")[0].texts(".pinned") == [JA("memories.pinned")]
    page = shelves.press(shelves.look(opened), button)
    assert page.all(".pinned") == []


def _one_of(memories: Memories, shelf: str) -> str:
    """Make two memories of a kind, and return the one that would come second."""
    if shelf == "people":
        for name in ("あおい", "ムギ"):
            memories.entities.note(name, "話した", author="dream", mind="built-in")
        return "ムギ"
    if shelf == "days":
        for day in (DAY, date(2026, 11, 4)):
            memories.apply({memories.episodes.path(day): episode(day).dump()}, author="dream", reason="night")
        return DAY.isoformat()
    if shelf == "insights":
        conclude(memories, 1, 2)
        return memories.insights.entries()[-1].id
    if shelf == "goals":
        two = [Goal(goal=f"目標{n}", priority=n) for n in (1, 2)]
        memories.goals.change(
            lambda goals: goals.created("short_term", two[0]).created("short_term", two[1]),
            author="dream",
            reason="night",
        )
        return memories.goals.load().active("short_term")[-1].id
    for n in (1, 2):
        memories.questions.add(Question(topic=f"問い{n}", priority=0.5 / n), author="dream", reason="night")
    return memories.questions.open()[-1].id


def test_words_that_were_forgotten_for_a_wish_stand_on_the_shelf_and_come_back(
    shelves: Shelves, memories: Memories
) -> None:
    said = memories.log.append("user", "ミナ", "田中さんは<b>大阪</b>に引っ越したよ")
    asked = memories.log.append("user", "ミナ", "今の話は忘れて")
    let_go(memories, asked.id)
    page = shelves.look("/forgotten")
    assert "<b>大阪</b>" in page.one(".words").text
    assert memories.log.get(said.id) is None
    page = shelves.press(page, ".history button")
    assert memories.log.get(said.id) == said
    assert page.one(".nothing")


def test_among_forgotten_words_nobody_reads_what_the_program_wrote(shelves: Shelves, memories: Memories) -> None:
    ids = [
        memories.log.append("user", "ミナ", "傘はどこ").id,
        memories.log.append("system", "tool", "記憶をさがしました").id,
        memories.log.append("persona", NAME, "玄関だよ").id,
    ]
    forget_words(memories.log, ids, memories.log.append("user", "ミナ", "今の話は忘れて").id)
    page = shelves.look("/forgotten")
    assert page.texts(".words b") == ["ミナ", NAME]
    assert "記憶をさがしました" not in page.text
    assert JA("memories.forgotten_words", count=2, time="12:00") in page.text


# --- days


def test_a_pinned_day_is_still_the_dreams_and_a_corrected_one_is_the_users(
    shelves: Shelves, memories: Memories
) -> None:
    memories.apply({memories.episodes.path(DAY): episode(DAY).dump()}, author="dream", reason="night")
    shelves.press(shelves.look("/days/2026-11-03"), '[name="on"]')
    pinned = memories.episodes.get(DAY)
    assert pinned is not None
    assert pinned.is_pinned
    assert not pinned.is_users
    page = shelves.look("/days/2026-11-03", edit=1)
    shelves.press(page, "#memory-editor .main", summary="海", events="灯りを見た\r\n歩いた\r\n")
    corrected = memories.episodes.get(DAY)
    assert corrected is not None
    assert (corrected.summary, corrected.key_event_evidence) == ("海", [["m1"], []])
    assert corrected.is_users
    assert corrected.is_pinned


def test_a_day_that_was_changed_elsewhere_is_shown_with_both_texts(shelves: Shelves, memories: Memories) -> None:
    memories.apply({memories.episodes.path(DAY): episode(DAY).dump()}, author="dream", reason="night")
    page = shelves.look("/days/2026-11-03", edit=1)
    memories.episodes.save(episode(DAY, "よそで書いた"), author="user", reason="edited")
    answer = press(shelves.browser, page, "#memory-editor .main", summary="ここで書いた", events="歩いた")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    assert "よそで書いた" in page.one("[data-conflict]").text
    assert [one.text for one in page.all("textarea")] == ["ここで書いた", "歩いた"]
    shelves.press(page, "#memory-editor .main")
    kept = memories.episodes.get(DAY)
    assert kept is not None
    assert kept.summary == "ここで書いた"


def test_a_day_that_is_gone_meanwhile_cannot_be_written(shelves: Shelves, memories: Memories) -> None:
    memories.apply({memories.episodes.path(DAY): episode(DAY).dump()}, author="dream", reason="night")
    page = shelves.look("/days/2026-11-03", edit=1)
    memories.episodes.delete(DAY, author="user", reason="forgotten")
    answer = press(shelves.browser, page, "#memory-editor .main", summary="ここで書いた")
    assert answer.status_code == 404
    assert not memories.episodes.path(DAY).exists()


def test_the_calendar_opens_on_the_last_month_and_goes_back(shelves: Shelves, memories: Memories) -> None:
    for day in (date(2025, 12, 24), DAY):
        memories.apply({memories.episodes.path(day): episode(day, f"日 {day}").dump()}, author="dream", reason="night")
    page = shelves.look("/days")
    assert [one.attributes["href"] for one in page.all(".calendar a")] == [address_of(NAME, "memories/days/2026-11-03")]
    assert page.texts("select option") == ["2026年11月", "2025年12月"]
    before = read(shelves.browser.get(page.one('[rel="prev"]').attributes["href"]))
    assert "日 2025-12-24" in before.one(".lines li").text
    assert shelves.look("/days", month="2025-12").texts(".calendar a") == before.texts(".calendar a")
    opened = shelves.look("/days/2025-12-24")
    assert opened.one(".crumbs a").attributes["href"] == address_of(NAME, "memories/days/2025-12")
    forgotten = shelves.press(opened, ".danger")  # the month has nothing left: the last one that has stands there
    assert len(forgotten.all(".calendar a")) == 1


# --- diaries


def test_the_secret_diary_is_covered_until_somebody_asks_to_see_it(shelves: Shelves, memories: Memories) -> None:
    memories.notes.append("secret_diary", "ひみつの言葉", author=NAME, reason="secret")
    for place in ("/secret-diary", "/secret-diary/secret_diary_archived_001.txt"):
        page = shelves.look(place)
        assert "ひみつの言葉" not in page.text
        assert page.all("[download]") == []
    page = shelves.look("/secret-diary")
    uncovered = read(shelves.browser.get(page.one(".covered a").attributes["href"])).one("#room")
    assert uncovered.one(".words").text == "ひみつの言葉"
    edited = read(shelves.browser.get(uncovered.one("p.buttons a").attributes["href"])).one("#room")
    shelves.press(edited, "#memory-editor .main", text="書きなおした")
    assert memories.notes.read("secret_diary").text.strip() == "書きなおした"
    assert "書きなおした" not in shelves.look("/secret-diary").text


def test_a_diary_is_edited_against_what_was_read(shelves: Shelves, memories: Memories) -> None:
    memories.notes.append("main_memory", "はじめ", author=NAME, reason="diary")
    page = shelves.look("/diary", edit=1)
    shelves.press(page, "#memory-editor .main", text="なおした\r\n二行目")
    assert memories.notes.read("main_memory").text == "なおした\n二行目"
    answer = press(shelves.browser, page, "#memory-editor .main", text="もういちど")  # from a window that is old by now
    assert answer.status_code == 409
    assert memories.notes.read("main_memory").text == "なおした\n二行目"
    page = read(answer).one("#room")
    assert page.one("textarea").text == "もういちど"
    assert "なおした" in page.one("[data-conflict] pre").text


def test_older_volumes_of_a_diary_are_read_one_by_one(shelves: Shelves, memories: Memories) -> None:
    memories.notes.write("main_memory", "いまの巻", based_on=None, author=NAME, reason="diary")
    path = memories.notes.path("main_memory").with_name("memory_archived_001.txt")
    path.write_text("まえの巻", "utf-8")
    page = shelves.look("/diary")
    assert "まえの巻" not in page.text
    opened = read(shelves.browser.get(page.one("ul.plain a").attributes["href"])).one("#room")
    assert opened.one(".words").text == "まえの巻"
    assert "いまの巻" not in shelves.look("/diary/memory_main.txt").text  # it is no older volume
    assert "secret" not in shelves.look("/diary/../../persona.json").text


# --- insights, goals, questions


def test_a_question_is_resolved_and_a_goal_reached(shelves: Shelves, memories: Memories) -> None:
    question, goal = _one_of(memories, "questions"), _one_of(memories, "goals")
    shelves.press(shelves.look("/questions"), f'#{question} [formaction="{_at("questions", question)}/resolve"]')
    assert question not in {one.id for one in memories.questions.open()}
    page = shelves.press(shelves.look("/goals"), f'#{goal} [value="completed"]')
    found = memories.goals.load().get(goal)
    assert found is not None
    assert found[1].status == "completed"
    assert JA("memories.completed") in page.texts(".kind")
    gone = shelves.browser.post(f"{_at('goals', 'g_nothing')}/end", data={"status": "completed"})
    assert gone.status_code == 404
    assert "g_nothing" in gone.text


def _at(shelf: str, item: str) -> str:
    return address_of(NAME, f"memories/{shelf}/{item}")


def test_a_way_into_a_list_leads_to_the_page_on_which_the_memory_stands(shelves: Shelves, memories: Memories) -> None:
    conclude(memories, *range(1, 24))
    oldest = memories.insights.entries()[-1]
    for named in (oldest.id, oldest.created_at):
        answer = shelves.browser.get(_at("insights", named))
        assert answer.headers["location"] == f"{address_of(NAME, 'memories/insights', page=1)}#{oldest.id}"
    assert oldest.trigger_topic in shelves.look("/insights", page=1).texts("h3")
    assert shelves.look("/insights/in_nothing").one(".nothing p").text == JA("memories.gone")


def test_a_button_leads_back_to_where_it_was_pressed_and_nowhere_else(shelves: Shelves, memories: Memories) -> None:
    conclude(memories, *range(1, 24))
    oldest = memories.insights.entries()[-1].id
    for back, led in (
        (address_of(NAME, "memories/insights", page=1), address_of(NAME, "memories/insights", page=1)),
        ("https://elsewhere.example/", address_of(NAME, "memories/insights")),
        ("//elsewhere.example", address_of(NAME, "memories/insights")),
    ):
        answer = shelves.browser.post(f"{_at('insights', oldest)}/pin", data={"on": "1", "back": back})
        assert answer.headers["location"] == f"{led}#{oldest}"


def test_what_was_put_aside_is_to_be_leafed_to_and_only_to_be_read(shelves: Shelves, memories: Memories) -> None:
    asked = [Question(topic=f"問い{n}", id=f"q{n}", status="resolved", answer="そう") for n in range(2 * KEPT_CLOSED)]
    memories.apply(Questions(asked).changes(memories.questions.path), author="dream", reason="night")
    ended = [Goal(goal=f"目標{n}", id=f"g{n}", status="completed") for n in range(2 * KEPT_ENDED)]
    memories.apply(Goals(ended).changes(memories.paths.goals), author="dream", reason="night")
    assert len(memories.questions.load().entries) == KEPT_CLOSED
    for shelf, word, count in (("questions", "問い", 2 * KEPT_CLOSED), ("goals", "目標", 2 * KEPT_ENDED)):
        last = shelves.look(f"/{shelf}", page=(count - 1) // inner.PAGE)
        assert f"{word}{count - 1}" in last.texts("h3")
        assert last.all(".danger") == []


def test_only_the_first_messages_of_many_are_shown_as_evidence(shelves: Shelves, memories: Memories) -> None:
    ids = [memories.log.append("user", "ミナ", f"ことば{n}").id for n in range(SHOWN_EVIDENCE + 5)]
    memories.questions.add(Question(topic="問い", evidence=ids), author="dream", reason="night")
    evidence = shelves.look("/questions").one(".evidence")
    assert len(evidence.all("details")) == SHOWN_EVIDENCE
    assert JA("memories.more_evidence", count=5) in evidence.text


def test_evidence_says_what_a_message_says_now(shelves: Shelves, memories: Memories) -> None:
    kept, changed, gone = (memories.log.append("user", "ミナ", f"ことば{n}").id for n in range(3))
    memories.questions.add(Question(topic="問い", evidence=[kept, changed, gone]), author="dream", reason="night")
    memories.log.supersede(changed, "言いなおした")
    memories.log.supersede(gone, None)
    evidence = shelves.look("/questions").one(".evidence")
    assert evidence.texts("details summary") == ["ミナ: ことば0", "ミナ: 言いなおした"]
    memories.questions.add(Question(topic="根のない問い", evidence=[gone]), author="dream", reason="night")
    assert JA("memories.evidence_gone") in shelves.look("/questions").text


# --- history, and what must hold everywhere


@pytest.mark.parametrize("shelf", ["insights", "goals", "questions"])
def test_each_memory_of_a_shelf_has_its_own_history(house: House, shelf: str) -> None:
    house.tell()
    house.dream()
    shelves = Shelves(house.services)
    page = shelves.look(f"/{shelf}")
    rows = page.all(".told-list li[id]")
    assert rows
    past = rows[0].one(".past .fold").attributes["data-src"]
    listed = read(shelves.browser.get(past, headers={"x-utatane": "swap"}))
    assert len(listed.all("ol.history li")) == 1
    changed = read(shelves.browser.get(listed.one("li details").attributes["data-src"], headers={"x-utatane": "swap"}))
    told = {"insights": "insight", "goals": "goal", "questions": "topic"}[shelf]
    shown = [one for one in changed.texts(".added") if one.startswith(f"+{JA(f'taking_back.field_{told}')}: ")]
    assert len(shown) == 1  # this one alone, as people read it
    page = shelves.press(listed, "button")
    assert rows[0].attributes["id"] not in [one.attributes["id"] for one in page.all(".told-list li[id]")]
    assert house.memories.episodes.get(EVENING.date()) is not None  # the night itself stands
    again = read(shelves.browser.get(past, headers={"x-utatane": "swap"}))
    page = shelves.press(again, 'button[value="redo"]')
    assert rows[0].attributes["id"] in [one.attributes["id"] for one in page.all(".told-list li[id]")]


def test_an_entity_is_taken_back_without_the_rest_of_the_night(house: House) -> None:
    house.tell()
    house.dream()
    shelves, name = Shelves(house.services), house.memories.entities.names()[0]
    fold = shelves.look(f"/people/{name}").one(".past .fold").attributes["data-src"]
    past = read(shelves.browser.get(fold, headers={"x-utatane": "swap"}))
    page = shelves.press(past, "button")
    assert page.one(".nothing p").text == JA("memories.gone")
    assert name not in house.memories.entities.names()
    assert house.memories.insights.load().entries
    assert house.memories.episodes.get(EVENING.date()) is not None


def test_what_stands_in_the_way_of_taking_a_day_back_is_shown(house: House) -> None:
    house.tell()
    house.dream()
    shelves, day = Shelves(house.services), EVENING.date()
    fold = shelves.look(f"/days/{day}").one(".past .fold").attributes["data-src"]
    past = read(shelves.browser.get(fold, headers={"x-utatane": "swap"}))
    house.memories.episodes.save(Episode(date=day, summary="ほんとう"), author="user", reason="edited")
    answer = press(shelves.browser, past, "button")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    assert page.one("h1").text == JA("taking_back.undo_title")
    assert JA("taking_back.would_go") in page.text
    assert page.all('[name="rest"]') == []  # there is no rest
    assert page.one("a.small").attributes["href"] == address_of(NAME, f"memories/days/{day}")


def test_what_was_remembered_is_shown_as_text(shelves: Shelves, memories: Memories) -> None:
    memories.entities.note("ムギ", EVIL, author="dream", mind=EVIL)
    memories.questions.add(Question(topic=EVIL, context=EVIL), author="dream", reason=EVIL)
    memories.notes.append("main_memory", EVIL, author=NAME, reason=EVIL)
    memories.log.append("user", EVIL, EVIL)
    memories.recall.catch_up()
    for place, query in (("/people/ムギ", ""), ("/people", ""), ("/questions", ""), ("/diary", ""), ("", EVIL)):
        page = shelves.look(place, query=query)
        assert page.all("img") == []
        assert "onerror" in page.text or query


def test_a_form_is_for_the_persona_that_its_address_names(
    services: Services, memories: Memories, shelves: Shelves
) -> None:
    other = services.personas.create("ほか", language="ja").name
    theirs = services.companion(other).memories
    for one in (memories, theirs):
        tell_of_tanaka(one)
    page = shelves.look("/people/田中さん")
    shelves.browser.get(address_of(other, "memories/people"))  # another window turns to somebody else meanwhile
    shelves.press(page, ".danger")
    assert (memories.entities.get("田中さん"), bool(theirs.entities.get("田中さん"))) == (None, True)


def test_a_name_of_any_letters_has_an_address(shelves: Shelves, memories: Memories) -> None:
    for name in ("C# と 100%", "a&b=c", "日本 語", "é"):
        memories.entities.note(name, "知っている", author="dream", mind="built-in")
    page = shelves.look("/people")
    for link in page.all(".cards a"):
        opened = read(shelves.browser.get(link.attributes["href"])).one("#room")
        assert opened.one("h1").text == link.one("b").text
        pinned = shelves.press(opened, '[name="on"]')
        assert pinned.one("h1").text == link.one("b").text
        assert pinned.one(".pinned")
    assert quote("C# と 100%", safe="") in str([one.attributes["href"] for one in page.all(".cards a")])


def test_what_was_put_away_is_listed_and_comes_back(services: Services, shelves: Shelves) -> None:
    memories = services.memories(NAME)
    for number in range(3):
        day = date(2019, 1, 1 + number)
        episode = Episode(date=day, summary=f"{EVIL} {number}", mind="built-in").sealed()
        memories.apply({memories.episodes.path(day): episode.dump()}, author="dream", reason="test")
    services.settings_file.change("memory", prune_interval=1)
    assert memories.housekeeping().after_night(1).put_away == 3
    before = weigh(memories.paths)
    page = shelves.look("/archive")
    after = weigh(memories.paths)  # an index may grow beside, and what lies beside it may go
    told = [1000 * int(size.replace(",", "")) for size in re.findall(r"([\d,]+) KB", page.text)]
    assert len(told) == 3, page.text
    for size, *weights in zip(told, (before.files, before.index), (after.files, after.index), strict=False):
        assert min(weights) - 500 <= size <= max(weights) + 500
    assert [one.text.count(EVIL) for one in page.all("ol.history li")] == [1, 1, 1]
    page = shelves.press(page, "ol.history li form button")
    assert len(page.all("ol.history li")) == 2
    page = shelves.press(page, ".part-head form button")
    assert not page.all("ol.history li")
    assert {episode.summary[-1] for episode in memories.episodes.between(date(2019, 1, 1), date(2019, 1, 3))} == set(
        "012"
    )


def test_what_is_older_than_it_stays_in_use_is_shown_before_it_goes(services: Services, shelves: Shelves) -> None:
    memories = services.memories(NAME)
    day = date(2019, 1, 1)
    file = {memories.episodes.path(day): Episode(date=day, summary=EVIL, mind="built-in").sealed().dump()}
    memories.apply(file, author="dream", reason="test")
    page = shelves.look("/archive")
    assert not page.all("ul.known")  # the usual table keeps days
    services.settings_file.change("memory", retention="own", episodes_days=365)
    page = shelves.look("/archive")
    assert [one.text for one in page.all("ul.known li")] == [EVIL]
    page = shelves.press(page, 'form[action$="/now"] button')
    assert not page.all("ul.known")
    assert [one.text.count(EVIL) for one in page.all("ol.history li")] == [1]
    assert memories.episodes.get(day) is None
    page = shelves.press(page, "ol.history li form button")
    assert memories.episodes.get(day) is not None
    assert memories.housekeeping().after_night(0).put_away == 0  # what came back rests first


# --- how far they are trusted


def test_each_memory_says_how_far_it_is_trusted_and_what_moved_that(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    told = episode(DAY).model_copy(
        update={
            "key_event_standings": [
                Standing(confidence=0.6, last_accessed="2026-11-05", moves=[Move(day="2026-11-05", by=0.1, why="used")])
            ]
        }
    )
    faded = insight(1).model_copy(update={"confidence": 0.12, "last_accessed": "2026-11-01"})
    diary = Insights([]).with_one(faded).changes(memories.paths.insights)
    memories.apply({memories.episodes.path(DAY): told.dump(), **diary}, author="dream", reason="night")
    event = shelves.look(f"/days/{DAY}").one(".told-list .trust")
    assert event.one("summary").text == JA("memories.trust_sure")
    assert JA("memories.moved_used") in event.one("li").text
    assert "(+0.10)" in event.one("li").text
    assert "0.60" in event.text
    assert shelves.look("/insights").texts(".trust summary") == [JA("memories.trust_faded")]
    assert len(shelves.look("/people/田中さん").all(".trust")) == 2


def test_what_a_person_pinned_or_wrote_says_that_it_never_fades(shelves: Shelves, memories: Memories) -> None:
    memories.episodes.save(episode(DAY), author="user", reason="edited")
    assert set(shelves.look(f"/days/{DAY}").texts(".trust summary")) == {JA("memories.trust_kept")}
    tell_of_tanaka(memories)
    memories.entities.pin("田中さん", on=True, author="user")
    assert set(shelves.look("/people/田中さん").texts(".trust summary")) == {JA("memories.trust_kept")}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_left_this_computer_is_readable_and_a_hand_on_it_is_told(
    services: Services, memories: Memories, lang: str
) -> None:
    shelves, t = Shelves(services, lang), texts(lang)
    assert t("audit.empty") in shelves.look("/audit").text
    said = memories.log.append("user", "ミナ", f"海へ行った {EVIL}")
    to = Recipient("Gemini", "generativelanguage.googleapis.com", EVIL)
    given = Given({"messages": 3, "recalled": 1, "unheard_of": 2}, ids=(said.id,), is_masked=True)
    record(memories.paths, EVENING, "model_call", given, to=to, purpose="talk")
    record(memories.paths, EVENING, "export", Given({"files": 12}))
    page = shelves.look("/audit")
    exported, call = page.all("ol.history li")
    assert t("audit.kind_export") in exported.text
    for words in (EVIL, "Gemini", t("audit.masked"), t("audit.count_recalled", count=1), "海へ行った"):
        assert words in call.text
    assert not page.all('[role="alert"]')
    (path,) = months(memories.paths)
    path.write_text(path.read_text("utf-8").replace("Gemini", "Nobody"), "utf-8")
    assert path.name in shelves.look("/audit").one('[role="alert"]').text


# --- weeks and months


def test_a_week_in_brief_stands_among_the_days_and_leads_to_them(shelves: Shelves, memories: Memories) -> None:
    week = Period(
        date="2026-11-02~2026-11-08",
        summary=f"川の週 {EVIL}",
        key_events=["灯りを見た", "手で足した"],
        key_event_evidence=[["m1"]],
        days={DAY.isoformat(): "x"},
        mind="built-in",
    ).sealed()
    path = memories.episodes.periods.path(week.span)
    memories.apply(
        {memories.episodes.path(DAY): episode(DAY).dump(), path: week.dump()}, author="dream", reason="night"
    )
    listed = shelves.look("/days/2026-11")
    address = address_of(NAME, f"memories/days/{week.date}")
    assert listed.all(".lines li")[0].attributes["data-key"] == address
    page = shelves.look(f"/days/{week.date}")
    assert page.one(".words").text == week.summary
    assert len(page.all(".told-list li")) == 2
    assert page.one(".known a").attributes["href"] == address_of(NAME, f"memories/days/{DAY}")
    memories.recall.catch_up()
    assert address in [one.attributes["href"] for one in shelves.look(query="川の週").all(".found a.small")]
    assert shelves.look("/days/2026-11-09~2026-11-15").one(".nothing p").text == JA("memories.gone")


def test_a_week_is_pinned_and_put_right_like_a_day(shelves: Shelves, memories: Memories) -> None:
    week = Period(
        date="2026-11-02~2026-11-08",
        summary="川の週",
        key_events=["灯りを見た", "橋を渡った"],
        key_event_evidence=[["m1"], ["m2"]],
        mind="built-in",
    ).sealed()
    periods = memories.episodes.periods
    memories.apply({periods.path(week.span): week.dump()}, author="dream", reason="night")
    page = shelves.press(shelves.look(f"/days/{week.date}"), '[name="on"]')
    assert page.one(".pinned")
    assert not periods.outdated_by(DAY), "pinned, it stays though one of its days changes"
    pinned = periods.get(week.span)
    assert pinned is not None
    assert not pinned.is_users
    editor = shelves.look(f"/days/{week.date}", edit=1)
    page = shelves.press(editor, "#memory-editor button.main", summary="海の週", events="橋を渡った\n手紙を書いた")
    assert page.one(".words").text == "海の週"
    edited = periods.get(week.span)
    assert edited is not None
    assert (edited.is_users, edited.is_pinned) == (True, True)
    assert list(zip(edited.key_events, edited.key_event_evidence, strict=True)) == [
        ("橋を渡った", ["m2"]),
        ("手紙を書いた", []),
    ]
    answer = press(shelves.browser, editor, "#memory-editor button.main", summary="山の週")
    assert answer.status_code == 409
    assert "海の週" in read(answer).one(".conflict").text
    assert shelves.browser.post(address_of(NAME, "memories/days/2026-11-09~2026-11-15"), data={}).status_code == 404
