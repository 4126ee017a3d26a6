"""Runs the program in real processes that need not import everything anew: one that has done so forks a child for each.

A child has arguments, an environment, standard streams, an exit status and an end of its own, as a process that was started
has. What a start itself is like (its time, its imports, its signals) is tested with processes that are started.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
CAN_FORK: Final = hasattr(os, "fork") and sys.platform != "darwin"  # whose frameworks forbid it
_SECONDS: Final = 120
"""What a command may take."""
_HEAVY: Final = ("agent.graph", "agent.companion", "agent.minds.builtin", "agent.minds.language_model", "commands.line")
_OF_SERVERS: Final = (
    "ui.server.app",
    "langchain_openai",
    "agent.minds.language_model.model_mind",
    "managers.sleep.conversation_end",
    "agent.sleeper",
    "commands.doctor",
    "duckdb",
    "anyio._backends._asyncio",
    "managers.storage.read_only",
)
_LONGEST: Final = 1 << 20
_WITH_PORTS: Final = (
    "from agent.minds.server_discovery import PORTS; PORTS.update({ports}); from app import main; main()"
)


class Process:
    """A process that was forked: as much of `subprocess.Popen` as tests need."""

    def __init__(self, pid: int, status: int, stdout: IO[str] | None) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._status = status

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
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int(os.read(self._status, 16) or -signal.SIGKILL)
            os.close(self._status)
        return self.returncode


def begin(number: int) -> list[socket.socket]:
    """Start a process that imports what commands need, and then is so many that fork; return what leads to each."""
    pairs = [socket.socketpair() for _ in range(number)]
    descriptors = [theirs.fileno() for _, theirs in pairs]
    command = [sys.executable, "-m", "tests.forking", *map(str, descriptors)]
    process = subprocess.Popen(command, cwd=ROOT, pass_fds=descriptors)
    atexit.register(_wait_for, process, os.getpid())
    for _, theirs in pairs:
        theirs.close()
    return [ours for ours, _ in pairs]


def _wait_for(process: subprocess.Popen[bytes], started_by: int) -> None:
    if os.getpid() == started_by:  # and not one that was forked since
        process.wait()


def share(connection: socket.socket) -> None:
    """Let what is run from now on be forked where this leads."""
    _shared.append(connection)


_shared: Final[list[socket.socket]] = []


class _Forker:
    """A process that forks."""

    def __init__(self) -> None:
        self._socket = _shared.pop() if _shared else begin(1)[0]
        self._answers = self._socket.makefile("rb")

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        streams: Sequence[int],
        ports: Mapping[str, int] | None = None,
    ) -> tuple[int, int]:
        """Run `app.py`; return the process and a pipe from which its exit status can be read."""
        told, tells = os.pipe()
        about = {"arguments": list(arguments), "environment": dict(environment), "ports": dict(ports or {})}
        asked = json.dumps(about).encode() + b"\n"
        sent = socket.send_fds(self._socket, [asked], [*streams, tells])
        self._socket.sendall(asked[sent:])
        os.close(tells)
        return int(self._answers.readline()), told

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@cache
def _forker() -> _Forker:
    forker = _Forker()
    atexit.register(forker.close)
    return forker


def start(
    arguments: Sequence[str], environment: Mapping[str, str], ports: Mapping[str, int] | None = None
) -> Process | subprocess.Popen[str]:
    """Start `app.py` with these arguments; what it says can be read from `stdout`.

    Where there are `ports`, servers of models are looked for there instead of where they listen.
    """
    if not CAN_FORK:
        program = ["-c", _WITH_PORTS.format(ports=dict(ports))] if ports else ["app.py"]
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=ROOT,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
    ours, theirs = os.pipe()
    with Path(os.devnull).open("rb") as nothing:
        pid, status = _forker().fork(arguments, environment, [nothing.fileno(), theirs, theirs], ports)
    os.close(theirs)
    return Process(pid, status, os.fdopen(ours, encoding="utf-8"))


def run(arguments: Sequence[str], environment: Mapping[str, str], given: str) -> subprocess.CompletedProcess[str]:
    """Run `app.py` with these arguments to its end; return its exit status and what it wrote."""
    if not CAN_FORK:
        return subprocess.run(
            [sys.executable, "app.py", *arguments],
            cwd=ROOT,
            env=dict(environment),
            input=given,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    with TemporaryFile() as said_to, TemporaryFile() as out, TemporaryFile() as err:
        said_to.write(given.encode())
        said_to.seek(0)
        streams = [file.fileno() for file in (said_to, out, err)]
        process = Process(*_forker().fork(arguments, environment, streams), None)
        try:
            code = process.wait(_SECONDS)
        finally:
            process.kill()
        for file in (out, err):
            file.seek(0)
        written = [file.read().decode() for file in (out, err)]
    return subprocess.CompletedProcess(["app.py", *arguments], code, *written)


def _import_and_serve(connections: Sequence[socket.socket]) -> None:
    """Import, then be one process for each connection."""
    import gc  # noqa: PLC0415  # the tests need no more of this module than what is above
    import importlib  # noqa: PLC0415

    for module in (*_HEAVY, *_OF_SERVERS):
        importlib.import_module(module)
    importlib.import_module("tests.ready").load_what_is_needed()
    importlib.import_module("agent.graph").compiled_graph()
    importlib.import_module("commands.line").all_commands()
    gc.collect()
    gc.freeze()  # no look for garbage need go through what was imported, in any of those that are forked
    children = []
    for connection in connections:
        child = os.fork()
        if not child:
            for other in connections:
                if other is not connection:
                    other.close()
            _serve(connection)
            os._exit(0)
        children.append(child)
    for connection in connections:
        connection.close()
    for child in children:
        os.waitpid(child, 0)


def _serve(connection: socket.socket) -> None:
    """Fork whatever is asked for, and tell how it ended; when nobody asks any more, end what is left."""
    woken, wakes = os.pipe()
    for end in (woken, wakes):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, int] = {}
    while True:
        ready = select.select([connection.fileno(), woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            _tell_ends(children)
        if connection.fileno() in ready:
            asked, given = _asked(connection)
            if not asked:
                break
            child = os.fork()
            if not child:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                connection.close()
                for one in (woken, wakes, given[-1], *children.values()):
                    os.close(one)
                _live(json.loads(asked), given[:3])
            for one in given[:3]:
                os.close(one)
            children[child] = given[-1]
            connection.sendall(b"%d\n" % child)
    for child in children:
        os.kill(child, signal.SIGKILL)


def _asked(connection: socket.socket) -> tuple[bytes, list[int]]:
    asked, given, _, _ = socket.recv_fds(connection, _LONGEST, 4)
    while asked and not asked.endswith(b"\n"):
        asked += connection.recv(_LONGEST)
    return asked, given


def _tell_ends(children: dict[int, int]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        told = children.pop(child)
        os.write(told, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(told)


def _live(asked: dict[str, Any], streams: Sequence[int]) -> None:
    """Be a process of its own: run `app.py` as Python itself would, and end."""
    import faulthandler  # noqa: PLC0415  # as above
    import gc  # noqa: PLC0415
    import io  # noqa: PLC0415
    import runpy  # noqa: PLC0415

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
    _import_and_serve([socket.socket(fileno=int(number)) for number in sys.argv[1:]])
