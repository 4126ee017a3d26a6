"""Kills a real process at every durable step, and lets the test look at what it left behind.

The child counts its calls of `os.write`, `os.fsync`, `os.replace` and their like, and kills itself
with SIGKILL before, after or (writes) half-way through the n-th; the parent goes on with n + 1 until
the child survives. What the child has done can be told with `acknowledge`, which is no step.
"""

import errno
import gc
import itertools
import multiprocessing
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, Self

import pytest

When = Literal["before", "half", "after"]

STEPS: Final = (
    "write", "fsync", "replace", "rename", "link", "unlink", "remove", "truncate", "ftruncate", "mkdir", "rmdir"
)  # fmt: skip
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and forked children are POSIX")
CHILD_SECONDS: Final = 60

_write = os.write  # the real one, for telling the parent


@dataclass(frozen=True, slots=True)
class Death:
    """How a child died: at its n-th durable call, and where in it. `when` is None for the survivor."""

    number: int
    when: When | None
    call: str
    given: tuple[Any, ...]


def kill_everywhere(
    work: Callable[..., None], prepare: Callable[[], Sequence[Any]], *,
    whens: Sequence[When] = ("before", "half", "after"), stride: int = 1, ready: Callable[[], object] | None = None
) -> Iterator[Death]:  # fmt: skip
    """Run `work` again and again, killed one step later each time; yield after each death.

    Args:
        work: a module-level function; it runs in a process of its own.
        prepare: makes a fresh place for each run and returns the arguments for `work`.
        whens: where in a call to die; `half` counts writes only. What `after` one leaves is what `before` the next
            one finds: long work, of which only some steps are looked at, is not in need of both.
        stride: look at every so many steps, for long work.
        ready: done once before, so that no run has to load what all of them need.

    Yields:
        each death, and at the end of each of `whens` one survivor.
    """
    with Breeder(work, ready=ready) as breeder:
        for when in whens:
            number = 1
            while True:
                death = breeder.run_and_kill(prepare(), number, when)
                yield death
                if death.when is None:
                    break
                number += stride


def kill_once(
    work: Callable[..., None],
    prepare: Callable[[], Sequence[Any]],
    *,
    whens: Sequence[When] = ("before", "half", "after"),
    stride: int = 1,  # taken so that the caller need not know which of the two it calls
    ready: Callable[[], object] | None = None,
    seed: int = 0,
) -> Iterator[Death]:
    """Run `work` killed at one step that `seed` chooses, and once undisturbed; yield after each. As `kill_everywhere`."""
    chosen = Random(f"{seed} {work.__module__}.{work.__qualname__}")
    with Breeder(work, ready=ready) as breeder:
        undisturbed, when = prepare(), chosen.choice(whens)
        steps = breeder.count_steps(undisturbed, when)
        yield breeder.run_and_kill(prepare(), chosen.randint(1, steps), when)
        yield Death(0, None, "", tuple(undisturbed))


def places(below: Path) -> Iterator[Path]:
    """Name a place for each run, at which nothing stands yet."""
    return (below / f"run-{number}" for number in itertools.count())


def copies(of: Path, below: Path) -> Callable[[], tuple[Path]]:
    """Return what prepares a run with a copy of a folder, which keeps its name."""
    fresh = places(below)
    return lambda: (Path(shutil.copytree(of, next(fresh) / of.name)),)


Kill = Callable[..., Iterator[Death]]
"""What the fixture `kill` is: `kill_once` for `make test`, and `kill_everywhere` too for `make test-all`."""
Live = Callable[[Callable[..., Any], tuple[Any, ...], Any, Connection], int]
"""What a child does with (work, given, order, sender of what it tells); returns its exit status."""


