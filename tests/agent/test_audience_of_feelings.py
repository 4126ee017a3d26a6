"""What was felt in a message that is for this computer only is told to no mind elsewhere, and its words are not quoted."""

from collections.abc import Iterator
from random import Random

import pytest

from agent.services import Services, open_services
from managers.hygiene.inventory import mark_said
from managers.sleep.autonomy import Occasion
from managers.storage.paths import Home
from tests.agent.test_audience import CLOUD, HERE, NEMU, say, sent, speak_through, told
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say

LOSS = "きのう、母の千代が亡くなった。涙が止まらない。"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture
def services(own_home: Home, clock: HandClock, server: ModelServer) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    speak_through(services, server, CLOUD)
    yield services
    services.close()


@pytest.mark.parametrize("model", [CLOUD, HERE])
def test_a_loss_that_is_kept_weighs_on_without_its_words(
    services: Services, server: ModelServer, clock: HandClock, model: str
) -> None:
    message = told(services, server, LOSS)
    memories = services.memories(NEMU)
    mark_said(memories.audiences, memories.log, message, "this-computer")
    speak_through(services, server, model)
    clock.move(minutes=5)
    server.enqueue(Say("うん。"))
    say(services, "きょうは曇りだね。")
    assert ("千代" in sent(server)) == (model == HERE)
    assert ("喪失の悲しみ" in sent(server)) == (model == HERE)


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_impulse_to_ask_after_a_kept_loss_comes_from_the_mind_of_this_computer(
    services: Services, server: ModelServer, clock: HandClock, is_kept: bool
) -> None:
    message = told(services, server, LOSS)
    memories, sleeper = services.memories(NEMU), services.sleeper(NEMU)
    if is_kept:
        mark_said(memories.audiences, memories.log, message, "this-computer")
    clock.move(minutes=20)
    reason = memories.inner_state.full_text("ja")
    assert "千代" in reason
    server.enqueue(Say("{}"), Say("{}"))
    sleeper._impulse(Occasion(memories.sheet(), "devotion", reason, clock.now()))
    assert ("千代" in sent(server)) != is_kept
