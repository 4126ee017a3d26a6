from collections.abc import Mapping

from pydantic import Field

from agent.tools.catalogue import Arguments, Catalogue, Tool, ToolAnswer
from agent.tools.writes import Look, Write, Writer
from managers.mind import ToolCall
from managers.storage.errors import DiskFullError, Lang


class Count(Arguments):
    times: int = Field(ge=1, le=3)


class Ringing(Write):
    times: int

    def look(self, writer: Writer) -> Look:
        return Look("bell.txt", "", "+ding\n" * self.times)

    def carry_out(self, writer: Writer) -> str:
        raise DiskFullError(path="bell.txt")


def ring(bell: list[str], wanted: Count) -> Ringing:
    return Ringing(times=wanted.times)


def jam(_: list[str], __: Count) -> str:
    raise DiskFullError(path="bell.txt")


BELL: Tool[list[str]] = Tool(
    "ring", {"ja": "鳴らす", "en": "Ring"}, {"ja": "鳴らしました", "en": "Rang"}, Count, ring, writes=True
)
JAMMED: Tool[list[str]] = Tool("jam", {"ja": "詰まる", "en": "Jam"}, {"ja": "詰まりました", "en": "Jammed"}, Count, jam)
TOOLS = Catalogue([BELL, JAMMED])


def use(name: str, arguments: Mapping[str, object], bell: list[str], lang: Lang, *, writing: bool = True) -> ToolAnswer:
    def settle(tool: Tool[list[str]], write: Write) -> ToolAnswer:
        assert isinstance(write, Ringing)
        bell.extend(["ding"] * write.times)
        return ToolAnswer("rung", tool.announce[lang])

    return TOOLS.use(ToolCall("1", name, arguments), bell, lang, settle, writing=writing)


def test_a_right_call_is_run_and_announced() -> None:
    bell: list[str] = []
    answer = use("ring", {"times": 2}, bell, "ja")
    assert (answer.text, answer.announcement, bell) == ("rung", "鳴らしました", ["ding", "ding"])


def test_a_wrong_call_is_answered_with_what_to_mend_and_not_announced() -> None:
    bell: list[str] = []
    for arguments in ({"times": 99}, {}, {"times": "many"}):
        answer = use("ring", arguments, bell, "en")
        assert "ring" in answer.text
        assert "call it again" in answer.text
        assert not answer.announcement
    assert bell == []


def test_what_a_call_says_beyond_the_arguments_is_left_aside() -> None:
    bell: list[str] = []
    assert use("ring", {"times": 1, "reason": "it is noon"}, bell, "en").announcement == "Rang"
    assert bell == ["ding"]


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    answer = use("rm -rf", {}, [], "en")
    assert "ring, jam" in answer.text


def test_a_failure_is_told_to_the_mind_in_its_language() -> None:
    answer = use("jam", {"times": 1}, [], "ja")
    assert "bell.txt" in answer.text
    assert not answer.announcement


def test_off_the_record_nothing_that_writes_is_offered_or_run() -> None:
    bell: list[str] = []
    assert [spec.name for spec in TOOLS.specs("en", writing=False)] == ["jam"]
    use("ring", {"times": 1}, bell, "en", writing=False)
    assert bell == []
