"""How several processes share the tests: whole files, so that what a file builds is built once."""

from __future__ import annotations

from typing import Final

from xdist.scheduler.loadscope import LoadScopeScheduling
from xdist.workermanage import WorkerController

BROWSER: Final = "tests/browser/"
"""A browser waits more than it works: some processes begin with it while the others work."""
_DRIVING: Final = 2
"""So many processes drive a browser; each starts one server and one browser, and ends them for good."""

LONGEST: Final = (
    "tests/browser/test_looks.py",
    "tests/browser/test_first_day.py",
    "tests/browser/test_conversation.py",
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

    def _assign_work_unit(self, node: WorkerController) -> None:
        # All that a process had when it crashed comes back, also what is done; one that got only that would wait for good.
        for file in [file for file, tests in self.workqueue.items() if all(tests.values())]:
            del self.workqueue[file]
        if not self.workqueue:
            node.shutdown()
            return
        drives = int(node.gateway.id.removeprefix("gw")) < _DRIVING
        wanted = next((file for file in self.workqueue if file.startswith(BROWSER) == drives), None)
        if wanted is not None:
            self.workqueue.move_to_end(wanted, last=False)
        super()._assign_work_unit(node)


def turn_of(nodeid: str) -> int:
    """Return when a test is begun: the lower, the sooner."""
    file = file_of(nodeid)
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def file_of(nodeid: str) -> str:
    """Return the file that a test is in."""
    return nodeid.partition("::")[0]
