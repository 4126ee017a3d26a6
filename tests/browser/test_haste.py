"""A hasty person at a slow machine: whatever is clicked or said at once counts, and counts for whom it was meant."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from managers.storage.paths import Home
from tests.browser.acting import bubbles, choose_persona, send
from tests.browser.conftest import Modelled
from tests.browser.serving import DESKTOP, visit, wait_for_scripts, window
from tests.browser.test_conversation import log_of, persona, talked
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

GOES_ONCE_HEARD = """() => {
  const fetchAsIs = window.fetch.bind(window);
  window.fetch = async (address, options) => {
    const heard = await fetchAsIs(address, options);
    if (options?.method?.toLowerCase() !== "post") return heard;
    location.reload();
    throw new TypeError("the page goes");
  };
}"""
"""Leaves the page in the moment in which words are heard, before it knows of that."""


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
    log = Home(talking.home).persona(other).log
    assert not log.exists() or "またあとで" not in log.read_text("utf-8")


def test_what_was_heard_while_the_page_went_does_not_stand_in_the_field_again(
    browser: Browser, modelled: Modelled
) -> None:
    talking, models = modelled
    models.enqueue(Say("うん"))
    with window(browser, talking, persona=persona(talking, "いそぎ"), tolerate=True) as page:
        page.route_web_socket("**", lambda _: None)  # nothing live tells the page that it was heard
        page.reload()
        page.evaluate(GOES_ONCE_HEARD)
        send(page, "またね")
        expect(page.locator(".scripted article.user .bubble")).to_have_text(["またね"])
        expect(page.locator(".scripted #composer textarea")).to_have_value("")


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
    written = Home(talking.home).persona(name).log.read_text("utf-8")
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
