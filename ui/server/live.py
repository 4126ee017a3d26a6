"""What happens while windows are open, told to each over one WebSocket.

Windows are told states, not a history: the revision of what the page shows, and the answer under way as far as it has
come. So a window that slept, or lost the server, needs nothing but the newest state, and nothing is drawn twice. A
WebSocket, and not server-sent events: browsers open six connections to a server over HTTP/1.1, and a person may have
more windows than that.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from typing import Any, Final

from anyio import to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketDisconnected

from agent.services import Services
from agent.turn import Turn
from managers.storage.access import Access
from managers.storage.errors import Lang, UtataneError
from ui.components.faces import Face
from ui.locales import texts
from ui.server.access import visit_shown
from ui.server.templates import part
from ui.server.visit import language_of
from ui.server.watched import Shown, Watched, WatchedGroup, WatchedPersona

_LOOK_SECONDS: Final = 1.0
"""How often it is looked whether something else has changed (another program, a night, another window)."""
_SHUT_OUT: Final = 4401
"""The code with which a window is let go whose browser has to come in anew."""
_ASK_MIND_SECONDS: Final = 15.0
"""How often it is looked which mind would speak: servers come and go."""
_LEAST_GAP_SECONDS: Final = 0.02
"""Between two pieces of an answer: the eye gains nothing from more."""
_RENDERING_SHARE: Final = 4
"""So many times as long as it took to render the last piece: a very long answer leaves the processor to others."""
_LONG_CHARACTERS: Final = 4_000
"""A longer answer is rendered beside the server's loop, which other windows wait for."""

router = APIRouter()
_logger = logging.getLogger(__name__)


@dataclass(eq=False)
class _Window:
    """One window: the newest message of each kind, sent already or still due."""

    lang: Lang
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    due: dict[str, dict[str, Any]] = field(default_factory=dict)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, kind: str, **told: object) -> None:
        self.due.pop(kind, None)  # in the order of the newest
        self.due[kind] = {"is": kind, **told}
        self.stirred.set()


class Live:
    """The open windows, by the persona or the conversation of several that they show."""

    def __init__(self, services: Services) -> None:
        """Begin with no window."""
        self._services = services
        self._boot = token_hex(8)
        self._watches: dict[str, _Watch] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def wake(self, persona: str) -> None:
        """Let the windows of a persona look at once: something has begun. May be called from any thread."""
        watch = self._watches.get(persona)
        if watch is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(watch.woken.set)

    async def follow(self, socket: WebSocket, watched: Watched[Any]) -> None:
        """Tell a window what happens, until it closes."""
        self._loop = asyncio.get_running_loop()
        window = _Window(language_of(self._services, socket))
        persona = watched.key
        watch = self._watches.get(persona)
        if watch is None:
            watch = self._watches[persona] = _Watch(self._services, watched)
        window.tell("hello", server=self._boot)
        watch.add(window)
        try:
            async with asyncio.TaskGroup() as tasks:
                beside = [tasks.create_task(_send(socket, window)), tasks.create_task(_close_when_shut_out(socket))]
                async for _ in _asked(socket):  # the page was drawn anew without knowing which mind speaks
                    window.sent.pop("mind", None)
                    watch.ask_mind()
                for task in beside:
                    task.cancel()
        finally:
            if not watch.remove(window):
                self._watches.pop(persona, None)


