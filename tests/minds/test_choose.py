"""Which mind speaks: configured, found on this computer, or built in; and nothing goes to a cloud unasked."""

import os
import socket
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from agent.minds.choose import LOOK_AGAIN_SECONDS, MindChooser
from agent.minds.endpoint import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_MODEL,
    GEMINI_ADDRESS,
    GEMINI_MODEL,
    OPENAI_MODEL,
    OPENROUTER_ADDRESS,
    OPENROUTER_MODEL,
    Endpoint,
)
from agent.minds.errors import (
    NoKeyError,
    NoModelError,
    OddKeyError,
    OtherAccountError,
    UnknownModelError,
    UnreachableError,
    WrongAddressError,
)
from agent.minds.known_servers import KnownServers
from agent.minds.language_model import LanguageModelMind
from agent.minds.makers import MAKERS, OPENAI_KEYS, openai_mind, secret_name
from managers.storage.installation import Installation
from managers.storage.paths import Home
from managers.storage.settings import MindSettings, Secrets
from tests.fakes import HandClock
from tests.minds.talking import talk
from tests.model_server import NOBODY, ModelServer, Refuse, Served

KEY = "AIza-secret-key-from-the-environment"


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    return Secrets(tmp_path / "secrets.toml")


def chooser(
    secrets: Secrets,
    clock: HandClock | None = None,
    environment: dict[str, str] | None = None,
    *,
    ports: dict[str, int] | None = None,
    answer_seconds: float = 3.0,
    owner: int | None = 1000,
    welcome: bool = False,
) -> MindChooser:
    """Return a chooser that looks at the given ports only, and gives a busy test machine time.

    Args:
        secrets: the keys; the answers that were given about servers lie beside them.
        clock: what tells it how old a look is.
        environment: the environment's variables.
        ports: where servers are.
        answer_seconds: how long they are waited for.
        owner: the account that runs all of them, as the system tells.
        welcome: a yes was said to whoever is there.
    """
    choosing = MindChooser(
        secrets,
        KnownServers(Home(secrets.path.parent), HandClock()),
        ports={"Ollama": NOBODY, "LM Studio": NOBODY, "llama.cpp": NOBODY} | (ports or {}),
        environment=environment or {},
        monotonic=(clock or HandClock()).monotonic,
        answer_seconds=answer_seconds,
        warm_up=False,
        owner_of=lambda _host, _port: owner,
    )
    for server, _ in choosing.local_servers() if welcome else ():
        choosing.answer(server, yes=True)
    return choosing


def language_model(mind: object) -> LanguageModelMind:
    assert isinstance(mind, LanguageModelMind)
    return mind


# Auto


def test_without_any_server_the_built_in_mind_speaks_and_says_what_it_is(secrets: Secrets) -> None:
    choice = chooser(secrets).choose(MindSettings())
    assert choice.mind.name == "built-in"
    assert not choice.status.is_language_model
    assert not choice.status.leaves_machine
    assert "言語モデルではありません" in choice.status.sentence("ja")
    assert choice.offers == ()


def test_programs_that_do_not_answer_at_these_ports_are_not_waited_for(secrets: Secrets) -> None:
    chooser(secrets).choose(MindSettings())  # imports
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes the call, and says nothing
        port = mute.getsockname()[1]
        started = time.monotonic()
        choosing = chooser(secrets, ports={"Ollama": port, "LM Studio": port}, answer_seconds=0.15)
        assert choosing.choose(MindSettings()).mind.name == "built-in"
        assert time.monotonic() - started < 30  # they would be waited for without end


