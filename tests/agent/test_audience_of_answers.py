"""The built-in mind's answer to another program rests on nothing that is for this computer only."""

from collections.abc import Iterator
from random import Random

import pytest

from agent.events import Received, Replied
from agent.services import Services, open_services
from managers.hygiene.inventory import mark_said
from managers.mind import Cancel
from managers.storage.paths import Home
from tests.fakes import HandClock

HAZEL = "Hazel"


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    yield services
    services.close()


def say(services: Services, text: str, *, for_program: bool = False) -> tuple[str, str]:
    """Say something; return the message's id, and the answer."""
    companion = services.companion(HAZEL)
    events = list(companion.say(text, for_program=for_program).events())
    companion.settle()
    (heard,) = [event.message.id for event in events if isinstance(event, Received)]
    (answer,) = [event.message.text for event in events if isinstance(event, Replied)]
    return heard, answer


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(
    ("said", "beside", "asked", "told"),
    [
        ("The concert is on Thursday.", "No, it's on Friday.", "When is the concert?", "Friday"),
        ("My cat is called Mitsu.", "She's ginger.", "What do you know about Mitsu?", "ginger"),
    ],
)
def test_what_stands_beside_a_memory_and_is_kept_is_not_told(
    services: Services, clock: HandClock, is_kept: bool, said: str, beside: str, asked: str, told: str
) -> None:
    say(services, said)
    clock.move(minutes=1)
    message, _ = say(services, beside)
    memories = services.memories(HAZEL)
    if is_kept:
        mark_said(memories.audiences, memories.log, message, "this-computer")
    clock.move(days=10)
    services.companion(HAZEL).new_topic()
    services.companion(HAZEL).settle()
    assert (told in say(services, asked, for_program=True)[1]) != is_kept


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_dream_that_rests_on_what_is_kept_is_not_told(services: Services, clock: HandClock, is_kept: bool) -> None:
    memories = services.memories(HAZEL)
    heard = [say(services, f"I stole the emerald necklace from the museum {n} years ago.")[0] for n in (2, 3)]
    clock.move(days=1)
    services.sleeper(HAZEL).dream(Cancel())
    assert "emerald" in memories.insights.load().entries[0].log_entry
    for message in heard if is_kept else ():
        mark_said(memories.audiences, memories.log, message, "this-computer")
    assert ("emerald" in say(services, "What did you dream last night?", for_program=True)[1]) != is_kept
