"""How several processes share the tests: whole files, so that what a file builds is built once."""

from __future__ import annotations

from typing import Final

from xdist.scheduler.loadscope import LoadScopeScheduling

BROWSER: Final = "tests/browser"
"""One unit, however many files: they share a server and a browser, and two browsers are too many for two cores."""

LONGEST: Final = (
    BROWSER,
    "tests/cli/test_faults.py",
    "tests/storage/test_transactions.py",
    "tests/recall/test_indexing_crash.py",
    "tests/recall/test_measured.py",
    "tests/cli/test_commands.py",
    "tests/storage/test_history.py",
    "tests/cli/test_readme.py",
    "tests/test_personas.py",
)
"""What is begun first, since it takes longest; a file that is missing here costs some seconds at the end."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """Hands out one unit after the other, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return work_unit(nodeid)


def work_unit(nodeid: str) -> str:
    """Return what a test must be run together with: its file, or everything that needs the browser."""
    file = nodeid.partition("::")[0]
    return BROWSER if file.startswith(f"{BROWSER}/") else file