@pytest.mark.parametrize(
    ("name", "plays", "service"),
    [
        ("Ollama", ("openai", "ollama"), "Ollama"),
        ("LM Studio", ("openai", "lmstudio"), "LM Studio"),
        ("llama.cpp", ("openai", "llamacpp"), "llama.cpp"),
    ],
)
def test_a_server_on_this_computer_is_found_and_speaks(
    secrets: Secrets, name: str, plays: tuple[str, ...], service: str
) -> None:
    models = [Served("nomic-embed-text", kind="embeddings"), Served("llama3.2", context=6144)]
    if service == "llama.cpp":
        models = models[1:]
    with ModelServer(plays=plays, models=models) as server:
        choice = chooser(secrets, ports={name: server.port}, owner=os.getuid(), welcome=True).choose(MindSettings())
        assert choice.mind.name == "llama3.2"
        assert choice.mind.context_tokens == 6144
        assert service in choice.status.en
        assert choice.status.is_language_model
        assert not choice.status.leaves_machine
        server.enqueue("hello")
        assert talk(language_model(choice.mind)).text == "hello"
        assert "authorization" not in server.requests[0].headers
        assert choice.offers == ()
        assert choice.notices == ()


@pytest.mark.parametrize("name", ["Ollama", "LM Studio", "llama.cpp"])
def test_a_program_that_only_sits_at_the_port_is_not_taken_for_a_model(secrets: Secrets, name: str) -> None:
    with ModelServer(plays=("openai",)) as other:  # answers, but not as that server does
        choice = chooser(secrets, ports={name: other.port}).choose(MindSettings())
    assert choice.mind.name == "built-in"


def test_a_loaded_model_comes_before_one_that_must_be_loaded(secrets: Secrets) -> None:
    models = [Served("big", loaded=False), Served("small", loaded=True)]
    with ModelServer(plays=("openai", "ollama"), models=models) as server:
        choosing = chooser(secrets, ports={"Ollama": server.port}, welcome=True)
        assert choosing.choose(MindSettings()).mind.name == "small"
    with ModelServer(plays=("openai", "lmstudio"), models=models) as server:
        choosing = chooser(secrets, ports={"LM Studio": server.port}, welcome=True)
        assert choosing.choose(MindSettings()).mind.name == "small"


def test_models_that_only_seem_to_be_on_this_computer_are_not_taken_unasked(secrets: Secrets) -> None:
    elsewhere = [
        Served("gpt-oss:120b-cloud", loaded=False),
        Served("kimi", loaded=False, extra={"remote_host": "https://ollama.com:443"}),
    ]
    with ModelServer(plays=("openai", "ollama"), models=elsewhere) as server:
        assert chooser(secrets, ports={"Ollama": server.port}).choose(MindSettings()).mind.name == "built-in"
        settings = MindSettings(provider="openai", base_url=server.base_url, model="gpt-oss:120b-cloud")
        status = chooser(secrets).choose(settings).status
    assert status.leaves_machine
    assert "このコンピューターの外" in status.ja


def test_the_servers_are_not_asked_each_turn(secrets: Secrets) -> None:
    clock = HandClock()
    with ModelServer(plays=("openai", "ollama")) as server:
        choosing = chooser(secrets, clock, ports={"Ollama": server.port}, welcome=True)
        first = choosing.choose(MindSettings())
        asked = len(server.requests)
        for _ in range(20):
            assert choosing.choose(MindSettings()).mind is first.mind
        assert len(server.requests) == asked


def test_a_server_that_comes_or_goes_is_noticed_beside_the_users_path(secrets: Secrets) -> None:
    clock = HandClock()
    with ModelServer(plays=("openai", "ollama")) as server:
        port = server.port
        choosing = chooser(secrets, clock, ports={"Ollama": port}, welcome=True)
        speaking = choosing.choose(MindSettings()).mind
        clock.move(seconds=LOOK_AGAIN_SECONDS + 1)
        assert choosing.choose(MindSettings()).mind is speaking
        choosing.settle()
        assert choosing.choose(MindSettings()).mind is speaking  # still there: the same mind, with all it learned
    clock.move(seconds=LOOK_AGAIN_SECONDS + 1)
    assert choosing.choose(MindSettings()).mind is speaking  # answers at once ...
    choosing.settle()
    assert choosing.choose(MindSettings()).mind.name == "built-in"  # ... and knows better the next time


# A server that nobody was asked about

ALICE, MALLORY = 1000, 1001