class Breeder:
    """A process that has imported what the work needs and forks a child for each run."""

    def __init__(
        self, work: Callable[..., Any], live: Live | None = None, warm: Sequence[Any] | None = None,
        ready: Callable[[], object] | None = None
    ) -> None:  # fmt: skip
        """Begin.

        Args:
            work: a module-level function.
            live: what a child does with it; killed at a step, if not given.
            warm: with these arguments the work is done once here, so that no child has to load what it needs.
            ready: for the same, where the work itself must not be done in a process that forks.
        """
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.crash"])
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_breed, args=(work, live or _killed, warm, ready, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._pipe.send(None)
        self._pipe.close()
        self._process.join()

    def run_and_kill(self, given: Sequence[Any], number: int, when: When) -> Death:
        """Run `work(*given)` in a child that dies at its n-th durable call (0: never)."""
        code, told = self.run(given, (number, when))
        if code == -signal.SIGKILL and told:
            return Death(number, when, told, tuple(given))
        assert code == 0, f"the child failed by itself (step {number}, {when}); see its traceback"
        return Death(number, None, "", tuple(given))

    def count_steps(self, given: Sequence[Any], when: When) -> int:
        """Run `work(*given)` undisturbed; return how many calls there were at which it could have been killed."""
        code, steps = self.run(given, (0, when))
        assert code == 0, "the child failed undisturbed; see its traceback"
        return int(steps)

    def run(self, given: Sequence[Any], order: object) -> tuple[int, Any]:
        """Live through `work(*given)` in a child, as `order` says; return its exit status and what it told, if anything."""
        self._pipe.send((tuple(given), order))
        code, told = self._pipe.recv()
        assert code != -signal.SIGALRM, f"the child hangs ({order})"
        return code, told


def _breed(
    work: Callable[..., Any], live: Live, warm: Sequence[Any] | None, ready: Callable[[], object] | None,
    pipe: Connection
) -> None:  # fmt: skip
    if ready is not None:
        ready()
    if warm is not None:
        work(*warm)
    gc.collect()
    gc.freeze()  # no child need look for garbage in what was imported
    while (asked := pipe.recv()) is not None:
        given, order = asked
        receiver, sender = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if not child:
            receiver.close()
            signal.alarm(CHILD_SECONDS)  # one that hangs ends as well
            os._exit(live(work, given, order, sender))
        sender.close()
        try:
            told = receiver.recv()
        except EOFError:  # it had nothing to tell
            told = None
        receiver.close()
        _, status = os.waitpid(child, 0)
        pipe.send((os.waitstatus_to_exitcode(status), told))


def acknowledge(path: Path, line: str) -> None:
    """Tell the parent, in a file that is no part of the work, that something was promised to the user."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    _write(descriptor, line.encode() + b"\n")
    os.close(descriptor)


def acknowledged(path: Path) -> list[str]:
    """Return what the child has acknowledged."""
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _killed(work: Callable[..., Any], given: tuple[Any, ...], order: tuple[int, When], sender: Connection) -> int:
    steps = _arm(*order, sender)
    try:
        work(*given)
    except BaseException:  # noqa: BLE001  # the edge of a process: its exit status tells the parent
        traceback.print_exc()
        return 1
    sender.send(steps())
    return 0


def _arm(number: int, when: When, sender: Connection) -> Callable[[], int]:
    """Let the process die at a step; return what tells how many steps there were."""
    counted = 0

    def die(call: str) -> None:
        sender.send(call)
        os.kill(os.getpid(), signal.SIGKILL)

    def armed(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            nonlocal counted
            if when == "half" and name != "write":
                return real(*args, **kwargs)
            counted += 1
            if counted != number:
                return real(*args, **kwargs)
            if when == "half":
                real(args[0], bytes(args[1])[: len(args[1]) // 2])
            elif when == "after":
                real(*args, **kwargs)
            die(f"{name}{args!r:.200}")
            return None

        return step

    for name in STEPS:
        setattr(os, name, armed(name, getattr(os, name)))
    return lambda: counted


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, room: int) -> Iterator[None]:
    """Let `os.write` fail with "no space left" once `room` bytes were written, as a full disk does."""
    left = room

    def write(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = _write(descriptor, bytes(data)[:left])
        left -= written
        return written

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        yield
