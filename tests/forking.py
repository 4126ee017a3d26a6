"""Runs the program in real processes that need not import everything anew: one that has done so forks a child for each.

A child has arguments, an environment, standard streams, an exit status and an end of its own, as a process that was started
has. What a start itself is like (its time, its imports, its signals) is tested with processes that are started.

One process forks for all that run tests together. Whoever needs it first starts it; it ends when nobody is connected. Each
child has a connection: its exit status comes on it, and when whoever asked for the child has gone, the child is killed.
"""

import atexit
import faulthandler
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
CAN_FORK: Final = sys.platform == "linux"
_ADDRESS: Final = f"\0utatane-tests-{os.environ.get('PYTEST_XDIST_TESTRUNUID') or uuid.uuid4().hex}"
"""A name without a file, the same in every process of a run; who binds it starts the process that forks."""
_HEAVY: Final = """
agent.graph agent.companion agent.sleeper agent.minds.builtin agent.minds.language_model.model_mind langchain_openai
managers.sleep.conversation_end managers.storage.read_only commands.line commands.doctor ui.server.app duckdb
anyio._backends._asyncio agent.importing managers.exchange.archives.reading managers.exchange.backups.daily
langchain_core.tracers.run_collector langchain_core.tracers.stdout
"""
_LONGEST: Final = 1 << 20
_WITH_PORTS: Final = (
    "from agent.minds.server_discovery import PORTS; PORTS.update({ports}); from app import main; main()"
)


class Process:
    """A process that was forked: as much of `subprocess.Popen` as tests need."""

    def __init__(self, connection: socket.socket) -> None:
        self.pid = _number(connection)
        self.stdout: IO[str] | None = None
        self.returncode: int | None = None
        self._connection = connection

    def poll(self) -> int | None:
        return self._end(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._end(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], timeout)[0]:
            self.returncode = _number(self._connection)
            _connections.discard(self._connection)
            self._connection.close()
        return self.returncode


def _number(connection: socket.socket) -> int:
    """Read a number; where the process that forks was killed, so were the children."""
    told = connection.recv(8, socket.MSG_WAITALL)
    return int.from_bytes(told, sys.byteorder, signed=True) if told else -signal.SIGKILL


_connections: Final[set[socket.socket]] = set()
_forkers: Final[list[subprocess.Popen[bytes]]] = []


@atexit.register
def _leave() -> None:
    """Let whatever was left running be killed; what it took of the processor is counted as this process's."""
    for connection in _connections:
        connection.close()
    for forker in _forkers:
        forker.wait()


def _connect() -> socket.socket:
    """Connect to the process that forks; it lives at least until this connection is closed."""
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(_ADDRESS)
            if connection.recv(1):
                _connections.add(connection)
                return connection
        except ConnectionError:
            pass
        connection.close()
        assert not any(forker.poll() for forker in _forkers), "the process that forks has failed"
        _start_forker()


def _start_forker() -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        try:
            listening.bind(_ADDRESS)
        except OSError:  # another has bound it just now, and listens in a moment
            time.sleep(0.01)
            return
        listening.listen(128)
        command = [sys.executable, "-m", "tests.forking", str(listening.fileno())]
        forker = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[listening.fileno()], start_new_session=True
        )
    _forkers.append(forker)


@cache
def _stay_connected() -> None:
    """Keep the process that forks alive until this process ends."""
    _connect()


def _begin(
    arguments: Sequence[str], environment: Mapping[str, str], streams: Sequence[int], ports: Mapping[str, int]
) -> Process | subprocess.Popen[str]:
    """Run `app.py` with these standard streams."""
    if not CAN_FORK:
        program = ["-c", _WITH_PORTS.format(ports=dict(ports))] if ports else ["app.py"]
        given, out, err = streams
        command = [sys.executable, *program, *arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=dict(environment), stdin=given, stdout=out, stderr=err, encoding="utf-8"
        )
    _stay_connected()
    connection = _connect()
    about = {"arguments": list(arguments), "environment": dict(environment), "ports": dict(ports)}
    asked = json.dumps(about).encode() + b"\n"
    sent = socket.send_fds(connection, [asked], list(streams))
    connection.sendall(asked[sent:])
    return Process(connection)


