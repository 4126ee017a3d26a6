"""How several processes share the tests: one collects them, and is forked when it has imported everything.

`-n 4` runs the tests in four such processes, `-n auto` in twice as many as there are processors. Each gets whole files, one after the other, so that what a file builds is
built once, and tells the first how every test ended, which reports as pytest does without them.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import multiprocessing
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from typing import Any, Final

import pytest
from _pytest.config import create_terminal_writer

from tests import forking
from tests.forking import CAN_FORK

_FORKERS: Final = pytest.StashKey[list[socket.socket]]()
BROWSER: Final = "tests/browser/"
"""A browser waits more than it works: some processes begin with it while the others work."""
_DRIVING: Final = 2
"""So many processes drive a browser; each starts one server and one browser, and ends them for good."""
_LAST_SECONDS: Final = 30.0
"""What a process may take to end what it has started, when there is nothing more to do."""
_MOST: Final = 12
"""More processes than this take more memory than they save time."""
_BETWEEN_LOOKS: Final = (100_000, 50, 100)
"""Garbage of short lives is looked for this seldom: each look costs a process with so much in it more than elsewhere."""

LONGEST: Final = (
    "tests/browser/test_looks.py",
    "tests/browser/test_conversation.py",
    "tests/browser/test_first_day.py",
    "tests/browser/test_heart_and_dreams.py",
    "tests/browser/test_map.py",
    "tests/browser/test_imports.py",
    "tests/cli/test_serving.py",
    "tests/minds/test_endless.py",
    "tests/recall/test_measured.py",
    "tests/agent/test_faults.py",
    "tests/exchange/test_import_engine.py",
    "tests/agent/group/test_conversation.py",
    "tests/ui/test_heart.py",
    "tests/ui/server/test_access.py",
    "tests/exchange/test_moving_in.py",
    "tests/sleep/test_catching_up.py",
    "tests/memory/test_log_crash.py",
    "tests/agent/group/test_session_tiers.py",
    "tests/recall/test_indexing_crash.py",
    "tests/sessions/test_tiers.py",
    "tests/cli/test_faults.py",
    "tests/ui/test_memories.py",
    "tests/ui/test_settings.py",
    "tests/cli/test_survival.py",
    "tests/ui/test_dreams.py",
    "tests/cli/test_commands.py",
    "tests/recall/test_reading_process.py",
    "tests/hygiene/test_erasing.py",
)
"""What is begun first, since it takes longest; a file that is missing here costs some seconds at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say how many processes share the tests."""
    group = parser.getgroup("sharing")
    told = "share the tests among N processes, or among twice as many as there are processors (auto)"
    group._addoption("-n", dest="processes", type=_number, default=1, metavar="N", help=told)


def _number(told: str) -> int:
    return min(2 * (os.cpu_count() or 2), _MOST) if told == "auto" else int(told)


def pytest_configure(config: pytest.Config) -> None:
    """Import what commands need while the tests are collected, which keeps one processor busy: most tests of all will ask."""
    if config.args_source is config.ArgsSource.TESTPATHS and CAN_FORK and not config.option.collectonly:
        processes = config.option.processes
        config.stash[_FORKERS] = forking.begin(processes) if processes > 1 else []


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Share what was collected; leave it to pytest where there is nothing to share."""
    option = session.config.option
    if option.processes < 2 or option.usepdb or option.collectonly or session.testsfailed or not CAN_FORK:
        return None
    _Sharing(session).run()
    return True


class _Helper:
    """A process that runs tests: `left` are the places of those that it was given and has not done."""

    def __init__(self, number: int, session: pytest.Session, others: list[_Helper]) -> None:
        self.number = number
        forkers = session.config.stash.get(_FORKERS, [])
        self.left: list[int] = []
        self.connection, theirs = multiprocessing.Pipe()
        inherited = [self.connection, *(other.connection for other in others)]
        fork = multiprocessing.get_context("fork")
        self.process = fork.Process(target=_help, args=(session, number, theirs, inherited))
        self.process.start()
        theirs.close()
        for one in forkers[:1]:
            one.close()
        del forkers[:1]


