"""A home in which nothing can be written: the page says so once, shows everything, and offers no composer."""

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from managers.storage.access import Access
from managers.storage.paths import Home
from tests.browser.acting import enter
from tests.browser.lives import let_two_live
from tests.browser.serving import Server, window
from tests.disks import read_only, small_disk
from tests.homes import PERSONAS
from ui.components.frame import ROOMS


def walk_past_everything(page: Page) -> None:
    """Enter every room, look at every shelf of the memories, and search: nowhere does anything fail."""
    for room in (*ROOMS, "settings"):
        enter(page, room)
        expect(page.locator("#room h1").first).to_be_attached()
        expect(page.locator("#room .problem, #told .told")).to_have_count(0)
        if room == "memories":
            for address in page.locator("#room nav a").evaluate_all("all => all.map((one) => one.href)"):
                assert page.request.get(address).status == 200
            page.locator("#memory-query").fill("Momo")
            page.locator("#memory-query").press("Enter")
            expect(page.locator(".found > li").first).to_be_visible()


def test_a_home_that_can_only_be_read_is_shown_in_every_room(browser: Browser, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "200m") as disk:
        home = Home(disk / "home")
        let_two_live(home, 4)
        assert Access(home).token  # it was served before
        before = sorted(path for path in home.folder.rglob("*"))
        with read_only(disk):
            server = Server(home.folder).start()
            with window(browser, server, lang="en", persona=PERSONAS["en"]) as page:
                expect(page.locator("#conversation")).to_contain_text("I'll keep that safe for you.")
                expect(page.locator("#notices")).to_contain_text("can only be read")
                expect(page.locator("#composer [role=status]")).to_contain_text("can only be read")
                expect(page.locator("#composer textarea")).to_have_count(0)
                walk_past_everything(page)
            assert server.end() == 143
            assert "Traceback" not in "".join(server.said)
        assert sorted(path for path in home.folder.rglob("*")) == before
