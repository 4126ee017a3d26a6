"""A backup as a person makes one: asked for, seen to be good, looked into, brought back from, deleted."""

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.accessibility import axe_core, findings, too_small, too_wide
from tests.browser.acting import open_fold
from tests.browser.serving import ARTIFACTS, PHONE, Server, window
from ui.locales import texts

NAME = "Hazel"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("kept"))
    PersonaStore(home, SystemClock(), Random(1)).install_samples()
    server = Server(home.folder).start()
    yield server
    server.stop()


def test_one_is_made_looked_into_brought_back_from_and_deleted(browser: Browser, kept: Server) -> None:
    t = texts("en")
    with window(browser, kept, lang="en", size=PHONE, persona=NAME) as page:
        page.goto(f"{kept.address}settings/backup")
        expect(page.locator(".tile")).to_contain_text(t("backups.none"))
        page.get_by_role("button", name=t("backups.now")).click()
        expect(page.locator(".backups li")).to_have_count(1)
        expect(page.locator(".tile")).to_contain_text(t("backups.proof.full", files=""))
        open_fold(page, ".backups details", "form")
        page.screenshot(path=ARTIFACTS / "backups-phone.png", full_page=True)
        page.evaluate(axe_core())
        problems = [str(one) for one in findings(page, "backups")] + [*too_wide(page), *too_small(page)]
        assert not problems, "\n".join(problems)
        page.get_by_role("button", name=t("backups.bring_back", name=NAME)).click()
        expect(page.locator("#told")).to_contain_text(f"{NAME} 2" if not page.url.endswith("2/") else NAME)
        page.goto(f"{kept.address}settings/backup")
        open_fold(page, ".backups details", "form")
        page.get_by_role("button", name=t("backups.delete")).click()
        page.locator(".ask button.yes").click()
        expect(page.locator(".backups li")).to_have_count(0)
    with window(browser, kept, lang="ja", persona=NAME, scripts=False) as page:
        page.goto(f"{kept.address}settings/backup")
        page.get_by_role("button", name=texts("ja")("backups.now")).click()
        expect(page.locator("#told")).to_contain_text(texts("ja")("backups.began"))
