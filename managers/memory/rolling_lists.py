"""Lists that grow: the newest part stays in the file that is rewritten, older parts are put on shelves.

A shelf is a file that is written once. So no file that is rewritten grows for ever, and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from managers.storage.files import files

Item = TypeVar("Item")


def shelve(items: Sequence[Item], keep: int) -> tuple[list[Item], list[Item]]:
    """Split a list (newest first) into what stays and what goes on a shelf: nothing until twice `keep`."""
    if len(items) < 2 * keep:
        return list(items), []
    return list(items[:keep]), list(items[keep:])


def shelves(path: Path) -> list[Path]:
    """Return the shelves of a file, oldest first: `insights_archived_001.json` for `insights.json`."""
    return files(path.parent, f"{path.stem}_archived_[0-9][0-9][0-9]{path.suffix}")


def next_shelf(path: Path) -> Path:
    """Return the file for the next shelf."""
    taken = shelves(path)
    number = int(taken[-1].stem.rsplit("_", 1)[1]) + 1 if taken else 1
    return path.with_name(f"{path.stem}_archived_{number:03d}{path.suffix}")
