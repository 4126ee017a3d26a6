"""How several processes share the tests: whole files, so that what a file builds is built once."""

from __future__ import annotations

from typing import Final

from xdist.scheduler.loadscope import LoadScopeScheduling

BROWSER: Final = "tests/browser/"
"""Begun before everything else: each process then starts one server and one browser, and ends them for good."""

LONGEST: Final = (
    "tests/cli/test_faults.py",
    "tests/storage/test_transactions.py",
    "tests/recall/test_indexing_crash.py",
    "tests/recall/test_measured.py",
    "tests/cli/test_commands.py",
    "tests/storage/test_history_undo.py",
    "tests/cli/test_readme.py",
    "tests/personas/test_coming_and_going.py",
)
"""What is begun next, since it takes longest; a file that is missing here costs some seconds at the end."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """Hands out one file after the other, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return file_of(nodeid)


def turn_of(nodeid: str) -> int:
    """Return when a test is begun: the lower, the sooner."""
    file = file_of(nodeid)
    if file.startswith(BROWSER):
        return -1
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def file_of(nodeid: str) -> str:
    """Return the file that a test is in."""
    return nodeid.partition("::")[0]
