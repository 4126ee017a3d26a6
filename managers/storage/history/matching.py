"""What two sequences have in common, in time that does not grow with the square of their lengths.

`difflib` finds the longest piece that stands in both, then the longest before and behind it, and so on: of a text in
which every other line was changed it makes minutes. Here that is done where little is to be compared. Elsewhere the
items that stand exactly once in each are looked for first, and what lies between two of them is compared (Bram Cohen's
"patience diff"). What would take longer even so counts as changed altogether.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal, NamedTuple

_WORK: Final = 5_000_000
"""Comparisons that may be made where nothing tells what belongs together: about a second."""


Tag = Literal["equal", "replace", "delete", "insert"]


class Block(NamedTuple):
    """So many items that are the same from one place in the first and one in the second."""

    one: int
    other: int
    size: int


class Change(NamedTuple):
    """What became of a stretch of the first sequence, as `difflib` tells it."""

    tag: Tag
    first: int
    last: int
    start: int
    end: int


def changes(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Change]:
    """Return what turns one sequence into the other, in order, with what stays."""
    found: list[Change] = []
    first = start = 0
    for block in (*_joined(_Matching(one, other).blocks()), Block(len(one), len(other), 0)):
        if first < block.one or start < block.other:
            found.append(Change(_tag(first < block.one, start < block.other), first, block.one, start, block.other))
        first, start = block.one + block.size, block.other + block.size
        if block.size:
            found.append(Change("equal", block.one, first, block.other, start))
    return found


def _tag(is_less: bool, is_more: bool) -> Tag:
    return "replace" if is_less and is_more else "delete" if is_less else "insert"


def _joined(blocks: Iterator[Block]) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        if found and (found[-1].one + found[-1].size, found[-1].other + found[-1].size) == block[:2]:
            found[-1] = found[-1]._replace(size=found[-1].size + block.size)
        elif block.size:
            found.append(block)
    return found


class _Matching:
    """One comparison, with the work that is left for it."""

    def __init__(self, one: Sequence[Hashable], other: Sequence[Hashable]) -> None:
        self._one = one
        self._other = other
        self._left = _WORK

    def blocks(self) -> Iterator[Block]:
        """Yield what is the same, in order."""
        yield from self._between(Block(0, 0, 0), Block(len(self._one), len(self._other), 0), by_anchors=True)

    def _between(self, before: Block, after: Block, *, by_anchors: bool) -> Iterator[Block]:
        """Yield what is the same between two blocks: at both ends, and within."""
        one, other = before.one + before.size, before.other + before.size
        begun = 0
        while one + begun < after.one and other + begun < after.other and self._is_same(one + begun, other + begun):
            begun += 1
        yield Block(one, other, begun)
        one, other, ended = one + begun, other + begun, 0
        while (
            one < after.one - ended
            and other < after.other - ended
            and self._is_same(after.one - ended - 1, after.other - ended - 1)
        ):
            ended += 1
        end = Block(after.one - ended, after.other - ended, ended)
        yield from self._within(slice(one, end.one), slice(other, end.other), by_anchors=by_anchors)
        yield end

    def _is_same(self, one: int, other: int) -> bool:
        return self._one[one] == self._other[other]

    def _within(self, one: slice, other: slice, *, by_anchors: bool) -> Iterator[Block]:
        mine, theirs = self._one[one], self._other[other]
        work = len(mine) * len(theirs) * min(len(mine), len(theirs))
        if 0 < work <= self._left:
            self._left -= work
            for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
                yield Block(one.start + block.a, other.start + block.b, block.size)
        elif work and by_anchors:
            before = Block(one.start, other.start, 0)
            for anchor in (*_anchors(mine, theirs, before), Block(one.stop, other.stop, 0)):
                yield from self._between(before, anchor, by_anchors=False)
                yield anchor
                before = anchor


def _anchors(mine: Sequence[Hashable], theirs: Sequence[Hashable], at: Block) -> list[Block]:
    """Return the items that stand once in each of two sequences, as many as can be in the same order in both."""
    counts, others = Counter(mine), Counter(theirs)
    places = {item: place for place, item in enumerate(theirs) if others[item] == 1 and counts[item] == 1}
    pairs = [(place, places[item]) for place, item in enumerate(mine) if item in places]
    tops: list[int] = []  # of the best chain of each length the lowest end in `theirs`
    ends: list[int] = []  # the pair there
    before: list[int] = []  # of each pair the one before it in its chain
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tops, place)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(Block(at.one + pairs[number][0], at.other + pairs[number][1], 1))
        number = before[number]
    return chain[::-1]
