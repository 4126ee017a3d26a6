"""The page says which minds may be given a memory, and changes that; erasing is asked first; tables of memories hold no formula."""

import csv
import io
from datetime import date

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.memory.forgotten import forget_words
from managers.memory.goals import Goal
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question
from managers.memory.strategies import DecompositionPattern, Strategies
from managers.storage.paths import Home
from tests.speeds import one_quick
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME, Shelves, aim_for
from ui.components.csv_files import as_csv
from ui.locales import LANGUAGES, texts
from ui.rooms.memories import people
from ui.rooms.tables.routes import ROWS
from ui.server.addresses import address_of

DAY = date(2026, 11, 3)
BUTTON, LET_GO = 'button[name="audience"]', 'button[value="any"]'
EN = texts("en")


@pytest.fixture
def said(memories: Memories) -> str:
    """A message, and the day that rests on it."""
    said = memories.log.append("user", "ミナ", "海へ行った").id
    episode = Episode(date=DAY, summary="海へ行った。", evidence=[said], mind="built-in").sealed()
    memories.apply({memories.episodes.path(DAY): episode.dump()}, author="dream", reason="night")
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "plan.md").write_text("海へ行く。", "utf-8")
    return said


def look(visitor: TestClient, place: str) -> Element:
    return read(visitor.get(address_of(NAME, place)))


def test_a_day_is_kept_here_or_with_its_persona_and_let_go(visitor: TestClient, memories: Memories, said: str) -> None:
    day = look(visitor, f"memories/days/{DAY}")
    assert EN("memories.audience_any") in day.one(".trust").text
    day = read(press(visitor, day, BUTTON))
    assert EN("memories.audience_here") in day.one(".trust").text
    assert said in memories.audiences.kept().messages
    around = look(visitor, f"around/{said}")
    assert EN("memories.audience_here") in around.text
    assert not around.all(LET_GO), "it is let go where it was marked"
    day = read(press(visitor, day, BUTTON))
    assert EN("memories.audience_any") in day.one(".trust").text
    day = read(press(visitor, day, 'button[value="this-persona"]'))
    assert EN("memories.audience_own") in day.one(".trust").text
    assert (said in memories.audiences.own().messages, bool(memories.audiences.kept())) == (True, False)
    assert EN("memories.audience_own") not in read(press(visitor, day, LET_GO)).one(".trust").text


def test_a_message_is_kept_or_let_go(services: Services, visitor: TestClient, memories: Memories, said: str) -> None:
    services.personas.create("Rin", language="ja")
    services.memories("Rin").log.append_shared(memories.log.originals([said])[said])
    page, kept = look(visitor, f"around/{said}"), services.memories("Rin").audiences.kept
    for button, is_kept in ((BUTTON, True), (LET_GO, False)):
        page = read(press(visitor, page, button))
        assert (said in kept().messages) == is_kept
    visitor.post(address_of(NAME, f"history/{memories.history.entries(1)[0].id}"), data={"step": "undo"})
    assert said in kept().messages


def test_everything_else_is_kept_here_and_let_go_too(visitor: TestClient, memories: Memories, said: str) -> None:
    aim_for(memories, Goal(id="sh_1", goal="海を見る", mind="model"))
    memories.questions.add(Question(id="q_1", topic="海", created_at="2026-11-10 03:00:00"), author="dream", reason="")
    way = DecompositionPattern(kind="decomposition", id="st_1", query_pattern="海の話", success_rate=1.0, usage_count=1)
    memories.apply(Strategies([way]).changes(memories.strategies.path), author="dream", reason="")
    for place, marked in (
        ("memories/goals", "sh_1"), ("memories/questions", "q_1"), ("memories/helping", "st_1"),
        ("notes/notepad", "notepad.txt"), ("knowledge", "knowledge/plan.md")
    ):  # fmt: skip
        page = read(press(visitor, look(visitor, place), BUTTON))
        assert set(memories.audiences.kept().marked) == {marked}
        press(visitor, page, LET_GO)
        assert not memories.audiences.kept()


def test_a_document_under_another_name_is_kept_as_it_was(visitor: TestClient, memories: Memories, said: str) -> None:
    memories.audiences.mark("knowledge/plan.md", "this-computer")
    visitor.post(address_of(NAME, "knowledge/plan.md/remove"))
    (memories.paths.knowledge / "plan.md").write_text("別のもの。", "utf-8")
    visitor.post(address_of(NAME, "knowledge/plan.md/restore"))
    names = {f"knowledge/{one.name}" for one in memories.knowledge.list()}
    assert len(names) == 2
    assert names == set(memories.audiences.kept().marked)


