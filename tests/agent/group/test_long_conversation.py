"""A short form of the long conversation (`make bench ARGS=group`): shares, limits, who answers first, what the absent know."""

from random import Random

import pytest

from benchmarks.group import converse, leaks
from managers.personas.samples import FOR_GROUPS
from tests.agent.group.conftest import Table


@pytest.mark.slow
def test_a_conversation_of_forty_turns(table: Table) -> None:
    course = converse(table.services, table.clock, Random(5), 40)
    assert course.late == []
    assert course.silent == []
    assert course.in_a_row <= 2
    assert 1 <= course.automatic <= 3
    whole = sum(course.spoken.values())
    assert {name: course.spoken[name] / whole > 0.15 for name in FOR_GROUPS} == dict.fromkeys(FOR_GROUPS, True)
    assert {len(told) for told in course.secrets.values()} == {1, 2}, "told to one alone, and to all but one"
    leaked, found = leaks(table.services, table.clock, course)
    assert leaked == []
    assert found, "whoever was told finds it"
