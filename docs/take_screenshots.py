# ruff: noqa: INP001  # a script among documents, no package
"""Take the screenshots of the documentation: `python docs/take_screenshots.py` from the checkout.

A real server on a home of its own, with a conversation that was written for the purpose.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from PIL import Image  # noqa: E402  # the checkout has to be found first
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from agent.services import open_services  # noqa: E402
from managers.language.emotion import read_emotion  # noqa: E402
from managers.memory.log import ConversationLog  # noqa: E402
from managers.mind import Cancel, EmotionReading  # noqa: E402
from managers.storage.clock import SystemClock  # noqa: E402
from managers.storage.paths import Home  # noqa: E402
from managers.storage.settings import SettingsFile  # noqa: E402
from tests.browser.conftest import ARGUMENTS, CHROMIUM  # noqa: E402
from tests.browser.serving import PHONE, Server, window  # noqa: E402
from tests.fakes import HandClock  # noqa: E402

SHOTS = CHECKOUT / "docs" / "screenshots"
MOST_BYTES = 300_000
PERSONAS = {"ja": "ねむ", "en": "Hazel"}
USERS = {"ja": "ミナ", "en": "Mina"}
SAID = {
    "ja": [
        ("user", "ただいま。やっと引っ越しの荷ほどきが終わったよ。"),
        ("persona", "おかえり、ミナ。三日がかりだったね。窓の外はどんな景色?"),
        ("user", "川が見える。夕方になると橋の灯りがならぶの。写真撮ればよかったな。"),
        (
            "persona",
            "橋の灯り、いいね。\n\n- 夕方の色\n- 水にうつる光\n- 少し冷たい風\n\nそういうの、ちゃんと預かっておくよ。",
        ),
    ],
    "en": [
        ("user", "I'm home. The last box is unpacked at last."),
        ("persona", "Welcome back, Mina. Three whole days of boxes! What can you see from the window?"),
        ("user", "The river. In the evening the lamps on the bridge come on one by one."),
        (
            "persona",
            "One by one, I like that.\n\n- the colour of the evening\n- light on the water\n- a little cold wind\n\nI'll keep that safe for you.",
        ),
    ],
}
PAST = {
    "ja": (
        "川沿いを散歩したら、カワセミを見かけたよ。うれしかった。",
        "来週は京都の貴船神社に行く予定です。",
        "うちの猫のモモちゃんが入院していて、とても心配です。",
        "日商簿記の資格を取るために勉強を頑張ろうと思います。",
        "仕事で失敗して、落ち込んでいます。",
        "モモちゃんが退院しました!ほっとした。うれしいです。",
        "今日は疲れた。早く寝るね。",
        "友達のゆうちゃんとカレーを作って、楽しかった!",
        "ピアノの発表会が来月あります。緊張しています。",
    ),
    "en": (
        "I saw a kingfisher by the river today. It made me happy!",
        "Next week I am going to Kyoto with my sister Mary.",
        "My cat Momo is in hospital and I am very worried.",
        "I want to pass the bookkeeping exam, so I will study hard.",
        "I made a mistake at work and feel down.",
        "Momo came home! I am so happy.",
        "I am tired today. I will go to bed early.",
        "I cooked curry with my friend Tom. It was fun!",
        "My piano recital is next month. I am nervous.",
    ),
}
"""What was told on the evenings before, so that the heart has moved and there were dreams."""
DAYS = 24
LAST = {"ja": "橋の灯りのこと、覚えてる?", "en": "Do you remember the lamps on the bridge?"}


def main() -> None:
    """Take all of them."""
    assert CHROMIUM, "no Chromium on this machine"
    SHOTS.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp())
    try:
        prepare(Home(folder))
        server = Server(folder).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for lang in ("ja", "en"):
                shoot_language(browser, server, lang)
            browser.close()
        server.stop()
    finally:
        shutil.rmtree(folder)


def prepare(home: Home) -> None:
    """Let two people have talked."""
    open_services(home).close()
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    clock = SystemClock()
    for lang, persona in PERSONAS.items():
        let_live(home, lang)
        log = ConversationLog(home.persona(persona), clock, Random(9))  # noqa: S311  # ids, not secrets
        moment = datetime.now().replace(hour=19, minute=42, second=0) - timedelta(days=1)
        for role, text in SAID[lang]:
            speaker = USERS[lang] if role == "user" else persona
            log.append("user" if role == "user" else "persona", speaker, text, time=moment)
            moment += timedelta(minutes=2)
        log.begin_topic()  # so that it has to recall, not only to look up the page


def let_live(home: Home, lang: str) -> None:
    """Let some weeks pass: an evening's words each day, a dream each night."""
    today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    clock = HandClock(today - timedelta(days=DAYS))
    services, rng = open_services(home, clock, Random(8)), Random(8)  # noqa: S311  # no secrets
    memories = services.companion(PERSONAS[lang]).memories
    for number in range(DAYS - 1):
        for hour in (8, 20):
            clock.set(today - timedelta(days=DAYS - number) + timedelta(hours=hour + rng.randint(0, 2)))
            memories.inner_state.note_course()
            text = PAST[lang][(2 * number + hour // 20 + rng.randint(0, 2)) % len(PAST[lang])]
            message = memories.log.append("user", USERS[lang], text, time=clock.now())
            memories.inner_life.perceive(message, EmotionReading(read_emotion(text).emotion))
        clock.set(today - timedelta(days=DAYS - number - 1) + timedelta(hours=3))
        services.sleeper(PERSONAS[lang]).dream(Cancel())
    services.close()


def shoot_language(browser: Browser, server: Server, lang: str) -> None:
    """Take one language's shots: a talk in each look and size, then the rooms."""
    persona = PERSONAS[lang]
    with window(browser, server.address, lang=lang, persona=persona) as page:
        page.locator("#composer textarea").fill(LAST[lang])
        page.locator("#composer .send").click()
        page.locator("article.persona:not(.live)").nth(2).wait_for()
        page.wait_for_timeout(1500)
        save(page, f"talk-{lang}")
        page.locator(".why summary").last.click()
        page.locator(".why .hits").last.wait_for()
        page.locator(".why .hits").last.scroll_into_view_if_needed()
        page.wait_for_timeout(400)
        save(page, f"why-{lang}")
        for room in ("heart", "dreams", "memories", "knowledge", "notes", "persona", "settings"):
            page.locator(f"#{room}-room-button").click()
            page.wait_for_timeout(1200)
            save(page, f"{room}-{lang}")
    with window(browser, server.address, lang=lang, persona=persona, dark=True) as page:
        page.wait_for_timeout(1200)
        save(page, f"talk-dark-{lang}")
    for dark in (False, True):
        with window(browser, server.address, lang=lang, persona=persona, dark=dark, size=PHONE) as page:
            page.wait_for_timeout(1200)
            save(page, f"talk-phone-{'dark-' if dark else ''}{lang}")


def save(page: Page, name: str) -> None:
    """Keep a shot, small."""
    path = SHOTS / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as shot:
        shot.convert("RGB").save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        with Image.open(path) as shot:
            small = shot.quantize(256)
        small.save(path, optimize=True)


if __name__ == "__main__":
    main()
