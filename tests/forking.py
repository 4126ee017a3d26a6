"""Runs the program in real processes that need not import everything anew: one that has done so forks a child for each.

A child has arguments, an environment, standard streams, an exit status and an end of its own, as a process that was started
has. What a start itself is like (its time, its imports, its signals) is tested with processes that are started.

Each process that runs tests starts one that forks when it first needs it; that one ends with it. Each child has a connection:
its exit status comes on it, and when whoever asked for the child has gone, the child is killed.
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
CAN_FORK: Final = sys.platform == "linux"
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
        assert self.pid > 0, "the process that forks has failed"
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
            self._connection.close()
        return self.returncode


def _number(connection: socket.socket) -> int:
    """Read a number; where the process that forks was killed, so were the children."""
    told = connection.recv(8, socket.MSG_WAITALL)
    return int.from_bytes(told, sys.byteorder, signed=True) if told else -signal.SIGKILL


@cache
def _forker() -> socket.socket:
    """Start the process that forks, which ends when this process does; return the line to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.forking", str(theirs.fileno())]
    forker = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
    )
    theirs.close()
    atexit.register(forker.wait)  # what it took of the processor is counted as this process's
    atexit.register(ours.close)
    return ours


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
    ours, theirs = socket.socketpair()
    about = {"arguments": list(arguments), "environment": dict(environment), "ports": dict(ports)}
    with theirs:
        socket.send_fds(_forker(), [json.dumps(about).encode()], [theirs.fileno(), *streams])
    return Process(ours)


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


def _serve(line: socket.socket) -> None:
    """Import, then fork whatever is asked for and tell how it ended, until nobody can ask any more."""
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
    children: dict[int, socket.socket] = {}
    while True:
        ready = select.select([woken, line, *children.values()], [], [])[0]
        for child in [child for child, connection in children.items() if connection in ready]:
            os.kill(child, signal.SIGKILL)  # whoever asked for it has gone
        if woken in ready:
            woken.recv(4096)
        _tell_ends(children)
        if line in ready:
            asked, received, _, _ = socket.recv_fds(line, _LONGEST, 4)
            if not asked:
                for child in children:
                    os.kill(child, signal.SIGKILL)
                return
            connection, streams = socket.socket(fileno=received[0]), received[1:]
            child = os.fork()
            if not child:
                signal.set_wakeup_fd(-1)
                for one in (woken, wakes, line, connection, *children.values()):
                    one.close()
                _live(json.loads(asked), streams)
            children[child] = connection
            _tell(connection, child)
            for stream in streams:
                os.close(stream)


def _tell_ends(children: dict[int, socket.socket]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with children.pop(child) as connection:
            _tell(connection, os.waitstatus_to_exitcode(status))


def _tell(connection: socket.socket, number: int) -> None:
    with suppress(OSError):  # nobody listens any more
        connection.sendall(number.to_bytes(8, sys.byteorder, signed=True))


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
