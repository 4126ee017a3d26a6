"""The page that asks about guests: what it tells, what a yes does, and that until then nothing of a guest is served."""

from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from agent.services import Services, open_services
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.homes import let_in
from tests.hostile_folder import Hostile, asks_for_much, finishes_a_journal, make_hostile
from tests.ui.reading import Element, press, read
from tests.ui.visitors import stranger_to, visitor_of
from ui.locales import texts


@pytest.fixture
def hostile(services: Services, tmp_path: Path) -> Hostile:
    return make_hostile(services.home.characters / "Rook", tmp_path / "elsewhere")


@pytest.fixture
def browser(services: Services) -> TestClient:
    browser = visitor_of(services)
    browser.headers["accept-language"] = "en"
    return browser


def waiting(browser: TestClient) -> Element:
    return read(browser.get("/guests"))


def answer(browser: TestClient, deed: str, name: str = "Rook") -> Element:
    """Press a button of one guest; return the page that one is led to."""
    page = waiting(browser)
    return read(press(browser, page, f'section[data-name="{name}"] button[value="{deed}"]'))


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_it_opens_first_while_somebody_waits_and_tells_what_was_found(
    services: Services, hostile: Hostile, browser: TestClient, lang: str
) -> None:
    browser.headers["accept-language"] = lang
    assert browser.get("/").headers["location"] == "/guests"
    html = browser.get("/guests").text
    page = read(html)
    assert len(page.all("h1")) == 1
    question = services.personas.door.question("Rook")
    assert question is not None
    for told in (*question.findings, *question.wishes):
        assert " ".join((told.ja if lang == "ja" else told.en).split()) in page.text
    assert page.all("#rail") == page.all("#personas") == []  # nothing is read that is not asked about
    assert "e<b>" not in html
    services.settings_file.change("page", onboarded=True)
    onward = waiting(browser).all("a.small")[-1].attributes["href"]
    assert browser.get(onward).status_code == 200  # the way past it
    assert services.personas.door.guests() == ["Rook"]
    hostile.assert_harmless()


def test_nothing_of_a_guest_is_served(services: Services, browser: TestClient, tmp_path: Path) -> None:
    guest = make_hostile(services.home.characters / "Rook", tmp_path / "elsewhere", finishes_a_journal)
    (guest.folder / "avatar.png").write_bytes(b"picture")
    (guest.folder / "attachments").mkdir()
    (guest.folder / "attachments" / "a.png").write_bytes(b"picture")
    rooms = (
        "",
        "avatar",
        "attachments/a.png",
        "messages/x",
        "why/x",
        "history/x",
        "persona",
        "knowledge",
        "notes/notepad",
    )
    for address in rooms:
        refused = browser.get(f"/p/Rook/{address}")
        assert (refused.status_code, "is a guest" in read(refused).text) == (403, True), address
        assert "Hello there" not in refused.text
    for deed in ("persona", "persona/mend", "persona/duplicate", "persona/delete", "knowledge/a.txt/remove"):
        assert browser.post(f"/p/Rook/{deed}", data={"name": "Rook"}).status_code == 403, deed
    assert services.personas.door.guests() == ["Rook"]
    assert (guest.folder / ".history" / "pending" / "journal.json").exists()
    guest.assert_harmless()


def test_a_yes_lets_in_and_the_settings_have_one_of_their_own(
    services: Services, hostile: Hostile, browser: TestClient
) -> None:
    page = answer(browser, "admit")
    assert "Rook has been let in." in page.one("#told").text
    assert ".set-aside" in page.one("#told").text
    assert services.personas.get("Rook").settings == {"recall": {"threshold": 0.7}}
    assert "Nothing is waiting" in page.text  # "without these settings" was an answer, too
    assert browser.get("/").headers["location"] != "/guests"
    sheet = hostile.folder / "persona.json"
    sheet.write_text(sheet.read_text("utf-8").replace("24", "25"), "utf-8")
    page = waiting(browser)
    assert "Its folder asks for other settings" in page.text
    assert browser.get("/").headers["location"] != "/guests"  # the page opens; its side leads here
    assert texts("en")("guests.rail", count=1) in read(browser.get("/p/Hazel/persona")).one("#personas").text
    sheet.write_text(sheet.read_text("utf-8").replace("25", "26"), "utf-8")
    late = read(press(browser, page, 'button[value="grant"]'))  # to what was shown, not to what is there now
    assert "have changed since they were shown" in late.one("#told .problem").text
    assert "sleep" not in services.personas.get("Rook").settings
    answer(browser, "grant")
    assert services.personas.get("Rook").settings["sleep"]["autonomous_actions_per_day"] == 26
    assert "Nothing is waiting" in waiting(browser).text
    assert read(browser.get("/p/Hazel/persona")).all(".waiting") == []
    hostile.assert_harmless()


def test_one_yes_lets_everybody_in(services: Services, hostile: Hostile, browser: TestClient, tmp_path: Path) -> None:
    make_hostile(services.home.characters / "Crow", tmp_path / "there", asks_for_much)
    page = waiting(browser)
    everybody = page.all("section")[0]
    assert "All 2 guests at once" in everybody.text
    names = [one.attributes["value"] for one in everybody.all('input[name="name"]')]
    seen = [one.attributes["value"] for one in everybody.all('input[name="seen"]')]
    browser.post("/guests", data={"name": names, "seen": seen, "deed": "admit_with"})
    assert {"Crow", "Rook"} <= set(services.personas.list_names())
    assert services.personas.door.waiting() == []


def test_a_guest_may_go_to_the_trash_and_a_persona_may_not_from_here(
    services: Services, hostile: Hostile, browser: TestClient
) -> None:
    gone = browser.post("/guests", data={"name": ["Rook", "Hazel"], "seen": ["", ""], "deed": "trash"})
    way = read(browser.get(gone.headers["location"])).one("#told a").attributes["href"]
    assert "Rook" in read(browser.get(way)).one("#trash").text
    assert services.personas.door.guests() == []
    assert [gone.name for gone in services.personas.trashed()] == ["Rook"]
    assert "Hazel" in services.personas.list_names()
    back = press(browser, read(browser.get("/p/Hazel/persona")), "#trash button")
    assert back.url.path == "/guests"  # what was a guest is one again
    assert services.personas.door.guests() == ["Rook"]


def test_no_other_page_answers_for_the_person(services: Services, hostile: Hostile, browser: TestClient) -> None:
    told = {"name": "Rook", "seen": "", "deed": "admit"}
    assert browser.post("/guests", data=told, headers={"origin": "http://evil.example"}).status_code == 403
    assert stranger_to(services).post("/guests", data=told).status_code == 401
    assert stranger_to(services).get("/guests").status_code == 401
    assert services.personas.door.guests() == ["Rook"]


def test_sleep_does_not_look_at_guests(services: Services, hostile: Hostile) -> None:
    assert [sleeper.name for sleeper in services.sleep._sleepers()] == services.personas.list_names()


def test_a_home_by_hand_is_let_in_by_the_helper_of_these_tests(own_home: Home, clock: HandClock) -> None:
    (own_home.characters / "Aki").mkdir(parents=True)
    let_in(own_home)
    services = open_services(own_home, clock, Random(3))
    assert "Aki" in services.personas.list_names()
    services.close()
