"""What a browser is told so that it can install the page as an app, and what stands behind the password."""

import re

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.paths import CHECKOUT
from tests.ui.visitors import stranger_to

STATIC = CHECKOUT / "ui" / "static"
SWAP = {"x-utatane": "swap"}


def test_the_manifest_speaks_the_page_s_language_and_names_one_app(visitor: TestClient) -> None:
    for lang, name, first in (("ja", "うたた寝 Utatane", "ねむ"), ("en", "Utatane", "Hazel")):
        answer = visitor.get(f"/manifest.json?lang={lang}")
        assert answer.headers["content-type"] == "application/manifest+json"
        manifest = answer.json()
        assert (manifest["id"], manifest["start_url"], manifest["scope"]) == ("/", "/", "/")
        assert (manifest["lang"], manifest["name"], manifest["display"]) == (lang, name, "standalone")
        assert first in manifest["shortcuts"][0]["name"]
        assert {visitor.get(shortcut["url"]).status_code for shortcut in manifest["shortcuts"]} == {200}
        assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
        for icon in manifest["icons"]:
            assert visitor.get(icon["src"]).headers["content-type"] == icon["type"]
        page = visitor.get("/new", headers={"accept-language": lang}).text
        assert page.count('rel="manifest"') == page.count(f'href="/manifest.json?lang={lang}"') == 1


def test_a_page_without_names_is_kept(services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = visitor.get("/worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert visitor.get("/worker.js").text == answer.text
    monkeypatch.setattr("ui.server.installing.palette_css", lambda: ":root{--paper:red}")
    assert visitor.get("/worker.js").text != answer.text
    page = visitor.get("/asleep").text
    assert all(words in page for words in ("うたた寝は眠っています", "Utatane is asleep", "make run"))
    assert [one for one in ("src=", "href=", *services.personas.list_names()) if one in page] == []
    for address in ("/manifest.json", "/worker.js", "/asleep", "/letters"):  # behind a password it tells nothing
        refused = stranger_to(services, "とても長いひみつ", "http://192.168.0.2:7860").get(address)
        assert (refused.status_code, "ねむ" in refused.text) == (401, False)


def test_every_script_and_style_of_the_folder_is_in_the_two_files_that_a_page_loads(visitor: TestClient) -> None:
    for suffix, folder, mark in (("js", "scripts", "//"), ("css", "styles", "/*")):
        [address] = re.findall(rf'"(/static/[^"]+/page\.{suffix})"', visitor.get("/new", headers=SWAP).text)
        loaded = visitor.get(address)
        assert "immutable" in loaded.headers["cache-control"]
        files = sorted((STATIC / folder).iterdir())
        written = [line for file in files for line in file.read_text("utf-8").splitlines()]
        plain = [re.sub(r" // [^\"'`]*$", "", line) for line in written]  # without what only those read who write it
        said = [line for line in plain if line.strip() and not line.strip().startswith(mark)]
        sent = [line for line in loaded.text.splitlines() if line.strip()]
        assert sent[-len(said) :] == said
        assert len("\n".join(said).encode()) <= 60 * 1024  # the palette and the signs beside them are pictures
