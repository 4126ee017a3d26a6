"""What a person brings along and takes out: an archive, a talk, a folder, documents; chosen, dropped, asked about."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from managers.exchange.archives.reading import open_archive
from tests.browser.accessibility import problems
from tests.browser.acting import enter, hold_back, let_go, open_fold, say
from tests.browser.serving import PHONE, Server, persona, store_of, window
from ui.server.addresses import address_of

WORDS = "a long passphrase"
DROP = """([words, names]) => {
    const files = new DataTransfer();
    for (const name of names) files.items.add(new File([words], name, {type: "text/plain"}));
    for (const kind of ["dragover", "drop"])
        document.querySelector("#room").dispatchEvent(new DragEvent(kind, {dataTransfer: files, bubbles: true, cancelable: true}));
}"""
FACT, ASKED, ANSWER = ("The spare key of the boathouse is behind the kettle.", "Where is the spare key?", "kettle")


def test_a_persona_goes_out_into_a_file_and_comes_back(browser: Browser, server: Server, tmp_path: Path) -> None:
    name = persona(server, "Voyager", "en")
    with window(browser, server, persona=name, lang="en", size=PHONE, dark=True, room="persona") as page:
        page.locator(f'a[href="{address_of(name, "exports")}"]').click()
        expect(page.locator("#export-form")).to_be_visible()
        page.locator("#export-passphrase").fill(WORDS)
        page.locator("#export-again").fill(WORDS)
        page.locator("#export-form button.main").click()
        save = page.locator("#made a.main")
        expect(save).to_be_visible()
        expect(page.locator("#made")).to_be_in_viewport()  # far above the button on a phone
        assert problems(page, "exports, one to be saved") == []
        with page.expect_download() as download:
            save.click()
        download.value.save_as(tmp_path / "out.zip.age")
        with open_archive(tmp_path / "out.zip.age", WORDS) as archive:
            archive.check()
            assert archive.manifest.persona == name
        page.locator("#made form button").click()
        expect(page.locator("#made li")).to_have_count(0)
        page.goto(f"{server.address}import")
        page.locator("#import-file").set_input_files(tmp_path / "out.zip.age")
        page.locator("#import-passphrase").fill(WORDS)
        page.locator("#import-source button").click()
        expect(page.locator("#import-name")).to_be_visible()
        page.locator("#import-name").fill(f"{name} 2")
        assert problems(page, "an archive, looked at") == []
        page.locator("#import-yes button").click()
        expect(page.locator("#import a.main")).to_be_visible()
        page.locator("#import a.main").click()
        expect(page.locator("#composer textarea")).to_be_visible()
    assert f"{name} 2" in store_of(server).list_names()


def test_a_talk_is_dropped_looked_at_said_yes_to_and_asked_about(browser: Browser, server: Server) -> None:
    said = [
        {"id": "1", "time": "2024-05-01T22:00:00", "role": "user", "speaker": "Ann", "text": FACT},
        {"id": "2", "time": "2024-05-01T22:00:09", "role": "persona", "speaker": "Brought", "text": "…"},
    ]
    with window(browser, server, lang="en", size=PHONE, room="new") as page:
        page.locator('a[href="/import"]').click()
        expect(page.locator("#import-source")).to_be_visible()
        found = problems(page, "choosing")
        page.evaluate(DROP, ["".join(json.dumps(one) + "\n" for one in said), ["talk.jsonl"]])
        assert page.locator("#import-file").evaluate("one => one.files[0].name") == "talk.jsonl"
        page.locator("#import-source button.main").click()
        expect(page.locator("#import-name")).to_have_value("Brought")
        found += problems(page, "found")
        page.locator("#import-yes button.main").click()
        expect(page.locator("#import a.main")).to_be_visible()
        found += problems(page, "done")
        page.locator("#import a.main").click()
        expect(page.locator("article.user").first).to_contain_text(FACT)
        say(page, ASKED)
        expect(page.locator("article.persona").last).to_contain_text(ANSWER)
        assert found == []


def drop(page: Page, *paths: Path) -> None:
    """Drop what lies on the disk onto the page, as a hand does: a script of the page cannot make a folder."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def test_a_folder_comes_in_with_what_lies_in_its_folders(browser: Browser, server: Server, tmp_path: Path) -> None:
    room = tmp_path / "Room"
    (room / "knowledge").mkdir(parents=True)
    (room / "room_config.json").write_text(json.dumps({"agent_name": "Room"}), "utf-8")
    (room / "log.txt").write_text("## USER:Ann\nMy boat is green.\n\n2025-10-03 (Fri) 21:00:00\n", "utf-8")
    (room / "knowledge" / "tides.md").write_text("# Tides\n\nThe tide is high at noon.\n", "utf-8")
    with window(browser, server, lang="en", room="import") as page:
        expect(page.locator("html.scripted")).to_be_attached()
        drop(page, room)
        expect(page.locator("#told")).to_contain_text("3")
        page.locator("#import-source button.main").click()
        expect(page.locator("#import-name")).to_have_value("Room")
        expect(page.locator("#import")).to_contain_text("knowledge files: 1")
        expect(page.locator("#import")).to_contain_text("Messages: 1")
        page.locator('form[action="/import/forget"] button').click()
        expect(page.locator("#import-source")).to_be_visible()


def test_documents_are_given_wait_and_are_asked_about(browser: Browser, server: Server, tmp_path: Path) -> None:
    name, bad = persona(server, "しらべもの"), tmp_path / "broken.pdf"
    bad.write_bytes(b"%PDF-1.7 nothing")
    with window(browser, server, persona=name, room="knowledge") as page:
        page.evaluate("document.getElementById('drop').dataset.largest = 10")
        page.evaluate(DROP, ["これは十バイトより長い。", ["big.txt"]])  # it is not even sent
        expect(page.locator(".uploads .wrong")).to_contain_text("「big.txt」は大きすぎます(50 MB まで)")
        page.reload()
        expect(page.locator("html.scripted")).to_be_attached()
        rows, documents = page.locator(".uploads li"), page.locator(".documents li")
        held = hold_back(page, f"**{address_of(name, 'knowledge')}")
        with page.expect_request("**/knowledge"):
            page.evaluate(DROP, [FACT, ["a.txt", "b.txt"]])
        expect(rows.filter(has_text="b.txt")).to_contain_text("順番を待っています")
        expect(documents).to_have_count(0)
        page.locator("h1").click()  # browsers ask only whoever has touched the page
        page.once("dialog", lambda dialog: dialog.dismiss())
        with page.expect_event("dialog") as asked:
            page.evaluate("() => setTimeout(() => location.assign('/'))")
        assert asked.value.type == "beforeunload"
        let_go(page, held)
        let_go(page, held, 1)
        expect(page.locator(".uploads .right")).to_have_count(2)
        expect(documents).to_have_count(2)
        page.unroute_all()
        page.locator("#drop input").set_input_files([bad])
        expect(page.locator(".uploads .wrong")).to_contain_text("broken.pdf")
        expect(documents).to_have_count(2)
        open_fold(page, ".documents details", ".words")
        expect(page.locator(".documents .words").first).to_contain_text(ANSWER)
        enter(page, "talk")
        say(page, ASKED)
        expect(page.locator("article.persona").last).to_contain_text(ANSWER)
