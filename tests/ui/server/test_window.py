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
from tests.ui.server.test_window import FakeWebview

fake = FakeWebview()
WebViewException, settings = fake.WebViewException, fake.settings

def create_window(title, address, **more):
    fake.window.address = address
    return fake.window

def start(**more):
    for handler in fake.window.events.before_show:
        handler()
    page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(fake.window.address).read().decode()
    print("the window shows", '<main id="room"' in page, settings["ALLOW_DOWNLOADS"], more["storage_path"], flush=True)
    print("it asks", more["localization"]["global.quit"], flush=True)
    for handler in fake.window.events.closed:
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
        self.destroyed.wait()


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
        command, check=False, cwd=CHECKOUT, env=environment, text=True, encoding="utf-8", capture_output=True
    )


@pytest.mark.slow
def test_a_window_shows_the_page_and_closing_it_ends_the_server(stand_in: dict[str, str], own_home: Home) -> None:
    done = run(own_home.folder, stand_in)
    assert f"the window shows True True {own_home.folder / '.window'}" in done.stdout, done.stderr
    assert "it asks 閉じる" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_without_a_screen_it_is_said_in_one_sentence(stand_in: dict[str, str], own_home: Home) -> None:
    bare = {k: v for k, v in stand_in.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}}
    done = run(own_home.folder, bare | {"DISPLAY": ":7531"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "画面がありません" in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_missing_for_a_window_is_said(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "webview", None)
    with pytest.raises(NoWindowPackageError) as raised:
        prepare_window(own_home, "ja")
    for sentence in (raised.value.sentence("ja"), raised.value.sentence("en")):
        assert "make install EXTRAS=window" in sentence
    monkeypatch.setitem(sys.modules, "webview", FakeWebview())
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(NoScreenError):
        prepare_window(own_home, "en", {})
    with pytest.raises(WindowFailedError, match="no Qt"):
        Window(FakeWebview("no Qt"), own_home, "en").show("http://127.0.0.1:1/", lambda: True)


def test_a_display_is_one_that_answers(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as screen, socket.create_server(("127.0.0.1", 0)) as remote:
        screen.bind(str(tmp_path / "wayland-1"))
        screen.listen()
        assert has_screen({"WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": str(tmp_path)}, "linux")
        port = remote.getsockname()[1]
        assert has_screen({"DISPLAY": f"127.0.0.1:{port - 6000}.0"}, "linux") is (port >= 6000)
    for display in ("", ":", "nonsense", ":7531", "unix:7531", "127.0.0.1:1234.0"):
        assert not has_screen({"DISPLAY": display}, "linux"), display
    assert has_screen({}, "win32")
    assert has_screen({}, "darwin")


def test_a_request_to_stop_closes_the_window_and_leaves_no_handler_behind(own_home: Home) -> None:
    webview, before = FakeWebview(), signal.getsignal(signal.SIGTERM)
    webview.when_shown = lambda: os.kill(os.getpid(), signal.SIGTERM)
    Window(webview, own_home, "ja").show("http://127.0.0.1:1/", lambda: True)
    assert webview.destroyed.is_set()
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_asks_before_unsaved_words_are_closed_over(own_home: Home) -> None:
    webview = FakeWebview()
    Window(webview, own_home, "ja").show("http://127.0.0.1:1/", lambda: False)
    assert webview.destroyed.is_set()  # it goes with a server that ended
    [tell] = webview.exposed
    assert tell.__name__ == "ask_before_closing"  # the page calls it by this name
    assert "api?.ask_before_closing" in (CHECKOUT / "ui" / "static" / "scripts" / "2-swap.js").read_text("utf-8")
    tell(True)
    assert webview.window.confirm_close
