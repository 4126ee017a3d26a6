"""The window of its own: what is said where it cannot open, and that it and the server end together."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from managers.storage.paths import CHECKOUT, Home
from ui.errors import NoScreenError, NoWindowPackageError, WindowFailedError
from ui.server.window import Window, has_screen, prepare_window

STAND_IN = '''
"""In pywebview's place: reads the page as a window would, and is closed."""
import urllib.request
from types import SimpleNamespace

class WebViewException(Exception):
    pass

class Event(list):
    def __iadd__(self, handler):
        self.append(handler)
        return self

settings = {}
window = SimpleNamespace(native=None, destroy=lambda: None, expose=lambda *functions: None)
window.events = SimpleNamespace(before_show=Event(), closed=Event())

def create_window(title, address, **more):
    window.address = address
    return window

def start(**more):
    for handler in window.events.before_show:
        handler()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page = browser.open(window.address).read().decode()
    print("the window shows", '<main id="room"' in page, settings["ALLOW_DOWNLOADS"], more["storage_path"], flush=True)
    print("it asks", more["localization"]["global.quit"], flush=True)
    for handler in window.events.closed:
        handler()
'''


class FakeWebview:
    """In pywebview's place, in this process: its loop lasts until the window is destroyed."""

    class WebViewException(Exception):  # noqa: N818  # the package's own name
        pass

    def __init__(self, failure: str = "") -> None:
        self.settings: dict[str, bool] = {}
        self.failure = failure
        self.destroyed = threading.Event()
        self.when_shown: Callable[[], object] = lambda: None
        self.exposed: list[Callable[[bool], None]] = []
        events = SimpleNamespace(before_show=_Handlers(), closed=_Handlers())
        self.window = SimpleNamespace(
            native=None, confirm_close=False, destroy=self.destroyed.set, expose=self.exposed.append, events=events
        )

    def create_window(self, *_: object, **__: object) -> SimpleNamespace:
        return self.window

    def start(self, **_: object) -> None:
        if self.failure:
            raise self.WebViewException(self.failure)
        self.when_shown()
        assert self.destroyed.wait(60)


class _Handlers(list[Any]):
    def __iadd__(self, handler: object) -> Self:  # type: ignore[misc]  # pywebview's own way
        self.append(handler)
        return self


@pytest.fixture
def stand_in(tmp_path: Path) -> dict[str, str]:
    """An environment in which a stand-in is imported in pywebview's place."""
    (tmp_path / "webview.py").write_text(STAND_IN, "utf-8")
    return {**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "UTATANE_LANG": "ja"}


def run(home: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "app.py", "--window", "--home", str(home), "--port", "0"]
    return subprocess.run(
        command,
        check=False,
        cwd=CHECKOUT,
        env=environment,
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=120,
    )


def test_a_window_shows_the_page_and_closing_it_ends_the_server(stand_in: dict[str, str], own_home: Home) -> None:
    done = run(own_home.folder, stand_in)
    assert f"the window shows True True {own_home.folder / '.window'}" in done.stdout, done.stderr
    assert "it asks 閉じる" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("lang", "words"), [("ja", "画面がありません"), ("en", "There is no screen")])
def test_without_a_screen_it_is_said_in_one_sentence(
    stand_in: dict[str, str], own_home: Home, lang: str, words: str
) -> None:
    bare = {k: v for k, v in stand_in.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}}
    done = run(own_home.folder, bare | {"UTATANE_LANG": lang, "DISPLAY": ":7531"})
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_without_the_package_it_is_said_how_to_get_it(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "webview", None)
    with pytest.raises(NoWindowPackageError) as raised:
        prepare_window(own_home, "ja")
    for lang in ("ja", "en"):
        assert "make install EXTRAS=window" in raised.value.sentence("ja" if lang == "ja" else "en")


def test_no_window_is_prepared_for_a_machine_without_a_screen(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "webview", FakeWebview())
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(NoScreenError):
        prepare_window(own_home, "en", {})


@pytest.mark.parametrize("display", ["", ":", "nonsense", ":7531", "unix:7531", "127.0.0.1:1234.0"])
def test_a_display_that_nobody_answers_at_is_none(display: str) -> None:
    assert not has_screen({"DISPLAY": display}, "linux")


def test_a_display_that_answers_is_one(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as screen, socket.create_server(("127.0.0.1", 0)) as remote:
        screen.bind(str(tmp_path / "wayland-1"))
        screen.listen()
        assert has_screen({"WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": str(tmp_path)}, "linux")
        port = remote.getsockname()[1]
        assert has_screen({"DISPLAY": f"127.0.0.1:{port - 6000}.0"}, "linux") is (port >= 6000)
    assert has_screen({}, "win32")
    assert has_screen({}, "darwin")


def test_the_window_goes_with_a_server_that_ended(own_home: Home) -> None:
    webview = FakeWebview()
    Window(webview, own_home, "ja").show("http://127.0.0.1:1/", lambda: False)
    assert webview.destroyed.is_set()


def test_a_request_to_stop_closes_the_window_and_leaves_no_handler_behind(own_home: Home) -> None:
    webview, before = FakeWebview(), signal.getsignal(signal.SIGTERM)
    webview.when_shown = lambda: os.kill(os.getpid(), signal.SIGTERM)
    Window(webview, own_home, "ja").show("http://127.0.0.1:1/", lambda: True)
    assert webview.destroyed.is_set()
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_asks_before_unsaved_words_are_closed_over(own_home: Home) -> None:
    webview = FakeWebview()
    Window(webview, own_home, "ja").show("http://127.0.0.1:1/", lambda: False)
    [tell] = webview.exposed
    assert tell.__name__ == "ask_before_closing"  # the page calls it by this name
    assert "api?.ask_before_closing" in (CHECKOUT / "ui" / "static" / "scripts" / "2-swap.js").read_text("utf-8")
    tell(True)
    assert webview.window.confirm_close


def test_an_engine_that_cannot_open_a_window_is_named(own_home: Home) -> None:
    with pytest.raises(WindowFailedError, match="no Qt"):
        Window(FakeWebview("no Qt"), own_home, "en").show("http://127.0.0.1:1/", lambda: True)
