"""The page that asks about guests: what it tells, what a yes does, and that until then nothing of a guest is served."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from tests.hostile_folder import Hostile, finishes_a_journal, make_hostile
from tests.ui.reading import Element, press, read
from ui.locales import LANGUAGES, texts

HERE = "/guests"


@pytest.fixture
def hostile(services: Services, tmp_path: Path) -> Hostile:
    return make_hostile(services.home.characters / "Rook", tmp_path / "elsewhere")


def answer(visitor: TestClient, deed: str) -> Element:
    """Press a button of the only guest; return the page that one is led to."""
    return read(press(visitor, read(visitor.get(HERE)), f'section[data-name="Rook"] button[value="{deed}"]'))


def test_it_opens_first_and_tells_what_was_found(services: Services, hostile: Hostile, visitor: TestClient) -> None:
    assert visitor.get("/").headers["location"] == HERE
    question = services.personas.door.question("Rook")
    assert question is not None
    for lang in LANGUAGES:
        html = visitor.get(HERE, headers={"accept-language": lang}).text
        page = read(html)
        words = [one.ja if lang == "ja" else one.en for one in (*question.findings, *question.wishes)]
        assert [one for one in words if " ".join(one.split()) not in page.text] == []
        assert page.all("#rail") == page.all("#personas") == []  # nothing is read that is not asked about
        assert "e<b>" not in html
    services.settings_file.change("page", onboarded=True)
    assert services.personas.door.guests() == ["Rook"]
    assert [sleeper.name for sleeper in services.sleep._sleepers()] == services.personas.list_names()
    hostile.assert_harmless()


def test_nothing_of_a_guest_is_served(services: Services, visitor: TestClient, tmp_path: Path) -> None:
    guest = make_hostile(services.home.characters / "Rook", tmp_path / "elsewhere", finishes_a_journal)
    (guest.folder / "attachments").mkdir()
    for picture in ("avatar.png", "attachments/a.png"):
        (guest.folder / picture).write_bytes(b"picture")
    rooms = ["avatar", "attachments/a.png", "messages/x", "why/x", "history/x", "persona", "knowledge", "notes/notepad"]
    for address in ("", *rooms):
        refused = visitor.get(f"/p/Rook/{address}")
        assert (refused.status_code, "is a guest" in read(refused).text) == (403, True), address
        assert "Hello there" not in refused.text
    for deed in ("persona", "persona/mend", "persona/duplicate", "persona/delete", "knowledge/a.txt/remove"):
        assert visitor.post(f"/p/Rook/{deed}", data={"name": "Rook"}).status_code == 403, deed
    assert services.personas.door.guests() == ["Rook"]
    assert (guest.folder / ".history" / "pending" / "journal.json").exists()
    guest.assert_harmless()


def test_the_settings_have_a_yes_of_their_own(services: Services, hostile: Hostile, visitor: TestClient) -> None:
    page = answer(visitor, "admit")
    assert "Rook has been let in." in page.one("#told").text
    assert services.personas.get("Rook").settings == {"recall": {"threshold": 0.7}}
    assert visitor.get("/").headers["location"] != HERE
    sheet = hostile.folder / "persona.json"
    sheet.write_text(sheet.read_text("utf-8").replace("24", "25"), "utf-8")
    page = read(visitor.get(HERE))
    assert "Its folder asks for other settings" in page.text
    assert visitor.get("/").headers["location"] != HERE  # the page opens; its side leads here
    assert texts("en")("guests.rail", count=1) in read(visitor.get("/p/Hazel/persona")).one("#personas").text
    sheet.write_text(sheet.read_text("utf-8").replace("25", "26"), "utf-8")
    late = read(press(visitor, page, 'button[value="grant"]'))  # to what was shown, not to what is there now
    assert "have changed since they were shown" in late.one("#told .problem").text
    assert "sleep" not in services.personas.get("Rook").settings
    page = answer(visitor, "grant")
    assert services.personas.get("Rook").settings["sleep"]["autonomous_actions_per_day"] == 26
    assert "Nothing is waiting" in page.text
    assert read(visitor.get("/p/Hazel/persona")).all(".waiting") == []
    hostile.assert_harmless()


def test_without_the_key_one_yes_lets_the_old_ones_in(
    services: Services, hostile: Hostile, visitor: TestClient
) -> None:
    here = services.personas.list_names()
    services.personas.set_settings(here[0], "sleep", silence=True)
    (hostile.folder / ".persona-id").unlink(missing_ok=True)  # a pipe; its name is another than that mark's
    (hostile.folder / ".persona-id").write_text(services.home.persona(here[0]).mark.read_text())
    for path in (services.home.installation_key, services.home.installation_key_copy):
        path.write_bytes(path.read_bytes()[:30])
    assert services.personas.door.guests() == sorted([*here, "Rook"])
    page = read(visitor.get(HERE))
    told = page.all("section")[0].text
    assert [one for one in (*here, f"All {len(here) + 1} at once", "Rook (never let in)") if one not in told] == []
    press(visitor, page, 'button[value="admit_with"]')
    assert (services.personas.list_names(), services.personas.door.waiting()) == (here, ["Rook"])
    assert services.personas.get(here[0]).settings["sleep"]["silence"]
    hostile.assert_harmless()


def test_a_guest_may_go_to_the_trash(services: Services, hostile: Hostile, visitor: TestClient) -> None:
    gone = visitor.post(HERE, data={"whom": [" Rook", " Hazel"], "deed": "trash"})
    way = read(visitor.get(gone.headers["location"])).one("#told a").attributes["href"]
    assert "Rook" in read(visitor.get(way)).one("#trash").text
    assert services.personas.door.guests() == []
    assert [gone.name for gone in services.personas.trashed()] == ["Rook"]
    assert "Hazel" in services.personas.list_names()
    back = press(visitor, read(visitor.get("/p/Hazel/persona")), "#trash button")
    assert back.url.path == HERE  # what was a guest is one again
    assert services.personas.door.guests() == ["Rook"]
