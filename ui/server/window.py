"""A window of its own for the page: pywebview, an optional extra, over the system's own browser engine.

Nothing of it is imported before a window is asked for. The window's loop takes the main thread, so the
server runs beside it; closing the window ends the server, and a server that ends takes the window along.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.window_storage import kept_by_window
from ui.errors import NoScreenError, NoWindowPackageError, WindowFailedError
from ui.locales import texts
from ui.server.window_qt import mend_qt, name_application

SIZE, SMALLEST = (1240, 860), (380, 600)
_SOON = 1.0
_OFFSCREEN = frozenset({"offscreen", "minimal", "vnc"})
"""Qt's platforms that need no screen."""


@dataclass(frozen=True)
class Window:
    """What opens the window; made by `prepare_window`, so that what is missing is said before anything runs.

    Attributes:
        webview: the package.
        home: where the window keeps what a browser would: the look, the persona, what was dismissed, words not sent yet.
        language: what the person speaks.
    """

    webview: Any
    home: Home
    language: Lang

    def show(self, address: str, is_alive: Callable[[], bool]) -> None:
        """Show the page until the window is closed, the process is asked to stop, or the server has ended.

        Must be called from the main thread.

        Raises:
            WindowFailedError: no window could be opened.
            BusyError, UnwritableError, DiskFullError: nothing can be kept for one.
        """
        self.webview.settings["ALLOW_DOWNLOADS"] = True
        t = texts(self.language)
        window = self.webview.create_window(
            t("app.name"), address, width=SIZE[0], height=SIZE[1], min_size=SMALLEST, text_select=True, zoomable=True
        )
        window.expose(closing_question(window))
        window.events.before_show += lambda: mend_qt(window, self.language)
        closed = threading.Event()
        window.events.closed += closed.set
        gui = None  # the system's own engine
        if sys.platform == "linux":
            gui = "qt"  # what the extra brings there; GTK where it is missing
            name_application("Utatane")
        threading.Thread(target=_close_with_server, args=[window, closed, is_alive], daemon=True).start()
        asked_to_stop = (signal.SIGTERM, signal.SIGINT)
        before = [signal.signal(one, lambda _signal, _frame: window.destroy()) for one in asked_to_stop]
        try:
            with kept_by_window(self.home) as storage:
                self.webview.start(
                    gui=gui, private_mode=False, storage_path=str(storage), localization=t.section("window")
                )
        except self.webview.WebViewException as error:
            raise WindowFailedError(cause=error) from error
        finally:
            closed.set()
            for one, handler in zip(asked_to_stop, before, strict=True):
                signal.signal(one, handler)


def closing_question(window: Any) -> Callable[[bool], None]:  # noqa: ANN401  # pywebview's
    """Return what the page tells of its unsaved words, by its name: with some, the window asks before it closes."""

    def ask_before_closing(is_unsaved: bool) -> None:
        window.confirm_close = is_unsaved

    return ask_before_closing


def prepare_window(home: Home, language: Lang, environment: Mapping[str, str] = os.environ) -> Window:
    """Return what opens the window.

    Raises:
        NoWindowPackageError: the extra is not installed.
        NoScreenError: there is nothing to show a window on.
    """
    webview = _package()
    if not has_screen(environment):
        raise NoScreenError
    return Window(webview, home, language)


def _package() -> ModuleType:
    try:
        import webview  # noqa: PLC0415  # an optional extra, and slow to import
    except ImportError as error:
        raise NoWindowPackageError from error
    package: ModuleType = webview
    return package


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Tell whether a window could open. Where nobody answers at the display's address, Qt would end the process."""
    if platform in {"win32", "darwin"} or environment.get("QT_QPA_PLATFORM") in _OFFSCREEN:
        return True
    return _wayland_answers(environment) or _x11_answers(environment.get("DISPLAY", ""))


def _wayland_answers(environment: Mapping[str, str]) -> bool:
    name = environment.get("WAYLAND_DISPLAY", "")
    return bool(name) and _answers(str(Path(environment.get("XDG_RUNTIME_DIR", "/")) / name))


def _x11_answers(display: str) -> bool:
    """Ask at `host:number.screen`; without a host it is a socket on this machine."""
    host, colon, number = display.rpartition(":")
    number = number.partition(".")[0]
    if not colon or not number.isdecimal():
        return False
    if host in {"", "unix"}:
        return _answers(f"/tmp/.X11-unix/X{number}") or _answers(f"\0/tmp/.X11-unix/X{number}")  # noqa: S108  # X11's own place
    return _answers((host, 6000 + int(number)))


def _answers(address: str | tuple[str, int]) -> bool:
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as knocking:
        knocking.settimeout(_SOON)
        try:
            knocking.connect(address)
        except OSError:
            return False
    return True


def _close_with_server(window: Any, closed: threading.Event, is_alive: Callable[[], bool]) -> None:  # noqa: ANN401  # pywebview's
    while not closed.wait(_SOON):
        if not is_alive():
            window.destroy()
            return