def test_a_server_that_is_found_is_asked_about_by_name_and_owner_and_not_spoken_to(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        choosing = chooser(secrets, ports={"Ollama": server.port}, owner=0)
        choice = choosing.choose(MindSettings())
        assert choice.mind.name == "built-in"
        (offer,) = choice.offers
        for words in (f"127.0.0.1:{server.port}", "Ollama"):
            assert words in offer.sentence("ja")
            assert words in offer.sentence("en")
            assert words in choice.notices[0].sentence("en")
        assert "run by your own account" in offer.en or "run by the account “root”" in offer.en
        assert server.chats == []
        assert offer.server is not None
        choosing.answer(offer.server, yes=True)
        again = choosing.choose(MindSettings())
        assert language_model(again.mind).endpoint.service == "Ollama"
        assert again.offers == ()
        assert again.notices == ()


def test_it_is_asked_about_once(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        for yes in (True, False):
            first = chooser(secrets, ports={"Ollama": server.port}, owner=ALICE + yes)
            (offer,) = first.choose(MindSettings()).offers
            assert offer.server is not None
            first.answer(offer.server, yes=yes)
            later = chooser(secrets, ports={"Ollama": server.port}, owner=ALICE + yes).choose(MindSettings())
            assert later.offers == ()
            assert later.notices == ()
            assert later.status.is_language_model is yes


@pytest.mark.parametrize("owner", [MALLORY, None])
def test_another_account_at_the_same_place_is_asked_about_again(secrets: Secrets, owner: int | None) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        chooser(secrets, ports={"Ollama": server.port}, owner=ALICE, welcome=True)
        choice = chooser(secrets, ports={"Ollama": server.port}, owner=owner).choose(MindSettings())
        assert choice.mind.name == "built-in"
        assert "not run by the account that you said yes to before" in choice.offers[0].en
        assert "does not tell" in choice.offers[0].en or str(owner) in choice.offers[0].en


def test_a_server_that_was_refused_makes_room_for_the_next(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as one, ModelServer(plays=("openai", "lmstudio")) as other:
        choosing = chooser(secrets, ports={"Ollama": one.port, "LM Studio": other.port})
        asked = []
        while offers := choosing.choose(MindSettings()).offers:
            assert offers[0].server is not None
            asked.append(offers[0].server.service)
            choosing.answer(offers[0].server, yes=False)
        assert asked == ["Ollama", "LM Studio"]
        ((_, _), (welcome, _)) = choosing.local_servers()
        choosing.answer(welcome, yes=True)
        assert language_model(choosing.choose(MindSettings()).mind).endpoint.service == "LM Studio"


def test_answers_that_came_with_a_home_folder_from_elsewhere_do_not_count(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        chooser(secrets, ports={"Ollama": server.port}, welcome=True)
        (secrets.path.parent / ".installation.key").write_text("0" * 64)
        for record in (secrets.path.parent / ".admitted").iterdir():
            record.rename(record.with_name(f"{Installation(Home(secrets.path.parent)).id}.servers.json"))
        choosing = chooser(secrets, ports={"Ollama": server.port})
        assert choosing.choose(MindSettings()).mind.name == "built-in"
        (offer,) = choosing.choose(MindSettings()).offers
        assert offer.server is not None
        choosing.answer(offer.server, yes=True)  # what was there is put aside
        assert choosing.choose(MindSettings()).mind.name != "built-in"


@pytest.mark.parametrize(
    "kept", [b"", b"{", b"[1]", b'{"entries": 3, "seal": 4}', b'{"entries": {}}', b"\xff", b"[" * 9999]
)
def test_answers_that_cannot_be_understood_are_none(secrets: Secrets, kept: bytes) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        chooser(secrets, ports={"Ollama": server.port}, welcome=True)
        (record,) = (secrets.path.parent / ".admitted").iterdir()
        record.write_bytes(kept)
        choosing = chooser(secrets, ports={"Ollama": server.port})
        assert choosing.choose(MindSettings()).mind.name == "built-in"
        ((known, answer),) = choosing.local_servers()
        assert answer is None
        choosing.answer(known, yes=True)
        assert choosing.local_servers() == [(known, True)]
        aside = [path for path in record.parent.iterdir() if ".broken-" in path.name]
        assert [path.read_bytes() for path in aside] == [kept]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_nothing_is_sent_to_whoever_took_the_port_since(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        choosing = chooser(secrets, ports={"Ollama": server.port}, owner=os.getuid() + 1, welcome=True)
        mind = language_model(choosing.choose(MindSettings()).mind)  # the look is as old as the last turn
        looked = len(server.requests)
        error = talk(mind).error
        assert isinstance(error, OtherAccountError)
        assert f"127.0.0.1:{server.port}" in error.sentence("en")
        assert len(server.requests) == looked
        endpoint = Endpoint("Ollama", server.base_url, "test-model", account=os.getuid())
        assert talk(openai_mind(endpoint, MindSettings())).text == "test answer"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_an_address_in_the_settings_is_spoken_to_under_the_account_of_the_yes_alone(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        choosing = chooser(secrets, ports={"Ollama": server.port}, owner=os.getuid() + 1, welcome=True)
        assert isinstance(talk(language_model(choosing.choose(settings).mind)).error, OtherAccountError)
        assert server.chats == []
        own = chooser(secrets, ports={"Ollama": server.port}, owner=os.getuid(), welcome=True)
        assert talk(language_model(own.choose(settings).mind)).text == "test answer"


# A key in the environment


def test_a_gemini_key_in_the_environment_is_offered_and_not_used(secrets: Secrets) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        choice = chooser(secrets, environment={name: KEY}).choose(MindSettings())
        assert choice.mind.name == "built-in"
        (offer,) = choice.offers
        assert offer.code == "use-gemini"
        assert name in offer.sentence("ja")
        assert "Google" in offer.sentence("en")
        assert offer.changes == {"provider": "gemini"}
        assert KEY not in repr(choice)


def test_a_key_of_anthropic_is_offered_and_used_in_the_same_way(secrets: Secrets) -> None:
    choosing = chooser(secrets, environment={"ANTHROPIC_API_KEY": KEY})
    (offer,) = choosing.choose(MindSettings()).offers
    assert (offer.code, offer.changes) == ("use-anthropic", {"provider": "anthropic"})
    assert "Anthropic" in offer.sentence("ja")
    choice = choosing.choose(MindSettings(provider="anthropic"))
    endpoint = language_model(choice.mind).endpoint
    assert (endpoint.model, endpoint.key, endpoint.address) == (ANTHROPIC_MODEL, KEY, ANTHROPIC_ADDRESS)
    assert choice.status.leaves_machine
    assert choice.mind.context_tokens == 1_000_000
    assert choice.mind.can_see
    secrets.set("anthropic", "stored-key-0123456789")
    stored = choosing.choose(MindSettings(provider="anthropic", base_url=f"{ANTHROPIC_ADDRESS}/v1")).mind
    assert language_model(stored).endpoint == replace(endpoint, key="stored-key-0123456789")


def test_openai_and_openrouter_need_no_models_name(secrets: Secrets) -> None:
    for address, model in (("", OPENAI_MODEL), (OPENROUTER_ADDRESS, OPENROUTER_MODEL)):
        settings = MindSettings(provider="openai", base_url=address)
        mind = language_model(chooser(secrets).choose(settings).mind)
        assert mind.name == model
        assert isinstance(talk(mind).error, NoKeyError)  # said before anything is sent


def test_after_a_yes_it_is_used_for_google(secrets: Secrets) -> None:
    choice = chooser(secrets, environment={"GEMINI_API_KEY": KEY}).choose(MindSettings(provider="gemini"))
    assert choice.mind.name == GEMINI_MODEL
    assert language_model(choice.mind).endpoint.key == KEY
    assert choice.offers == ()


def test_gemini_says_that_it_leaves_the_machine(secrets: Secrets) -> None:
    secrets.set("gemini", KEY)
    choice = chooser(secrets).choose(MindSettings(provider="gemini"))
    assert choice.status.leaves_machine
    assert "Google" in choice.status.sentence("ja")
    assert choice.mind.context_tokens > 1_000_000
    assert choice.mind.can_see


def test_a_stored_key_comes_before_the_environments(secrets: Secrets) -> None:
    secrets.set("gemini", "stored-key-0123456789")
    choosing = chooser(secrets, environment={"GEMINI_API_KEY": KEY})
    for address in ("", GEMINI_ADDRESS, f"{GEMINI_ADDRESS}:443/v1beta"):
        choice = choosing.choose(MindSettings(provider="gemini", base_url=address))
        assert language_model(choice.mind).endpoint.key == "stored-key-0123456789"


def test_geminis_key_never_goes_to_another_server(secrets: Secrets) -> None:
    secrets.set("gemini", "stored-key-0123456789")
    with ModelServer() as server:
        settings = MindSettings(provider="gemini", base_url=server.root_url)
        choosing = chooser(secrets, environment={"GEMINI_API_KEY": KEY})
        choice = choosing.choose(settings)
        assert "Google" not in choice.status.sentence("en")
        assert isinstance(talk(language_model(choice.mind)).error, NoKeyError)
        assert server.requests == []
        secrets.set(secret_name(settings), "for-this-one-0123456789")  # a person enters a key for this very address
        assert talk(language_model(choosing.choose(settings).mind)).text == "test answer"
        for request in server.requests:
            told = f"{request.path} {request.headers}"
            assert KEY not in told
            assert "stored-key" not in told
            assert "for-this-one" in told


@pytest.mark.parametrize(
    "address",
    [
        "http://generativelanguage.googleapis.com",
        "http://generativelanguage.googleapis.com:443",
        "https://generativelanguage.googleapis.com:8443",
        "https://generativelanguage.googleapis.com.example.org",
        "https://generativelanguage.googleapis.com@example.org",
        "http://api.anthropic.com",
        "https://api.anthropic.com.example.org",
        "https://anthropic",
        "https://generativelanguage.googleapis.com:pass@example.org/generativelanguage.googleapis.com",
        "https://example.org\\@generativelanguage.googleapis.com",
        "https://example.org#@generativelanguage.googleapis.com",
        "http://gemini",
        "https://gemini",
        "gemini",
        "//gemini",
        "http://openai",
        "https://page_password",
        "page_password",
        "http://[::",
        "http://openrouter.ai/api/v1",
    ],
)
@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai", "auto"])
def test_an_address_that_only_looks_like_it_gets_no_key(
    secrets: Secrets, address: str, provider: Literal["gemini", "anthropic", "openai", "auto"]
) -> None:
    for name in ("gemini", "anthropic", "openai", "page_password", "openrouter.ai"):
        secrets.set(name, KEY)
    environment = dict.fromkeys([*OPENAI_KEYS, *(key for maker in MAKERS.values() for key in maker.keys)], KEY)
    settings = MindSettings(provider=provider, base_url=address, model="some")
    assert chooser(secrets, environment=environment)._key(settings) == ""


@pytest.mark.parametrize("provider", ["openai", "auto"])
def test_openais_key_from_the_environment_never_goes_to_another_server(
    secrets: Secrets, provider: Literal["openai", "auto"]
) -> None:
    secrets.set("openai", "sk-openai-0123456789")
    with ModelServer() as server:
        settings = MindSettings(provider=provider, base_url=server.base_url, model="test-model")
        choice = chooser(secrets, environment={"OPENAI_API_KEY": KEY}).choose(settings)
        assert talk(language_model(choice.mind)).error is None
        for request in server.requests:
            assert KEY not in str(request.headers)
            assert "sk-openai" not in str(request.headers)


def test_keys_are_stored_by_server() -> None:
    assert secret_name(MindSettings(provider="gemini")) == "gemini"
    assert secret_name(MindSettings(provider="openai")) == "openai"
    assert secret_name(MindSettings(provider="openai", base_url="https://openrouter.ai/api/v1")) == "openrouter.ai"
    assert secret_name(MindSettings(provider="openai", base_url="http://127.0.0.1:1234/v1")) == "127.0.0.1:1234"
    assert secret_name(MindSettings(provider="openai", base_url="http://nas/v1")) == "http://nas"


# A configured server


def test_the_key_of_the_configured_server_is_sent(secrets: Secrets) -> None:
    with ModelServer() as server:
        server.key = "sk-local-0123456789"
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        secrets.set(secret_name(settings), server.key)
        choice = chooser(secrets).choose(settings)
        assert talk(language_model(choice.mind)).text == "test answer"


def test_a_configured_server_without_a_model_name_gets_a_sensible_one(secrets: Secrets) -> None:
    models = [Served("text-embedding-x"), Served("mistral", context=8192)]
    with ModelServer(plays=("openai", "vllm"), models=models) as server:
        choice = chooser(secrets).choose(MindSettings(provider="openai", base_url=server.base_url))
        assert choice.mind.name == "mistral"
        assert choice.mind.context_tokens == 8192


def test_a_context_length_in_the_settings_comes_before_what_the_server_says(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama"), models=[Served("m", context=32768)]) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="m", context_tokens=5000)
        assert chooser(secrets).choose(settings).mind.context_tokens == 5000


def test_a_dead_configured_server_is_not_replaced_but_another_mind_is_offered(secrets: Secrets) -> None:
    clock = HandClock()
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
    choosing = chooser(secrets, clock)
    mind = language_model(choosing.choose(settings).mind)
    assert isinstance(talk(mind).error, UnreachableError)
    again = choosing.choose(settings)
    assert again.mind is mind
    assert again.mind.context_tokens == 4096  # what to assume of a server that does not say
    assert [offer.code for offer in again.offers] == ["use-builtin"]
    assert MindSettings.model_validate(again.offers[0].changes).provider == "builtin"


def test_it_is_said_at_once_that_a_server_on_this_computer_is_not_there(secrets: Secrets) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
    status = chooser(secrets).choose(settings).status  # as the page opens; nothing was said yet
    assert not status.is_answering
    assert "応答がありません" in status.ja
    assert "not answering" in status.en


def test_a_model_is_said_to_be_away_from_a_failed_call_until_one_succeeds(secrets: Secrets) -> None:
    clock = HandClock()
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        choosing = chooser(secrets, clock)
        mind = language_model(choosing.choose(settings).mind)
        assert talk(mind).text == "test answer"
        assert choosing.choose(settings).status.is_answering
        server.enqueue(Refuse(401, "no"), "はい")
        talk(mind)
        assert not choosing.choose(settings).status.is_answering
        assert talk(mind).text == "はい"
        assert choosing.choose(settings).status.is_answering
    assert isinstance(talk(mind).error, UnreachableError)
    assert not choosing.choose(settings).status.is_answering


def test_a_server_that_lists_nothing_is_not_said_to_be_away_when_it_talks(secrets: Secrets) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        server.plays = set()  # no list of models, no description
        choosing = chooser(secrets)
        choosing.choose(settings)
        server.plays = {"openai"}
        talk(language_model(choosing.choose(settings).mind))
        assert choosing.choose(settings).status.is_answering


def test_a_server_that_is_back_is_no_longer_said_to_be_away(secrets: Secrets) -> None:
    clock = HandClock()
    with ModelServer(plays=("openai", "llamacpp"), models=[Served("gemma", context=16384)]) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="gemma")
        choosing = chooser(secrets, clock)
        server.plays = set()
        assert not choosing.choose(settings).status.is_answering
        server.plays = {"openai", "llamacpp"}
        clock.move(seconds=5)
        assert choosing.choose(settings).status.is_answering


def test_a_model_that_answers_again_is_offered_no_other(secrets: Secrets) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        choosing = chooser(secrets)
        mind = language_model(choosing.choose(settings).mind)
        server.enqueue(Refuse(401, "no"), "はい")
        talk(mind)
        assert choosing.choose(settings).offers != ()
        talk(mind)
        assert choosing.choose(settings).offers == ()


def test_a_configured_server_that_starts_late_is_found(secrets: Secrets) -> None:
    clock = HandClock()
    choosing = chooser(secrets, clock)
    with ModelServer(plays=("openai", "llamacpp"), models=[Served("gemma", context=16384)]) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url)
        server.plays = set()
        assert isinstance(talk(language_model(choosing.choose(settings).mind)).error, NoModelError)
        server.plays = {"openai", "llamacpp"}
        clock.move(seconds=5)
        found = choosing.choose(settings).mind
        assert (found.name, found.context_tokens) == ("gemma", 16384)


@pytest.mark.parametrize("address", ["localhost:1234", "ollama", "ftp://x/v1", "http://", "http://x:port/v1"])
def test_an_address_that_is_none_is_said_when_the_mind_is_used(secrets: Secrets, address: str) -> None:
    choice = chooser(secrets).choose(MindSettings(provider="openai", base_url=address, model="m"))
    error = talk(language_model(choice.mind)).error
    assert isinstance(error, WrongAddressError)
    assert address in error.sentence("ja")


@pytest.mark.parametrize(
    "odd", ["sk-1234\n5678", "sk-1234\u200b5678", "sk-１２３４5678", "キー:sk-12345678", "sk-1234\x005678"]
)
@pytest.mark.parametrize("provider", ["openai", "gemini", "anthropic"])
def test_a_key_that_no_request_can_carry_is_said_and_sent_to_nobody(
    secrets: Secrets, caplog: pytest.LogCaptureFixture, provider: Literal["openai", "gemini", "anthropic"], odd: str
) -> None:
    with ModelServer() as server, caplog.at_level("DEBUG"):
        settings = MindSettings(provider=provider, base_url=server.base_url, model="m")
        secrets.set(secret_name(settings), odd)
        error = talk(language_model(chooser(secrets).choose(settings).mind)).error
        assert isinstance(error, OddKeyError)
        assert server.chats == []
    assert "5678" not in caplog.text + error.sentence("ja") + error.sentence("en")


def test_spaces_around_a_key_that_was_written_by_hand_are_none_of_it(secrets: Secrets) -> None:
    secrets.path.write_text('[keys]\ngemini = """\nAIza-by-hand \n"""\n', "utf-8")
    endpoint = language_model(chooser(secrets).choose(MindSettings(provider="gemini")).mind).endpoint
    assert endpoint.key == "AIza-by-hand"


@pytest.mark.parametrize("ending", ["", "/", "/v1/", "/v1/chat/completions"])
def test_an_address_is_understood_as_people_write_it(secrets: Secrets, ending: str) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.root_url + ending, model="test-model")
        assert talk(language_model(chooser(secrets).choose(settings).mind)).text == "test answer"


def test_a_cloud_without_a_key_says_so(secrets: Secrets) -> None:
    for settings in (MindSettings(provider="openai", model="gpt-5-mini"), MindSettings(provider="gemini")):
        mind = language_model(chooser(secrets).choose(settings).mind)
        assert isinstance(talk(mind).error, NoKeyError)


def test_an_unknown_model_is_told_with_those_that_there_are(secrets: Secrets) -> None:
    with ModelServer(models=[Served("llama3.2"), Served("gemma3"), Served("bge-m3-embed")]) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="lama3.2")
        mind = language_model(chooser(secrets).choose(settings).mind)
        server.enqueue(Refuse(404, "model 'lama3.2' not found"))
        error = talk(mind).error
    assert isinstance(error, UnknownModelError)
    assert "llama3.2、gemma3" in error.sentence("ja")
    assert "embed" not in error.sentence("en")


def test_the_small_model_does_inner_work_where_one_is_set(secrets: Secrets) -> None:
    secrets.set("gemini", KEY)
    choosing = chooser(secrets)
    settings = MindSettings(provider="gemini", internal_processing_model="gemini-2.5-flash-lite")
    assert choosing.choose_small(settings).mind.name == "gemini-2.5-flash-lite"
    assert choosing.choose(settings).mind.name == GEMINI_MODEL
    assert choosing.choose_small(MindSettings(provider="gemini")).mind.name == GEMINI_MODEL


def test_the_library_is_loaded_before_the_first_message(secrets: Secrets, tmp_path: Path) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        mind = language_model(
            MindChooser(secrets, KnownServers(Home(tmp_path), HandClock()), environment={}).choose(settings).mind
        )
        for thread in threading.enumerate():
            if thread.name == "mind-warmer":
                thread.join()
        assert mind._model.client is not None
        assert server.chats == []
