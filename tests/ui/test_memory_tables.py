"""The memories as tables: whole, in both languages, and never a formula."""

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
from managers.memory.goals import KEPT_ENDED, Goal, Goals
from managers.memory.insights import Insight, Insights
from managers.memory.questions import KEPT_CLOSED, Question, Questions
from managers.storage.paths import Home
from tests.ui.rooms import NAME
from tests.ui.test_map import live
from tests.ui.test_memories import Shelves
from tests.ui.visitors import visitor_of
from ui.components.csv_files import as_csv
from ui.locales import LANGUAGES, texts
from ui.rooms.memories import people
from ui.rooms.tables.routes import ROWS
from ui.server.addresses import address_of


@pytest.fixture
def browser(services: Services) -> TestClient:
    return visitor_of(services)


def table(browser: TestClient, name: str, lang: str = "ja", **asked: str) -> list[list[str]]:
    answer = browser.get(f"/p/{NAME}/tables/{name}.csv", params=asked, headers={"accept-language": lang})
    assert answer.status_code == 200
    assert answer.content.startswith(b"\xef\xbb\xbf")  # Excel reads Japanese by this mark
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_a_table_is_masked_where_exports_are(browser: TestClient, memories: Memories, services: Services) -> None:
    memories.entities.note("花", "電話は090-1234-5678", author="user", mind="user", kind="person")
    assert "電話は090-1234-5678" in {cell for row in table(browser, "entities") for cell in row}
    services.settings_file.change("privacy", mask_exports=True)
    assert "電話は[REDACTED_PHONE]" in {cell for row in table(browser, "entities") for cell in row}


def test_more_than_a_page_is_handed_out(browser: TestClient, memories: Memories) -> None:
    memories.paths.entity_memory.mkdir(exist_ok=True)
    for number in range(people.PAGE + 7):
        fact = Fact(f"第{number}の事実", since="2026-01-01", evidence=("m1", "m2"), mind="built-in", id=f"f{number}")
        known = Entity(f"知り合い{number}", kind="person", lines=(fact, "自分で書いた一行"))
        (memories.paths.entity_memory / f"知り合い{number}.md").write_text(format_entity(known), "utf-8")
    heads, *rows = table(browser, "entities")
    assert heads[:4] == ["名前", "種類", "別の呼び名", "知っていること"]
    assert len(rows) == 2 * (people.PAGE + 7)
    assert ["知り合い3", "人", "", "第3の事実", "2026-01-01", "", "内蔵のこころ", "", "m1 m2"] in rows
    assert {row[0] for row in table(browser, "entities", query="第3の")[1:]} == {"知り合い3"}
    assert table(browser, "entities", kinds="pet")[1:] == []


def test_what_was_put_aside_is_in_the_tables(browser: TestClient, memories: Memories) -> None:
    asked = [Question(topic=f"問い{n}", id=f"q{n}", status="resolved", answer="そう") for n in range(2 * KEPT_CLOSED)]
    memories.apply(Questions(asked).changes(memories.questions.path), author="dream", reason="night")
    ended = [Goal(goal=f"目標{n}", id=f"g{n}", status="completed") for n in range(2 * KEPT_ENDED)]
    memories.apply(Goals(ended).changes(memories.paths.goals), author="dream", reason="night")
    assert len(memories.questions.load().entries) == KEPT_CLOSED
    for name, word, count in (("questions", "問い", 2 * KEPT_CLOSED), ("goals", "目標", 2 * KEPT_ENDED)):
        rows = table(browser, name)[1:]
        assert {row[1] for row in rows} == {f"{word}{n}" for n in range(count)}
        assert len(rows) == count


def test_days_insights_and_diaries_are_tables(browser: TestClient, memories: Memories) -> None:
    day = Episode(date=date(2026, 3, 4), summary="雨の日、\n「傘」の話。", key_events=["傘をなくした"], evidence=["m9"])
    insight = Insight(
        created_at="2026-03-05 03:00:00",
        trigger_topic="傘",
        insight="=よくなくす",
        strategy="聞いてみる",
        log_entry="夢を見た",
        evidence=["m9"],
    )
    files = {memories.episodes.path(day.date): day.sealed().dump()}
    memories.apply(files | Insights([insight]).changes(memories.paths.insights), author="dream", reason="night")
    memories.notes.append("main_memory", "はじめの段落。", author="user", reason="edited")
    memories.notes.append("main_memory", "\nつぎの段落。", author="user", reason="edited")
    assert table(browser, "episodes")[1][:3] == ["2026-03-04", "雨の日、\n「傘」の話。", "傘をなくした"]
    assert table(browser, "insights")[1][:4] == ["2026-03-05 03:00:00", "傘", "'=よくなくす", "聞いてみる"]
    assert [row[1] for row in table(browser, "main_memory")[1:]] == ["はじめの段落。", "つぎの段落。"]
    assert table(browser, "secret_diary")[1:] == []