CAT = "ミケランジェロ"


@pytest.fixture
def cat(memories: Memories) -> str:
    message = memories.log.append("user", "花", f"うちの{CAT}が退院したよ")
    memories.log.append("user", "花", "あしたは貴船に行くよ")
    memories.entities.note(CAT, "退院した", author=NAME, mind="m", evidence=[message.id], kind="pet")
    return message.id


def _room(browser: TestClient, place: str, **query: object) -> Element:
    return read(browser.get(address_of(NAME, place, **query), follow_redirects=True)).one("#room")


@pytest.mark.parametrize("lang", one_quick(LANGUAGES))
def test_what_would_go_is_shown_first(visitor: TestClient, memories: Memories, cat: str, lang: str) -> None:
    visitor.headers["accept-language"], t = lang, texts("ja" if lang == "ja" else "en")
    for place in (f"memories/people/{CAT}", f"around/{cat}"):
        assert t("erasing.link") in read(visitor.get(address_of(NAME, place))).text
    page = _room(visitor, "memories/erase", about=CAT)
    assert t("erasing.kinds.message", count=1) in page.text
    refused = read(press(visitor, page, "button.danger")).one("#room")
    assert t("erasing.not_ticked") in refused.text
    later = memories.log.append("user", "花", f"{CAT}はもう元気").id
    again = read(press(visitor, page, "button.danger", yes="yes")).one("#room")
    assert t("erasing.kinds.message", count=2) in again.text  # it has changed since it was shown
    assert None not in map(memories.log.get, (cat, later))
    done = read(press(visitor, again, "button.danger", yes="yes"))
    assert t("erasing.outside") in done.text
    assert [memories.log.get(one) for one in (cat, later)] == [None, None]
    assert memories.entities.find(CAT) is None
    for place in ("memories/people", "history", "memories/audit", "memories/forgotten"):
        assert CAT not in _room(visitor, place).text


def test_where_nothing_is_found_the_page_asks_again_and_leads_to_the_search(visitor: TestClient, cat: str) -> None:
    page = read(visitor.get(address_of(NAME, "memories/erase", about="Zebulon")))
    assert 'Nothing of "Zebulon" was found' in page.one("#told").text
    assert "app.py" not in page.text
    assert [one.attributes.get("value") for one in page.all(".lookup input")] == ["Zebulon"]
    way = page.one("#room p a").attributes["href"]
    assert read(visitor.get(way)).one("#memory-query").attributes["value"] == "Zebulon"


def table(browser: TestClient, name: str, lang: str = "ja", **asked: str) -> list[list[str]]:
    answer = browser.get(f"/p/{NAME}/tables/{name}.csv", params=asked, headers={"accept-language": lang})
    assert answer.status_code == 200
    assert answer.content.startswith(b"\xef\xbb\xbf")  # Excel reads Japanese by this mark
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_more_than_a_page_is_handed_out(services: Services, visitor: TestClient, memories: Memories) -> None:
    memories.paths.entity_memory.mkdir(exist_ok=True)
    for number in range(people.PAGE + 7):
        fact = Fact(f"第{number}の事実", since="2026-01-01", evidence=("m1", "m2"), mind="built-in", id=f"f{number}")
        known = Entity(f"知り合い{number}", kind="person", lines=(fact, "自分で書いた一行"))
        (memories.paths.entity_memory / f"知り合い{number}.md").write_text(format_entity(known), "utf-8")
    heads, *rows = table(visitor, "entities")
    assert heads[:4] == ["名前", "種類", "別の呼び名", "知っていること"]
    assert len(rows) == 2 * (people.PAGE + 7)
    assert ["知り合い3", "人", "", "第3の事実", "2026-01-01", "", "内蔵のこころ", "", "m1 m2"] in rows
    assert {row[0] for row in table(visitor, "entities", query="第3の")[1:]} == {"知り合い3"}
    assert table(visitor, "entities", kinds="pet")[1:] == []
    memories.entities.note("花", "電話は090-1234-5678", author="user", mind="user", kind="person")
    for is_masked, words in ((False, "電話は090-1234-5678"), (True, "電話は[REDACTED_PHONE]")):
        services.settings_file.change("privacy", mask_exports=is_masked)
        assert words in {cell for row in table(visitor, "entities") for cell in row}


