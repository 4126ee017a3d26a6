"""The persona room on real files: only what was changed is written, no word is lost, and everybody has a way back."""

import io

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from PIL import Image
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.history import History
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.server.addresses import address_of

ROOM = address_of(NAME, "persona")
SAVE = "#persona-form button.main"
EN = texts("en")


def opened(visitor: TestClient, name: str = NAME) -> Element:
    return read(visitor.get(address_of(name, "persona")))


def reasons(services: Services) -> list[str]:
    history = History(services.personas.get(NAME).paths, services.clock)
    try:
        return [entry.reason for entry in history.entries(20)]
    finally:
        history.close()


def told(answer: Response) -> str:
    return read(answer).one("#told").text


def test_each_changed_field_is_one_entry_of_the_history(services: Services, visitor: TestClient) -> None:
    before = reasons(services)
    answer = press(visitor, opened(visitor), SAVE, greeting="Oh, hello.", prompt="I am\r\nsomebody new.", language="en")
    assert told(answer) == "Saved."
    saved = services.personas.get(NAME)
    assert (saved.greeting, saved.system_prompt, saved.language) == ("Oh, hello.", "I am\nsomebody new.", "en")
    assert sorted(reasons(services)[: -len(before)]) == ["greeting", "language", "system prompt"]
    typed = {"alternate_greetings": "Hm?\r\nYou.\r\n===\r\nAgain!\r\n", "nickname": " Nemu "}
    press(visitor, opened(visitor), SAVE, user_name="Mina", user_profile="Likes rivers.", **typed)
    saved = services.personas.get(NAME)
    assert (saved.user_name, saved.user_profile) == ("Mina", "Likes rivers.")
    assert (saved.alternate_greetings, saved.nickname) == (("Hm?\nYou.", "Again!"), "Nemu")
    count = len(reasons(services))
    press(visitor, opened(visitor), SAVE)
    assert len(reasons(services)) == count  # nothing was changed
    press(visitor, opened(visitor), SAVE, alternate_greetings="")
    assert services.personas.get(NAME).alternate_greetings == ()


def test_what_another_window_wrote_is_not_written_back(services: Services, visitor: TestClient) -> None:
    page = opened(visitor)
    services.personas.set_greeting(NAME, "written elsewhere")
    services.personas.set_user(NAME, profile="told elsewhere")
    press(visitor, page, SAVE, prompt="I am somebody new.", user_name="Mina")
    saved = services.personas.get(NAME)
    assert (saved.greeting, saved.system_prompt) == ("written elsewhere", "I am somebody new.")
    assert (saved.user_name, saved.user_profile) == ("Mina", "told elsewhere")


def test_what_was_changed_elsewhere_too_is_shown_twice(services: Services, visitor: TestClient) -> None:
    page = opened(visitor)
    services.personas.get(NAME).paths.system_prompt.write_text("from an editor", encoding="utf-8")
    services.personas.set_greeting(NAME, "from another window")
    answer = press(visitor, page, SAVE, prompt="mine", greeting="my greeting")
    assert answer.status_code == 409
    shown = read(answer)
    assert shown.one("[data-conflict]").texts("pre") == ["from another window", "from an editor"]
    assert [one.text for one in shown.all("#persona-form textarea")] == ["my greeting", "", "", "mine", ""]
    assert services.personas.get(NAME).system_prompt == "from an editor"
    press(visitor, shown, '[name="keep_mine"]')
    saved = services.personas.get(NAME)
    assert (saved.greeting, saved.system_prompt) == ("my greeting", "mine")
    page = opened(visitor)
    answers = [press(visitor, page, SAVE, prompt=words).status_code for words in ("a", "a", "b")]
    assert answers == [200, 200, 409]  # the same twice is no conflict; a day-old window asks first


def test_a_name_that_cannot_be_had_leaves_everything_as_it_is(services: Services, visitor: TestClient) -> None:
    services.personas.create("taken", language="en")
    page, before = opened(visitor), reasons(services)
    refused = press(visitor, page, SAVE, name="taken", prompt="mine")
    assert refused.status_code == 400
    assert 'There already is a persona "taken".' in read(refused).one(".problem").text
    visitor.headers["accept-language"] = "ja"
    for name, sentence in (("", "名前がまだありません。"), ("  ", "名前がまだありません。"), ("a/b", "使えません")):
        for address in (ROOM, "/new"):
            told_of = press(visitor, read(visitor.get(address)), "form.fields button.main", name=name).text
            assert sentence in told_of
            assert "「」" not in told_of
    assert reasons(services) == before
    answer = press(visitor, page, SAVE, name="free", prompt="mine")  # the same form, as it still stands there
    assert answer.url.path == "/p/free/persona"
    assert services.personas.get("free").system_prompt == "mine"
    assert visitor.get(ROOM).status_code == 404