def start(
    arguments: Sequence[str], environment: Mapping[str, str], ports: Mapping[str, int] | None = None
) -> Process | subprocess.Popen[str]:
    """Start `app.py` with these arguments; what it says can be read from `stdout`.

    Where there are `ports`, servers of models are looked for there instead of where they listen.
    """
    ours, theirs = os.pipe()
    with Path(os.devnull).open("rb") as nothing:
        process = _begin(arguments, environment, [nothing.fileno(), theirs, theirs], ports or {})
    os.close(theirs)
    process.stdout = os.fdopen(ours, encoding="utf-8")
    return process


def run(arguments: Sequence[str], environment: Mapping[str, str], given: str) -> subprocess.CompletedProcess[str]:
    """Run `app.py` with these arguments to its end; return its exit status and what it wrote."""
    with TemporaryFile() as said_to, TemporaryFile() as out, TemporaryFile() as err:
        said_to.write(given.encode())
        said_to.seek(0)
        process = _begin(arguments, environment, [said_to.fileno(), out.fileno(), err.fileno()], {})
        try:
            code = process.wait()
        finally:
            process.kill()
        for file in (out, err):
            file.seek(0)
        written = [file.read().decode() for file in (out, err)]
    return subprocess.CompletedProcess(["app.py", *arguments], code, *written)


def _serve(listening: socket.socket) -> None:
    """Import, then fork whatever is asked for and tell how it ended, until nobody is connected."""
    for module in _HEAVY.split():
        importlib.import_module(module)
    importlib.import_module("tests.ready").load_what_is_needed()
    importlib.import_module("agent.graph").compiled_graph()
    importlib.import_module("commands.line").all_commands()
    gc.collect()
    gc.freeze()  # no look for garbage need go through what was imported, in any of those that are forked
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connected = [_accept(listening)]
    children: dict[int, socket.socket] = {}
    while connected:
        ready = select.select([woken, listening, *connected], [], [])[0]
        if woken in ready:
            woken.recv(4096)
            _tell_ends(children)
        if listening in ready:
            connected.append(_accept(listening))
        for connection in [one for one in connected if one in ready]:
            asked, streams = _asked(connection)
            if asked:
                child = os.fork()
                if not child:
                    signal.set_wakeup_fd(-1)
                    for one in (woken, wakes, listening, *connected):
                        one.close()
                    _live(json.loads(asked), streams)
                children[child] = connection
                _tell(connection, _packed(child))
            else:
                connected.remove(connection)
                connection.close()
                for child in [child for child, theirs in children.items() if theirs is connection]:
                    os.kill(child, signal.SIGKILL)
            for stream in streams:
                os.close(stream)


def _accept(listening: socket.socket) -> socket.socket:
    connection = listening.accept()[0]
    _tell(connection, b"+")
    return connection


def _asked(connection: socket.socket) -> tuple[bytes, list[int]]:
    """Read what is asked for; nothing is, where whoever would ask has gone."""
    try:
        asked, streams, _, _ = socket.recv_fds(connection, _LONGEST, 3)
        while asked and not asked.endswith(b"\n"):
            asked += connection.recv(_LONGEST)
    except ConnectionError:
        return b"", []
    return asked, streams


def _tell(connection: socket.socket, told: bytes) -> None:
    with suppress(OSError):  # nobody listens any more
        connection.sendall(told)


def _packed(number: int) -> bytes:
    return number.to_bytes(8, sys.byteorder, signed=True)


def _tell_ends(children: dict[int, socket.socket]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        _tell(children.pop(child), _packed(os.waitstatus_to_exitcode(status)))


def _live(asked: dict[str, Any], streams: Sequence[int]) -> None:
    """Be a process of its own: run `app.py` as Python itself would, and end."""
    for one in (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM):  # ignored, it may be, by who runs the tests (`nohup`)
        signal.signal(one, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "r" if number == 0 else "w", closefd=False), "utf-8", write_through=True)
        for number in range(3)
    )
    os.environ.clear()
    os.environ.update(asked["environment"])
    if asked["ports"]:
        from agent.minds.server_discovery import PORTS  # noqa: PLC0415

        PORTS.update(asked["ports"])  # type: ignore[attr-defined]  # a dictionary, which nobody else may change
    faulthandler.enable()
    sys.argv = ["app.py", *asked["arguments"]]
    code: object = 1
    try:
        runpy.run_path(str(ROOT / "app.py"), run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001  # as Python itself does at the end of a process
        sys.excepthook(*sys.exc_info())
    gc.collect()
    atexit._run_exitfuncs()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)  # what libraries do at an end is not needed
