"""What a browser is told so that it can install the page as an app, and what stands behind the password."""

from collections.abc import Iterator
from random import Random

import pytest
from PIL import Image
from starlette.testclient import TestClient

from agent.services import Services, open_services
from managers.storage.clock import SystemClock
from managers.storage.paths import CHECKOUT, Home
from ui.server import create_app

PAGE = CHECKOUT / "assets" / "page"
BEHIND_THE_PASSWORD = ("/manifest.json", "/worker.js", "/asleep", "/letters")


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    services = open_services(Home(tmp_path_factory.mktemp("home")), SystemClock(), Random(1))
    yield services
    services.close()


@pytest.fixture(scope="module")
def visitor(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1", follow_redirects=False)


@pytest.mark.parametrize(("lang", "name", "first"), [("ja", "うたた寝 Utatane", "ねむ"), ("en", "Utatane", "Hazel")])
def test_the_manifest_speaks_the_page_s_language_and_names_one_app(
    visitor: TestClient, lang: str, name: str, first: str
) -> None:
    answer = visitor.get(f"/manifest.json?lang={lang}")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["id"], manifest["start_url"], manifest["scope"]) == ("/", "/", "/")
    assert (manifest["lang"], manifest["name"], manifest["display"]) == (lang, name, "standalone")
    assert first in manifest["shortcuts"][0]["name"]
    for shortcut in manifest["shortcuts"]:
        assert visitor.get(shortcut["url"]).status_code == 307
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        picture = visitor.get(icon["src"])
        assert picture.headers["content-type"] == icon["type"]
    page = visitor.get(f"/{lang}/").text
    assert page.count('rel="manifest"') == 1
    assert f'href="/manifest.json?lang={lang}"' in page


@pytest.mark.parametrize("side", [192, 512])
def test_a_maskable_icon_fills_its_square_and_the_other_has_round_corners(side: int) -> None:
    corners = ((0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1))
    for name, seen in (("maskable", 255), ("icon", 0)):
        picture = Image.open(PAGE / "app" / f"{name}-{side}.png").convert("RGBA")
        assert picture.size == (side, side)
        alpha = picture.getchannel("A")
        assert [alpha.getpixel(corner) for corner in corners] == [seen] * 4


def test_the_worker_is_asked_for_anew_each_time(visitor: TestClient) -> None:
    answer = visitor.get("/worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"


def test_the_page_of_the_sleeping_server_is_whole_and_names_nobody(visitor: TestClient, services: Services) -> None:
    page = visitor.get("/asleep").text
    assert "うたた寝は眠っています" in page
    assert "Utatane is asleep" in page
    assert "make run" in page
    assert "src=" not in page
    assert "href=" not in page
    assert [name for name in services.personas.list_names() if name in page] == []


@pytest.mark.parametrize("address", BEHIND_THE_PASSWORD)
def test_behind_a_password_the_app_tells_nothing(services: Services, address: str) -> None:
    stranger = TestClient(create_app(services, "ひみつ"), base_url="http://192.168.0.2:7860", follow_redirects=False)
    answer = stranger.get(address)
    assert answer.status_code == 401
    assert "ねむ" not in answer.text


def test_every_script_and_style_of_the_folder_is_loaded_the_shared_ones_first(visitor: TestClient) -> None:
    page = visitor.get("/en/").text
    for suffix, first in (("js", "page.js"), ("css", "style.css")):
        names = {path.name for path in PAGE.glob(f"*.{suffix}")} - {"login.css"}
        places = {name: page.index(f"/page/{name}?") for name in names}
        assert min(places, key=places.__getitem__) == first
    assert "/page/login.css" not in page
