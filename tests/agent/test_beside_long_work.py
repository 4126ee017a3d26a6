"""Whoever talks does not wait for work that takes long: it is stopped in its middle here, and goes on once one was heard."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from random import Random

import pytest

from agent.services import Services, open_services
from managers.mind import Cancel
from managers.storage.paths import Home
from tests.fakes import HandClock

NAME = "ながい"


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(4))
    services.settings_file.change("mind", provider="builtin")
    services.personas.create(NAME, language="ja")
    log = services.companion(NAME).memories.log
    for day in range(1, 4):
        time = clock.now() - timedelta(days=day)
        for number in range(6):
            log.append("user" if number % 2 == 0 else "persona", "花", f"{day}日前の海の話、その{number}。", time=time)
    services.companion(NAME).memories.recall.catch_up()
    yield services
    services.close()


def talk_during(services: Services, work: Callable[[Callable[[int, int], None]], object]) -> list[str]:
    """Say something in the middle of the work; return what the log held before the work could go on."""
    middle, heard = threading.Event(), threading.Event()
    went_on: list[bool] = []

    def stop_in_the_middle(_done: int, _total: int) -> None:
        if not middle.is_set():
            middle.set()
            went_on.append(heard.wait())

    working = threading.Thread(target=work, args=[stop_in_the_middle])
    working.start()
    middle.wait()
    companion = services.companion(NAME)
    list(companion.say("いま、聞こえる?").events())
    said = [message.text for message in companion.memories.log.tail(2)]
    heard.set()
    working.join()
    assert went_on == [True]
    companion.settle()
    return said


def test_one_can_talk_while_the_index_is_made_anew(services: Services) -> None:
    said = talk_during(services, services.companion(NAME).memories.recall.rebuild)
    assert said[0] == "いま、聞こえる?"
    assert said[1]
    hits = services.companion(NAME).memories.recall.search("海の話", 3)
    assert hits


def test_one_can_talk_while_it_dreams(services: Services) -> None:
    sleeper = services.sleeper(NAME)
    reports = []
    said = talk_during(
        services, lambda progress: reports.append(sleeper.dream(Cancel(), catch_up=True, progress=progress))
    )
    assert said[0] == "いま、聞こえる?"
    assert said[1]
    assert reports[0].changes
