"""Open the page in the person's browser."""

import logging
import os
import sys
import webbrowser
from html import escape

from managers.storage.errors import UnwritableError
from managers.storage.files import write_atomic
from managers.storage.paths import Home

logger = logging.getLogger(__name__)


def has_browser() -> bool:
    """Tell whether a window could open: not on a server without a screen."""
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(home: Home, address: str) -> None:
    """Open the page at an address that may hold its token.

    Every account of a Linux computer can read what a program was started with, so the browser is handed a file that
    leads there; the server takes it away when somebody has come in. Windows shows nobody another's command lines, and
    macOS hands an address over in a message. Where no file can be written, the person opens what the terminal says.

    Raises:
        DiskFullError
    """
    if sys.platform in {"win32", "darwin"}:
        webbrowser.open(address)
        return
    leading = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(address)}">'
    try:
        write_atomic(home.opening, f"{leading}<title>…</title>\n")
    except UnwritableError as error:
        logger.warning("no browser is opened: %s", error)
        return
    webbrowser.open(home.opening.as_uri())
