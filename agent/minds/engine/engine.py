"""One engine for all who talk here: page and command line find each other's through a note in the home folder.

A port says nothing of who listens there, and a number of a process may be another's by now: both are looked at before the
key that stands in the note goes out. Whoever uses the engine holds it (`child.py`), and lets go when it was idle for a while:
so it ends with the last of them, and a page talks on when the command line that began it is closed.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from agent.minds.endpoint import Endpoint
from agent.minds.engine import errors
from agent.minds.engine.child import END, HELD
from agent.minds.engine.plan import Plan, plan_for
from agent.minds.measures import Measures
from agent.minds.model_files import check_file
from managers.mind import Cancel
from managers.storage.errors import BusyError, Notice, UtataneError, as_notice
from managers.storage.files import read_bytes, remove, write_atomic
from managers.storage.idle import watch
from managers.storage.limited_process import LimitedProcess
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.settings import EngineSettings
from managers.transport import client_options

SERVICE, NOWHERE = "xllamacpp", "http://127.0.0.1/v1"
logger = logging.getLogger(__name__)

_LOOK_SECONDS, _GONE_SECONDS, _CONNECT_SECONDS, _END_SECONDS, _ANSWER_SECONDS = 0.05, 0.5, 2.0, 3.0, 60.0
_TRIAL: Final = {"prompt": "The sea was calm that day, and ", "n_predict": 48, "cache_prompt": False, "id_slot": 1}
_ENDINGS: Final = {
    -9: errors.EngineKilledError, 0xC0000017: errors.EngineKilledError,
    -4: errors.OldProcessorError, 0xC000001D: errors.OldProcessorError,
}  # fmt: skip
"""SIGKILL and SIGILL, and what stands for them on Windows."""


class StoppedError(Exception):
    """Whoever waited for the engine waits no more."""


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """An engine that runs: its process, its plan's mark, where it answers, at which port it is held."""

    pid: int
    mark: str
    address: str
    leash: int
    key: str = field(repr=False)
    context: int
    can_see: bool = False
    takes_tools: bool = False

    @property
    def is_there(self) -> bool:
        """Whether that process runs, is ours, and is who listens at both ports."""
        import psutil  # noqa: PLC0415  # only where an engine runs

        try:
            process = psutil.Process(self.pid)
            is_ours = not hasattr(os, "getuid") or process.uids().real == os.getuid()
            ports = {one.laddr.port for one in process.net_connections("tcp4") if one.status == psutil.CONN_LISTEN}
        except (psutil.Error, OSError):
            return False
        return is_ours and {self.leash, int(self.address.rpartition(":")[2])} <= ports

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Ask it something that is no talk; return what it answers, nothing if it does not."""
        import httpx  # noqa: PLC0415  # only where an engine runs

        options = client_options(httpx, self.address, local=True, blocking=True)
        options["headers"] |= {"authorization": f"Bearer {self.key}"}
        try:
            with httpx.Client(timeout=_ANSWER_SECONDS, **options) as client:
                page = client.request(method, self.address + path, json=body).raise_for_status().json()
        except (httpx.HTTPError, ValueError):
            return {}
        return page if isinstance(page, dict) else {}


class Engine:
    """The engine of a home folder, as this process uses it. May be used from several threads."""

    def __init__(self, home: Home, settings: Callable[[], EngineSettings], measures: Measures | None = None) -> None:
        self._home, self._settings, self._measures = home, settings, measures or Measures()
        self._lock = threading.Lock()
        self._held: tuple[EngineAddress, _Started | _Joined] | None = None
        self._using, self._used, self._deaths = 0, 0.0, 0
        self.models = home.models

    @staticmethod
    def lacking() -> Notice | None:
        """Return what is to be said where there is no engine."""
        return as_notice("no-engine", errors.NoEngineError(model="")) if find_spec(SERVICE) is None else None

    @property
    def held(self) -> EngineAddress | None:
        """The engine that this process uses."""
        return self._held[0] if self._held is not None else None

    @property
    def is_running(self) -> bool:
        """Whether this process holds an engine."""
        held = self._held
        return held is not None and held[1].is_running

    def is_ready(self, path: Path) -> bool:
        """Tell whether a file's model answers at once, whoever has loaded it."""
        serving = self.held if self.is_running else self._noted()
        return serving is not None and serving.mark == self.plan(path).mark

    def plan(self, path: Path) -> Plan:
        """Return how a file is loaded here.

        Raises:
            ModelFileError, UnreadableError, NoTemplateError
        """
        return plan_for(path, self._settings())

    @contextmanager
    def serving(self, path: Path, cancel: Cancel | None = None) -> Iterator[EngineAddress]:
        """Let a file's model answer meanwhile, loaded if need be.

        Raises:
            StoppedError: `cancel` was set before.
            EngineError: it cannot be run.
            ModelFileError, UtataneError: the file, or the home folder, cannot be used.
        """
        address = self._served(self.plan(path), cancel or Cancel())
        try:
            yield address
        finally:
            with self._lock:
                self._using, self._used = self._using - 1, time.monotonic()

    def worked(self) -> None:
        """Note that it has answered: its next crash is a first one."""
        self._deaths = 0

    def speed(self, path: Path, cancel: Cancel | None = None) -> float:
        """Return how many tokens a second a model writes here, as a short trial told once; 0 where it told nothing.

        Raises:
            As `serving`.
        """
        if (known := self.known_speed(path)) is not None:
            return known
        with self.serving(path, cancel) as address:
            told = address.ask("POST", "/completion", _TRIAL).get("timings") or {}
        if speed := round(float(told.get("predicted_per_second") or 0.0), 1):
            self._measures.keep(endpoint_of(path), speed=speed)
        return speed

    def known_speed(self, path: Path) -> float | None:
        """Return what the trial of a model told; None before it."""
        speed = self._measures.of(endpoint_of(path)).get("speed")
        return speed if isinstance(speed, float) else None

    def stop(self) -> None:
        """Let go of the engine; it ends, unless another program uses it."""
        with self._lock:
            self._let_go()

    def end(self) -> None:
        """End the engine, whoever uses it: what it has read of talks goes with it."""
        noted = self._noted()
        with self._lock:
            if (hold := self._held[1] if self._held else _Joined.reach(noted)) is not None:
                hold.say(END)
            self._let_go()
        until = time.monotonic() + _END_SECONDS
        while noted is not None and noted.is_there:
            time.sleep(_LOOK_SECONDS)
            if time.monotonic() > until:  # it hangs
                with suppress(OSError):
                    os.kill(noted.pid, 9)

    def _served(self, plan: Plan, cancel: Cancel) -> EngineAddress:
        """Return an engine that serves what is planned, and count whoever asks as one who uses it."""
        while not cancel.is_set():
            with self._lock:
                if (address := self._still_held(plan)) is not None:
                    self._using += 1
                    return address
                is_free = self._held is None or not self._using  # else another model's answer is waited for
            with suppress(BusyError):  # somebody is loading it
                if is_free:
                    with holding(self._home.folder / ".engine.lock", "engine", wait=0, is_reentrant=False):
                        self._join_or_start(plan, cancel)
                    continue
            cancel.wait(_LOOK_SECONDS)
        raise StoppedError

    def _still_held(self, plan: Plan) -> EngineAddress | None:
        """Return the engine that is held, if it serves what is planned; let go of one that has died.

        Raises:
            EngineError: it died again.
        """
        if self._held is None:
            return None
        address, hold = self._held
        if hold.is_running:
            return address if address.mark == plan.mark else None
        self._let_go()
        error = hold.why_it_ended(plan)
        self._deaths += error is not None
        if error is not None and self._deaths > 1:
            self._deaths = 0
            raise error
        return None

    def _join_or_start(self, plan: Plan, cancel: Cancel) -> None:
        if self._held is not None and (self._using or self._held[0].mark == plan.mark):
            return  # another thread was first
        noted = self._noted()
        hold: _Started | _Joined | None = _Joined.reach(noted) if noted and noted.mark == plan.mark else None
        if noted is None or hold is None:
            self.end()  # it serves another model, or does so in another way
            if self.lacking() is not None:
                raise errors.NoEngineError(model=plan.name)
            check_file(Path(plan.path))
            hold = _Started(plan, cancel)
            noted = hold.address
            write_atomic(self._home.engine, json.dumps(asdict(noted)) + "\n")
        with self._lock:
            self._held, self._used = (noted, hold), time.monotonic()
        watch(self)

    def close_idle(self, _before: float) -> None:
        """Let go of the engine when nobody has used it for as long as the settings say."""
        keep = 60 * self._settings().keep_minutes
        with self._lock:
            if not self._using and self._used + keep < time.monotonic():
                self._let_go()

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held[1].let_go()
            with suppress(UtataneError):
                if not held[0].is_there:
                    remove(self._home.engine)

    def _noted(self) -> EngineAddress | None:
        """Return the engine that runs for this home; None if there is none, or another process in its place."""
        with suppress(UtataneError, ValueError, TypeError):
            noted = EngineAddress(**json.loads(read_bytes(self._home.engine) or b""))
            return noted if noted.is_there else None
        return None


