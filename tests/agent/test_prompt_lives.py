"""Lives of a few days, and what the prompts of their talks and nights must hold: a mind could not answer without it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.memories import open_memories
from agent.sleeper import CompanionSleeper
from managers.mind import Cancel
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock
from tests.minds.talking import behind_openai
from tests.model_server import ModelServer, Recorded, Say, Tool

Cards = Mapping[str, str]
TALK = "talk"


@dataclass(frozen=True)
class Step:
    """At a time something is said (with a file), a night is dreamt, or the persona may act."""

    at: str
    say: str = ""
    file: str = ""
    summary: str = ""
    cards: Cards = field(default_factory=dict)
    calls: Sequence[Tool] = ()
    acts: bool = False


@dataclass(frozen=True)
class Holds:
    """What the newest request of a form (`TALK` for a talk's) must hold, and what not."""

    form: str
    texts: Sequence[str] = ()
    never: Sequence[str] = ()


@dataclass(frozen=True)
class Life:
    """What happens, who the user is as the settings say, and what the prompts must hold in the end."""

    name: str
    user: str
    steps: Sequence[Step]
    holds: Sequence[Holds]


LIVES = (
    Life(
        "a death that is told in a pronoun",
        "Sam",
        (
            Step("2026-11-18T22:00", say="Gran's in hospital. They found her on the kitchen floor."),
            Step("2026-11-19T03:30", summary="Sam's gran is in hospital.", cards={"Sam's gran": "She is in hospital."}),
            Step("2026-11-19T21:00", say="She died at six. I was holding her hand."),
            Step("2026-11-20T03:30", summary="Sam's gran died."),
        ),
        (
            Holds(TALK, ("grief",), never=("“She died at six",)),  # it is being said: nothing that was told before
            Holds("DayDraft", ("Sam's gran is in hospital.",)),
            Holds("EntitiesDraft", ("- Sam's gran (person)", "Sam's gran is in hospital.")),
            Holds("QuestionsDraft", ("Sam's gran is in hospital.",)),
        ),
    ),
    Life(
        "somebody who tells their name in the talk",
        "",
        (
            Step("2026-11-16T21:00", say="My cat Pickle sleeps on my feet."),
            Step("2026-11-17T03:30", summary="User has a cat.", cards={"User": "User could not sleep."}),
            Step("2026-11-18T20:00", say="I'm Robin by the way."),
            Step("2026-11-18T20:05", say="Pickle is awake."),
            Step("2026-11-19T03:30", summary="Robin said hello."),
            Step("2026-11-19T20:00", say="I'm going out."),
            Step("2026-11-22T16:00", acts=True),
        ),
        (
            Holds("DayDraft", ("“Robin” is the other person", "“User”"), never=("User: I'm Robin",)),
            Holds("EntitiesDraft", ("User could not sleep.",)),
            Holds("InitiativeDraft", ("“Robin”", "22 November 2026")),
        ),
    ),
    Life(
        "a relative under another word",
        "Gwen",
        (
            Step("2026-11-16T21:00", say="My father moved into the home in Ludlow."),
            Step("2026-11-17T03:30", summary="Gwen told me.", cards={"Gwen's father": "He lives in Ludlow."}),
            Step("2026-11-24T20:00", say="Dad's 80 on Sunday."),
            Step("2026-11-25T03:30", summary="A birthday."),
        ),
        (Holds("EntitiesDraft", ("- Gwen's father (person)", "He lives in Ludlow.")),),
    ),
    Life(
        "a file, days later",
        "Priya",
        (
            Step("2026-11-16T08:15", say="Here's the plan, what comes first?", file="move-plan.md"),
            *(Step(f"2026-11-16T08:2{n}", say="And then?") for n in range(4)),
            Step("2026-11-17T03:30", summary="A plan."),
        ),
        (Holds(TALK, ("move-plan.md",), never=("BB-2291",)), Holds("DayDraft", ("move-plan.md",))),
    ),
    Life(
        "what stands in the talk and is not found by searching",
        "Tom",
        (
            Step("2026-11-17T22:40", say="The vet wants Biscuit back in two weeks."),
            Step("2026-11-18T08:00", say="When?", calls=(Tool("recall_memories", {"query": "zygote quorum"}),)),
        ),
        (Holds(TALK, ("this talk", "in two weeks")),),
    ),
    Life(
        "a wish to forget what was said on another day",
        "Robin",
        (
            Step("2026-11-17T21:30", say="Dana is coming over on Friday, she's my ex."),
            Step("2026-11-18T20:00", say="Pickle is awake."),
            Step("2026-11-19T20:03", say="Please forget what I told you about Dana."),
        ),
        (Holds(TALK, ("Pickle is awake.", "17 November 2026"), never=("Dana",)),),
    ),
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as one:
        yield one


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_a_life_leaves_in_its_prompts_what_a_mind_must_know(
    life: Life, server: ModelServer, own_home: Home, clock: HandClock, rng: Random, tmp_path: Path
) -> None:
    personas, settings = PersonaStore(own_home, clock, rng), Settings()
    personas.create("Hazel", language="en", system_prompt="You are Hazel.", user_name=life.user)
    settings.sleep.autonomous_actions = True
    memories, minds = open_memories(personas, "Hazel", lambda: settings, clock, rng), Always(behind_openai(server))
    companion, sleeper = Companion(memories, minds, clock, rng), CompanionSleeper(memories, minds, clock)
    for step in life.steps:
        clock.set(datetime.fromisoformat(step.at))
        calls = list(step.calls)
        server.otherwise = lambda request, step=step, calls=calls: _answer(request, step, calls)
        if step.say:
            files = [tmp_path / step.file] if step.file else []
            for file in files:
                file.write_text("Cancel the broadband, reference BB-2291.")
            list(companion.say(step.say, attachments=files).events())
            companion.settle()
        elif step.acts:
            sleeper.act()
        else:
            assert sleeper.dream(Cancel(), today=False).failures == ()
    companion.close()
    newest = {_form(request): _text(request) for request in server.chats}
    for holds in life.holds:
        prompt = newest[holds.form]
        assert [text for text in holds.texts if text not in prompt] == [], holds.form
        assert [text for text in holds.never if text in prompt] == [], holds.form


def _form(request: Recorded) -> str:
    return str(request.body.get("response_format", {}).get("json_schema", {}).get("name", TALK))


def _text(request: Recorded) -> str:
    return "\n".join(str(message.get("content")) for message in request.messages)


def _answer(request: Recorded, step: Step, calls: list[Tool]) -> Say:
    """Return what a mind says: to each task the least that it takes, and of the night's step what it tells."""
    said = re.findall(r"^\[(m\d+)\] [\d:]+ (?!Hazel)", _text(request), re.MULTILINE)
    claim = {"evidence": said[:1]}
    facts = {name: [{"text": text, **claim}] for name, text in step.cards.items()}
    dream = dict.fromkeys(("trigger_topic", "insight", "strategy", "log_entry"), step.summary)
    answers = {
        "DayDraft": {"summary": step.summary, **claim},
        "EntitiesDraft": {"entities": [{"name": n, "kind": "person", "facts": told} for n, told in facts.items()]},
        "QuestionsDraft": {"questions": []},
        "ResolutionsDraft": {"resolutions": []},
        "ReflectionDraft": {**dream, **claim},
        "InitiativeDraft": {"kind": "nothing"},
    }
    if _form(request) in answers:
        return Say(json.dumps(answers[_form(request)]))
    return Say(tools=[calls.pop()]) if calls else Say("Hm.")
