"""What two texts have in common: the same as everybody's tools find where little is compared, and enough where much is."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.storage.history import matching
from managers.storage.history.matching import changes

lines = st.lists(st.sampled_from("abcde"), max_size=12)


def check(one: Sequence[str], other: Sequence[str]) -> int:
    """Follow the changes from one to the other; return how many items stay."""
    made: list[str] = []
    at = same = 0
    for change in changes(one, other):
        assert change.first == at
        at = change.last
        made += other[change.start : change.end]
        if change.tag == "equal":
            assert one[change.first : change.last] == other[change.start : change.end]
            same += change.last - change.first
        else:
            assert (change.first < change.last, change.start < change.end) == {
                "replace": (True, True),
                "delete": (True, False),
                "insert": (False, True),
            }[change.tag]
    assert (at, made) == (len(one), list(other))
    return same


@given(one=lines, other=lines)
def test_the_changes_lead_from_one_to_the_other_and_no_less_is_found_than_with_the_standard_library(
    one: list[str], other: list[str]
) -> None:
    theirs = sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
    ends = len(one) and len(other) and (one[0] == other[0] or one[-1] == other[-1])
    assert check(one, other) >= theirs or ends
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_WORK", 0)  # where nothing may be compared at length
        check(one, other)


def test_of_a_long_text_all_that_stays_is_found() -> None:
    one = [f"{number}" if number % 3 else "" for number in range(6000)]
    other = [f"new {number}" if number % 4 == 1 else line for number, line in enumerate(one)]
    kept = sum(mine == theirs for mine, theirs in zip(one, other, strict=True))
    assert check(one, other) == kept


def test_of_a_long_text_of_the_same_few_lines_the_ends_are_found() -> None:
    same = ["a", "b"] * 300
    assert check([*same, *["a", "c"] * 900, *same], [*same, *["b", "c", "c"] * 700, *same]) >= 2 * len(same)