def test_a_picture_becomes_its_face(services: Services, visitor: TestClient) -> None:
    name = services.personas.create("Moss", language="en").name
    file = io.BytesIO()
    Image.new("RGB", (64, 48), "#cc8866").save(file, "JPEG")
    place, files = address_of(name, "persona/picture"), {"picture": ("face.jpg", file.getvalue(), "image/jpeg")}
    answer = visitor.post(place, files=files, follow_redirects=True)
    shown = read(answer).one("form.portrait img").attributes["src"]
    assert visitor.get(shown).headers["content-type"] == "image/png"
    visitor.headers["accept-language"] = "ja"
    refused = visitor.post(place, files={"picture": ("memo.txt", b"not a picture", "text/plain")})
    assert refused.status_code == 400
    assert "この画像は使えません。PNG・JPEG・WebP のどれかを選んでください。" in read(refused).text


def test_an_endless_form_is_refused(visitor: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.server.uploads.WithUploads.largest", 1_000_000)
    files = {"picture": ("a.png", bytes(2_000_000)), "files": ("a.txt", bytes(2_000_000))}
    for room in ("persona/picture", "knowledge"):
        answer = visitor.post(address_of(NAME, room), files=files)
        assert answer.status_code == 413
        assert "At most 1 MB can be sent at once." in read(answer).text
        assert not (services.home.folder / ".uploads").exists()
        assert not (services.personas.get(NAME).paths.folder / "knowledge").exists()


def test_whoever_is_deleted_comes_back_from_the_trash(services: Services, visitor: TestClient) -> None:
    delete = f'form[action="{address_of(NAME, "persona/delete")}"] button'
    page = opened(visitor)
    gone = press(visitor, page, delete)
    assert (gone.url.path, gone.url.fragment) == ("/p/Hazel/persona", "trash")
    assert press(visitor, page, delete).status_code == 200  # sent twice
    assert visitor.get(ROOM).status_code == 404
    back = press(visitor, read(gone), "#trash button")
    assert read(back).one("#persona-name").attributes["value"] == NAME
    assert press(visitor, read(gone), "#trash button").status_code == 200
    assert services.personas.list_names().count(NAME) == 1
    for name in services.personas.list_names():
        gone = press(visitor, opened(visitor, name), f'form[action="{address_of(name, "persona/delete")}"] button')
    assert gone.url.path == "/new"
    assert EN("persona.nobody") in read(gone).text
    services.settings_file.change("page", onboarded=True)
    assert visitor.get("/").headers["location"] == "/new"
    press(visitor, read(gone), "#trash button")
    assert len(services.personas.list_names()) == 1


def test_a_new_persona_is_made_once_and_one_talks_at_once(services: Services, visitor: TestClient) -> None:
    page = read(visitor.get("/new"))
    typed = {"name": "Moss", "prompt": "Likes\r\nrain.", "greeting": "Hm?"}
    made = [press(visitor, page, "#new-persona button", **typed) for _ in range(2)]
    assert [answer.url.path for answer in made] == ["/p/Moss/", "/p/Moss/"]
    persona = services.personas.get("Moss")
    assert (persona.language, persona.system_prompt, persona.greeting) == ("en", "Likes\nrain.", "Hm?")
    again = press(visitor, read(visitor.get("/new")), "#new-persona button", name="Moss", prompt="Somebody else")
    assert again.status_code == 400
    assert read(again).one("#persona-prompt").text == "Somebody else"  # no word is lost


def test_a_broken_persona_says_so_and_gets_its_last_good_version_back(services: Services, visitor: TestClient) -> None:
    services.personas.set_greeting(NAME, "Mm? Hello.")
    sheet = services.personas.get(NAME).paths.persona_json
    broken = sheet.read_bytes()[: sheet.stat().st_size // 2]
    sheet.write_bytes(broken)
    page = opened(visitor)
    assert "persona.json" in page.one(".conflict").text
    assert EN("mending.way") in page.one("#notices").text
    answer = press(visitor, page, ".conflict button")
    assert "The last good version is back." in told(answer)
    assert "persona.json.broken-" in told(answer)
    assert services.personas.get(NAME).greeting == "Mm? Hello."
    assert [path.read_bytes() for path in sheet.parent.glob("persona.json.broken-*")] == [broken]


def test_a_change_is_taken_back(services: Services, visitor: TestClient) -> None:
    before = services.personas.get(NAME).system_prompt
    press(visitor, opened(visitor), SAVE, prompt="mine")
    past = opened(visitor).all("section details.fold")[0].attributes["data-src"]
    listed = read(visitor.get(past, headers={"x-utatane": "swap"}))
    assert "rewrote who it is" in listed.one("ol.history").text
    press(visitor, listed, 'button[value="undo"]')
    assert services.personas.get(NAME).system_prompt == before
