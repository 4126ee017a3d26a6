"""What a server cannot do yet, or never, is waited for or done without, and said; what was measured of it is remembered."""

import re
from pathlib import Path

from agent.minds import errors
from agent.minds.choose import MindChooser
from agent.minds.endpoint import Endpoint
from agent.minds.language_model.answers import task_of
from agent.minds.makers import openai_mind
from agent.minds.measures import Measures
from agent.minds.protocol import Mind
from agent.prompt_prefix import prompt_room
from agent.tools import all_tools
from managers.known_servers import KnownServers
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import DayDraft
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import MindSettings, Secrets
from managers.storage.texts import table
from tests.fakes import HandClock
from tests.minds.talking import behind_openai, hear, pass_time, request, talk
from tests.model_server import NOBODY, ModelServer, Refuse, Say, Served

LOADS = [Refuse(503, "Loading model", "503"), Refuse(503, "Model x is currently loading")]


def test_a_model_that_is_being_loaded_is_waited_for_and_that_is_said_once(server: ModelServer) -> None:
    server.enqueue(*LOADS * 4, "はい")  # more often than a failure is tried again
    heard = talk(mind := behind_openai(server))
    assert (heard.text, [notice.code for notice in heard.notices]) == ("はい", ["mind-loads"])
    server.otherwise, cancel = LOADS[0], Cancel()
    for piece in mind.reply(request(), cancel):
        del piece
        cancel.set()
    pass_time(mind, lambda: True)
    assert isinstance(talk(mind).error, errors.StillLoadingError)
    assert len(server.chats) < 20


def test_where_a_template_takes_no_tools_none_are_offered_and_no_room_is_kept_for_them(server: ModelServer) -> None:
    mind, tools = behind_openai(server), all_tools().specs("en")
    room = prompt_room(mind, sheet := Sheet("Mia", "en", ""))
    assert prompt_room(mind.learn(takes_tools=False), sheet) > room + 500
    told = [notice.code for _ in range(2) for notice in talk(mind, request(tools=tools)).notices]
    assert (told, "tools" in server.chats[-1].body) == (["mind-without-tools"], False)
    assert prompt_room(mind.learn(takes_tools=True), sheet) == room


def test_nothing_answers_at_an_address_that_is_dead() -> None:
    dead = Endpoint("x", f"http://127.0.0.1:{NOBODY}/v1", "")
    assert f"127.0.0.1:{NOBODY}" in (
        error := talk(openai_mind(dead, MindSettings())).error or errors.MindError()
    ).sentence("en")
    assert isinstance(error, errors.UnreachableError)


def test_no_sentence_names_a_class() -> None:
    sources = "".join(file.read_text("utf-8") for file in (CHECKOUT / "agent").rglob("*.py"))
    forms = set(re.findall(r"\b([A-Z]\w+),\s+(?:lambda draft|language=)", sources))
    assert len(forms) > 8
    assert forms <= set(table("prompts/answer_forms")["task"])
    said = errors.InvalidAnswerError(model="m", reason="", **task_of(type("DayDraft", (DayDraft,), {}))).sentences
    assert (said["ja"].count("一日のまとめ"), said["en"].count("the memory of a day")) == (1, 1)


def test_what_was_measured_is_remembered_until_the_server_says_otherwise(tmp_path: Path) -> None:
    with ModelServer(plays=("openai", "llamacpp"), models=[Served("m", context=32768)]) as server:

        def chosen() -> Mind:
            secrets, servers = Secrets(tmp_path / "s.toml"), KnownServers(Home(tmp_path), HandClock())
            choosing = MindChooser(secrets, servers, warm_up=False, answer_seconds=60, measures=Measures(tmp_path))
            return choosing.choose(MindSettings(provider="openai", model="m", base_url=server.base_url)).mind

        first = chosen()
        assert first.context_tokens == 32768
        before = first.count_tokens("こんにちは" * 100)
        server.enqueue(Say("はい", usage=(150, 1)))
        hear(first.reply(request("こんにちは" * 50), Cancel()))
        assert first.count_tokens("こんにちは" * 100) < 0.8 * before
        server.plays = {"openai"}  # it lists its models, and tells no more of them
        again = chosen()
        assert (again.context_tokens, again.count_tokens("こんにちは")) == (32768, first.count_tokens("こんにちは"))
        server.plays, server.models = {"openai", "llamacpp"}, [Served("m", context=6144)]
        assert chosen().context_tokens == 6144
