"""Days of a life with a language model behind a server: what the prompts of its talks and nights must hold."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from agent.minds.tool_schemas import as_function
from agent.services import Services
from agent.tools import all_tools
from managers.language.reading.forget_wishes import read_forget_wish
from managers.memory.errors import UnclearWhatToForgetError
from managers.mind import Cancel
from managers.sleep.tasks import Level
from tests.agent.conftest import HERE, NEMU, speak_through, sure
from tests.fakes import HandClock
from tests.model_answers import Recorded, Say, Tool
from tests.model_server import ModelServer

TALK = "talk"


class Days:
    """A persona and whoever talks to it, on days of November 2026."""

    def __init__(self, services: Services, server: ModelServer, clock: HandClock) -> None:
        self.services, self.server, self.clock = services, server, clock
        self.name, self.summary, self.cards = NEMU, "", dict[str, str]()
        self.calls: list[Tool] = []
        server.otherwise = self._answer

    def begin(self, name: str = NEMU, user: str = "", context: int = 8192) -> None:
        speak_through(self.services, self.server, HERE)
        self.services.settings_file.change("mind", context_tokens=context)
        self.services.settings_file.change("user", name=user)
        self.name = name

    def say(self, when: str, text: str, *files: Path) -> Recorded:
        self.clock.set(datetime.fromisoformat(f"2026-11-{when}"))
        companion = self.services.companion(self.name)
        list(companion.say(text, attachments=files).events())
        companion.settle()
        return self.server.chats[-1]

    def dream(
        self, when: str, summary: str = "", cards: Mapping[str, str] | None = None, level: Level | None = None
    ) -> dict[str, list[Recorded]]:
        """Dream, and return the requests by the form of their answer."""
        self.summary, self.cards = summary, dict(cards or {})
        self.clock.set(datetime.fromisoformat(f"2026-11-{when}"))
        before = len(self.server.chats)
        assert self.services.sleeper(self.name).dream(Cancel(), level=level, today=False).failures == ()
        asked: dict[str, list[Recorded]] = {}
        for request in self.server.chats[before:]:
            asked.setdefault(form_of(request), []).append(request)
        return asked

    def holds(self, form: str, *texts: str, never: Sequence[str] = ()) -> None:
        """See what the newest request of a form has, and what not."""
        prompt = {form_of(request): whole(request) for request in self.server.chats}[form]
        assert [text for text in texts if text not in prompt] == [], form
        assert [text for text in never if text in prompt] == [], form

    def _answer(self, request: Recorded) -> Say:
        """Answer each task with the least that it takes."""
        said = re.findall(rf"^\[(m\d+)\] [\d:]+ (?!{self.name}: )[^:]+: (.*)", whole(request), re.MULTILINE)
        claim = {"evidence": [label for label, _ in said[:1]]}
        night = self.summary or f"「{said[-1][1] if said else ''}」と聞いた。"
        people = [
            {"name": name, "kind": "person", "facts": [{"text": text, **claim}]} for name, text in self.cards.items()
        ]
        answers = {
            "DayDraft": {"summary": night, "evidence": [label for label, _ in said[-1:]]},
            "EntitiesDraft": {"entities": people},
            "QuestionsDraft": {"questions": []},
            "ResolutionsDraft": {"resolutions": []},
            "ReflectionDraft": {**dict.fromkeys(("trigger_topic", "insight", "strategy", "log_entry"), night), **claim},
            "InitiativeDraft": {"kind": "nothing"},
        }
        form = form_of(request)
        if form != TALK:
            return Say(json.dumps(answers[form], ensure_ascii=False))
        return Say(tools=[self.calls.pop()]) if self.calls else Say("Hm.")


def form_of(request: Recorded) -> str:
    return str(request.body.get("response_format", {}).get("json_schema", {}).get("name", TALK))


def whole(request: Recorded) -> str:
    return "\n".join(str(message.get("content")) for message in request.messages)


def newest(request: Recorded) -> str:
    return str(request.messages[-1]["content"])


@pytest.fixture
def days(services: Services, server: ModelServer, clock: HandClock) -> Days:
    return Days(services, server, clock)


def test_a_death_that_is_told_in_a_pronoun(days: Days) -> None:
    days.begin("Hazel", "Sam")
    days.say("18T22:00", "Gran's in hospital. They found her on the kitchen floor.")
    days.dream("19T03:30", "Sam's gran is in hospital.", {"Sam's gran": "She is in hospital."})
    days.say("19T21:00", "She died at six. I was holding her hand.")
    days.dream("20T03:30", "Sam's gran died.")
    days.holds(TALK, "grief", never=("“She died at six",))  # it is being said: nothing that was told before
    days.holds("DayDraft", "Sam's gran is in hospital.")
    days.holds("EntitiesDraft", "- Sam's gran (person)", "Sam's gran is in hospital.")
    days.holds("QuestionsDraft", "Sam's gran is in hospital.")


@pytest.mark.slow
def test_somebody_who_tells_their_name_in_the_talk(days: Days) -> None:
    days.services.settings_file.change("sleep", autonomous_actions=True)
    days.begin("Hazel")
    days.say("16T21:00", "My cat Pickle sleeps on my feet.")
    days.dream("17T03:30", "User has a cat.", {"User": "User could not sleep."})
    days.say("18T20:00", "I'm Robin by the way.")
    days.say("18T20:05", "Pickle is awake.")
    days.dream("19T03:30", "Robin said hello.")
    days.say("19T20:00", "I'm going out.")
    days.clock.set(datetime(2026, 11, 22, 16))
    days.services.sleeper("Hazel").act()
    days.holds("DayDraft", "“Robin” is the other person", "“User”", never=("User: I'm Robin",))
    days.holds("EntitiesDraft", "User could not sleep.")
    days.holds("InitiativeDraft", "“Robin”", "22 November 2026")


@pytest.mark.slow
def test_a_file_days_later(days: Days, tmp_path: Path) -> None:
    days.begin("Hazel", "Priya")
    plan = tmp_path / "move-plan.md"
    plan.write_text("Cancel the broadband, reference BB-2291.")
    days.say("16T08:15", "Here's the plan, what comes first?", plan)
    for n in range(4):
        days.say(f"16T08:2{n}", "And then?")
    days.dream("17T03:30", "A plan.")
    days.holds(TALK, "move-plan.md", never=("BB-2291",))
    days.holds("DayDraft", "move-plan.md")


def test_a_wish_to_forget_what_was_said_on_another_day(days: Days) -> None:
    days.begin("Hazel", "Robin")
    days.say("17T21:30", "Dana is coming over on Friday, she's my ex.")
    days.say("18T20:00", "Pickle is awake.")
    days.say("19T20:03", "Please forget what I told you about Dana.")
    days.holds(TALK, "Pickle is awake.", "17 November 2026", never=("Dana",))
    for told in (UnclearWhatToForgetError.ja, UnclearWhatToForgetError.en):
        [wording] = re.findall("[「“]([^」”]+)[」”]", told)
        assert sure(read_forget_wish(re.sub(r"\([^)]*\)", "Tama", wording))).about == "Tama", "as the refusal says"


@pytest.mark.slow
def test_a_night_that_looks_back_knows_the_day_before_and_which_day_it_reads(days: Days) -> None:
    days.begin(user="花")
    days.say("10T23:30", "猫のむぎが死んだ。")
    days.say("11T08:00", "昨日はごめん。")
    [reflection] = days.dream("12T03:30")["ReflectionDraft"]
    told = newest(reflection).split("昨日はごめん")[0]
    assert "むぎ" in told
    assert "2026-11-11" in told
    days.say("12T08:00", "おはよう。")
    [alone] = days.dream("13T03:30")["ReflectionDraft"]
    assert "2026-11-12" in newest(alone).rpartition("08:00")[0].rpartition("##")[2]


def test_a_greeting_is_no_memory_and_no_evidence(days: Days) -> None:
    days.begin(user="遥")
    greeting = days.services.personas.get(NEMU).greeting
    days.say("09T20:00", "来週の水曜に健康診断がある。")
    days.say("10T20:00", "総会はいつ?")
    with_greeting, without = days.dream("11T03:30")["EntitiesDraft"]
    assert len(newest(with_greeting).split("[m")) > len(newest(without).split("[m"))
    assert with_greeting.messages[0]["content"] == without.messages[0]["content"]
    days.services.companion(NEMU).new_topic()
    told = newest(days.say("12T20:00", "この前、あなたの名前と、今日がどんな一日だったか、聞かせてって言ってたよね?"))
    assert f"> {greeting}" not in told
    assert "健康診断" in newest(days.say("12T20:05", "健康診断はいつだっけ?"))


def test_tools_are_described_in_the_language_of_the_talk() -> None:
    told = {
        (tool.name, argument): about.get("description", "い")
        for tool in all_tools().specs("ja")
        for argument, about in as_function(tool)["function"]["parameters"]["properties"].items()
    }
    assert [where for where, text in told.items() if text.isascii()] == []
