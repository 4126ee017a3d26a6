"""A walk through every room, past every shelf, with what opens in them standing open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.acting import open_fold, say
from tests.browser.serving import PHONE
from ui.server.addresses import address_of, with_query

WORDS = {"ja": ("橋の灯りのこと、覚えてる?", "モモ"), "en": ("Do you remember the lamps on the bridge?", "Momo")}
"""What is said, and what is looked for."""
SHELVES: Final = (
    "people", "days", "insights", "goals", "questions", "diary", "forgotten", "network", "map", "archive", "erase",
    "audit", "helping", "lorebook"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where the walk stands still: a room as one enters it, or something in one, which may be there in one size only."""

    name: str
    is_room: bool = False
    size: tuple[int, int] | None = None


class Walk:
    """One person's way through the rooms of a persona."""

    def __init__(self, page: Page, server: str, persona: str, lang: str) -> None:
        """Begin in a window that stands anywhere on the page."""
        self._page, self._server, self._persona = page, server.rstrip("/"), persona
        self._said, self._sought = WORDS[lang]

    def places(self) -> Iterator[Place]:
        """Go everywhere, and stand still in each place."""
        yield from self._talk()
        yield from self._heart_and_dreams()
        yield from self._memories()
        yield from self._knowledge_and_notes()
        yield from self._house()

    def _open(self, room: str, seen: str, **query: str) -> None:
        self._page.goto(self._server + address_of(self._persona, room, **query))
        expect(self._page.locator(seen).first).to_be_attached()

    def _talk(self) -> Iterator[Place]:
        page = self._page
        self._open("", "#composer textarea")
        say(page, self._said)
        yield Place("talk", is_room=True)
        open_fold(page, "article.persona .why", ".hits")
        yield Place("talk, why")
        page.locator('article.user [formaction$="/delete"]').last.click()
        expect(page.locator(".ask")).to_be_visible()
        yield Place("talk, a question")
        page.locator(".ask button.no").click()
        page.locator("article.user .edit").last.click()
        expect(page.locator(".editing textarea")).to_be_focused()
        yield Place("talk, writing anew")
        page.keyboard.press("Escape")
        page.locator(".mind-menu summary").click()
        expect(page.locator(".mind-menu .fetched")).to_be_visible()
        yield Place("talk, the choice of the mind")
        page.keyboard.press("Escape")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.locator("#head .menu").click()
        expect(page.locator("#rail")).to_be_visible()
        yield Place("the rail", size=PHONE)

    def _heart_and_dreams(self) -> Iterator[Place]:
        page = self._page
        self._open("heart", "#feelings .point", figures="1")
        yield Place("heart", is_room=True)
        page.goto(
            page.locator("#feelings .point:visible").first.evaluate(
                "point => new URL(point.getAttribute('href'), location).href"
            )
        )
        expect(page.locator("#behind li").first).to_be_visible()
        page.locator("#feelings .export summary").click()
        yield Place("heart, behind a point")
        self._open("dreams", "#diary .night")
        yield Place("dreams", is_room=True)
        for fold in page.locator("#diary .night").first.locator("> details").all():
            fold.locator("summary").first.click()
        expect(page.locator("#diary .diff").first).to_be_visible()
        yield Place("dreams, what changed")

    def _memories(self) -> Iterator[Place]:
        self._open("memories", "#memory-query")
        yield Place("memories", is_room=True)
        self._open("memories", ".found > li", query=self._sought, kinds="log_archive")
        yield Place("memories, found")
        for shelf in SHELVES:
            seen = {"map": "svg.sky .star", "network": "svg.sky .star"}.get(shelf, ".shelf h1")
            self._open(f"memories/{shelf}", seen)
            yield Place(f"memories, {shelf}", is_room=shelf in {"people", "days", "map", "network"})
            if shelf in _WITHIN:
                yield from self._one_memory(shelf)
        self._open("memories/secret-diary", ".covered")
        yield Place("memories, the secret diary")

    def _one_memory(self, shelf: str) -> Iterator[Place]:
        page = self._page
        page.locator(_WITHIN[shelf]).first.click()
        expect(page.locator(".crumbs")).to_be_visible()
        open_fold(page, ".evidence", ".fold")
        open_fold(page, ".evidence .fold", ".in-place li")
        yield Place(f"memories, one of {shelf}")
        page.locator('.shelf a[href$="edit=1"]').click()
        expect(page.locator("#memory-editor")).to_be_visible()
        yield Place(f"memories, editing one of {shelf}")

    def _knowledge_and_notes(self) -> Iterator[Place]:
        page = self._page
        self._open("knowledge", ".documents li")
        open_fold(page, ".documents details", ".words")
        yield Place("knowledge", is_room=True)
        self._open("notes/core_memory", "#note textarea")
        open_fold(page, ".history details", ".fetched > *")
        yield Place("notes", is_room=True)

    def _house(self) -> Iterator[Place]:
        page = self._page
        self._open("persona", "#persona-form")
        yield Place("persona", is_room=True)
        self._open("exports", "#export-form")
        yield Place("exports", is_room=True)
        yield from self._several()
        for name in ("new", "import", "guests"):
            page.goto(f"{self._server}/{name}")
            yield Place(name, is_room=True)
        page.goto(self._server + with_query("/settings", {"persona": self._persona}))
        shelves: list[str] = page.locator(".beside .pages a").evaluate_all("all => all.map((one) => one.href)")
        own: list[str] = page.locator(".whose a").evaluate_all("all => all.map((one) => one.href).slice(1)")
        for address in (*shelves, *own):
            page.goto(address)
            expect(page.locator(".content h2, h1").first).to_be_visible()
            shelf = address.partition("?")[0].rpartition("/")[2]
            yield Place(
                f"settings, {shelf}{', of one persona' if address in own else ''}", is_room=shelf in {"user", "usage"}
            )

    def _several(self) -> Iterator[Place]:
        page = self._page
        page.goto(f"{self._server}/group")
        yield Place("several, whom to choose", is_room=True)
        for pick in page.locator(".pick input").all()[:2]:
            pick.check()
        page.locator(".group-choice button.main").click()
        page.locator("#composer textarea").fill("みんな、元気? How are you all?")
        page.locator("#composer .send").click()
        expect(page.locator("article.persona:not(.live)").nth(1)).to_be_visible()
        expect(page.locator("#composer .send")).to_be_visible()
        yield Place("several", is_room=True)


_WITHIN: Final = {"people": ".cards li > a", "days": ".shelf .lines:last-of-type a"}
