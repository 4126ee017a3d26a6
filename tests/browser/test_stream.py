"""No answer gets lost, however slowly the server's goodbye to a stream of answers comes through."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.acting import enter
from tests.browser.serving import DESKTOP, Server

SLOW_LINE = """
window.asked = []; window.answered = [];
const fetchAsIs = window.fetch.bind(window);
const goodbye = 'data: {"msg":"close_stream"';
window.fetch = async (input, init) => {
  const path = new URL(input.url || input, location.href).pathname;
  const response = await fetchAsIs(input, init);
  if (path.endsWith("/queue/join")) asked.push((await response.clone().json()).event_id);
  if (!path.endsWith("/queue/data")) return response;
  const line = new TransformStream({
    async transform(text, listener) {
      const end = text.indexOf(goodbye);
      const told = end < 0 ? text : text.slice(0, end);
      for (const found of told.matchAll(/"msg":"process_completed","event_id":"(\\w+)"/g)) answered.push(found[1]);
      listener.enqueue(told);
      if (end < 0) return;
      await new Promise((go) => setTimeout(go, 400));
      listener.enqueue(text.slice(end));
    },
  });
  const body = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(line).pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, headers: response.headers });
};
"""
"""A browser whose line holds back each goodbye for a moment, which a busy machine does now and then."""
WALK = """async (rooms) => {
  for (const [number, room] of rooms.entries()) {
    document.getElementById(`${room}-room-button`).click();
    await new Promise((go) => setTimeout(go, 60 * (number % 7)));
  }
}"""


def test_whatever_is_asked_for_is_answered(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, locale="ja-JP")
    page = context.new_page()
    page.add_init_script(SLOW_LINE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address)
    expect(page.locator("#conversation .transcript > div").first).to_be_visible()
    page.evaluate(WALK, ["heart", "dreams", "memories", "notes", "talk"] * 6)
    enter(page, "heart")
    expect(page.locator("#heart-drives .drive")).to_have_count(4)
    page.wait_for_function("() => asked.length > 20 && asked.every((one) => answered.includes(one))", timeout=20_000)
    # No window keeps a line open: a browser has but six for a server, and whose line is cut would be forgotten.
    assert not [url for url in asked if "heartbeat" in url]
    context.close()
