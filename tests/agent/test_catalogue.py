from __future__ import annotations

from pydantic import Field

from agent.tools.catalogue import Arguments, Catalogue, Tool
from managers.mind import ToolCall
from managers.storage.errors import DiskFullError


class Count(Arguments):
    times: int = Field(ge=1, le=3)


def ring(bell: list[str], wanted: Count) -> str:
    bell.extend(["ding"] * wanted.times)
    return "rung"


def jam(_: list[str], __: Count) -> str:
    raise DiskFullError(path="bell.txt")


BELL: Tool[list[str]] = Tool(
    "ring", {"ja": "鳴らす", "en": "Ring"}, {"ja": "鳴らしました", "en": "Rang"}, Count, ring, writes=True
)
JAMMED: Tool[list[str]] = Tool("jam", {"ja": "詰まる", "en": "Jam"}, {"ja": "詰まりました", "en": "Jammed"}, Count, jam)
TOOLS = Catalogue([BELL, JAMMED])


def test_a_right_call_is_run_and_announced() -> None:
    bell: list[str] = []
    answer = TOOLS.use(ToolCall("1", "ring", {"times": 2}), bell, "ja")
    assert (answer.text, answer.announcement, bell) == ("rung", "鳴らしました", ["ding", "ding"])


def test_a_wrong_call_is_answered_with_what_to_mend_and_not_announced() -> None:
    bell: list[str] = []
    for arguments in ({"times": 99}, {}, {"times": 1, "path": "../../etc/passwd"}, {"times": "many"}):
        answer = TOOLS.use(ToolCall("1", "ring", arguments), bell, "en")
        assert "ring" in answer.text
        assert "call it again" in answer.text
        assert not answer.announcement
    assert bell == []


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    answer = TOOLS.use(ToolCall("1", "rm -rf", {}), [], "en")
    assert "ring, jam" in answer.text


def test_a_failure_is_told_to_the_mind_in_its_language() -> None:
    answer = TOOLS.use(ToolCall("1", "jam", {"times": 1}), [], "ja")
    assert "bell.txt" in answer.text
    assert not answer.announcement


def test_off_the_record_nothing_that_writes_is_offered_or_run() -> None:
    bell: list[str] = []
    assert [spec.name for spec in TOOLS.specs("en", writing=False)] == ["jam"]
    TOOLS.use(ToolCall("1", "ring", {"times": 1}), bell, "en", writing=False)
    assert bell == []
