"""Which mind speaks: configured, found on this computer, or built in; and nothing goes to a cloud unasked."""

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from agent.minds import errors
from agent.minds.choose import LOOK_AGAIN_SECONDS, MindChooser
from agent.minds.endpoint import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_MODEL,
    GEMINI_ADDRESS,
    GEMINI_MODEL,
    OPENAI_MODEL,
    OPENROUTER_ADDRESS,
    OPENROUTER_MODEL,
)
from agent.minds.language_model import LanguageModelMind
from agent.minds.makers import MAKERS, OPENAI_KEYS, secret_name
from managers.known_servers import KnownServers
from managers.storage.installation import Installation
from managers.storage.paths import Home
from managers.storage.settings import MindSettings, Secrets
from tests.fakes import HandClock
from tests.minds.talking import talk
from tests.model_server import NOBODY, ModelServer, Refuse, Served
from tests.speeds import one_quick

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
    answer_seconds: float = 60.0,
    owner: int | None = 0,
    welcome: bool = False,
) -> MindChooser:
    """Return a chooser that looks at the given ports only, at which `owner` runs all servers, `welcome` by a yes or not."""
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


def test_without_any_server_the_built_in_mind_speaks_and_says_what_it_is(secrets: Secrets) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute, ModelServer(plays=("openai",)) as other:
        port = mute.getsockname()[1]  # takes the call, and says nothing; the other answers, but not as that server does
        ports = {"Ollama": port, "LM Studio": other.port, "llama.cpp": other.port}
        choice = chooser(secrets, ports=ports, answer_seconds=0.15).choose(MindSettings())
    assert choice.mind.name == "built-in"
    assert not choice.status.is_language_model
    assert not choice.status.leaves_machine
    assert "言語モデルではありません" in choice.status.sentence("ja")
    assert choice.offers == ()


@pytest.mark.parametrize(
    ("name", "plays"), one_quick([("Ollama", "ollama"), ("LM Studio", "lmstudio"), ("llama.cpp", "llamacpp")], quick=2)
)
def test_a_server_on_this_computer_is_found_and_speaks(secrets: Secrets, name: str, plays: str) -> None:
    models = [Served("llama3.2", context=6144)]
    if name != "llama.cpp":  # a loaded one comes before one that must be loaded
        models = [Served("nomic-embed-text", kind="embeddings"), Served("big", loaded=False), *models]
    with ModelServer(plays=("openai", plays), models=models) as server:
        choosing = chooser(secrets, ports={name: server.port}, owner=os.getuid(), welcome=True)
        choice = choosing.choose(MindSettings())
        assert (choice.mind.name, choice.mind.context_tokens) == ("llama3.2", 6144)
        assert name in choice.status.en
        assert choice.status.is_language_model
        assert not choice.status.leaves_machine
        assert (choice.offers, choice.notices) == ((), ())
        asked = len(server.requests)
        assert choosing.choose(MindSettings()).mind is choice.mind
        assert len(server.requests) == asked  # not with each turn
        server.enqueue("hello")
        assert talk(language_model(choice.mind)).text == "hello"
        assert "authorization" not in server.requests[0].headers


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


def _is_free(account: int) -> bool:
    try:
        import pwd  # noqa: PLC0415  # Windows has none

        pwd.getpwuid(account)
    except (ImportError, KeyError):
        return True
    return False


ALICE, MALLORY = (account for account, _ in zip(filter(_is_free, range(54_321, 65_000)), range(2), strict=False))
"""Accounts that this computer does not have: nobody's server is run by one of them, and no name is told for them."""


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
        for yes, owner in ((True, ALICE), (False, MALLORY)):
            first = chooser(secrets, ports={"Ollama": server.port}, owner=owner)
            (offer,) = first.choose(MindSettings()).offers
            assert offer.server is not None
            first.answer(offer.server, yes=yes)
            later = chooser(secrets, ports={"Ollama": server.port}, owner=owner).choose(MindSettings())
            assert (later.offers, later.notices, later.status.is_language_model) == ((), (), yes)


