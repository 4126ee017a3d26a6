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
from managers.memory.insights import Insight, Insights
from managers.storage.paths import Home
from tests.ui.rooms import NAME, Shelves
from ui.components.csv_files import as_csv
from ui.locales import LANGUAGES, texts
from ui.rooms.memories import people
from ui.rooms.tables.routes import ROWS
from ui.server.addresses import address_of


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
