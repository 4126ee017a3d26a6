"""Who gets in, and what every answer of the server carries."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from agent.errors import PasswordNeededError, PortInUseError
from agent.services import Services, open_services
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from ui.gate import Gate
from ui.server import _listen, create_app, launch


def client(password: str, base: str = "http://127.0.0.1:7860") -> TestClient:
    async def home(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("inside")

    app = Starlette(routes=[Route("/", home), Route("/page/moon.svg", home), Route("/personas/a/revision", home)])
    return TestClient(Gate(app, password), base_url=base, follow_redirects=False)


@pytest.mark.parametrize("host", ["127.0.0.1:7860", "localhost:7860", "[::1]:7860", "LOCALHOST"])
def test_loopback_names_are_answered(host: str) -> None:
    assert client("").get("/", headers={"host": host}).text == "inside"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7860", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_another_name_for_our_address_is_not(host: str) -> None:
    answer = client("").get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "inside" not in answer.text


def test_without_the_password_there_is_only_the_login_page() -> None:
    browser = client("ひみつ")
    page = browser.get("/", headers={"accept": "text/html", "accept-language": "ja"})
    assert page.status_code == 401
    assert "合言葉" in page.text
    assert browser.get("/personas/a/revision").status_code == 401
    assert browser.get("/page/moon.svg").status_code == 200


def test_the_password_opens_and_a_wrong_one_does_not() -> None:
    browser = client("ひみつ")
    assert browser.post("/login", data={"password": "ひみ"}).status_code == 401
    assert browser.get("/").status_code == 401
    assert browser.post("/login", data={"password": "ひみつ"}).status_code == 303
    assert browser.get("/").text == "inside"


def test_guessing_many_at_once_is_no_faster() -> None:
    """While one wrong password is being answered, another one from there is not even looked at."""
    browser = client("ひみつ")
    with browser, ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda n: browser.post("/login", data={"password": str(n)}).status_code, range(8)))
        assert sorted(answers) == [401, *[429] * 7]
        assert browser.post("/login", data={"password": "ひみつ"}).status_code == 303


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:3000", "http://127.0.0.1:1", "null"])
@pytest.mark.parametrize("site", [{}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}])
def test_a_page_from_elsewhere_is_not_answered(origin: str, site: dict[str, str]) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = client("").request(method, "/", headers={"origin": origin, **site})
        assert answer.status_code == 403
        assert "inside" not in answer.text


def test_our_own_page_is_answered_also_behind_a_proxy_and_so_is_a_link_to_it() -> None:
    browser = client("")
    assert browser.get("/", headers={"origin": "http://127.0.0.1:7860"}).text == "inside"
    behind = {"origin": "https://home.example", "sec-fetch-site": "same-origin"}
    assert browser.get("/", headers=behind).text == "inside"
    assert browser.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}).text == "inside"


def test_the_login_form_shows_no_origin() -> None:
    """Browsers say `null` for the form of a page whose policy is to tell no referrer."""
    browser = client("ひみつ", "http://192.168.1.5:7860")
    assert browser.post("/login", data={"password": "ひみつ"}, headers={"origin": "null"}).status_code == 303


def test_a_made_up_key_is_no_key() -> None:
    browser = client("ひみつ")
    browser.cookies.set("utatane_key", "guess")
    assert browser.get("/").status_code == 401


def test_a_login_form_is_small() -> None:
    assert client("x").post("/login", data={"password": "x" * 10_000}).status_code == 401


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    services = open_services(Home(tmp_path), SystemClock(), Random(1))
    yield services
    services.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Services]]:
    services = open_services(Home(tmp_path_factory.mktemp("home")), SystemClock(), Random(1))
    yield TestClient(create_app(services), base_url="http://127.0.0.1", follow_redirects=False), services
    services.close()


Served = tuple[TestClient, Services]


def test_other_machines_need_a_password(services: Services) -> None:
    with pytest.raises(PasswordNeededError):
        launch(services, "0.0.0.0", 0)


def test_a_taken_port_is_named(services: Services) -> None:
    taken = _listen("127.0.0.1", 0)
    with pytest.raises(PortInUseError, match=str(taken.getsockname()[1])):
        launch(services, "127.0.0.1", taken.getsockname()[1])
    taken.close()


@pytest.mark.parametrize(("language", "path"), [("ja,en;q=0.5", "/ja/"), ("en", "/en/"), ("fr", "/en/")])
def test_the_front_door_leads_to_ones_language(server: Served, language: str, path: str) -> None:
    answer = server[0].get("/?persona=x", headers={"accept-language": language})
    assert answer.headers["location"] == f"{path}?persona=x"


def test_the_language_can_be_chosen(server: Served) -> None:
    browser = TestClient(server[0].app, base_url="http://127.0.0.1", follow_redirects=False)
    assert browser.get("/language/en").headers["location"] == "/en/"
    assert browser.get("/", headers={"accept-language": "ja"}).headers["location"] == "/en/"
    assert browser.get("/language/xx").status_code == 422


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_page_is_in_its_language_and_names_no_foreign_address(server: Served, lang: str) -> None:
    answer = server[0].get(f"/{lang}/")
    assert f'lang="{lang}"' in answer.text
    head = answer.text.split("window.gradio_config")[0]
    assert "http://" not in head.replace("http://127.0.0.1", "")
    assert "https://" not in head
    assert "connect-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/ja/gradio_api/file=/etc/passwd",
        "/ja/gradio_api/info",
        "/ja/gradio_api/call/x",
        "/ja/gradio_api/proxy=http://evil.example/",
        "/ja/file=/etc/passwd",
        "/ja/monitoring",
        "/docs",
        "/openapi.json",
        "/page/../pyproject.toml",
        "/page/%2e%2e/%2e%2e/pyproject.toml",
    ],
)
def test_doors_that_nobody_uses_are_closed(server: Served, path: str) -> None:
    assert server[0].get(path).status_code == 404


def test_a_persona_s_pictures_are_served_and_nothing_else(server: Served) -> None:
    browser, services = server
    paths = services.personas.create("ひと", language="ja").paths
    paths.attachments.mkdir()
    (paths.attachments / "a.png").write_bytes(b"\x89PNG")
    (paths.attachments / "a.svg").write_text("<svg onload='alert(1)'/>")
    picture = browser.get("/personas/ひと/attachments/a.png")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "sandbox" in picture.headers["content-security-policy"]
    assert browser.get("/personas/ひと/attachments/a.svg").headers["content-disposition"].startswith("attachment")
    for path in ("..%2fcore_memory.txt", "%2e%2e%2fcore_memory.txt", "../core_memory.txt", "..%5ccore_memory.txt"):
        assert browser.get(f"/personas/ひと/attachments/{path}").status_code == 404
    assert browser.get("/personas/..%2f..%2fsettings/avatar").status_code == 404
    assert browser.get("/personas/nobody/avatar").status_code == 404
    assert browser.get("/personas/nobody/revision").json()["revision"] == ""


def test_a_whole_message_can_be_read_as_plain_text(server: Served) -> None:
    browser, services = server
    log = services.companion(services.personas.create("ながい", language="ja").name).memories.log
    said = log.append("user", "ミナ", "<script>alert(1)</script>")
    answer = browser.get(f"/personas/ながい/messages/{said.id}")
    assert answer.text == said.text
    assert answer.headers["content-type"].startswith("text/plain")
    assert browser.get("/personas/ながい/messages/none").status_code == 404


def test_the_revision_moves_with_the_log(server: Served) -> None:
    browser, services = server
    log = services.companion(services.personas.create("うごく", language="ja").name).memories.log
    before = browser.get("/personas/うごく/revision").json()
    assert browser.get("/personas/うごく/revision").json() == before
    log.append("user", "ミナ", "やあ")
    assert browser.get("/personas/うごく/revision").json() != before