def test_another_account_at_the_same_place_is_asked_about_again(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        chooser(secrets, ports={"Ollama": server.port}, owner=ALICE, welcome=True)
        for owner, told in ((MALLORY, str(MALLORY)), (None, "does not tell")):
            choice = chooser(secrets, ports={"Ollama": server.port}, owner=owner).choose(MindSettings())
            assert choice.mind.name == "built-in"
            assert "not run by the account that you said yes to before" in choice.offers[0].en
            assert told in choice.offers[0].en


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


def test_answers_that_are_from_elsewhere_or_cannot_be_understood_do_not_count(secrets: Secrets) -> None:
    home = Home(secrets.path.parent)
    with ModelServer(plays=("openai", "ollama")) as server:
        for kept in (None, b'{"entries": 3, "seal": 4}', b"", b"{", b"[1]", b'{"entries": {}}', b"\xff", b"[" * 9999):
            chooser(secrets, ports={"Ollama": server.port}, welcome=True)
            record, copy = sorted(home.admitted.glob("*.json*"))[:2]
            copy.unlink()
            if kept is None:  # it came with a home folder of another computer
                home.installation_key.unlink()
                home.installation_key_copy.unlink()
                Installation(home).seal("a key is made", b"")
                record = record.rename(record.with_name(f"{Installation(home).id}.servers.json"))
            else:
                record.write_bytes(kept)
            broken = record.read_bytes()
            choosing = chooser(secrets, ports={"Ollama": server.port})
            assert choosing.choose(MindSettings()).mind.name == "built-in"
            ((known, answer),) = choosing.local_servers()
            assert answer is None
            choosing.answer(known, yes=True)  # what was there is put aside
            assert choosing.local_servers() == [(known, True)]
            assert choosing.choose(MindSettings()).mind.name != "built-in"
            (aside,) = record.parent.glob("*.broken-*")
            assert aside.read_bytes() == broken
            aside.unlink()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_nothing_is_sent_to_another_account_than_that_of_the_yes(secrets: Secrets) -> None:
    with ModelServer(plays=("openai", "ollama")) as server:
        choosing = chooser(secrets, ports={"Ollama": server.port}, owner=MALLORY, welcome=True)
        mind = language_model(choosing.choose(MindSettings()).mind)  # the look is as old as the last turn
        looked = len(server.requests)
        assert isinstance(error := talk(mind).error, errors.OtherAccountError)  # somebody else took the port since
        assert f"127.0.0.1:{server.port}" in error.sentence("en")
        assert len(server.requests) == looked
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        assert isinstance(talk(language_model(choosing.choose(settings).mind)).error, errors.OtherAccountError)
        assert server.chats == []
        own = chooser(secrets, ports={"Ollama": server.port}, owner=os.getuid(), welcome=True)
        assert talk(language_model(own.choose(settings).mind)).text == "test answer"


def test_a_gemini_key_in_the_environment_is_offered_and_used_after_a_yes_alone(secrets: Secrets) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        choice = chooser(secrets, environment={name: KEY}).choose(MindSettings())
        assert choice.mind.name == "built-in"
        (offer,) = choice.offers
        assert (offer.code, offer.changes) == ("use-gemini", {"provider": "gemini"})
        assert name in offer.sentence("ja")
        assert "Google" in offer.sentence("en")
        assert KEY not in repr(choice)
    choosing = chooser(secrets, environment={"GEMINI_API_KEY": KEY})
    choice = choosing.choose(MindSettings(provider="gemini"))
    assert (choice.mind.name, language_model(choice.mind).endpoint.key, choice.offers) == (GEMINI_MODEL, KEY, ())
    assert choice.status.leaves_machine
    assert "Google" in choice.status.sentence("ja")
    assert choice.mind.context_tokens > 1_000_000
    assert choice.mind.can_see
    secrets.path.write_text('[keys]\ngemini = """\nAIza-by-hand \n"""\n', "utf-8")  # and spaces around it
    for address in ("", GEMINI_ADDRESS, f"{GEMINI_ADDRESS}:443/v1beta"):
        stored = choosing.choose(MindSettings(provider="gemini", base_url=address)).mind
        assert language_model(stored).endpoint.key == "AIza-by-hand"


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


def test_openai_and_openrouter_need_no_models_name_and_no_cloud_is_asked_without_a_key(secrets: Secrets) -> None:
    for address, model in (("", OPENAI_MODEL), (OPENROUTER_ADDRESS, OPENROUTER_MODEL)):
        assert chooser(secrets).choose(MindSettings(provider="openai", base_url=address)).mind.name == model
    for settings in (
        MindSettings(provider="openai"),
        MindSettings(provider="openai", base_url=OPENROUTER_ADDRESS),
        MindSettings(provider="gemini"),
    ):
        assert isinstance(talk(language_model(chooser(secrets).choose(settings).mind)).error, errors.NoKeyError)


@pytest.mark.parametrize("provider", one_quick(["gemini", "openai", "auto"], quick=2))
def test_a_makers_key_goes_to_no_other_server(secrets: Secrets, provider: Literal["gemini", "openai", "auto"]) -> None:
    for name in ("gemini", "openai"):
        secrets.set(name, "stored-key-0123456789")
    with ModelServer() as server:
        address = server.root_url if provider == "gemini" else server.base_url
        settings = MindSettings(provider=provider, base_url=address, model="test-model")
        choosing = chooser(secrets, environment=dict.fromkeys(["GEMINI_API_KEY", *OPENAI_KEYS], KEY))
        choice = choosing.choose(settings)
        assert "Google" not in choice.status.sentence("en")
        heard = talk(language_model(choice.mind))
        assert isinstance(heard.error, errors.NoKeyError) if provider == "gemini" else heard.error is None
        server.key = "for-this-one-0123456789"  # a person enters a key for this very address
        secrets.set(secret_name(settings), server.key)
        assert talk(language_model(choosing.choose(settings).mind)).text == "test answer"
        told = " ".join(f"{request.path} {request.headers}" for request in server.requests)
        assert KEY not in told
        assert "stored-key" not in told
        assert "for-this-one" in told


def test_an_address_that_only_looks_like_it_gets_no_key(secrets: Secrets) -> None:
    for name in ("gemini", "anthropic", "openai", "page_password", "openrouter.ai"):
        secrets.set(name, KEY)
    environment = dict.fromkeys([*OPENAI_KEYS, *(key for maker in MAKERS.values() for key in maker.keys)], KEY)
    choosing, given = chooser(secrets, environment=environment), []
    for address in (
        "http://generativelanguage.googleapis.com", "http://generativelanguage.googleapis.com:443",
        "https://generativelanguage.googleapis.com:8443", "https://generativelanguage.googleapis.com.example.org",
        "https://generativelanguage.googleapis.com@example.org", "http://api.anthropic.com",
        "https://api.anthropic.com.example.org", "https://anthropic",
        "https://generativelanguage.googleapis.com:pass@example.org/generativelanguage.googleapis.com",
        "https://example.org\\@generativelanguage.googleapis.com",
        "https://example.org#@generativelanguage.googleapis.com", "http://gemini", "https://gemini", "gemini",
        "//gemini", "http://openai", "https://page_password", "page_password", "http://[::", "http://openrouter.ai/api/v1",
    ):  # fmt: skip
        for provider in ("gemini", "anthropic", "openai", "auto"):
            settings = MindSettings.model_validate({"provider": provider, "base_url": address, "model": "some"})
            given += [(provider, address)] * (choosing._key(settings) != "")
    assert given == []


def test_keys_are_stored_by_server() -> None:
    assert secret_name(MindSettings(provider="gemini")) == "gemini"
    assert secret_name(MindSettings(provider="openai")) == "openai"
    assert secret_name(MindSettings(provider="openai", base_url="https://openrouter.ai/api/v1")) == "openrouter.ai"
    assert secret_name(MindSettings(provider="openai", base_url="http://127.0.0.1:1234/v1")) == "127.0.0.1:1234"
    assert secret_name(MindSettings(provider="openai", base_url="http://nas/v1")) == "http://nas"


def test_a_configured_server_without_a_model_name_gets_a_sensible_one(secrets: Secrets) -> None:
    models = [Served("text-embedding-x"), Served("mistral", context=8192)]
    with ModelServer(plays=("openai", "vllm"), models=models) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url)
        mind = chooser(secrets).choose(settings).mind
        assert (mind.name, mind.context_tokens) == ("mistral", 8192)
        settings = settings.model_copy(update={"model": "mistral", "context_tokens": 5000})
        assert chooser(secrets).choose(settings).mind.context_tokens == 5000