class _Started(LimitedProcess):
    """An engine that was started here, held by its standard input.

    Raises:
        StoppedError: `cancel` was set while it was loading.
        EngineError: it cannot be run.
    """

    def __init__(self, asked: Plan, cancel: Cancel) -> None:
        self._plan, self._answer, key = asked.fitted(), b"", secrets.token_urlsafe(32)
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  # closed when it is loaded, or has ended
        super().__init__("agent.minds.engine.child", 0, printed=self._printed)
        try:
            self.say(json.dumps(asdict(self._plan) | {"key": key, "seconds": self._plan.seconds}).encode() + b"\n")
            self.address = self._loaded(asked.mark, key, cancel)
        except BaseException:
            self.end()
            raise
        finally:
            self._printed.close()

    def _loaded(self, mark: str, key: str, cancel: Cancel) -> EngineAddress:
        since, reader = time.monotonic(), threading.Thread(target=self._read, daemon=True)
        reader.start()
        while reader.is_alive():
            if cancel.wait(_LOOK_SECONDS):
                raise StoppedError
            if time.monotonic() - since > self._plan.seconds:
                raise errors.EngineSlowError(model=self._plan.name, seconds=int(self._plan.seconds))
        if not self._answer:
            self.wait(_END_SECONDS)
            raise self.why_it_ended(self._plan) or errors.EngineCrashedError(model=self._plan.name)
        self.answers.close()
        logger.info("the engine was ready after %.1f s", time.monotonic() - since)
        pid, where, leash = json.loads(self._answer)
        address = EngineAddress(pid, mark, where, leash, key, self._plan.context)
        page = address.ask("GET", "/props")
        sees, calls = page.get("modalities") or {}, page.get("chat_template_caps") or {}
        return replace(address, can_see=bool(sees.get("vision")), takes_tools=bool(calls.get("supports_tools")))

    def _read(self) -> None:
        self._answer = self.answers.readline()

    def say(self, line: bytes) -> None:
        """Send a line, if anybody is there."""
        with suppress(OSError):
            self.requests.write(line)
            self.requests.flush()

    def let_go(self) -> None:
        """Hold it no longer: it ends, unless somebody else holds it."""
        with suppress(OSError):
            self.requests.close()
        self.wait(_GONE_SECONDS)
        if self.is_running:
            threading.Thread(target=self.wait, args=(None,), daemon=True).start()  # it is ours to be waited for

    def why_it_ended(self, plan: Plan) -> errors.EngineError | None:
        """Return what is to be said of its end; None where it was told to."""
        printed = ""
        if not self._printed.closed:
            self._printed.seek(0)
            printed = self._printed.read().decode("utf-8", "replace")
        said = next((line.partition(" E ")[2] for line in printed.splitlines() if " E " in line), "")
        if self.status == 1 and said:
            return errors.UnloadableError(model=plan.name, detail=said.replace(plan.path, plan.name)[:200])
        if self.status == 1 and "ImportError" in printed:
            return errors.NoEngineError(model=plan.name)
        return _ENDINGS.get(self.status, errors.EngineCrashedError)(model=plan.name) if self.status else None


class _Joined:
    """An engine that another program has started, held by a connection."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    @classmethod
    def reach(cls, address: EngineAddress | None) -> _Joined | None:
        """Hold the engine at an address; None if nobody answers as it must."""
        with suppress(OSError):
            if address is None:
                return None
            line = socket.create_connection(("127.0.0.1", address.leash), _CONNECT_SECONDS)
            line.sendall(address.key.encode() + b"\n")
            if line.recv(len(HELD), socket.MSG_WAITALL) == HELD:
                return cls(line)
            line.close()
        return None

    @property
    def is_running(self) -> bool:
        self._line.settimeout(0)
        try:
            return self._line.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def say(self, line: bytes) -> None:
        with suppress(OSError):
            self._line.settimeout(_CONNECT_SECONDS)
            self._line.sendall(line)

    def let_go(self) -> None:
        self._line.close()

    def why_it_ended(self, plan: Plan) -> errors.EngineError:
        """Return what is to be said of its end: nobody here knows more."""
        return errors.EngineCrashedError(model=plan.name)


def endpoint_of(path: Path) -> Endpoint:
    """Return what a file's model is called; where it answers is known when it runs, and another place each time."""
    return Endpoint(SERVICE, NOWHERE, path.stem)
