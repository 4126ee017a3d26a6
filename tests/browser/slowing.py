"""Browsers as slow machines have them, to find what does not wait: `UTATANE_SLOW=scripts`, `answers`, `processor`.

`scripts`: the scripts come late. `answers`: all that is asked for comes late. `processor`: what the page does takes six
times as long. None of them is meant for every day: each doubles what the tests take.
"""

import os
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

LATE = {
    "scripts": {"latency": 700, "urlPattern": "*://*:*/static/*/page.js"},
    "answers": {"latency": 300, "urlPattern": ""},
}


def slow_down(browser: Browser) -> None:
    """Let every window of a browser be slow in the way that the environment names, if it names one."""
    how, as_it_is = os.environ.get("UTATANE_SLOW", ""), browser.new_context

    def new_context(**about: Any) -> BrowserContext:
        context = as_it_is(**about)
        context.on("page", lambda page: _slow_page(page, how))
        return context

    if how:
        browser.new_context = new_context  # type: ignore[method-assign]


def _slow_page(page: Page, how: str) -> None:
    """Slow it down beneath Playwright, whose own interception loses what is sent to its end though the page is left."""
    session = page.context.new_cdp_session(page)
    if how == "processor":
        session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        return
    late = {"downloadThroughput": -1, "uploadThroughput": -1} | LATE[how]
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditionsByRule", {"offline": False, "matchedNetworkConditions": [late]})
