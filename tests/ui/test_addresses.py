"""Addresses lead where this program means them to, whatever ids a folder brings; and what a browser installs the page by."""

import json
import re
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.access import Access
from managers.storage.paths import CHECKOUT
from tests.ui.reading import Element, read
from tests.ui.visitors import ORIGIN, stranger_to, visitor_of
from ui.rooms.group.routes import address_in
from ui.server.addresses import address_of

WAYS = ["../../Hazel/persona", "../attachments/x.txt", "..", ".", "a/../../b", "m/delete"]
ADDRESSES = ("href", "action", "formaction", "data-src")


def test_a_name_is_one_part_of_an_address_or_none() -> None:
    for way in WAYS:
        assert address_of("Rook", "messages", way, "delete") == "/p/Rook/messages/-/delete"
        assert address_in("g1", "messages", way, "delete") == "/group/g1/messages/-/delete"
        assert urljoin(ORIGIN, address_of("Rook", f"messages/{way}")).startswith(f"{ORIGIN}/p/Rook/messages/")
    assert address_of("花", "memories/people", "A?b#c %2e", "pin", on=1) == (
        "/p/%E8%8A%B1/memories/people/A%3Fb%23c%20%252e/pin?on=1"
    )
    assert (address_of("Rook"), address_in("g1")) == ("/p/Rook/", "/group/g1")


def stranger(services: Services, folder: Path) -> None:
    """Let somebody in whose messages, wishes and goals are called like ways."""
    day = "2026-01-02 (Fri) 20:00:00"
    (folder / "memory").mkdir(parents=True)
    (folder / "persona.json").write_text(json.dumps({"format": 1, "language": "en", "greeting": "Hello"}), "utf-8")
    (folder / "SystemPrompt.txt").write_text("You are Rook.", "utf-8")
    said = [("USER:Ann", "", "m1"), *(("AGENT:Rook", "m", quote(way, safe="")) for way in WAYS), ("USER:Ann", "", "m2")]
    log = "".join(f"## {who}\nHello.\n{day} |{mind}|{message}\n\n" for who, mind, message in said)
    (folder / "log.txt").write_text(log, "utf-8")
    hit = {"type": "current_log", "_source": "semantic", "path": "log.txt", "message_ids": WAYS, "score": 1, "why": {}}
    recalled = [{"time": "2026-01-02T20:00:00", "message_id": way, "query": "x", "recalled": [hit]} for way in WAYS]
    (folder / "memory" / "recall_log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in recalled), "utf-8")
    wish = {
        "time": services.clock.now().strftime("%Y-%m-%d %H:%M:%S"), "message_id": "m2", "tool": "edit_notepad",
        "write": {"kind": "note", "note": "notepad", "edits": [{"old": "", "new": "Ann likes tea."}]}
    }  # fmt: skip
    wishes = [{"id": "h_1", **wish}, *({"id": f"../../../settings/{way}", **wish} for way in WAYS)]
    (folder / "memory" / "held_writes.json").write_text(json.dumps(wishes), "utf-8")
    services.personas.door.admit("Rook")


def leads(page: Element) -> list[str]:
    """Return where a page's links, folds and forms lead, as a browser reads it."""
    found = [one.attributes[key] for key in ADDRESSES for one in page.all(f"[{key}]")]
    return [urljoin(f"{ORIGIN}/p/Rook/", one) for one in found]


def test_ids_of_a_folder_lead_to_nothing_else(services: Services) -> None:
    stranger(services, services.home.characters / "Rook")
    companion, browser = services.companion("Rook"), visitor_of(services)
    companion.settle()
    assert {one.id for one in companion.memories.log.tail(20)} >= set(WAYS)
    talk = read(browser.get("/p/Rook/"))
    assert len(talk.all("article.persona .deeds")) == len(talk.all("details.why")) == len(WAYS)
    assert [one.attributes["action"] for one in talk.all("form.held")] == ["/p/Rook/held/h_1"]
    around = read(browser.get("/p/Rook/around/m1", headers={"x-utatane": "swap"}))
    led = leads(talk) + leads(around)
    assert not [there for there in led if any(one in there for one in ("Hazel/persona", "attachments", "m/delete"))]
    nowhere = {one for one in leads(talk) if "/-" in one}
    assert nowhere == {f"{ORIGIN}/p/Rook/messages/-/deeds", f"{ORIGIN}/p/Rook/why/-"}
    assert browser.get("/p/Rook/messages/-/deeds").status_code == 404


def test_an_address_that_names_nothing_is_not_found(services: Services) -> None:
    browser = visitor_of(services)
    for nothing in (
        "notes/secret_diary", "notes/none", "memories/none", "memories/forgotten/none", "memories/a/b/c", "none"
    ):  # fmt: skip
        assert browser.get(address_of("Hazel", nothing)).status_code == 404, nothing
    assert browser.post(address_of("Hazel", "notes/secret_diary"), data={"text": "x"}).status_code == 404
    assert browser.get(address_of("Hazel", "notes/notepad")).status_code == 200


def test_what_no_other_test_presses_does_what_it_says(services: Services) -> None:
    """Each route answers once in the quick tests; these have no page of their own there."""
    browser, memories = visitor_of(services), services.companion("Hazel").memories
    token = Access(services.home).programs_token

    def sent(address: str, **form: str) -> int:
        return browser.post(address, data=form).status_code

    memories.log.append("user", "Aoi", "The first topic.")
    assert sent(address_of("Hazel", "topic")) == 303
    assert memories.log.thread(5) == []
    assert sent(address_of("Hazel", "opening"), index="0") in {303, 409}
    assert sent(address_of("Hazel", "memories/lorebook/settings"), name="Book", scan_depth="7") == 303
    assert memories.lore.store.load().settings.scan_depth == 7
    assert sent(address_of("Hazel", "persona/share"), on="1") == 303
    assert services.personas.get("Hazel").settings["memory"]["shared"] is True
    assert sent("/settings/programs/token") == 303
    assert Access(services.home).programs_token != token
    for address in ("/import/stop", "/settings/meaning/stop", "/settings/mind/stop"):
        assert sent(address) == 303, address
    unlike = browser.post("/settings/backup/encrypt", data={"passphrase": "a", "again": "b"}, follow_redirects=True)
    assert "not the same" in unlike.text
    assert [sent("/settings/backup/none/delete"), sent("/group/none/decline")] == [400, 404]


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
