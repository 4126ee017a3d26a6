# ruff: noqa: INP001  # a script among documents, no package
"""Take the screenshots of the documentation: `python docs/take_screenshots.py` from the checkout.

A real server on a home of its own, with weeks of conversation that were written for the purpose and
the dreams that came of them.
"""

import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from PIL import Image  # noqa: E402  # the checkout has to be found first
from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

from managers.storage.errors import Lang  # noqa: E402
from managers.storage.paths import Home  # noqa: E402
from managers.usage.ledger import Call, Ledger  # noqa: E402
from tests.browser.acting import open_fold, send  # noqa: E402
from tests.browser.conftest import ARGUMENTS, CHROMIUM  # noqa: E402
from tests.browser.lives import let_two_live  # noqa: E402
from tests.browser.serving import PHONE, Server, window  # noqa: E402
from tests.homes import PERSONAS  # noqa: E402
from ui.server.addresses import address_of, with_query  # noqa: E402

SHOTS = CHECKOUT / "docs" / "screenshots"
COLOURS = 256
DAYS = 24
LAST: dict[Lang, str] = {"ja": "橋の灯りのこと、覚えてる?", "en": "Do you remember the lamps on the bridge?"}
TOGETHER: dict[Lang, tuple[str, str]] = {
    "ja": ("ルミナ、きのう古い映画を見たよ。", "クラリスは、古い映画は好き?"),
    "en": ("Lumina, I saw an old film yesterday.", "Claris, do you like old films?"),
}
SOUGHT: dict[Lang, str] = {"ja": "モモちゃん", "en": "Momo"}
DOCUMENT: dict[Lang, tuple[str, str]] = {
    "ja": ("電気ケトルの説明書.md", "# 電気ケトル\n\nお湯がわくと、ふたの灯りが消えます。\n"),
    "en": ("kettle manual.md", "# The kettle\n\nWhen the water boils, the lamp on its lid goes out.\n"),
}


def main() -> None:
    """Take all of them."""
    assert CHROMIUM, "no Chromium on this machine"
    SHOTS.mkdir(exist_ok=True)
    for old in SHOTS.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        prepare(home)
        server = Server(home.folder).start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                for lang in PERSONAS:
                    shoot_language(browser, server, lang)
                browser.close()
        finally:
            server.stop()


def prepare(home: Home) -> None:
    """Let two people have talked, given them something to look up in, and spent a little."""
    let_two_live(home, DAYS)
    for lang, persona in PERSONAS.items():
        knowledge = home.persona(persona).knowledge
        knowledge.mkdir(exist_ok=True)
        name, text = DOCUMENT[lang]
        (knowledge / name).write_text(text, "utf-8")
    spend(Ledger(home.usage))


def spend(ledger: Ledger) -> None:
    """Note calls of a model on the days before, as if one had spoken then."""
    rng, now = Random(4), datetime.now().replace(microsecond=0)  # noqa: S311  # no secrets
    for day in range(DAYS, 0, -1):
        for persona in PERSONAS.values():
            for _ in range(rng.randint(1, 6)):
                read, written = rng.randint(1_200, 3_800), rng.randint(60, 420)
                moment = now - timedelta(days=day, minutes=rng.randint(0, 300))
                cost = 300 * read + 2_500 * written
                ledger.append(Call(moment, persona, "talk", "Gemini", "gemini-3.5-flash", read, written, cost=cost))


def shoot_language(browser: Browser, server: Server, lang: Lang) -> None:
    """Take one language's shots: a talk, then every room, then what is met by night and on a phone."""
    persona = PERSONAS[lang]
    with window(browser, server, lang=lang, persona=persona) as page:
        still(page)
        send(page, LAST[lang])  # older messages leave the page when new ones come, so answers are not counted
        expect(page.locator("#composer .stop")).to_be_hidden(timeout=60_000)
        expect(page.locator("#conversation article").last).to_have_class("message persona")
        save(page, f"talk-{lang}")
        open_fold(page, "article.persona .why", ".hits")
        page.locator(".why .hits").last.scroll_into_view_if_needed()
        save(page, f"why-{lang}")
        for name in PLACES:
            go(page, server, lang, name)
            save(page, f"{name}-{lang}")
    for size, named in (((1440, 900), "dark"), (PHONE, "phone"), (PHONE, "phone-dark")):
        dark = named.endswith("dark")
        with window(browser, server, lang=lang, persona=persona, dark=dark, size=size) as page:
            still(page, dark=dark)
            save(page, f"talk-{named}-{lang}")
            for name in ("heart", "map"):
                go(page, server, lang, name)
                save(page, f"{name}-{named}-{lang}")
    shoot_group(browser, server, lang)


def shoot_group(browser: Browser, server: Server, lang: Lang) -> None:
    """Take a talk with the three samples, by day and on a phone."""
    with window(browser, server, lang=lang, persona=PERSONAS[lang], size=PHONE) as page:
        still(page)
        page.goto(f"{server.address}group")
        page.locator("form[action='/group/three'] button").click()
        expect(page.locator("#composer textarea")).to_be_visible(timeout=60_000)
        for text in TOGETHER[lang]:
            replies = page.locator("article.persona:not(.live)")
            before = replies.count()
            page.locator("#composer textarea").fill(text)
            page.locator("#composer .send").click()
            expect(replies.nth(before)).to_be_visible(timeout=60_000)
            expect(page.locator("#composer .stop")).to_be_hidden(timeout=60_000)
        save(page, f"group-phone-{lang}")


def still(page: Page, *, dark: bool = False) -> None:
    """Let nothing move while pictures are taken."""
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    expect(page.locator(".mind-chip")).to_be_visible()


def go(page: Page, server: Server, lang: Lang, name: str) -> None:
    """Go to a place by its address, and wait for what is worth seeing in it."""
    path, seen = PLACES[name]
    house = path.startswith("/")
    query: dict[str, object] = (
        {"persona": PERSONAS[lang]} if house else {"query": SOUGHT[lang]} if name == "memories" else {}
    )
    page.goto(
        server.address + (with_query(path, query) if house else address_of(PERSONAS[lang], path, **query)).lstrip("/")
    )
    expect(page.locator(seen).first).to_be_visible(timeout=60_000)
    page.mouse.move(0, 0)


PLACES: dict[str, tuple[str, str]] = {
    "heart": ("heart", "#feelings .point:visible"),
    "dreams": ("dreams", "#diary .night"),
    "memories": ("memories", ".found > li"),
    "map": ("memories/map", "svg.sky .star:visible"),
    "ties": ("memories/network", "svg.sky .star:visible"),
    "people": ("memories/people", ".cards li"),
    "days": ("memories/days", ".calendar a"),
    "knowledge": ("knowledge", ".documents li"),
    "notes": ("notes/core_memory", ".history li"),
    "persona": ("persona", "#persona-form"),
    "settings": ("/settings/user", ".option"),
    "usage": ("/settings/usage", ".spending svg:visible"),
}
"""Every room: its path, and what is worth seeing in it."""


def save(page: Page, name: str) -> None:
    """Keep a shot, small."""
    page.wait_for_timeout(400)  # pictures of faces come by themselves
    path = SHOTS / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as shot:
        small = shot.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main()
