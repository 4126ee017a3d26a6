"""A persona goes out into a file while one watches, is saved, and comes back as it was."""

from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from managers.exchange.archives.reading import open_archive
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.errors import Lang
from managers.storage.paths import Home
from tests.browser.serving import DESKTOP, PHONE, Server, window
from tests.browser.test_knowledge import persona
from tests.browser.test_looks import inspect
from tests.browser.walking import Place
from ui.server.addresses import address_of

WORDS = "a long passphrase"


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_all_of_it_is_exported_and_saved(
    browser: Browser, server: Server, tmp_path: Path, lang: Lang, size: tuple[int, int], dark: bool
) -> None:
    name = persona(server, {"ja": "たびびと", "en": "Voyager"}[lang], lang)
    with window(browser, server, persona=name, lang=lang, size=size, dark=dark) as page:
        page.goto(server.address.rstrip("/") + address_of(name, "persona"))
        page.locator(f'a[href="{address_of(name, "exports")}"]').click()
        expect(page.locator("#export-form")).to_be_visible()
        page.locator("#export-passphrase").fill(WORDS)
        page.locator("#export-again").fill(WORDS)
        page.locator("#export-form button.main").click()
        save = page.locator("#made a.main")
        expect(save).to_be_visible(timeout=60_000)
        expect(page.locator("#made")).to_be_in_viewport()  # far above the button on a phone
        assert inspect(page, Place("exports, one to be saved"), (size, dark), lang) == []
        with page.expect_download() as download:
            save.click()
        download.value.save_as(tmp_path / "out.zip.age")
        with open_archive(tmp_path / "out.zip.age", WORDS) as archive:
            archive.check()
            assert archive.manifest.persona == name
        page.locator("#made form button").click()
        expect(page.locator("#made li")).to_have_count(0)
        page.goto(f"{server.address.rstrip('/')}/import")
        page.locator("#import-file").set_input_files(tmp_path / "out.zip.age")
        page.locator("#import-passphrase").fill(WORDS)
        page.locator("#import-source button").click()
        page.locator("#import-name").fill(f"{name} 2", timeout=60_000)
        assert inspect(page, Place("an archive, looked at"), (size, dark), lang) == []
        page.locator("#import-yes button").click()
        page.locator("#import a.main").click(timeout=60_000)
        expect(page.locator("#composer textarea")).to_be_visible()
        assert f"{name} 2" in PersonaStore(Home(server.home), SystemClock(), Random(1)).list_names()
