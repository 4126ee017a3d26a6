"""What a person does on the page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

SECONDS = 20_000


def say(page: Page, text: str) -> None:
    """Say something and wait for the answer."""
    answers = page.locator("article.persona:not(.live)")
    before = answers.count()
    send(page, text)
    expect(answers).to_have_count(before + 1, timeout=SECONDS)
    expect(page.locator("#composer .stop")).to_be_hidden()


def send(page: Page, text: str) -> None:
    area = page.locator("#composer textarea")
    area.fill(text)
    area.press("Enter")
    expect(page.locator("article.user .bubble").last).to_have_text(text, timeout=SECONDS)


def reload(page: Page) -> None:
    """Load the page anew, once nothing is under way: Gradio calls a request that is cut off an error."""
    settle(page)
    page.reload()
    expect(page.locator("#conversation .transcript > div").first).to_be_attached()


def settle(page: Page) -> None:
    """Wait until the page has shown all that it shows by itself, whichever room is open."""
    expect(page.locator("#conversation .transcript > div").first).to_be_attached()
    expect(page.locator(".mind-chip")).to_be_visible()
    rest(page)


def rest(page: Page) -> None:
    """Wait until whatever was asked of the server is answered."""
    expect(page.locator("html:not([data-asking])")).to_be_attached(timeout=SECONDS)


def bubbles(page: Page) -> list[str]:
    """Return what stands in the conversation, as people read it."""
    return [text.strip() for text in page.locator("article:not(.live) .bubble").all_inner_texts()]


def enter(page: Page, room: str) -> None:
    page.locator(f"#{room}-room-button").click()
    expect(page.locator(f"#{room}-room-button")).to_have_class(re.compile("selected"))


def choose_persona(page: Page, name: str) -> None:
    page.locator(f'#personas [data-persona="{name}"]').click()
    expect(page.locator("#persona h1")).to_have_text(name)


def edit_core_memory(page: Page, text: str) -> None:
    enter(page, "notes")
    editor = page.locator("#note-editor textarea")
    expect(editor).not_to_have_value("")
    editor.fill(text)
    page.locator("#note-save").click()
    expect(page.locator("#note-state .state")).not_to_have_text("")
    expect(editor).to_have_value(text)