def test_what_a_search_finds_is_a_table(browser: TestClient, memories: Memories) -> None:
    said = memories.log.append("user", "ミナ", "+庭のレモンの木に実がついた")
    memories.recall.catch_up()
    rows = table(browser, "found", query="レモンの木")[1:]
    assert [said.id in row[-1] for row in rows].count(True) == 1
    assert "'+庭のレモンの木に実がついた" in [row[4] for row in rows]
    assert table(browser, "found", query="レモンの木", kinds="diary")[1:] == []
    assert table(browser, "found")[1:] == []


def test_the_history_of_a_file_is_a_table_and_of_no_file_outside(browser: TestClient, memories: Memories) -> None:
    memories.notes.append("core_memory", "ひとつめ", author="user", reason="edited")
    memories.notes.append("notepad", "ふたつめ", author="user", reason="edited")
    whole, of_one = table(browser, "history"), table(browser, "history", item="core_memory.txt")
    assert len(whole) > len(of_one) > 1
    assert {row[3] for row in of_one[1:]} <= {row[3] for row in of_one if "core_memory.txt" in row[3]}
    assert of_one[1][1] == "あなた"
    assert table(browser, "history", item="../../settings.toml") == whole


def test_forgotten_things_and_documents_are_tables(browser: TestClient, memories: Memories, own_home: Home) -> None:
    document = own_home.folder / "説明書.txt"
    document.write_text("押すだけ", "utf-8")
    memories.knowledge.add(document)
    assert table(browser, "knowledge")[1][:2] == ["説明書.txt", "12"]
    memories.entities.note("傘", "青い", author="dream", mind="built-in", evidence=["m1"], kind="thing")
    assert table(browser, "forgotten")[1:] == []
    memories.entities.delete("傘", author="user", reason="forgotten")
    assert "傘.md" in table(browser, "forgotten")[1][3]
    said = memories.log.append("user", "ミナ", "傘をなくしたよ")
    asked = memories.log.append("user", "ミナ", "今の話は忘れて")
    forget_words(memories.log, [said.id], asked.id)
    assert table(browser, "forgotten")[2][6:] == [said.id, asked.id]


def test_the_tables_of_map_and_network_hold_what_the_pictures_show(
    services: Services, browser: TestClient, memories: Memories
) -> None:
    live(memories)
    rows = table(browser, "map", "en")
    assert rows[0][:4] == ["Day", "Kind", "Region", "Part of it"]
    page = Shelves(services, "en").look("/map")
    assert len(rows) - 1 == len(page.all("svg.sky")[0].all("a.star"))
    assert page.all(".export a")[0].attributes["href"] == address_of(NAME, "tables/map.csv")
    assert 0 < len(table(browser, "map", region="0")) - 1 < len(rows) - 1
    assert ["Mia", "Oskar", "120"] in table(browser, "ties", "en")


def test_every_shelf_links_to_its_table(services: Services, memories: Memories) -> None:
    live(memories)
    memories.questions.add(Question(topic="q"), author="dream", reason="night")
    memories.notes.append("main_memory", "a day", author=NAME, reason="diary")
    shelves = Shelves(services, "en")
    for place, name in (
        ("/people", "entities"),
        ("/days", "episodes"),
        ("/questions", "questions"),
        ("/diary", "main_memory"),
        ("/network", "ties"),
    ):
        first, *rest = [one.attributes["href"] for one in shelves.look(place).all(".export a")]
        assert first == address_of(NAME, f"tables/{name}.csv")
        assert all("/history.csv" in one for one in rest)
        assert len(table(shelves.browser, name)) > 1
    found = shelves.look(query="Mia", kinds="entity_memory").one(".export a").attributes["href"]
    assert found == address_of(NAME, "tables/found.csv", query="Mia", kinds="entity_memory")
    past = shelves.look("/people/Mia").one(".past .export a").attributes["href"]
    assert "Mia.md" in shelves.browser.get(past).text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_table_has_headings_in_both_languages(browser: TestClient, memories: Memories, lang: str) -> None:
    heads = {name: table(browser, name, lang)[0] for name in ROWS}
    assert all(heads.values())
    assert texts("ja")("tables.fact") != texts("en")("tables.fact")
    assert (texts("en")("tables.fact") in heads["entities"]) == (lang == "en")
    assert browser.get(f"/p/{NAME}/tables/secrets.csv").status_code == 400


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
def test_no_cell_is_a_formula(sign: str) -> None:
    assert as_csv([[f'{sign}HYPERLINK("http://x")']]).decode("utf-8-sig").lstrip('"').startswith(f"'{sign}")
