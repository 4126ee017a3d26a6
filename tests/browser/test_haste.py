"""A hasty person at a slow machine: whatever is clicked or said at once counts, and counts for whom it was meant."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from managers.storage.settings import SettingsFile
from tests.browser.acting import bubbles, choose_persona, hold_back, let_go, say, send
from tests.browser.conftest import Modelled
from tests.browser.serving import DESKTOP, Server, paths_of, persona, visit, wait_for_scripts, window
from tests.browser.test_conversation import log_of, talked
from tests.model_server import Hang, Say
from ui.server.addresses import address_of

SLOWER = 3
"""Times slower than this machine is."""
HELD_BACK = """
const fetchAsIs = window.fetch.bind(window);
window.fetch = async (...about) => {
  await new Promise((go) => setTimeout(go, 300));
  return fetchAsIs(...about);
};
"""
"""A line on which each question takes a moment."""
AT_ONCE = "selectors => { for (const one of selectors) document.querySelector(one).click(); }"
"""Presses one after the other, before anything is answered."""
AS_SOON_AS_ANSWERED = """lines => {
  const [area, send] = ["textarea", ".send"].map((one) => document.querySelector(`#composer ${one}`));
  let said = 0;
  const say = () => {
    const answered = document.querySelectorAll("article.persona:not(.live)").length;
    if (said < lines.length && answered >= said) { area.value = lines[said++]; send.click(); }
  };
  new MutationObserver(say).observe(document.getElementById("room"), { childList: true, subtree: true });
  say();
}"""
"""Says one after the other, each in the moment in which the answer to the one before stands there."""
IN_ONE_BREATH = """lines => {
  const [area, send] = ["textarea", ".send"].map((one) => document.querySelector(`#composer ${one}`));
  for (const text of lines) { area.value = text; send.click(); }
}"""
"""Writes and sends one after the other, before anything is answered."""


@pytest.fixture
def slow(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, locale="ja-JP")
    context.add_init_script(HELD_BACK)
    context.on("page", wait_for_scripts)
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    yield page
    context.close()


def chosen(name: str) -> str:
    return f'#personas [data-persona="{name}"]'


def test_no_word_is_lost_and_each_goes_to_whom_it_was_said(slow: Page, modelled: Modelled) -> None:
    talking, models = modelled
    first, other = persona(talking, "はやくち"), persona(talking, "となり")
    lines = ["ひとつ", "ふたつ", "みっつ"]
    models.enqueue(*[Say("うん")] * len(lines), Say("ゆっくりゆっくり話すね"))
    visit(slow, talking, address_of(first).lstrip("/"), wait_until="commit")
    area = slow.locator("#composer textarea")
    expect(slow.locator("html.scripted")).to_be_attached()
    slow.evaluate(AS_SOON_AS_ANSWERED, [*lines])
    expect(slow.locator("article.user .bubble")).to_have_text(lines)
    expect(slow.locator("article.persona:not(.live)")).to_have_count(len(lines))
    expect(slow.locator("#composer .send")).to_be_visible()
    # Said to one, and on to the other in the same breath: it stands with the first, once, and nowhere else.
    area.fill("またあとで")
    slow.evaluate(AT_ONCE, ["#composer .send", chosen(first), chosen(other)])
    expect(slow.locator("#head .who")).to_have_text(other)
    expect(area).to_have_value("")
    expect(slow.locator("#conversation .opening")).to_contain_text(other)
    choose_persona(slow, first)
    expect(slow.locator("html.scripted")).to_be_attached()
    if area.input_value():  # the browser went before the words did: they are in the field again
        area.press("Enter")
    expect(slow.locator("article.persona:not(.live) .bubble").last).to_have_text("ゆっくりゆっくり話すね")
    expect(slow.locator("article.user .bubble")).to_have_text([*lines, "またあとで"])
    expect(area).to_have_value("")
    log = paths_of(talking, other).log
    assert not log.exists() or "またあとで" not in log.read_text("utf-8")


def test_what_one_does_while_somebody_speaks_stays_done(browser: Browser, modelled: Modelled) -> None:
    talking, models = modelled
    name = talked(talking, "ながばなし", 60)
    with window(browser, talking, persona=name) as page:
        live, veil, stop = (page.locator(one) for one in ("article.live", "#composer .veil", "#composer .stop"))
        # Older messages while an answer is under way: they outlast it.
        models.enqueue(Hang("ゆっくり"))
        send(page, "話して")
        expect(live).to_contain_text("ゆっくり")
        page.locator(".older").click()
        expect(page.locator("article:not(.live)")).to_have_count(61)
        page.locator("#composer .topic").click()
        expect(page.locator("#told .problem")).to_contain_text("まだ話しています")
        stop.click()
        expect(page.locator("article:not(.live)")).to_have_count(62)
        expect(page.locator(".separator.topic")).to_have_count(0)
        # Back on the record while what is off it is answered: it is gone, and does not come back.
        veil.click()
        expect(page.locator(".separator.off-record")).to_be_visible()
        models.enqueue(Hang("しーっ"))
        send(page, "ないしょのすいか")
        expect(live).to_contain_text("しーっ")
        veil.click()
        expect(page.locator(".separator.off-record")).to_have_count(0)
        expect(live).to_have_count(0)
        assert "ないしょのすいか" not in bubbles(page)
        # Off it, and kept to when the page is loaded anew.
        veil.click()
        expect(veil).to_have_attribute("aria-pressed", "true")
        models.enqueue(Say("うん"))
        send(page, "ないしょのメロン")
        page.reload()
        expect(page.locator(".separator.off-record")).to_be_visible()
        veil.click()
        expect(page.locator(".separator.off-record")).to_have_count(0)
    written = paths_of(talking, name).log.read_text("utf-8")
    assert not [word for word in ("すいか", "メロン") if word in written]


def test_what_is_not_heard_yet_stays_where_it_was_written(browser: Browser, modelled: Modelled) -> None:
    talking, models = modelled
    name = persona(talking, "あずかり")
    models.enqueue(Hang("うん"))
    with window(browser, talking, persona=name) as page:
        area, mine = page.locator("#composer textarea"), page.locator("article.user .bubble")
        page.evaluate(IN_ONE_BREATH, ["ひとつめ", "ふたつめ"])
        expect(page.locator("article.live")).to_contain_text("うん")
        expect(area).to_have_value("ふたつめ")
        expect(mine).to_have_text(["ひとつめ"])
        # What is being made of a message stays while others see to the conversation.
        page.locator("#composer .stop").click()
        expect(page.locator("#composer .send")).to_be_visible()
        page.locator("article.user .edit").click()
        page.locator(".editing textarea").fill("書きなおし中")
        log_of(talking, name).append("persona", name, "外から来たひとこと")
        expect(page.locator("article").last).to_contain_text("外から来たひとこと")
        expect(page.locator(".editing textarea")).to_have_value("書きなおし中")
        expect(area).to_have_value("ふたつめ")


def test_an_answer_that_never_came_is_asked_for_once(browser: Browser, modelled: Modelled) -> None:
    talking, models = modelled
    models.enqueue(Say("うん"), Say("またね"))
    with window(browser, talking, persona=persona(talking, "とだえ"), tolerate=True) as page:
        cut: list[Route] = []

        def cut_off(route: Route) -> None:
            cut.append(route)
            page.context.request.fetch(route.request)  # it is heard ...
            route.abort()  # ... and nobody learns of it

        page.route("**/say", cut_off, times=1)
        area = page.locator("#composer textarea")
        area.fill("聞こえた?")
        area.press("Enter")
        expect(page.locator("article:not(.live) .bubble")).to_have_text(["聞こえた?", "うん"])
        expect(area).to_have_value("")
        assert cut
        send(page, "またあとで")
        expect(page.locator("article:not(.live) .bubble")).to_have_text(["聞こえた?", "うん", "またあとで", "またね"])


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
        page.evaluate("fetch(location).then((answer) => answer.text())")
        expect(page.locator("#strange")).to_have_count(0)
        assert fold.get_attribute("data-filled") is None
