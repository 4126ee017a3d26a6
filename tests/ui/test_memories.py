"""The memories on real files, as a browser is shown them: found, opened, corrected, pinned, forgotten, brought back."""

from datetime import date, datetime

import pytest

from agent.forgetting import let_go
from agent.memories import Memories
from agent.services import Services
from managers.memory.confidence import Move, Standing
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.memory.forgotten import forget_words
from managers.memory.goals import Goal
from managers.memory.insights import Insight, Insights
from managers.memory.periods import Period
from managers.memory.questions import Question
from managers.storage.audit import Given, Recipient, months, record
from tests.ui.reading import press, read
from tests.ui.rooms import EVENING, EVIL, NAME, House, Shelves, aim_for
from ui.locales import LANGUAGES, texts
from ui.rooms.memories.search import marked
from ui.rooms.memories.shelves import GROUPS
from ui.server.addresses import address_of

JA = texts("ja")
DAY = date(2026, 11, 3)
SAVE = "#memory-editor .main"
KEPT = ("people", "days", "insights", "goals", "questions")
"""The shelves on which each memory can be pinned and forgotten."""


@pytest.fixture
def shelves(services: Services) -> Shelves:
    return Shelves(services)


def tell_of_tanaka(memories: Memories) -> str:
    said = memories.log.append("user", "ミナ", "田中さんは大阪に引っ越したよ").id
    once = Fact("2026-10まで: 京都に住んでいる", (said,), "built-in", "f_1", "home", "2025-12-31", "2026-10")
    now = Fact("大阪に住んでいる", (said,), "built-in", "f_2", "home", "2026-10-20")
    lines = (once, now, "紅茶を出すこと。")
    entity = Entity("田中さん", kind="person", created="2026-01-02 12:00:00", mind="built-in", lines=lines)
    memories.apply({memories.entities.path(entity.name): format_entity(entity).encode()}, author="dream", reason="met")
    memories.recall.catch_up()
    return said


def episode(day: date, summary: str = "川をながめた") -> Episode:
    told = {"key_events": ["灯りを見た"], "key_event_evidence": [["m1"]], "mind": "built-in"}
    return Episode(date=day, summary=summary, **told).sealed()


def keep_day(memories: Memories, day: date = DAY, summary: str = "川をながめた") -> None:
    memories.apply({memories.episodes.path(day): episode(day, summary).dump()}, author="dream", reason="night")


def insight(number: int) -> Insight:
    day = f"2026-11-{number:02d} 03:00:00"
    words = {"trigger_topic": f"話題{number}", "insight": f"気づき{number}", "strategy": "", "log_entry": ""}
    return Insight(created_at=day, **words)


def conclude(memories: Memories, *numbers: int) -> None:
    diary = Insights(memories.insights.entries())
    for number in numbers:
        diary = diary.with_one(insight(number))
    memories.apply(diary.changes(memories.paths.insights), author="dream", reason="night")


def _at(shelf: str, item: str) -> str:
    return address_of(NAME, f"memories/{shelf}/{item}")


def _one_of(memories: Memories, shelf: str) -> str:
    """Make two memories of a kind, and return the one that would come second."""
    if shelf == "people":
        for name in ("あおい", "ムギ"):
            memories.entities.note(name, "話した", author="dream", mind="built-in")
        return "ムギ"
    if shelf == "days":
        for day in (DAY, date(2026, 11, 4)):
            keep_day(memories, day)
        return DAY.isoformat()
    if shelf == "insights":
        conclude(memories, 1, 2)
        return memories.insights.entries()[-1].id
    for n in (1, 2):
        if shelf == "questions":
            memories.questions.add(Question(topic=f"問い{n}", priority=0.5 / n), author="dream", reason="night")
        else:
            aim_for(memories, Goal(goal=f"目標{n}", priority=n))
    return (memories.questions.open() if shelf == "questions" else memories.goals.load().active("short_term"))[-1].id


