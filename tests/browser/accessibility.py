"""Whether everybody can use the page: axe-core's rules (WCAG 2.1, A and AA), room for thumbs, and nothing too wide."""

import os
import shutil
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.serving import CHECKOUT, PHONE

VERSION = "4.14.1"
FOLDER = CHECKOUT / "build" / f"axe-core-{VERSION}"
SCRIPT = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = frozenset({"serious", "critical"})
THUMB = 44
"""Pixels that a thumb needs, each way."""


def axe_core() -> str:
    """Return axe-core's script, fetched by npm once; without npm the test is skipped, but never where CI runs."""
    if not SCRIPT.exists() and (trouble := _install()):
        if os.environ.get("CI") == "true":
            pytest.fail(f"axe-core is missing where the checks are run: {trouble}")
        pytest.skip(f"accessibility is not checked: {trouble}")
    return SCRIPT.read_text("utf-8")


def _install() -> str:
    """Install axe-core for the tests alone; return what went wrong."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    FOLDER.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    try:
        subprocess.run(
            [npm, "install", "--prefix", str(FOLDER), *quiet, f"axe-core@{VERSION}"], check=True,
            capture_output=True, text=True
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        return f"npm could not install axe-core {VERSION}: {error.stderr.strip()}"
    return ""


_RUN = """async () => {
    const found = await axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'], preload: false,
    });
    return found.violations.flatMap(({id, impact, nodes}) => nodes.map((node) => ({
        rule: id, impact, element: `${node.target.join(' ')} ${node.html.slice(0, 200)}`,
        why: [...node.any, ...node.all, ...node.none].map((check) => check.message).join('; '),
    })));
}"""


def findings(page: Page, where: str) -> list[str]:
    """Return what breaks a rule seriously on the page as it stands; `axe_core()` was run in it before."""
    found: list[dict[str, str]] = page.evaluate(_RUN)
    return [f"{where}: {{rule}}: {{element}}\n    {{why}}".format(**one) for one in found if one["impact"] in GRAVE]


_WIDE = """() => [document.documentElement, ...document.querySelectorAll('.transcript, #main, #room')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => `${part.tagName}#${part.id}.${part.className} ${part.scrollWidth} > ${part.clientWidth}: `
        + [...part.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => `${one.tagName}.${one.className}`).slice(0, 5))"""

# A label belongs to what it names: who presses it presses that. Links in running text are as high as the text.
_SMALL = """(least) => {
    const area = (one) => {
        const parts = [one, ...(one.labels || [])].map((part) => part.getBoundingClientRect());
        return [Math.max(...parts.map((p) => p.right)) - Math.min(...parts.map((p) => p.left)),
            Math.max(...parts.map((p) => p.bottom)) - Math.min(...parts.map((p) => p.top))].map(Math.round);
    };
    return [...document.querySelectorAll(
        'button, a[href]:not(svg *), summary, select, textarea, input:not([type=hidden]), [role=tab], [role=button]:not(g)')]
        .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.disabled && !one.closest('p, [inert]'))
        .map((one) => [one, ...area(one)])
        .filter(([, wide, high]) => wide > 1 && high > 1 && (wide < least || high < least))
        .map(([one, wide, high]) => `${one.tagName}#${one.id}.${one.className} ${wide}x${high} ${one.innerText || ''}`.slice(0, 120));
}"""


def too_wide(page: Page) -> list[str]:
    """Return what would have to be scrolled sideways."""
    found: list[str] = page.evaluate(_WIDE)
    return found


def too_small(page: Page) -> list[str]:
    """Return what a thumb would miss."""
    found: list[str] = page.evaluate(_SMALL, THUMB)
    return found


def problems(page: Page, where: str) -> list[str]:
    """Return what is wrong with the page as it stands, as axe-core, an eye and (where it is narrow) a thumb see it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_core())
    parts = [*too_wide(page), *cut_placeholders(page)]
    if (page.viewport_size or {"width": 0})["width"] <= PHONE[0]:
        parts += too_small(page)
    return [*findings(page, where), *(f"{where}: {part}" for part in parts)]


_CUT = """() => [...document.querySelectorAll('[placeholder]:not([placeholder=""])')].filter((one) => {
    const style = getComputedStyle(one), pen = document.createElement('canvas').getContext('2d');
    pen.font = style.font;
    const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return one.checkVisibility() && pen.measureText(one.placeholder).width > room + 1;
}).map((one) => one.placeholder)"""


def cut_placeholders(page: Page) -> list[str]:
    """Return what is said in a field that has no room for it."""
    found: list[str] = page.evaluate(_CUT)
    return found


# What shows the focus may be the element itself, the label or the box around it, or the dot of a chart's point.
_FOCUS = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const parts = [one, one.closest('label'), one.closest('.box'), one.parentElement, one.querySelector('.dot, .seen')];
    const look = () => parts.filter(Boolean).map((part) => {
        const {outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, stroke, strokeWidth, r} = getComputedStyle(part);
        return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, stroke, strokeWidth, r].join();
    }).join('|');
    const focused = look();
    one.blur();
    const left = look();
    one.focus({preventScroll: true});
    const name = `${one.tagName}#${one.id}.${one.className?.baseVal ?? one.className} ${one.innerText || ''}`.slice(0, 120);
    return {name, seen: focused !== left};
}"""


def unseen_focus(page: Page, most: int) -> list[str]:
    """Go through the page with the tab key, and return where nothing shows that one is there."""
    unseen, met = [], 0
    for _ in range(most):
        page.keyboard.press("Tab")
        one: dict[str, Any] | None = page.evaluate(_FOCUS)
        if one is None:
            continue
        met += 1
        if not one["seen"]:
            unseen.append(one["name"])
    return unseen if met else ["the tab key leads nowhere"]
