"""The rooms beside the conversation: notes, persona, settings, and the first meeting."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import too_wide
from tests.browser.acting import choose_persona, edit_core_memory, enter, reload, rest, say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window
from tests.model_server import ModelServer, Refuse, Say


def persona(server: Server, name: str, core_memory: str = "はじめの一行") -> PersonaPaths:
    store = PersonaStore(Home(server.home), SystemClock(), Random(4))
    return store.create(name, language="ja", core_memory=core_memory).paths


def test_a_note_that_changed_on_disk_shows_both_versions(browser: Browser, server: Server) -> None:
    name = unused(server, "ノート")
    paths = persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "notes")
        editor = page.locator("#note-editor textarea")
        expect(editor).to_have_value("はじめの一行")
        editor.fill("ページで書いた")
        paths.core_memory.write_text("エディターで書いた", encoding="utf-8")
        page.locator("#note-save").click()
        expect(page.locator("#note-conflict")).to_be_visible()
        expect(page.locator("#note-conflict textarea")).to_have_value("エディターで書いた")
        expect(editor).to_have_value("ページで書いた")
        assert paths.core_memory.read_text(encoding="utf-8") == "エディターで書いた"
        page.locator("#note-keep-mine").click()
        expect(page.locator("#note-conflict")).to_be_hidden()
        assert paths.core_memory.read_text(encoding="utf-8").strip() == "ページで書いた"


def test_the_file_s_version_can_be_taken(browser: Browser, server: Server) -> None:
    name = unused(server, "ファイル")
    paths = persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "notes")
        editor = page.locator("#note-editor textarea")
        expect(editor).to_have_value("はじめの一行")
        editor.press_sequentially("x")
        paths.core_memory.write_text("こちらが正しい", encoding="utf-8")
        page.locator("#note-save").click()
        page.locator("#note-take-theirs").click()
        expect(editor).to_have_value("こちらが正しい")
        expect(page.locator("#note-conflict")).to_be_hidden()


def test_a_change_is_explained_and_can_be_taken_back(browser: Browser, server: Server) -> None:
    name = unused(server, "れきし")
    paths = persona(server, name)
    with window(browser, server.address, persona=name) as page:
        edit_core_memory(page, "はじめの一行\nあとの一行")
        entry = page.locator("#note-history li").first
        expect(entry).to_contain_text("あなた")
        entry.locator("summary").click()
        expect(entry.locator(".diff .added").last).to_have_text("+あとの一行")
        entry.locator('[data-action="undo"]').click()
        expect(page.locator("#note-editor textarea")).to_have_value("はじめの一行")
        assert paths.core_memory.read_text(encoding="utf-8") == "はじめの一行"
        expect(page.locator('#note-history [data-action="redo"]').first).to_be_visible()


def test_unsaved_words_are_not_left_by_accident(browser: Browser, server: Server) -> None:
    name = unused(server, "かきかけ")
    persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "notes")
        editor = page.locator("#note-editor textarea")
        expect(editor).to_have_value("はじめの一行")
        editor.press_sequentially("書きかけ")
        page.locator("#talk-room-button").click()
        page.locator(".ask button.no").click()
        expect(editor).to_be_visible()
        with page.expect_event("dialog") as asked:
            page.close(run_before_unload=True)
        assert asked.value.type == "beforeunload"
        asked.value.dismiss()
        page.locator("#note-kind label").nth(1).click()
        page.locator(".ask button.yes").click()
        expect(editor).to_have_value("")


def test_a_persona_comes_is_renamed_copied_deleted_and_comes_back(browser: Browser, server: Server) -> None:
    home = Home(server.home)
    with window(browser, server.address) as page:
        page.locator("#personas .create").click()
        page.locator("#new-persona-name input, #new-persona-name textarea").fill("うみべ")
        page.locator("#new-persona-create").click()
        expect(page.locator("#persona h1")).to_have_text("うみべ")
        name = page.locator("#persona-name input, #persona-name textarea")
        expect(name).to_have_value("うみべ")
        name.fill("やまべ")
        page.locator("#persona-prompt textarea").fill("山が好きな人。")
        page.locator("#persona-save").click()
        expect(page.locator("#persona h1")).to_have_text("やまべ")
        assert home.persona("やまべ").system_prompt.read_text(encoding="utf-8").strip() == "山が好きな人。"
        page.locator('#persona-more [data-action="duplicate"]').click()
        expect(page.locator("#persona h1")).not_to_have_text("やまべ")
        page.locator('#persona-more [data-action="delete"]').click()
        page.locator(".ask button.yes").click()
        expect(page.locator("#persona-trash li")).to_have_count(1)
        page.locator('#persona-trash [data-action="restore"]').click()
        expect(page.locator("#persona-trash li")).to_have_count(0)
    assert home.persona("やまべ").folder.is_dir()


def test_a_dangerous_name_is_refused_with_a_reason(browser: Browser, server: Server) -> None:
    with window(browser, server.address) as page:
        page.locator("#personas .create").click()
        for name in ("../outside", "con", "a/b", ".hidden"):
            page.locator("#new-persona-name input, #new-persona-name textarea").fill(name)
            page.locator("#new-persona-create").click()
            expect(page.locator(".toast-message-item", has_text=f"「{name}」という名前は使えません")).to_be_visible()


def test_a_picture_becomes_the_persona_s_face(browser: Browser, server: Server, tmp_path: Path) -> None:
    name = unused(server, "かお")
    paths = persona(server, name)
    Image.new("RGB", (64, 48), "#cc8866").save(tmp_path / "face.png")
    with window(browser, server.address, persona=name) as page:
        enter(page, "persona")
        expect(page.locator("#persona-face .face.letter")).to_be_visible()
        page.locator('input[type="file"][accept*="image"]').set_input_files(tmp_path / "face.png")
        expect(page.locator("#persona-face img.face")).to_be_visible()
        expect(page.locator("#persona img.face")).to_be_visible()
    assert (paths.folder / "avatar.png").is_file()


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as models:
        yield models


WRONG_KEY = {"ja": "APIキー", "en": "API key"}
LOOKS = [("ja", PHONE, True), ("en", DESKTOP, False)]


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Server]:
    """A server of its own, for what would change the shared one for everybody."""
    settings = SettingsFile(tmp_path / "home" / "settings.toml")
    settings.change("page", onboarded=True)
    server = Server(tmp_path / "home").start()
    yield server
    server.stop()


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_the_mind_can_be_changed_and_says_what_is_wrong(
    browser: Browser, fresh_server: Server, models: ModelServer, lang: str, size: tuple[int, int], dark: bool
) -> None:
    own_server = fresh_server
    models.otherwise = Refuse(401)
    with window(browser, own_server.address, lang=lang, size=size, dark=dark) as page:
        enter(page, "settings")
        rest(page)  # the room is filled with the settings as they stand
        page.locator("#mind-provider label").nth(3).click()
        page.locator("#mind-address textarea, #mind-address input").fill(models.base_url)
        page.locator("#mind-model textarea, #mind-model input").fill("test-model")
        page.locator("#mind-key input").fill("wrong-key")
        page.locator("#mind-save").click()
        expect(page.locator("#mind-result .wrong")).to_contain_text(WRONG_KEY[lang])
        expect(page.locator("#mind-key input")).to_have_value("")
        models.otherwise = Say("はい、聞こえます")
        page.locator("#mind-key input").fill("right-key")
        page.locator("#mind-save").click()
        expect(page.locator("#mind-result .right")).to_be_visible()
        expect(page.locator("#mind-result")).to_contain_text("はい、聞こえます")
        expect(page.locator(".mind-chip .mind-name")).to_have_text("test-model")
        enter(page, "talk")
        say(page, "やあ")
        assert "right-key" not in page.content()
    secrets = own_server.home / "secrets.toml"
    assert "right-key" in secrets.read_text(encoding="utf-8")
    assert secrets.stat().st_mode & 0o077 == 0
    leaks = [p for p in own_server.home.rglob("*") if p.is_file() and p != secrets and b"right-key" in p.read_bytes()]
    assert leaks == []


def test_the_first_meeting_chooses_persona_and_mind(browser: Browser, own_server: Server) -> None:
    with window(browser, own_server.address, size=PHONE) as page:
        page.locator('.persona-card[data-persona="Hazel"]').click()
        expect(page.locator('.persona-card[data-persona="Hazel"]')).to_have_attribute("aria-pressed", "true")
        page.locator("#welcome-provider label").nth(1).click()
        page.locator("#welcome-begin").click()
        expect(page.locator("#onboarding")).to_be_hidden()
        expect(page.locator("#persona h1")).to_have_text("Hazel")
    settings = SettingsFile(own_server.home / "settings.toml").load()[0]
    assert settings.page.onboarded
    assert settings.mind.provider == "builtin"


def test_a_settings_file_with_a_mistake_is_told_and_dismissed(browser: Browser, server: Server) -> None:
    file = server.home / "settings.toml"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + "\n[konversation]\nx = 1\n", encoding="utf-8")
    try:
        with window(browser, server.address, persona="ねむ") as page:
            expect(page.locator(".notices li")).to_contain_text("konversation")
            page.locator('.notices [data-action="dismiss"]').click()
            expect(page.locator(".notices li")).to_be_hidden()
            reload(page)
            expect(page.locator("#conversation .transcript > div").first).to_be_visible()
            expect(page.locator(".notices li")).to_be_hidden()
    finally:
        file.write_text(before, encoding="utf-8")


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_a_broken_persona_says_so_and_gets_its_last_good_version_back(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    name = {"ja": "こわれもの", "en": "Fragile"}[lang]
    paths = persona(server, name)
    store = PersonaStore(Home(server.home), SystemClock(), Random(4))
    store.set_greeting(name, "Mm? Hello.")
    good = paths.persona_json.read_bytes()
    paths.persona_json.write_bytes(good[: len(good) // 2])
    with window(browser, server.address, lang=lang, size=size, dark=dark, persona=name) as page:
        notice = page.locator(".notices li").first
        expect(notice).to_contain_text("persona.json")
        notice.locator("[data-to-room]").click()
        expect(page.locator("#mending .conflict")).to_contain_text("persona.json")
        page.locator('#mending [data-action="mend"]').click()
        expect(page.locator("#mending .conflict")).to_have_count(0)
        expect(page.locator("#persona-editor textarea").first).to_be_visible()
        assert store.get(name).greeting == "Mm? Hello."
        kept = [path.read_bytes() for path in paths.folder.glob("persona.json.broken-*")]
        assert kept == [good[: len(good) // 2]]
        if size == PHONE:
            page.locator("#persona .menu").click()
        choose_persona(page, "ねむ" if lang == "ja" else "Hazel")  # the others work as ever
        say(page, "…")
        expect(page.locator(".notices li")).to_have_count(0)


def test_the_dreams_lead_to_their_switch(browser: Browser, server: Server) -> None:
    name = unused(server, "よふかし")
    persona(server, name)
    PersonaStore(Home(server.home), SystemClock(), Random(4)).set_settings(name, "sleep", dreaming=False)
    with window(browser, server.address, persona=name) as page:
        enter(page, "dreams")
        page.locator("#dream-state [data-to-room]").click()
        expect(page.locator("#option-sleep-dreaming")).to_be_in_viewport()


def test_at_phone_width_everything_fits_and_can_be_reached(browser: Browser, server: Server) -> None:
    with window(browser, server.address, size=PHONE, persona="ねむ") as page:
        say(page, "https://example.com/" + "a" * 300)
        assert too_wide(page) == []
        box = page.locator("#composer textarea").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= PHONE[1]
        expect(page.locator("#rail")).to_be_hidden()
        page.locator("#persona .menu").click()
        expect(page.locator("#rail")).to_be_visible()
        page.locator('#personas [data-persona="Hazel"]').click()
        expect(page.locator("#rail")).to_be_hidden()
        expect(page.locator("#persona h1")).to_have_text("Hazel")
