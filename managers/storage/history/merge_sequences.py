"""Three versions of a sequence made one, as diff3 does it, but with neighbours that are not in each other's way.

A line that was added behind another one is no conflict when that other one goes: only the same lines are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from managers.storage.history.matching import changes

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Hunk(Generic[Item]):
    """`base[first:last]` gave way to `items`."""

    first: int
    last: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Region(Generic[Item]):
    """A stretch that both sides changed, each in its own way; `at` counts in the base, from 0."""

    at: int
    base: tuple[Item, ...]
    ours: tuple[Item, ...]
    theirs: tuple[Item, ...]


def merge_sequences(
    base: Sequence[Item],
    ours: Sequence[Item],
    theirs: Sequence[Item],
    key: Callable[[Item], Any] | None = None,
    settle: Callable[[Region[Item]], Sequence[Item] | None] | None = None,
) -> tuple[list[Item], list[Region[Item]]]:
    """Return the merged items, with ours where both sides changed the same, and those stretches.

    Args:
        base: what both sides come from.
        ours: what one side made of it.
        theirs: what the other side made of it.
        key: by what an item is known though its content differs.
        settle: makes one of what both changed, if it can.
    """
    groups = _groups(_hunks(base, ours, key), _hunks(base, theirs, key))
    merged: list[Item] = []
    conflicts: list[Region[Item]] = []
    done = 0
    for mine, yours in groups:
        first = min(hunk.first for hunk in (*mine, *yours))
        last = max(hunk.last for hunk in (*mine, *yours))
        merged += base[done:first]
        done = last
        region = Region(
            first, tuple(base[first:last]), _applied(base, mine, first, last), _applied(base, yours, first, last)
        )
        if not yours or region.ours == region.theirs:
            merged += region.ours
        elif not mine:
            merged += region.theirs
        elif first == last:  # both added something at one place: both stay
            merged += [*region.ours, *region.theirs]
        elif (settled := settle(region) if settle else None) is not None:
            merged += settled
        else:
            merged += region.ours
            conflicts.append(region)
    return [*merged, *base[done:]], conflicts


def _hunks(base: Sequence[Item], other: Sequence[Item], key: Callable[[Item], Any] | None) -> list[Hunk[Item]]:
    known = key or (lambda item: item)
    found = []
    for tag, first, last, start, end in changes([known(item) for item in base], [known(item) for item in other]):
        if tag != "equal":
            found.append(Hunk(first, last, tuple(other[start:end])))
            continue
        pairs = zip(range(first, last), range(start, end), strict=True)
        found += [Hunk(i, i + 1, (other[j],)) for i, j in pairs if base[i] != other[j]]
    return found


def _groups(
    ours: Sequence[Hunk[Item]], theirs: Sequence[Hunk[Item]]
) -> list[tuple[list[Hunk[Item]], list[Hunk[Item]]]]:
    """Put together what touches the same items; in order."""
    groups: list[tuple[list[Hunk[Item]], list[Hunk[Item]]]] = []
    reach, point = -1, -1
    marked = [(hunk, 0) for hunk in ours] + [(hunk, 1) for hunk in theirs]
    for hunk, side in sorted(marked, key=lambda one: (one[0].first, one[0].last, one[1])):
        is_same_place = hunk.first == hunk.last == point
        if groups and (hunk.first < reach or is_same_place):
            groups[-1][side].append(hunk)
        else:
            groups.append(([hunk], []) if side == 0 else ([], [hunk]))
            point = hunk.first if hunk.first == hunk.last else -1
        reach = max(reach, hunk.last)
    return groups


def _applied(base: Sequence[Item], hunks: Sequence[Hunk[Item]], first: int, last: int) -> tuple[Item, ...]:
    found: list[Item] = []
    done = first
    for hunk in hunks:
        found += [*base[done : hunk.first], *hunk.items]
        done = hunk.last
    return (*found, *base[done:last])
