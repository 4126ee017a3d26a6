"""Branches of a conversation: which stretches of a log stand aside while another one goes on.

A branch begins after a message, and what was said after that message stands aside from then on. So the
conversation as it is now is a path: the first branch up to where the second begins, and so on to the end of
the current one. Two kinds of records tell it (`branch` and `switch_branch`), and every message says on
which branch it was said; none has to be touched, however long ago a branch parts.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from managers.memory.log.contents import EVERYTHING, FileIndex, Move, Span, by_trailer

FIRST: Final = "first"
"""What the first branch, which no record has begun, is called by those who go back to it."""

Place = tuple[int, int]
"""The number of a file of the log, and an offset in it."""

_END: Final[Place] = (sys.maxsize, 0)


@dataclass(frozen=True, slots=True)
class Branch:
    """A stretch of the conversation that stands aside.

    Attributes:
        id: what it is gone back to by.
        set_aside: when another one took its place.
        first, last: the words that it begins and ends with, as they read now.
        count: how many messages of the user and the persona it has.
        after: the message of the present conversation after which it goes another way; empty if none is shared.
    """

    id: str
    set_aside: datetime
    first: str
    last: str
    count: int
    after: str


@dataclass(frozen=True, slots=True)
class Tree:
    """How branches part from each other; each is known by its record's id, the first one by the empty name.

    Attributes:
        current: the one that the conversation is on.
        begun: how the others began.
        left: when each was last left for another one, ISO 8601.
    """

    current: str
    begun: Mapping[str, Move]
    left: Mapping[str, str]

    def path(self, branch: str) -> list[str]:
        """Return the branches that lead to one, from the first on."""
        found = [branch]
        while found[-1]:
            begun = self.begun.get(found[-1])
            parent = begun.parent if begun else ""  # its record is lost: nobody knows from where it parts
            found.append("" if parent in found else parent)
        return found[::-1]

    def after(self, branch: str) -> str:
        """Return the message after which a branch begins; empty if nobody knows."""
        return self.begun[branch].after if branch in self.begun else ""


def read_tree(indexes: Sequence[FileIndex]) -> Tree:
    """Return what the files of a log, oldest first, tell of its branches."""
    begun: dict[str, Move] = {}
    left: dict[str, str] = {}
    current = ""
    for move in (move for index in indexes for move in index.moves):
        if move.after:
            begun.setdefault(move.id, move)
        if move.branch != current:
            left[current] = move.time
        current = move.branch
    return Tree(next((one.branch for one in reversed(indexes) if one.branch is not None), ""), begun, left)


def stretches_aside(tree: Tree, indexes: Sequence[FileIndex]) -> list[list[tuple[Span, str]]]:
    """Return, of each file, between which offsets the messages stand aside, and on which branch each stretch was said."""
    if not any(index.moves or index.runs for index in indexes):
        return [[] for _ in indexes]
    cuts = {tree.current: _END}
    for branch, following in pairwise(tree.path(tree.current)):
        cuts[branch] = place_of(indexes, tree.after(following)) or _END
    return [list(_aside(number, index, cuts)) for number, index in enumerate(indexes)]


def place_of(indexes: Sequence[FileIndex], message_id: str) -> Place | None:
    """Return where a message stands; None if it is in no file."""
    wanted = by_trailer([message_id])
    for number in range(len(indexes) - 1, -1, -1):
        for position, _ in indexes[number].positions(wanted):
            return number, indexes[number].offsets[position]
    return None


def parting(tree: Tree, indexes: Sequence[FileIndex], branch: str) -> str:
    """Return the last message that a branch shares with the present conversation; empty if there is none, or nobody knows."""
    theirs, ours = tree.path(branch), tree.path(tree.current)
    shared = sum(1 for one, other in zip(theirs, ours, strict=False) if one == other)
    ends = [tree.after(path[shared]) for path in (theirs, ours) if len(path) > shared]
    places = {end: place for end in ends if (place := place_of(indexes, end)) is not None}
    return min(places, key=lambda end: places[end], default="")


def _aside(number: int, index: FileIndex, cuts: Mapping[str, Place]) -> Iterator[tuple[Span, str]]:
    runs = [(EVERYTHING[0], ""), *index.runs, (EVERYTHING[1], "")]
    for (start, branch), (end, _) in pairwise(runs):
        begin = max(start, _first_aside(number, cuts.get(branch, (-1, 0))))
        if begin < end:
            yield (begin, end), branch


def _first_aside(number: int, cut: Place) -> int:
    """Return from which offset of a file on a branch stands aside that is cut off after the message at a place."""
    if number == cut[0]:
        return cut[1] + 1
    return 0 if number > cut[0] else sys.maxsize


def joined(stretches: Sequence[tuple[Span, str]]) -> list[Span]:
    """Return stretches without their branches, those that touch as one."""
    found: list[Span] = []
    for (start, end), _ in stretches:
        touches = bool(found) and found[-1][1] == start
        found.append((found.pop()[0] if touches else start, end))
    return found