def test_days_insights_diaries_and_what_a_search_finds_are_tables(visitor: TestClient, memories: Memories) -> None:
    day = Episode(date=date(2026, 3, 4), summary="雨の日、\n「傘」の話。", key_events=["傘をなくした"], evidence=["m9"])
    insight = Insight(
        created_at="2026-03-05 03:00:00", trigger_topic="傘", insight="=よくなくす", strategy="聞いてみる",
        log_entry="夢を見た", evidence=["m9"],
    )  # fmt: skip
    files = {memories.episodes.path(day.date): day.sealed().dump()}
    memories.apply(files | Insights([insight]).changes(memories.paths.insights), author="dream", reason="night")
    for words in ("はじめの段落。", "\nつぎの段落。"):
        memories.notes.append("main_memory", words, author="user", reason="edited")
    assert table(visitor, "episodes")[1][:3] == ["2026-03-04", "雨の日、\n「傘」の話。", "傘をなくした"]
    assert table(visitor, "insights")[1][:4] == ["2026-03-05 03:00:00", "傘", "'=よくなくす", "聞いてみる"]
    assert [row[1] for row in table(visitor, "main_memory")[1:]] == ["はじめの段落。", "つぎの段落。"]
    assert table(visitor, "secret_diary")[1:] == []
    said = memories.log.append("user", "ミナ", "+庭のレモンの木に実がついた")
    memories.recall.catch_up()
    rows = table(visitor, "found", query="レモンの木")[1:]
    assert [said.id in row[-1] for row in rows].count(True) == 1
    assert "'+庭のレモンの木に実がついた" in [row[4] for row in rows]
    assert table(visitor, "found", query="レモンの木", kinds="diary")[1:] == table(visitor, "found")[1:] == []


def test_the_history_of_a_file_is_a_table_and_of_no_file_outside(visitor: TestClient, memories: Memories) -> None:
    memories.notes.append("core_memory", "ひとつめ", author="user", reason="edited")
    memories.notes.append("notepad", "ふたつめ", author="user", reason="edited")
    whole, of_one = table(visitor, "history"), table(visitor, "history", item="core_memory.txt")
    assert len(whole) > len(of_one) > 1
    assert [row[3] for row in of_one[1:] if "core_memory.txt" not in row[3]] == []
    assert of_one[1][1] == "あなた"
    assert table(visitor, "history", item="../../settings.toml") == whole


def test_forgotten_things_and_documents_are_tables(visitor: TestClient, memories: Memories, own_home: Home) -> None:
    document = own_home.folder / "説明書.txt"
    document.write_text("押すだけ", "utf-8")
    memories.knowledge.add(document)
    assert table(visitor, "knowledge")[1][:2] == ["説明書.txt", "12"]
    memories.entities.note("傘", "青い", author="dream", mind="built-in", evidence=["m1"], kind="thing")
    assert table(visitor, "forgotten")[1:] == []
    memories.entities.delete("傘", author="user", reason="forgotten")
    assert "傘.md" in table(visitor, "forgotten")[1][3]
    said = memories.log.append("user", "ミナ", "傘をなくしたよ")
    asked = memories.log.append("user", "ミナ", "今の話は忘れて")
    forget_words(memories.log, [said.id], asked.id)
    assert table(visitor, "forgotten")[2][6:] == [said.id, asked.id]


@pytest.mark.slow
def test_every_shelf_links_to_its_table_with_headings_in_both_languages(services: Services, memories: Memories) -> None:
    day = Episode(date=date(2026, 3, 4), summary="x").sealed()
    memories.apply({memories.episodes.path(day.date): day.dump()}, author="dream", reason="night")
    for name in ("Mia", "Oskar"):
        memories.entities.note(name, "grows roses", author="dream", mind="built-in", kind="person")
    memories.log.append("user", "Emma", "Mia and Oskar came.")
    memories.recall.catch_up()
    shelves = Shelves(services, "en")
    for place, name in (("/people", "entities"), ("/days", "episodes"), ("/network", "ties")):
        first = shelves.look(place).all(".export a")[0].attributes["href"]
        assert first == address_of(NAME, f"tables/{name}.csv")
        assert len(table(shelves.browser, name)) > 1
    for lang in LANGUAGES:
        heads = {name: table(shelves.browser, name, lang)[0] for name in ROWS}
        assert all(heads.values())
        assert texts(lang)("tables.fact") in heads["entities"]
    assert shelves.browser.get(f"/p/{NAME}/tables/secrets.csv").status_code == 400


def test_no_cell_is_a_formula() -> None:
    for sign in "=+-@\t\r＝＋－＠":
        cell = as_csv([[f'{sign}HYPERLINK("http://x")']]).decode("utf-8-sig")
        assert cell.lstrip('"').startswith(f"'{sign}")
