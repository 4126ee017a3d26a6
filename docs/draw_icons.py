# ruff: noqa: INP001  # a script among documents, no package
"""Draw the app's icons from the moon: `python docs/draw_icons.py` from the checkout.

`icon-*` has the moon's own round corners; `maskable-*` fills the whole square, so that a system may cut
any shape out of it (the face stays within the circle of four fifths that is always kept); `touch` is the
same for Apple's home screen.
"""

import io
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from PIL import Image  # noqa: E402  # the checkout has to be found first
from playwright.sync_api import Page, sync_playwright  # noqa: E402

from tests.browser.conftest import ARGUMENTS, CHROMIUM  # noqa: E402

MOON = CHECKOUT / "ui" / "static" / "moon.svg"
ICONS = CHECKOUT / "ui" / "static" / "app"
ROUND = ' rx="18"'
SIZES = {"icon-192": 192, "icon-512": 512, "maskable-192": 192, "maskable-512": 512, "touch": 180}


def draw() -> None:
    """Draw all of them."""
    moon = MOON.read_text("utf-8")
    assert ROUND in moon, "the moon has no round corners to fill"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page()
        for name, side in SIZES.items():
            picture = moon if name.startswith("icon") else moon.replace(ROUND, "", 1)
            (ICONS / f"{name}.png").write_bytes(_smallest(_draw(page, picture, side)))
        browser.close()


def _draw(page: Page, picture: str, side: int) -> bytes:
    page.set_viewport_size({"width": side, "height": side})
    page.set_content(f"<style>body{{margin:0}}svg{{display:block;width:{side}px;height:{side}px}}</style>{picture}")
    return page.screenshot(omit_background=True)


def _smallest(png: bytes) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    draw()
