"""A hasty person at a slow machine: whatever is clicked or said at once counts, and counts for whom it was meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import rest, send
from tests.browser.conftest import Modelled
from tests.browser.serving import DESKTOP, Server, unused, window
from tests.model_server import Hang, Say

SLOWER = 3
"""Times slower than this machine is."""
HELD_BACK = """
const fetchAsIs = window.fetch.bind(window);
window.fetch = async (input, init) => {
  if (new URL(input.url || input, location.href).pathname.endsWith("/queue/join")) await new Promise((go) => setTimeout(go, 300));
  return fetchAsIs(input, init);
};
"""
"""A line on which each question takes a moment."""
OVERTAKEN = """
const fetchUnheld = window.fetch.bind(window);
window.fetch = async (input, init) => {
  const answer = await fetchUnheld(input, init);
  if (!new URL(input.url || input, location.href).pathname.endsWith("/queue/data")) return answer;
  const late = new Set();
  let text = "";
  const holdBack = new TransformStream({
    transform(piece, stream) {
      text += piece;
      for (let end; (end = text.indexOf("\\n\\n")) >= 0; text = text.slice(end + 2)) {
        const record = text.slice(0, end + 2);
        const { msg, event_id } = JSON.parse(record.slice("data: ".length));
        if (msg === "process_generating" && record.includes("ゆっくり")) late.add(event_id);
        if (late.has(event_id) || msg === "close_stream") setTimeout(() => stream.enqueue(record), 1500);
        else stream.enqueue(record);
      }
    },
    flush: () => new Promise((done) => setTimeout(done, 1600)),
  });
  const body = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(holdBack).pipeThrough(new TextEncoderStream());
  return new Response(body, { status: answer.status, headers: answer.headers });
};
"""
"""A line on which an answer that is being spoken is overtaken by whatever is asked for later."""
AT_ONCE = """selectors => new Promise((done) => {
  const press = async () => {
    for (const one of selectors) {
      document.querySelector(one).click();
      await new Promise((go) => setTimeout(go, 60));
    }
    done();
  };
  const isThere = () => selectors.every((one) => document.querySelector(one)?.offsetParent);
  if (isThere()) return void press();
  const watching = new MutationObserver(() => isThere() && (watching.disconnect(), press()));
  watching.observe(document, { childList: true, subtree: true, attributes: true });
})"""
"""Presses one after the other, faster than anything is answered, as soon as all are to be seen."""
AS_SOON_AS_ANSWERED = """lines => {
  const [area, send, stop] = ["textarea", ".send", ".stop"].map((one) => document.querySelector(`#composer ${one}`));
  let wasBusy = false;
  const say = () => { wasBusy = false; area.value = lines.shift(); send.click(); };
  new MutationObserver(() => {
    if (!stop.hidden) wasBusy = true;
    else if (wasBusy && lines.length) say();
  }).observe(stop, { attributes: true });
  say();
}"""


@pytest.fixture
def slow(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, locale="ja-JP")
    context.add_init_script(HELD_BACK)
    page = context.new_page()
    page.set_default_timeout(60_000)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    yield page
    context.close()


def room(name: str) -> str:
    return f"#{name}-room-button"


def chosen(name: str) -> str:
    return f'#personas [data-persona="{name}"]'


def persona(server: Server, name: str) -> str:
    store = PersonaStore(Home(server.home), SystemClock(), Random(3))
    return store.create(unused(server, name), language="ja", core_memory=f"{name}の核").name


@pytest.mark.timeout(400)
def test_who_clicks_at_once_is_heard(slow: Page, server: Server) -> None:
    first, other = persona(server, "いっぽ"), persona(server, "にほ")
    slow.goto(f"{server.address}?persona={first}", wait_until="commit")
    slow.evaluate(AT_ONCE, [room(name) for name in ("heart", "dreams", "notes", "persona")])
    for inside in ("#heart-drives .drive", "#dream-state .sleeping", "#persona-more button"):
        expect(slow.locator(inside).first, inside).to_be_attached(timeout=40_000)
    expect(slow.locator("#note-editor textarea")).to_have_value(f"{first}の核")
    # Making somebody, from the room that is left for it.
    slow.evaluate(AT_ONCE, [room("talk"), "#personas .create"])
    expect(slow.locator("#new-persona-name :is(input, textarea)")).to_be_focused(timeout=40_000)
    # Whoever is chosen last; and a room entered in the same breath is theirs.
    slow.evaluate(AT_ONCE, [chosen(other), chosen(first), chosen(other), room("notes"), room("persona")])
    expect(slow.locator("#persona h1")).to_have_text(other, timeout=40_000)
    expect(slow.locator("#persona-name :is(input, textarea)")).to_have_value(other)
    expect(slow.locator("#note-editor textarea")).to_have_value(f"{other}の核")


@pytest.mark.timeout(400)
def test_no_word_is_lost_and_each_goes_to_whom_it_was_said(slow: Page, modelled: Modelled) -> None:
    talking, models = modelled
    first, other = persona(talking, "はやくち"), persona(talking, "となり")
    lines = ["ひとつ", "ふたつ", "みっつ"]
    models.enqueue(*[Say("うん")] * len(lines), Say("ゆっくりゆっくり話すね", gap=0.3))
    slow.goto(f"{talking.address}?persona={first}", wait_until="commit")
    area = slow.locator("#composer textarea")
    expect(area).to_have_attribute("placeholder", f"{first}に話しかける", timeout=40_000)
    slow.evaluate(AS_SOON_AS_ANSWERED, lines)
    expect(slow.locator("article.user .bubble")).to_have_text(lines, timeout=60_000)
    expect(slow.locator("article.persona:not(.live)")).to_have_count(len(lines), timeout=40_000)
    expect(slow.locator("#composer .send")).to_be_visible()
    # Said to one, and on to the other in the same breath: neither what was said nor the answer is seen there.
    area.fill("またあとで")
    slow.evaluate(AT_ONCE, ["#composer .send", chosen(other)])
    expect(slow.locator("#persona h1")).to_have_text(other)
    expect(area).to_have_attribute("placeholder", f"{other}に話しかける")
    slow.wait_for_function("() => document.querySelectorAll('article.user, article.live').length === 0")
    expect(slow.locator("#personas [aria-current]")).to_have_attribute("data-persona", other)
    slow.evaluate(AT_ONCE, [chosen(first)])
    expect(slow.locator("article.persona:not(.live) .bubble").last).to_have_text(
        "ゆっくりゆっくり話すね", timeout=40_000
    )
    expect(slow.locator("article.user .bubble")).to_have_text([*lines, "またあとで"])
    log = Home(talking.home).persona(other).log
    assert not log.exists() or "またあとで" not in log.read_text("utf-8")


@pytest.mark.parametrize("line", ["", OVERTAKEN], ids=["as it is", "overtaken"])
def test_who_turns_away_from_somebody_speaking_does_not_go_on_seeing_it(
    browser: Browser, modelled: Modelled, line: str
) -> None:
    talking, models = modelled
    first, other = persona(talking, "おそい"), persona(talking, "よその人")
    models.enqueue(Say("うん"), Say("ゆっくりゆっくり話すね、ほんとうにゆっくりと", gap=0.3))
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, locale="ja-JP")
    context.add_init_script(line)
    with context, context.new_page() as page:
        page.goto(f"{talking.address}?persona={first}")
        area = page.locator("#composer textarea")
        expect(area).to_have_attribute("placeholder", f"{first}に話しかける")
        area.fill("やあ")
        area.press("Enter")
        expect(page.locator("article.persona:not(.live) .bubble")).to_have_text("うん")
        expect(page.locator("#composer .send")).to_be_visible()
        area.fill("きこえる？")
        page.locator("#composer .send").click()
        expect(page.locator("article.live")).to_contain_text("ゆっくり")
        page.locator(chosen(other)).click()
        expect(area).to_have_attribute("placeholder", f"{other}に話しかける")
        page.wait_for_timeout(
            4000
        )  # in which the rest of what the first one said arrives, and a window finds its way back
        expect(page.locator("article.user, article.live")).to_have_count(0)
        expect(page.locator("#conversation .opening")).to_contain_text(other)
        expect(area).to_have_attribute("placeholder", f"{other}に話しかける")
        expect(page.locator("#composer .send")).to_be_visible()


@pytest.mark.timeout(200)
def test_what_one_does_while_somebody_speaks_stays_done(browser: Browser, modelled: Modelled) -> None:
    talking, models = modelled
    name = persona(talking, "ながばなし")
    log = ConversationLog(Home(talking.home).persona(name), SystemClock(), Random(5))
    for number in range(70):
        log.append("persona" if number % 2 else "user", name if number % 2 else "ミナ", f"ひとこと {number}")
    slowly = Say("ゆっくり" * 12, gap=0.3)
    with window(browser, talking.address, persona=name) as page:
        live, veil = page.locator("article.live .bubble:not(.waiting)"), page.locator("#composer .veil")
        # Older messages, and off the record, while an answer is under way: both outlast it.
        models.enqueue(slowly)
        send(page, "話して")
        expect(live).to_be_visible()
        page.locator(".older").click()
        expect(page.locator("article:not(.live)")).to_have_count(71)
        veil.click()
        expect(page.locator(".separator.off-record")).to_be_visible()
        expect(live).to_be_visible()
        expect(page.locator("#composer .send")).to_be_visible()
        rest(page)
        expect(page.locator("article")).to_have_count(72)
        expect(veil).to_have_attribute("aria-pressed", "true")
        # Back on it while what is off the record is answered: it is gone, and does not come back.
        models.enqueue(slowly)
        send(page, "ないしょのすいか")
        expect(live).to_be_visible()
        expect(page.locator("article:not(.live)")).to_have_count(73)
        veil.click()
        expect(page.locator("article")).to_have_count(72)
        rest(page)
        expect(page.locator("article")).to_have_count(72)
        expect(page.locator(".separator.off-record")).to_have_count(0)
        # Off it and on with one's words in the same breath, and it is kept to when the page is loaded anew.
        page.locator("#composer textarea").fill("ないしょのメロン")
        page.evaluate(AT_ONCE, ["#composer .veil", "#composer .send"])
        expect(page.locator("article.user .bubble").last).to_have_text("ないしょのメロン")
        veil.click()
        expect(page.locator(".separator.off-record")).to_have_count(0)
        veil.click()
        expect(page.locator(".separator.off-record")).to_be_visible()
        rest(page)
        page.reload()
        expect(page.locator(".separator.off-record")).to_be_visible()
        veil.click()
        expect(page.locator(".separator.off-record")).to_have_count(0)
        # A silent mind can be stopped, whatever was asked for meanwhile.
        models.enqueue(Hang())
        send(page, "もしもし")
        page.locator("#composer .topic").click()
        expect(page.locator(".toast-body")).to_be_visible()
        page.locator("#composer .stop").click()
        expect(page.locator("#composer .send")).to_be_visible()
        expect(page.locator(".separator.topic")).to_have_count(0)
    written = Home(talking.home).persona(name).log.read_text("utf-8")
    assert not [word for word in ("すいか", "メロン") if word in written]


def test_what_is_not_sent_stays_with_whom_it_was_meant_for(
    browser: Browser, modelled: Modelled, tmp_path: Path
) -> None:
    talking, models = modelled
    first, other = persona(talking, "あずかり"), persona(talking, "べつの人")
    letters = [tmp_path / "ひとつめ.txt", tmp_path / "ふたつめ.txt"]
    for letter in letters:
        letter.write_text(letter.stem, encoding="utf-8")
    models.enqueue(Say("読んだよ"), Say("ゆっくり" * 9, gap=0.3))
    with window(browser, talking.address, persona=first) as page:
        area, chips = page.locator("#composer textarea"), page.locator("#composer .chip")
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/upload*", hold)
        page.locator('#composer input[type="file"]').set_input_files(letters)
        expect(page.locator("#composer .chip.loading")).to_have_count(2)
        area.fill("読んで")
        area.press("Enter")
        expect(area).to_have_value("読んで")  # until the files are there
        page.locator(chosen(other)).click()
        expect(area).to_have_attribute("placeholder", f"{other}に話しかける")
        held.pop().continue_()
        page.route("**/upload*", lambda route: route.continue_())
        rest(page)
        expect(chips).to_have_count(0)
        page.locator(chosen(first)).click()
        expect(page.locator("#composer .chip:not(.loading)")).to_have_count(2)
        area.press("Enter")
        expect(page.locator("article.user .file")).to_have_count(2)
        expect(page.locator("article.persona:not(.live) .bubble")).to_have_text("読んだよ")
        # What was being made of a message is there when one comes back to it.
        page.locator('article.user [data-action="edit"]').click()
        page.locator(".editing textarea").fill("読みなおして")
        page.locator(chosen(other)).click()
        expect(page.locator("#conversation .opening")).to_contain_text(other)
        page.locator(chosen(first)).click()
        page.locator('article.user [data-action="edit"]').click()
        expect(page.locator(".editing textarea")).to_have_value("読みなおして")
        # A refused word stands where it was written, with what was written since; nothing is sent twice.
        page.locator(".editing button").first.click()
        page.evaluate(
            """() => {
              const [area, send] = ["textarea", ".send"].map((one) => document.querySelector(`#composer ${one}`));
              for (const text of ["ひとつめ", "ふたつめ"]) { area.value = text; send.click(); }
            }"""
        )
        expect(area).to_have_value("ふたつめ")
        expect(page.locator("#composer .stop")).to_be_visible()
        expect(page.locator("#composer .send")).to_be_visible()
        expect(page.locator("article.user .bubble")).to_have_text(["読んで", "ひとつめ"])