class _Watch:
    """Looks at one persona, or one conversation of several, for all windows that show it."""

    def __init__(self, services: Services, watched: Watched[Any]) -> None:
        self.woken = asyncio.Event()
        self._services = services
        self._watched = watched
        self._windows: set[_Window] = set()
        self._task: asyncio.Task[None] | None = None
        self._followed = 0
        self._mind_asked = 0.0

    def add(self, window: _Window) -> None:
        """Tell a window from now on; the first one begins the watch."""
        self._windows.add(window)
        self.ask_mind()  # whoever has just come has heard nothing yet
        if self._task is None:
            self._task = asyncio.create_task(self._watch())

    def ask_mind(self) -> None:
        """Look at once which mind would speak."""
        self._mind_asked = 0.0
        self.woken.set()

    def remove(self, window: _Window) -> bool:
        """Tell a window no longer; return whether others are left."""
        self._windows.discard(window)
        if not self._windows and self._task is not None:
            self._task.cancel()
            self._task = None
        return bool(self._windows)

    async def _watch(self) -> None:
        following: set[asyncio.Task[None]] = set()
        try:
            while True:
                self.woken.clear()
                try:
                    turn = await self._tell_state()
                except Exception:  # an edge: what fails now is looked at again, and the windows stay live
                    _logger.exception("it could not be told how it stands with %s", self._watched.key)
                    turn = None
                if turn is not None and turn.number != self._followed:
                    self._followed = turn.number
                    task = asyncio.create_task(self._follow(turn))
                    following.add(task)
                    task.add_done_callback(following.discard)
                try:
                    await asyncio.wait_for(self.woken.wait(), _LOOK_SECONDS)
                except TimeoutError:
                    continue
        finally:
            for task in following:
                task.cancel()

    async def _tell_state(self) -> Turn | None:
        """Tell every window the state, as far as it has not heard it; return the turn under way."""
        try:
            revision, turn = await to_thread.run_sync(self._watched.state, self._services)
        except UtataneError:  # renamed or deleted: the page that is loaded anew says so
            self._tell("state", revision="", turn=0)
            return None
        self._tell("state", revision=revision, turn=turn.number if turn else 0)
        if time.monotonic() - self._mind_asked > _ASK_MIND_SECONDS:
            self._mind_asked = time.monotonic()
            await self._tell_mind()
        return turn

    async def _tell_mind(self) -> None:
        """Tell every window which mind speaks; asking the servers may take a moment."""
        try:
            status = await to_thread.run_sync(self._watched.mind_status, self._services)
        except UtataneError:
            return  # renamed or deleted
        if status is None:
            return
        for window in self._windows:
            window.tell("mind", html=part("components/pieces.html", "mind_chip", status, texts(window.lang)))

    def _tell(self, kind: str, **told: object) -> None:
        for window in self._windows:
            window.tell(kind, **told)

    async def _follow(self, turn: Turn) -> None:
        """Tell the answer under way, piece by piece as it comes, until it is there."""
        loop, grown = asyncio.get_running_loop(), asyncio.Event()
        stop = turn.when_grown(lambda: loop.call_soon_threadsafe(grown.set))
        live, not_before = self._watched.begun(turn), 0.0
        try:
            faces = await to_thread.run_sync(self._watched.faces, self._services)
            while True:
                grown.clear()
                is_over, fresh = turn.is_over, turn.so_far[live.step :]
                if is_over:
                    break
                if fresh:
                    live, began = self._watched.after(live, fresh), time.perf_counter()
                    await self._tell_live(live, faces)
                    ended = time.perf_counter()
                    not_before = ended + max(_LEAST_GAP_SECONDS, _RENDERING_SHARE * (ended - began))
                await grown.wait()
                await asyncio.sleep(max(0.0, not_before - time.perf_counter()))
        except Exception:  # an edge: the page shows the whole answer when it is there
            _logger.exception("an answer of %s could not be told piece by piece", self._watched.key)
        finally:
            stop()
        self.ask_mind()  # another one may have answered

    async def _tell_live(self, live: Shown, faces: Mapping[str, Face]) -> None:
        for lang in {window.lang for window in self._windows}:
            draw: Callable[[], str] = partial(self._watched.drawn, live, faces, lang)
            html = await to_thread.run_sync(draw) if len(live.speaking) > _LONG_CHARACTERS else draw()
            for window in self._windows:
                if window.lang == lang:
                    window.tell("live", turn=live.number, step=live.step, html=html)


@router.websocket("/p/{persona}/live")
async def live(socket: WebSocket, persona: str) -> None:
    """Tell a window what happens to a persona."""
    await socket.accept()
    hub: Live = socket.app.state.live
    await hub.follow(socket, WatchedPersona(persona))


@router.websocket("/group/{group}/live")
async def live_group(socket: WebSocket, group: str) -> None:
    """Tell a window what happens in a conversation of several."""
    await socket.accept()
    hub: Live = socket.app.state.live
    await hub.follow(socket, WatchedGroup(group))


async def _send(socket: WebSocket, window: _Window) -> None:
    with suppress(WebSocketDisconnect, WebSocketDisconnected):  # it went, or was shut out, in this very moment
        await _send_what_is_due(socket, window)


async def _send_what_is_due(socket: WebSocket, window: _Window) -> None:
    while True:
        await window.stirred.wait()
        window.stirred.clear()
        due, window.due = window.due, {}
        for kind, told in due.items():
            if window.sent.get(kind) != told and _is_known(socket):
                await socket.send_text(json.dumps(told, ensure_ascii=False))
                window.sent[kind] = told


async def _close_when_shut_out(socket: WebSocket) -> None:
    """Close a window's line when its visit has ended: the gate looked at its cookie only in the beginning.

    The cookie is what is looked at here too: another token may have come to hold since the gate let it through.
    """
    while _is_known(socket):  # noqa: ASYNC110  # other processes change it, in a file
        await asyncio.sleep(_LOOK_SECONDS)
    await socket.close(_SHUT_OUT)


def _is_known(socket: WebSocket) -> bool:
    access: Access = socket.app.state.access
    return visit_shown(access, socket.headers)[1] is not None


async def _asked(socket: WebSocket) -> AsyncIterator[str]:
    """Yield what a window asks, until it closes."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            yield await socket.receive_text()