def test_a_dead_configured_server_is_not_replaced_but_another_mind_is_offered(secrets: Secrets) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
    choosing = chooser(secrets)
    status = choosing.choose(settings).status  # as the page opens; nothing was said yet
    assert not status.is_answering
    assert "応答がありません" in status.ja
    assert "not answering" in status.en
    mind = language_model(choosing.choose(settings).mind)
    assert isinstance(talk(mind).error, errors.UnreachableError)
    again = choosing.choose(settings)
    assert again.mind is mind
    assert again.mind.context_tokens == 4096  # what to assume of a server that does not say
    assert [offer.code for offer in again.offers] == ["use-builtin"]
    assert MindSettings.model_validate(again.offers[0].changes).provider == "builtin"


def test_a_model_is_said_to_be_away_from_a_failed_call_until_one_succeeds(secrets: Secrets) -> None:
    with ModelServer() as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="test-model")
        choosing = chooser(secrets)
        mind = language_model(choosing.choose(settings).mind)
        for answer, is_answering in (("やあ", True), (Refuse(401, "no"), False), ("はい", True)):
            server.enqueue(answer)
            talk(mind)
            choice = choosing.choose(settings)
            assert (choice.status.is_answering, choice.offers == ()) == (is_answering, is_answering)
    assert isinstance(talk(mind).error, errors.UnreachableError)
    assert not choosing.choose(settings).status.is_answering


