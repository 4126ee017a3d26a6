"""What a browser is told so that it can install the page as an app, and what stands behind the password."""

import re
from collections.abc import Iterator
from random import Random

import pytest
from PIL import Image
from starlette.testclient import TestClient

from agent.services import Services, open_services
from managers.storage.clock import SystemClock
from managers.storage.paths import CHECKOUT, Home
from tests.ui.visitors import ORIGIN, stranger_to, visitor_of
from ui.rooms.memories.shelves import GROUPS

STATIC = CHECKOUT / "ui" / "static"
BEHIND_THE_PASSWORD = ("/manifest.json", "/worker.js", "/asleep", "/letters")
SWAP = {"x-utatane": "swap"}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    services = open_services(Home(tmp_path_factory.mktemp("home")), SystemClock(), Random(1))
    yield services
    services.close()


@pytest.fixture(scope="module")
def visitor(services: Services) -> TestClient:
    return visitor_of(services)


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
        assert visitor.get(shortcut["url"]).status_code != 307
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        picture = visitor.get(icon["src"])
        assert picture.headers["content-type"] == icon["type"]
    page = visitor.get("/new", headers={"accept-language": lang}).text
    assert page.count('rel="manifest"') == 1
    assert f'href="/manifest.json?lang={lang}"' in page


@pytest.mark.parametrize("side", [192, 512])
def test_a_maskable_icon_fills_its_square_and_the_other_has_round_corners(side: int) -> None:
    corners = ((0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1))
    for name, seen in (("maskable", 255), ("icon", 0)):
        picture = Image.open(STATIC / "app" / f"{name}-{side}.png").convert("RGBA")
        assert picture.size == (side, side)
        alpha = picture.getchannel("A")
        assert [alpha.getpixel(corner) for corner in corners] == [seen] * 4


def test_the_worker_is_asked_for_anew_each_time_and_changes_with_the_page_that_it_keeps(
    visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = visitor.get("/worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert visitor.get("/worker.js").text == answer.text
    monkeypatch.setattr("ui.server.installing.palette_css", lambda: ":root{--paper:red}")
    assert visitor.get("/worker.js").text != answer.text


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
    answer = stranger_to(services, "とても長いひみつ", "http://192.168.0.2:7860").get(address)
    assert answer.status_code == 401
    assert "ねむ" not in answer.text


@pytest.mark.parametrize(("suffix", "folder", "mark"), [("js", "scripts", "//"), ("css", "styles", "/*")])
def test_every_script_and_style_of_the_folder_is_in_the_two_files_that_a_page_loads(
    visitor: TestClient, suffix: str, folder: str, mark: str
) -> None:
    [address] = re.findall(rf'"(/static/[^"]+/page\.{suffix})"', visitor.get("/new", headers=SWAP).text)
    loaded = visitor.get(address)
    assert "immutable" in loaded.headers["cache-control"]
    written = [line for file in sorted((STATIC / folder).iterdir()) for line in file.read_text("utf-8").splitlines()]
    plain = [re.sub(r" // [^\"'`]*$", "", line) for line in written]  # without what only those read who write it
    said = [line for line in plain if line.strip() and not line.strip().startswith(mark)]
    sent = [line for line in loaded.text.splitlines() if line.strip()]
    assert sent[-len(said) :] == said
    assert len("\n".join(said).encode()) <= 60 * 1024  # the palette and the signs beside them are pictures


def test_on_this_computer_the_styles_stand_in_the_page_itself(visitor: TestClient) -> None:
    from_afar = TestClient(visitor.app, base_url=ORIGIN, cookies=visitor.cookies, client=("192.168.0.3", 50_000))
    for elsewhere in (visitor.get("/new", headers=SWAP), from_afar.get("/new")):
        [address] = re.findall(r'"(/static/[^"]+/page\.css)"', elsewhere.text)
        assert "<style>" not in elsewhere.text
    here = visitor.get("/new").text
    assert "page.css" not in here
    assert f"<style>{visitor.get(address).text}</style>" in here


def test_no_style_insists_but_on_stillness_and_on_paper() -> None:
    styles = "\n".join(file.read_text("utf-8") for file in sorted((STATIC / "styles").glob("*.css")))
    allowed = re.compile(r"@media (print|\(prefers-reduced-motion: reduce\)) \{(?:[^{}]*\{[^{}]*\})*\s*\}")
    assert "!important" not in allowed.sub("", styles)
    assert len(allowed.findall(styles)) >= 2


def test_every_sign_is_drawn_and_no_sign_is_left_over(visitor: TestClient) -> None:
    signs = {file.stem for file in (STATIC / "signs").glob("*.svg")}
    assert set(re.findall(r"\.([\w-]+)\{--sign:0 ", visitor.get("/new").text)) == signs
    shelves = {f"shelf-{shelf}" for group in GROUPS.values() for shelf in group} | {"shelf-notes"}
    assert {sign for sign in signs if sign.startswith("shelf-")} == shelves
    files = [*(CHECKOUT / "ui").rglob("*.html"), *(STATIC / "scripts").glob("*.js")]
    named = set(re.findall(r'"([\w -]+)"', " ".join(file.read_text("utf-8") for file in files)))
    worn = {sign for classes in named for sign in classes.split()}
    assert signs - shelves <= worn