def test_every_shelf_says_what_it_is_for_while_it_is_empty(services: Services, memories: Memories) -> None:
    for lang in LANGUAGES:
        shelves, t = Shelves(services, lang), texts(lang)
        for name in (name for names in GROUPS.values() for name in names):
            page = shelves.look("" if name == "search" else f"/{name}")
            assert page.one('a[aria-current="page"]').text == t(f"shelves.{name}")
            assert len(page.all(".nothing") + page.all(".covered")) == len(page.all("h1")) == 1
    for place in ("/nothing", "/days/2026-13", "/days/2026-02-31", "/days/20261103", "/map/x", "/insights/x/y"):
        answer = Shelves(services).answer(place)
        assert answer.status_code in {400, 404, 405}
        assert JA("page.no_such_page") in answer.text


def test_a_search_finds_all_kinds_and_is_narrowed_by_kind_and_day(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    old = memories.log.append("user", "ミナ", "大阪は遠いね", time=datetime(2026, 11, 2, 9, 0))
    memories.recall.catch_up()
    page = shelves.look(query="大阪")
    assert {JA("types.current_log"), JA("types.entity_memory")} <= set(page.texts(".found .kind"))
    only = shelves.look(query="大阪", kinds="entity_memory")
    assert set(only.texts(".found .kind")) == {JA("types.entity_memory")}
    then = shelves.look(query="大阪", since="2026-11-01", until="2026-11-03")
    assert then.texts(".found blockquote") == ["大阪は遠いね"]
    assert then.one(".found details").attributes["data-src"] == address_of(NAME, f"around/{old.id}")
    assert "大阪" in page.texts("mark")
    parts = [("<b>", True), ("大阪", True), ("</b>と", False), ("大阪", True), ("弁", False)]
    assert marked("<b>大阪</b>と大阪弁", "大阪 <b>") == parts
    assert marked("a&b", "amp") == [("a&b", False)]


def test_each_kind_of_memory_opens_in_its_place(shelves: Shelves, memories: Memories) -> None:
    memories.entities.note("灯台", "灯台の鍵は青い", author="dream", mind="built-in")
    keep_day(memories, summary="灯台へ行った")
    told = insight(4).model_copy(update={"insight": "灯台がよく出る"})
    memories.apply(Insights([]).with_one(told).changes(memories.paths.insights), author="dream", reason="night")
    memories.notes.append("main_memory", "灯台の日記", author=NAME, reason="diary")
    memories.notes.append("core_memory", "灯台が好き", author="user", reason="edited")
    memories.recall.catch_up()
    page = shelves.look(query="灯台")
    found = [one for one in page.all(".found li") if "灯台" in one.one("blockquote").text]
    ways = {one.one(".kind").text: one.one("a.small").attributes["href"] for one in found}
    heads = {
        "entity_memory": "灯台", "episodic_memory": "11月3日(火)", "dream_insight": JA("shelves.insights"),
        "diary": JA("shelves.diary"), "note": JA("notes.title")
    }  # fmt: skip
    assert ways.keys() == {JA(f"types.{kind}") for kind in heads}
    for kind, head in heads.items():
        opened = read(shelves.browser.get(ways[JA(f"types.{kind}")], follow_redirects=True)).one("#room")
        assert opened.one("h1").text == head
        assert "灯台" in opened.text


def test_an_entity_is_shown_and_a_corrected_line_is_the_users(shelves: Shelves, memories: Memories) -> None:
    message = tell_of_tanaka(memories)
    page = shelves.look("/people/田中さん")
    assert page.texts(".shelf h2") == [JA("memories.holds_now"), JA("memories.held_once"), JA("memories.in_own_words")]
    now, once = page.all(".told-list")
    assert "大阪に住んでいる" in now.text
    assert "京都に住んでいる" in once.text
    assert page.one(".words.own").text == "紅茶を出すこと。"
    evidence = {one.attributes["data-src"] for one in page.all(".evidence details")}
    assert evidence == {address_of(NAME, f"around/{message}")}
    page = shelves.look("/people/田中さん", edit=1)
    text = "- 2026-10まで: 京都に住んでいる\r\n- 神戸に住んでいる\r\n紅茶を出すこと。"
    page = shelves.press(page, SAVE, text=text, aliases="田中、 田中、田中さん", kind="person")
    assert (entity := memories.entities.get("田中さん")) is not None
    assert [fact.evidence for fact in entity.facts] == [(message,)]  # the others keep where they come from
    assert "- 神戸に住んでいる" in entity.lines
    assert entity.aliases == ("田中",)
    assert any("神戸" in hit.text for hit in memories.recall.search("田中さんの神戸"))


def test_an_edit_that_met_another_one_shows_both_and_loses_neither(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    page = shelves.look("/people/田中さん", edit=1)
    path = memories.entities.path("田中さん")
    path.write_text(path.read_text(encoding="utf-8") + "よそで書いた行\n", encoding="utf-8")
    answer = press(shelves.browser, page, SAVE, text="ページで書いた行", kind="person")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    assert "よそで書いた行" in page.one("[data-conflict] pre").text
    assert page.one("textarea").text == "ページで書いた行"
    assert "ページで書いた行" not in path.read_text(encoding="utf-8")
    shelves.press(page, SAVE, kind="person")  # now that both were seen, one's own is kept
    assert "ページで書いた行" in path.read_text(encoding="utf-8")
    assert "よそで書いた行" not in path.read_text(encoding="utf-8")


def test_somebody_new_is_written_about_and_the_known_are_sought(shelves: Shelves, memories: Memories) -> None:
    page = shelves.press(shelves.look("/people"), ".new button", name="ゆうちゃん")
    assert memories.entities.names() == []  # nothing is written before it is saved
    page = shelves.press(page, SAVE, text="ピアノを弾く", kind="person")
    assert page.one("h1").text == "ゆうちゃん"
    assert memories.entities.names() == ["ゆうちゃん"]
    refused = press(shelves.browser, shelves.look("/people"), ".new button", name="../悪い名前")
    assert (refused.status_code, refused.url.path) == (400, f"/p/{NAME}/memories/people")
    for name, kind, fact in (("モモ", "pet", "青い首輪"), ("京都", "place", "春に行った")):
        memories.entities.note(name, fact, author="dream", mind="built-in", kind=kind)  # type: ignore[arg-type]  # kinds
    assert sorted(shelves.look("/people").texts(".cards b")) == sorted(["モモ", "京都", "ゆうちゃん"])
    assert shelves.look("/people", query="青").texts(".cards b") == ["モモ"]
    assert shelves.look("/people", kind="place").texts(".cards b") == ["京都"]
    assert shelves.look("/people", query="いない").texts(".nothing") == [JA("memories.found_nothing")]


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
    conclude(memories, 1, 2)
    page = shelves.look("/insights")
    page = shelves.press(page, f"#{memories.insights.entries()[-1].id} .danger")
    assert page.texts("h3") == ["話題2"]
    conclude(memories, 3)
    shelves.press(shelves.look("/forgotten"), ".history button")  # beside what came later
    assert [entry.trigger_topic for entry in memories.insights.entries()] == ["話題3", "話題2", "話題1"]


def test_each_kind_is_pinned_and_forgotten(shelves: Shelves, memories: Memories) -> None:
    for shelf in KEPT:
        item = _one_of(memories, shelf)
        opened = f"/{shelf}/{item}" if shelf in {"people", "days"} else f"/{shelf}"
        button = f'[formaction="{_at(shelf, item)}/pin"]'
        assert shelves.look(f"/{shelf}").all(".pinned") == []
        page = shelves.press(shelves.look(opened), button)
        assert page.texts(".pinned") == [JA("memories.pinned")], shelf
        if shelf != "days":  # a calendar keeps its order
            assert shelves.look(f"/{shelf}").all(".shelf li")[0].texts(".pinned") == [JA("memories.pinned")], shelf
        page = shelves.press(shelves.look(opened), button)
        assert page.all(".pinned") == [], shelf
        page = read(press(shelves.browser, shelves.look(opened), f'[formaction="{_at(shelf, item)}/forget"]'))
        assert page.one("#told a").attributes["href"] == address_of(NAME, "memories/forgotten"), shelf


def test_words_that_were_forgotten_for_a_wish_come_back(shelves: Shelves, memories: Memories) -> None:
    said = memories.log.append("user", "ミナ", "田中さんは<b>大阪</b>に引っ越したよ")
    let_go(memories, memories.log.append("user", "ミナ", "今の話は忘れて").id)
    page = shelves.look("/forgotten")
    assert "<b>大阪</b>" in page.one(".words").text
    assert memories.log.get(said.id) is None
    page = shelves.press(page, ".history button")
    assert memories.log.get(said.id) == said
    assert page.one(".nothing")
    told = (("user", "ミナ", "傘はどこ"), ("system", "tool", "記憶をさがしました"), ("persona", NAME, "玄関だよ"))
    ids = [memories.log.append(role, who, words).id for role, who, words in told]  # type: ignore[arg-type]  # roles
    forget_words(memories.log, ids, memories.log.append("user", "ミナ", "今の話は忘れて").id)
    page = shelves.look("/forgotten")
    assert page.texts(".words b") == ["ミナ", NAME]
    assert "記憶をさがしました" not in page.text  # nobody reads what the program wrote
    assert JA("memories.forgotten_words", count=2, time="12:00") in page.text


def test_a_pinned_day_is_the_dreams_and_a_corrected_one_the_users(shelves: Shelves, memories: Memories) -> None:
    keep_day(memories)
    shelves.press(shelves.look(f"/days/{DAY}"), '[name="on"]')
    assert (pinned := memories.episodes.get(DAY)) is not None
    assert (pinned.is_pinned, pinned.is_users) == (True, False)
    page = shelves.look(f"/days/{DAY}", edit=1)
    shelves.press(page, SAVE, summary="海", events="灯りを見た\r\n歩いた\r\n")
    assert (corrected := memories.episodes.get(DAY)) is not None
    assert (corrected.summary, corrected.key_event_evidence) == ("海", [["m1"], []])
    assert (corrected.is_users, corrected.is_pinned) == (True, True)
    old = press(shelves.browser, page, SAVE, summary="ここで書いた", events="歩いた")  # a window that is old by now
    assert (old.status_code, read(old).texts("#room textarea")) == (409, ["ここで書いた", "歩いた"])
    assert set(shelves.look(f"/days/{DAY}").texts(".trust summary")) == {JA("memories.trust_kept")}
    memories.episodes.delete(DAY, author="user", reason="forgotten")
    assert press(shelves.browser, page, SAVE, summary="おそい").status_code == 404
    assert not memories.episodes.path(DAY).exists()


def test_the_calendar_opens_on_the_last_month_and_goes_back(shelves: Shelves, memories: Memories) -> None:
    for day in (date(2025, 12, 24), DAY):
        keep_day(memories, day, f"日 {day}")
    page = shelves.look("/days")
    assert [one.attributes["href"] for one in page.all(".calendar a")] == [address_of(NAME, "memories/days/2026-11-03")]
    assert page.texts("select option") == ["2026年11月", "2025年12月"]
    before = read(shelves.browser.get(page.one('[rel="prev"]').attributes["href"]))
    assert "日 2025-12-24" in before.one(".lines li").text


@pytest.mark.slow
def test_a_week_stands_among_the_days_and_is_put_right_like_one(shelves: Shelves, memories: Memories) -> None:
    week = Period(
        date="2026-11-02~2026-11-08", summary=f"川の週 {EVIL}", key_events=["灯りを見た", "橋を渡った"],
        key_event_evidence=[["m1"], ["m2"]], days={DAY.isoformat(): "x"}, mind="built-in"
    ).sealed()  # fmt: skip
    periods, place = memories.episodes.periods, f"/days/{week.date}"
    keep_day(memories)
    memories.apply({periods.path(week.span): week.dump()}, author="dream", reason="night")
    address = address_of(NAME, f"memories{place}")
    assert shelves.look("/days/2026-11").all(".lines li")[0].attributes["data-key"] == address
    page = shelves.look(place)
    memories.recall.catch_up()
    assert address in [one.attributes["href"] for one in shelves.look(query="川の週").all(".found a.small")]
    assert shelves.press(page, '[name="on"]').one(".pinned")
    assert not periods.outdated_by(DAY), "pinned, it stays though one of its days changes"
    editor = shelves.look(place, edit=1)
    page = shelves.press(editor, SAVE, summary="海の週", events="橋を渡った\n手紙を書いた")
    assert page.one(".words").text == "海の週"
    assert (edited := periods.get(week.span)) is not None
    assert (edited.is_users, edited.is_pinned) == (True, True)
    assert (edited.key_events, edited.key_event_evidence) == (["橋を渡った", "手紙を書いた"], [["m2"], []])


def test_the_secret_diary_is_covered_until_somebody_asks_to_see_it(shelves: Shelves, memories: Memories) -> None:
    memories.notes.append("secret_diary", "ひみつの言葉", author=NAME, reason="secret")
    for place in ("/secret-diary", "/secret-diary/secret_diary_archived_001.txt"):
        page = shelves.look(place)
        assert "ひみつの言葉" not in page.text
        assert page.all("[download]") == []
    page = shelves.look("/secret-diary")
    uncovered = read(shelves.browser.get(page.one(".covered a").attributes["href"])).one("#room")
    assert uncovered.one(".words").text == "ひみつの言葉"


def test_a_diary_is_edited_against_what_was_read(shelves: Shelves, memories: Memories) -> None:
    memories.notes.append("main_memory", "はじめ", author=NAME, reason="diary")
    page = shelves.look("/diary", edit=1)
    shelves.press(page, SAVE, text="なおした\r\n二行目")
    assert press(shelves.browser, page, SAVE, text="もういちど").status_code == 409  # from a window that is old by now
    assert memories.notes.read("main_memory").text == "なおした\n二行目"
    memories.notes.path("main_memory").with_name("memory_archived_001.txt").write_text("まえの巻", "utf-8")
    page = shelves.look("/diary")
    assert "まえの巻" not in page.text
    opened = read(shelves.browser.get(page.one("ul.plain a").attributes["href"])).one("#room")
    assert opened.one(".words").text == "まえの巻"
    assert "なおした" not in shelves.look("/diary/memory_main.txt").text  # it is no older volume
    assert "secret" not in shelves.look("/diary/../../persona.json").text


def test_a_question_is_resolved_and_a_goal_reached(shelves: Shelves, memories: Memories) -> None:
    question, goal = _one_of(memories, "questions"), _one_of(memories, "goals")
    shelves.press(shelves.look("/questions"), f'#{question} [formaction="{_at("questions", question)}/resolve"]')
    assert question not in {one.id for one in memories.questions.open()}
    page = shelves.press(shelves.look("/goals"), f'#{goal} [value="completed"]')
    assert (found := memories.goals.load().get(goal)) is not None
    assert found[1].status == "completed"
    assert JA("memories.completed") in page.texts(".kind")


def test_each_memory_of_a_shelf_has_its_own_history(house: House) -> None:
    house.tell()
    house.dream()
    shelves, memories = Shelves(house.services), house.memories
    for shelf, told in (("insights", "insight"), ("goals", "goal"), ("questions", "topic")):
        row = shelves.look(f"/{shelf}").all(".told-list li[id]")[0]
        past = row.one(".past .fold")
        listed = shelves.fold(past)
        assert len(listed.all("ol.history li")) == 1
        changed = shelves.fold(listed.one("li details"))
        shown = [one for one in changed.texts(".added") if one.startswith(f"+{JA(f'taking_back.field_{told}')}: ")]
        assert len(shown) == 1  # this one alone, as people read it
        page = shelves.press(listed, "button")
        assert row.attributes["id"] not in [one.attributes["id"] for one in page.all(".told-list li[id]")]
        assert memories.episodes.get(EVENING.date()) is not None  # the night itself stands
        page = shelves.press(shelves.fold(past), 'button[value="redo"]')
        assert row.attributes["id"] in [one.attributes["id"] for one in page.all(".told-list li[id]")]


def test_what_was_remembered_is_shown_as_text(shelves: Shelves, memories: Memories) -> None:
    memories.entities.note("ムギ", EVIL, author="dream", mind=EVIL)
    memories.questions.add(Question(topic=EVIL, context=EVIL), author="dream", reason=EVIL)
    memories.notes.append("main_memory", EVIL, author=NAME, reason=EVIL)
    memories.log.append("user", EVIL, EVIL)
    memories.recall.catch_up()
    for place, query in (("/people/ムギ", ""), ("/people", ""), ("/questions", ""), ("/diary", ""), ("", EVIL)):
        page = shelves.look(place, query=query)
        assert page.all("img") + page.all("script") == []
        assert "onerror" in page.text or query


def test_what_was_put_away_is_listed_and_comes_back(services: Services, shelves: Shelves, memories: Memories) -> None:
    for number in range(3):
        keep_day(memories, date(2019, 1, 1 + number), f"{EVIL} {number}")
    services.settings_file.change("memory", prune_interval=1)
    assert memories.housekeeping().after_night(1).put_away == 3
    page = shelves.look("/archive")
    assert [one.text.count(EVIL) for one in page.all("ol.history li")] == [1, 1, 1]
    page = shelves.press(page, "ol.history li form button")
    assert len(page.all("ol.history li")) == 2
    page = shelves.press(page, ".part-head form button")
    assert not page.all("ol.history li")
    back = memories.episodes.between(date(2019, 1, 1), date(2019, 1, 3))
    assert {one.summary[-1] for one in back} == set("012")


def test_what_is_old_is_shown_before_it_goes(services: Services, shelves: Shelves, memories: Memories) -> None:
    day = date(2019, 1, 1)
    keep_day(memories, day, EVIL)
    assert not shelves.look("/archive").all("ul.known")  # the usual table keeps days
    services.settings_file.change("memory", retention="own", episodes_days=365)
    page = shelves.look("/archive")
    assert page.texts("ul.known li") == [EVIL]
    page = shelves.press(page, 'form[action$="/now"] button')
    assert not page.all("ul.known")
    assert [one.text.count(EVIL) for one in page.all("ol.history li")] == [1]
    assert memories.episodes.get(day) is None
    shelves.press(page, "ol.history li form button")
    assert memories.episodes.get(day) is not None
    assert memories.housekeeping().after_night(0).put_away == 0  # what came back rests first


def test_each_memory_says_how_far_it_is_trusted_and_what_moved_that(shelves: Shelves, memories: Memories) -> None:
    tell_of_tanaka(memories)
    used = Move(day="2026-11-05", by=0.1, why="used")
    standing = Standing(confidence=0.6, last_accessed="2026-11-05", moves=[used])
    told = episode(DAY).model_copy(update={"key_event_standings": [standing]})
    faded = insight(1).model_copy(update={"confidence": 0.12, "last_accessed": "2026-11-01"})
    diary = Insights([]).with_one(faded).changes(memories.paths.insights)
    memories.apply({memories.episodes.path(DAY): told.dump(), **diary}, author="dream", reason="night")
    event = shelves.look(f"/days/{DAY}").one(".told-list .trust")
    assert event.one("summary").text == JA("memories.trust_sure")
    assert shelves.look("/insights").texts(".trust summary") == [JA("memories.trust_faded")]
    assert len(shelves.look("/people/田中さん").all(".trust")) == 2
    memories.entities.pin("田中さん", on=True, author="user")
    assert set(shelves.look("/people/田中さん").texts(".trust summary")) == {JA("memories.trust_kept")}


def test_what_left_this_computer_is_readable_and_a_hand_on_it_is_told(services: Services, memories: Memories) -> None:
    shelves, t = Shelves(services, "en"), texts("en")
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
