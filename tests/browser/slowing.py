"""Browsers as slow machines have them, to find what does not wait: `UTATANE_SLOW=scripts`, `answers`, `processor`.

`scripts`: the scripts come late. `answers`: whatever is asked for comes late. `processor`: what the page does takes many
times as long. None of them is meant for every day: each doubles what the tests take.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, Route

SCRIPTS_LATE_MS = 700
ANSWERS_LATE_MS = 300
TIMES = 6
"""Times slower than this machine is."""


def slow_down(browser: Browser) -> None:
    """Let every window of a browser be slow in the way that the environment names, if it names one."""
    how = os.environ.get("UTATANE_SLOW", "")
    if not how:
        return
    assert how in {"scripts", "answers", "processor"}, f"UTATANE_SLOW is scripts, answers or processor, not {how}"
    as_it_is = browser.new_context

    def new_context(**about: Any) -> BrowserContext:
        context = as_it_is(**about)
        if how == "scripts":
            context.route("**/page.js*", _late)
        else:
            _slow_pages(context, how)
        return context

    browser.new_context = new_context  # type: ignore[method-assign]


def _late(route: Route) -> None:
    with contextlib.suppress(Error):  # the page is left meanwhile
        route.request.frame.page.wait_for_timeout(SCRIPTS_LATE_MS)
        route.continue_()


def _slow_pages(context: BrowserContext, how: str) -> None:
    as_it_is = context.new_page

    def new_page() -> Page:
        page = as_it_is()
        session = context.new_cdp_session(page)
        if how == "processor":
            session.send("Emulation.setCPUThrottlingRate", {"rate": TIMES})
        else:
            session.send("Network.enable")
            line = {"offline": False, "latency": ANSWERS_LATE_MS, "downloadThroughput": -1, "uploadThroughput": -1}
            session.send("Network.emulateNetworkConditions", line)
        return page

    context.new_page = new_page  # type: ignore[method-assign]
