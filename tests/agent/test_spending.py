"""What models may cost: a cap in the middle of a talk or a dream, the word in time, each persona's own mind."""

from datetime import timedelta

import pytest

from agent.events import Failed, Noticed, Received, Replied
from agent.services import Services
from managers.mind import Cancel
from managers.usage.errors import CapReachedError
from tests.agent.conftest import HERE, NEMU, say, speak_through
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say


@pytest.fixture
def services(services: Services, server: ModelServer) -> Services:
    speak_through(services, server, HERE)
    return services


def test_each_call_is_noted_for_its_persona_and_no_word_off_the_record(services: Services, server: ModelServer) -> None:
    server.enqueue(Say("うん。", usage=(700, 5)), Say("ひみつだね。", usage=(800, 5)))
    say(services, "やあ")
    say(services, "ここだけの話", off_record=True)
    calls = [(call.persona, call.purpose, call.model, call.tokens) for call in services.meter.ledger.calls()]
    assert sorted(calls) == [(NEMU, "talk", "test-model", 705), (NEMU, "talk", "test-model", 805)]
    assert "ここだけ" not in services.meter.ledger.months()[0].read_text("utf-8")


def test_at_a_cap_the_message_is_safe_and_one_sentence_says_what_to_do(services: Services, server: ModelServer) -> None:
    services.settings_file.change("usage", day_tokens=600)
    events = say(services, "聞いてほしいことがあるんだ。")
    assert isinstance(events[0], Received)
    assert services.companion(NEMU).memories.log.tail(1)[-1].text == "聞いてほしいことがあるんだ。"
    (failed,) = [event for event in events if isinstance(event, Failed)]
    assert isinstance(failed.error, CapReachedError)
    assert "今日の上限(600 トークン)" in failed.error.sentence("ja")
    assert server.chats == []
    # A click lets the built-in mind answer this once; nobody is asked for anything.
    turn = services.companion(NEMU).regenerate(built_in=True)
    (replied,) = [event for event in turn.events() if isinstance(event, Replied)]
    assert replied.message.mind == "built-in"
    assert server.chats == []
    # And with the cap raised, the model speaks again.
    services.settings_file.change("usage", day_tokens=100_000)
    server.enqueue("うん、聞くよ。")
    turn = services.companion(NEMU).regenerate()
    (replied,) = [event for event in turn.events() if isinstance(event, Replied)]
    assert replied.message.mind == "test-model"


def test_the_built_in_speaks_if_so_set_and_it_shows(services: Services, server: ModelServer, clock: HandClock) -> None:
    services.settings_file.change("usage", day_tokens=20_000, answer_tokens=10_000, when_reached="builtin")
    server.enqueue(Say("うん。", usage=(9_500, 9_900)))
    assert services.companion(NEMU).mind_status().is_language_model
    say(services, "やあ")
    events = say(services, "きょうは雨だね。")
    (replied,) = [event for event in events if isinstance(event, Replied)]
    assert replied.message.mind == "built-in"
    assert [event.notice.code for event in events if isinstance(event, Noticed)][-1] == "usage-stand-in"
    assert len(server.chats) == 1
    status = services.companion(NEMU).mind_status()
    assert not status.is_language_model
    assert "cap" in status.en
    clock.move(days=1)
    assert services.companion(NEMU).mind_status().is_language_model


def test_at_a_cap_the_built_in_dreams_to_be_redone(services: Services, server: ModelServer, clock: HandClock) -> None:
    services.settings_file.change("usage", persona_day_tokens=600)
    memories = services.companion(NEMU).memories
    yesterday = clock.now() - timedelta(days=1)
    for number, text in enumerate(("来週は京都の貴船神社に行く予定です。", "日商簿記の勉強を始めました。")):
        memories.log.append("user", "花", text, time=yesterday + timedelta(minutes=number))
    report = services.sleeper(NEMU).dream(Cancel())
    assert server.chats == []
    assert {failure.task for failure in report.failures} >= {"episode", "entities"}
    assert all(isinstance(failure.error, CapReachedError) for failure in report.failures)
    assert (episode := memories.episodes.get(yesterday.date())) is not None
    assert (episode.mind, episode.redo) == ("built-in", True)
    assert services.sleeper(NEMU).pending_days() == [yesterday.date()]


@pytest.mark.slow
def test_a_persona_has_a_mind_and_a_server_of_its_own(services: Services, server: ModelServer) -> None:
    with ModelServer(plays=("openai",)) as own:
        services.secrets.set(f"127.0.0.1:{own.port}", "sk-the-other-one")
        services.personas.set_settings(NEMU, "mind", provider="openai", base_url=own.base_url, model="hers")
        own.enqueue("うん。")
        server.enqueue("Mm.")
        assert say(services, "やあ")
        assert say(services, "Hello", "Hazel")
        assert [chat.body["model"] for chat in own.chats] == ["hers"]
        assert own.chats[0].headers["authorization"] == "Bearer sk-the-other-one"
        assert [chat.body["model"] for chat in server.chats] == ["test-model"]
        assert "sk-the-other-one" not in str(server.chats[0].headers)
        assert services.companion(NEMU).mind_status().name == "hers"
        assert services.companion("Hazel").mind_status().name == "test-model"
    assert {(c.persona, c.model) for c in services.meter.ledger.calls()} == {(NEMU, "hers"), ("Hazel", "test-model")}


def test_everybodys_caps_cannot_be_loosened_by_a_persona(services: Services) -> None:
    services.settings_file.change("usage", day_tokens=1_000, persona_day_tokens=800, when_reached="stop")
    services.personas.set_settings(NEMU, "usage", day_tokens=9_000, persona_day_tokens=500, when_reached="builtin")
    limits = services.meter.limits(NEMU)
    assert (limits.day_tokens, limits.persona_day_tokens, limits.when_reached) == (1_000, 500, "builtin")
