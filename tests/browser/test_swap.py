"""What the page's script lays over the page: the newest stays, in whatever order answers come."""

from playwright.sync_api import Browser, expect

from managers.storage.settings import SettingsFile
from tests.browser.acting import hold_back, let_go, say, send
from tests.browser.serving import Server, window

_HELD = """() => {
    const asked = window.fetch;
    const held = new Promise((goOn) => { window.goOn = goOn; });
    window.fetch = async (...about) => {
        const answer = await asked(...about);
        if (about[1]?.method === "post") await held;
        return answer;
    };
}"""
"""From now on what answers a form comes when `goOn` is called, however late that is."""


def test_an_answer_that_comes_late_takes_nothing_back(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="en", persona="Hazel") as page:
        answers = page.locator("article.persona:not(.live)")
        say(page, "Good morning.")  # so that the greeting, which is written with the first words, is there
        before = answers.count()
        page.evaluate(_HELD)
        send(page, "Good evening.")
        expect(answers).to_have_count(before + 1)  # another answer has brought it meanwhile
        page.evaluate("window.goOn()")
        expect(page.locator("#composer:not([aria-busy])")).to_be_visible()
        expect(answers).to_have_count(before + 1)
        expect(page.locator("article.live")).to_have_count(0)


def test_what_is_changed_again_or_pressed_beside_waits_its_turn(browser: Browser, server: Server) -> None:
    kept = SettingsFile(server.home / "settings.toml")
    with window(browser, server, lang="en", room="settings") as page:
        page.locator(".pages").get_by_text("Conversation", exact=True).click()
        row = page.locator('.option[data-key="conversation.window_turns"]')
        field = page.locator("#option-conversation-window_turns")
        held = hold_back(page, "**/settings**")
        for turns in ("5", "6", "7"):  # the second and the third are one wish
            field.fill(turns)
            field.press("Tab")
        let_go(page, held)
        let_go(page, held, 1)
        expect(page.locator(".option[aria-busy]")).to_have_count(0)
        assert (len(held), kept.load()[0].conversation.window_turns) == (2, 7)
        field.fill("8")
        field.press("Tab")
        row.locator('button[name="reset"]').dblclick()  # the same twice is one
        let_go(page, held, 2)
        let_go(page, held, 3)
        expect(row.locator('button[name="reset"]')).to_have_count(0)
        assert len(held) == 4


def test_a_fold_takes_in_nothing_but_a_part_of_the_page(browser: Browser, server: Server) -> None:
    kept = server.home / "characters" / "Hazel" / "attachments"
    kept.mkdir(exist_ok=True)
    (kept / "form.txt").write_text('<form id="strange" action="/guests"></form>', "utf-8")
    with window(browser, server, lang="en", persona="Hazel", room="persona") as page:
        fold = page.locator("details[data-src]").first
        fold.evaluate("fold => { fold.dataset.src = '/p/Hazel/attachments/form.txt'; }")
        with page.expect_response("**/attachments/form.txt"):
            fold.locator("summary").click()
        page.wait_for_timeout(300)
        expect(page.locator("#strange")).to_have_count(0)
        assert fold.get_attribute("data-filled") is None
