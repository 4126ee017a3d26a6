"""A walk through every room, past every shelf, with what opens in them standing open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import enter, say
from tests.browser.serving import DESKTOP, PHONE

WORDS = {"ja": ("橋の灯りのこと、覚えてる?", "モモ"), "en": ("Do you remember the lamps on the bridge?", "Momo")}
"""What is said, and what is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the walk stands still.

    Attributes:
        name: of the place.
        is_room: a room as one enters it; everything else stands in one.
        size: where it is there in one size only.
    """

    name: str
    is_room: bool = False
    size: tuple[int, int] | None = None


def walk(page: Page, lang: str) -> Iterator[Place]:
    """Go everywhere, and stand still in each place."""
    said, sought = WORDS[lang]
    yield from talk(page, said)
    yield from heart_and_dreams(page)
    yield from memories(page, sought)
    yield from knowledge_and_notes(page)
    yield from persona_and_settings(page)


def talk(page: Page, said: str) -> Iterator[Place]:
    """The conversation, and what opens in it."""
    say(page, said)
    yield Place("talk", is_room=True)
    open_fold(page.locator("article.persona .why").last, ".hits")
    yield Place("talk, why")
    page.locator('article.user [data-action="delete"]').last.click()
    expect(page.locator(".ask")).to_be_visible()
    yield Place("talk, a question")
    page.locator(".ask button.no").click()
    page.locator('article.user [data-action="edit"]').last.click()
    yield Place("talk, writing anew")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.locator("#persona .menu").click()
    expect(page.locator("#rail")).to_be_visible()
    yield Place("the rail", size=PHONE)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    page.locator("#composer textarea").press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog.shortcuts")).to_be_visible()
    yield Place("the keys")
    page.keyboard.press("Escape")


def heart_and_dreams(page: Page) -> Iterator[Place]:
    """The heart with a point chosen and a menu open; the dreams with a night's changes."""
    enter(page, "heart")
    expect(page.locator("#heart-feelings .point").first).to_be_attached()
    yield Place("heart", is_room=True)
    point = page.locator('#heart-feelings svg.wide .point[tabindex="0"]')
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    point.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#heart-behind li").first).to_be_visible()
    page.locator("#heart-feelings .export summary").click()
    yield Place("heart, behind a point")
    enter(page, "dreams")
    expect(page.locator("#dream-diary .night").first).to_be_visible()
    yield Place("dreams", is_room=True)
    for fold in page.locator("#dream-diary .night").first.locator("> details").all():
        fold.locator("summary").first.click()
    expect(page.locator("#dream-diary .diff").first).to_be_visible()
    yield Place("dreams, what changed")


def memories(page: Page, sought: str) -> Iterator[Place]:
    """Every shelf, and on it one memory with where it comes from and how it became so."""
    enter(page, "memories")
    query = page.locator("#memory-query")
    expect(query).to_be_visible()
    yield Place("memories", is_room=True)
    query.fill(sought)
    query.press("Enter")
    expect(page.locator(".found > li").first).to_be_visible()
    page.locator("#memories form.lookup summary").click()
    yield Place("memories, found")
    buttons = page.locator("#memories .shelves [data-shelf]")
    for shelf in buttons.evaluate_all("all => all.map((one) => one.dataset.shelf)")[1:]:
        button = page.locator(f'#memories .shelves [data-shelf="{shelf}"]')
        button.click()
        expect(button).to_have_attribute("aria-current", "page")
        yield Place(f"memories, {shelf}")
        if shelf in _WITHIN:
            yield from _one_memory(page, shelf)
    page.locator('#memories .shelves [data-shelf="secret_diary"]').click()
    page.locator('[data-action="uncover"]').click()
    expect(page.locator(".covered")).to_be_hidden()
    yield Place("memories, the secret diary open")


_WITHIN = {"entities": ".card button", "episodes": ".days-told button"}


def _one_memory(page: Page, shelf: str) -> Iterator[Place]:
    page.locator(f"#memories .shelf {_WITHIN[shelf]}").first.click()
    expect(page.locator("#memories .crumbs")).to_be_visible()
    open_fold(page.locator("#memories .evidence").first, ".around")
    open_fold(page.locator("#memories .around").first, ".in-place li")
    open_fold(page.locator("#memories .past"), ".history")
    yield Place(f"memories, one of {shelf}")
    page.locator('#memories .deeds [data-action="edit"]').click()
    expect(page.locator("#memory-editor")).to_be_visible()
    yield Place(f"memories, editing one of {shelf}")
    page.locator('#memory-editor [data-action="go"]').click()
    expect(page.locator("#memory-editor")).to_be_hidden()


def knowledge_and_notes(page: Page) -> Iterator[Place]:
    """A document that is looked into; a note with its history."""
    enter(page, "knowledge")
    open_fold(page.locator(".documents details").first, ".words")
    yield Place("knowledge", is_room=True)
    enter(page, "notes")
    expect(page.locator("#note-editor textarea")).not_to_have_value("")
    yield Place("notes", is_room=True)
    open_fold(page.locator("#note-history details").first, ".fetched > *")
    yield Place("notes, what changed")


def persona_and_settings(page: Page) -> Iterator[Place]:
    """Who it is; every group of the settings, for everybody and for one persona."""
    enter(page, "persona")
    expect(page.locator("#persona-name input, #persona-name textarea")).not_to_have_value("")
    yield Place("persona", is_room=True)
    page.locator("#persona-new button").first.click()
    expect(page.locator("#new-persona-create")).to_be_visible()
    yield Place("persona, a new one")
    enter(page, "settings")
    groups = page.locator("#options [data-group]")
    expect(groups.first).to_be_visible()
    yield Place("settings", is_room=True)
    for group in groups.evaluate_all("all => all.map((one) => one.dataset.group)")[1:]:
        button = page.locator(f'#options [data-group="{group}"]')
        button.click()
        expect(button).to_have_attribute("aria-current", "page")
        yield Place(f"settings, {group}")
    own = page.locator('#options [data-scope="own"]')
    own.click()
    expect(own).to_have_attribute("aria-pressed", "true")
    yield Place("settings, of one persona")


def open_fold(fold: Locator, inside: str) -> None:
    """Open a fold, and wait for what is in it."""
    fold.locator("summary").first.click()
    expect(fold.locator(inside).first).to_be_visible()