class _Sharing:
    """Gives tests to processes, and reports what they tell."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._hook = session.config.hook
        files: dict[str, list[int]] = {}
        for place, item in enumerate(session.items):
            files.setdefault(_file_of(item), []).append(place)
        self._waiting = sorted(files.values(), key=lambda places: _turn_of(session.items[places[0]]))
        self._helpers: list[_Helper] = []

    def run(self) -> None:
        importlib.import_module("tests.ready").load_what_is_needed()
        gc.collect()
        gc.freeze()  # no look for garbage need go through what was collected, in any of them
        try:
            for number in range(self._session.config.option.processes):
                self._start(number)
            while self._helpers:
                ready = wait([helper.connection for helper in self._helpers])
                for helper in [helper for helper in self._helpers if helper.connection in ready]:
                    self._hear(helper)
                if self._session.shouldfail:
                    raise self._session.Failed(self._session.shouldfail)
                if self._session.shouldstop:
                    raise self._session.Interrupted(self._session.shouldstop)
        finally:
            self._end()

    def _start(self, number: int) -> None:
        self._helpers.append(_Helper(number, self._session, self._helpers))

    def _hear(self, helper: _Helper) -> None:
        told: str = ""
        more: list[Any] = []
        with suppress(EOFError, OSError):
            told, *more = helper.connection.recv()
        match told:
            case "":
                self._helpers.remove(helper)
                helper.process.join()
                if helper.left:
                    self._report_crash(helper)
            case "free":
                places = self._next_file(drives=helper.number < _DRIVING)
                helper.left += places
                helper.connection.send(places)
            case "report":
                self._hook.pytest_runtest_logreport(
                    report=self._hook.pytest_report_from_serializable(config=self._session.config, data=more[0])
                )
            case "done":
                item = self._session.items[helper.left.pop(0)]
                self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _next_file(self, *, drives: bool) -> list[int]:
        if not self._waiting:
            return []
        wanted = (
            places
            for places in self._waiting
            if (_file_of(self._session.items[places[0]]).startswith(BROWSER)) == drives
        )
        places = next(wanted, self._waiting[0])
        self._waiting.remove(places)
        return places

    def _report_crash(self, helper: _Helper) -> None:
        """Say in which test the process ended; let another go on after it."""
        place, *left = helper.left
        item = self._session.items[place]
        said = f"The process ended in this test (exit status {helper.process.exitcode}); its tests before may be the cause."
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        self._hook.pytest_runtest_logreport(report=report)
        self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if left:
            self._waiting.insert(0, left)
        self._start(helper.number)

    def _end(self) -> None:
        """End those that are still at work: something went wrong, or somebody asked."""
        for helper in self._helpers:
            assert helper.process.pid is not None
            os.kill(helper.process.pid, signal.SIGINT)
        for helper in self._helpers:
            helper.connection.close()
            helper.process.join(_LAST_SECONDS)
            helper.process.kill()


def _help(session: pytest.Session, number: int, connection: Connection, inherited: list[Connection]) -> None:
    """Run what is given, in a process of its own, until there is nothing more."""
    for one in inherited:
        one.close()
    gc.set_threshold(*_BETWEEN_LOOKS)
    config = session.config
    forkers = config.stash.get(_FORKERS, [])
    for place, forker in enumerate(forkers):
        forking.share(forker) if place == 0 else forker.close()
    plugins = config.pluginmanager
    terminal: Any = plugins.getplugin("terminalreporter")
    terminal._tw = create_terminal_writer(config, io.StringIO())
    plugins.register(_Teller(config, connection))
    capturing: Any = plugins.getplugin("capturemanager")
    capturing.stop_global_capturing()  # into files that all would share
    capturing.start_global_capturing()
    folders: Any = config._tmp_path_factory  # type: ignore[attr-defined]  # nothing else tells where they are made
    folders._basetemp = folders.mktemp(f"process{number}", numbered=False)
    try:
        for item, following in pairwise(_given(session, connection)):
            assert item is not None
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    except (KeyboardInterrupt, EOFError, BrokenPipeError):  # nobody waits for more
        with suppress(Exception):
            session._setupstate.teardown_exact(None)
    finally:
        atexit._run_exitfuncs()


def _given(session: pytest.Session, connection: Connection) -> Iterator[pytest.Item | None]:
    """Yield one test after the other, and None at the end."""
    while True:
        connection.send(("free",))
        places = connection.recv()
        if not places:
            break
        yield from (session.items[place] for place in places)
    yield None


class _Teller:
    """Tells the first process how each test ended."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))

    def pytest_runtest_logfinish(self) -> None:
        self._connection.send(("done",))


def _turn_of(item: pytest.Item) -> int:
    """Return when a file is begun: the lower, the sooner."""
    file = _file_of(item)
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
