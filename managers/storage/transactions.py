"""Changes to a persona's memories that happen all or not at all, with one entry in the history.

What a dream concludes, and every edit of a note, goes through here: the files are written through a
journal (`managers.storage.journal`), so that a process killed at any point leaves either everything
or nothing of it, and `History.undo` takes it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from managers.storage.history import History
from managers.storage.history.entries import Draft
from managers.storage.paths import PersonaPaths

__all__ = ["Transactions", "transaction"]


class Transactions:
    """All-or-nothing writes to one persona's folder."""

    def __init__(self, paths: PersonaPaths, history: History) -> None:
        """Take the history that the changes are entered into."""
        assert history.paths == paths  # a history belongs to one persona
        self._history = history

    def apply(
        self,
        changes: Mapping[Path, bytes | None],
        *,
        author: str,
        reason: str,
        evidence: Sequence[str] = (),
        mind: str = "",
        based_on: Mapping[Path, str | None] | None = None,
    ) -> str | None:
        """Write or delete (None) whole files, all or none.

        Args:
            changes: absolute paths within the persona's folder, with their new content.
            author: "user", the persona's name, or "dream".
            reason: why, in words.
            evidence: ids of the messages that the changes rest on.
            mind: what proposed them.
            based_on: `files.digest` of the bytes that were read, None where there was no file; also for
                files that are read only.

        Returns:
            The id of the entry; None if no file that the history keeps was changed by it.

        Raises:
            ExternallyChangedError: a file of `based_on` is another one now; nothing was changed.
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        return self._history.apply(changes, Draft(author, reason, tuple(evidence), mind), based_on)


def transaction(paths: PersonaPaths, history: History) -> Transactions:
    """Return the transactions of a persona."""
    return Transactions(paths, history)