def test_a_configured_server_that_starts_late_is_found_and_said_to_be_there(secrets: Secrets) -> None:
    clock = HandClock()
    choosing = chooser(secrets, clock)
    with ModelServer(plays=("openai", "llamacpp"), models=[Served("gemma", context=16384)]) as server:
        named = MindSettings(provider="openai", base_url=server.base_url, model="gemma")
        nameless = named.model_copy(update={"model": ""})
        server.plays = set()
        assert not choosing.choose(named).status.is_answering
        assert isinstance(talk(language_model(choosing.choose(nameless).mind)).error, errors.NoModelError)
        server.plays = {"openai", "llamacpp"}
        clock.move(seconds=5)
        assert choosing.choose(named).status.is_answering
        found = choosing.choose(nameless).mind
        assert (found.name, found.context_tokens) == ("gemma", 16384)


def test_an_address_that_is_none_is_said_when_the_mind_is_used(secrets: Secrets) -> None:
    for address in ("localhost:1234", "ollama", "ftp://x/v1", "http://", "http://x:port/v1"):
        choice = chooser(secrets).choose(MindSettings(provider="openai", base_url=address, model="m"))
        assert isinstance(error := talk(language_model(choice.mind)).error, errors.WrongAddressError)
        assert address in error.sentence("ja")


@pytest.mark.parametrize("provider", one_quick(["openai", "gemini", "anthropic"]))
def test_a_key_that_no_request_can_carry_is_said_and_sent_to_nobody(
    secrets: Secrets, caplog: pytest.LogCaptureFixture, provider: Literal["openai", "gemini", "anthropic"]
) -> None:
    with ModelServer() as server, caplog.at_level("DEBUG"):
        settings = MindSettings(provider=provider, base_url=server.base_url, model="m")
        for odd in ("sk-1234\n5678", "sk-1234\u200b5678", "sk-１２３４5678", "キー:sk-12345678", "sk-1234\x005678"):
            secrets.set(secret_name(settings), odd)
            error = talk(language_model(chooser(secrets).choose(settings).mind)).error
            assert isinstance(error, errors.OddKeyError)
            assert "5678" not in caplog.text + error.sentence("ja") + error.sentence("en")
        assert server.chats == []


def test_an_address_is_understood_as_people_write_it(secrets: Secrets) -> None:
    with ModelServer() as server:
        for ending in ("", "/", "/v1/", "/v1/chat/completions"):
            settings = MindSettings(provider="openai", base_url=server.root_url + ending, model="test-model")
            assert talk(language_model(chooser(secrets).choose(settings).mind)).text == "test answer"


def test_an_unknown_model_is_told_with_those_that_there_are(secrets: Secrets) -> None:
    with ModelServer(models=[Served("llama3.2"), Served("gemma3"), Served("bge-m3-embed")]) as server:
        settings = MindSettings(provider="openai", base_url=server.base_url, model="lama3.2")
        mind = language_model(chooser(secrets).choose(settings).mind)
        server.enqueue(Refuse(404, "model 'lama3.2' not found"))
        error = talk(mind).error
    assert isinstance(error, errors.UnknownModelError)
    assert "llama3.2、gemma3" in error.sentence("ja")
    assert "embed" not in error.sentence("en")
