"""What a person does on the page."""

from playwright.sync_api import Page, Route, expect

SECONDS = 20_000


def say(page: Page, text: str) -> None:
    """Say something and wait for the answer."""
    send(page, text)
    expect(page.locator("article").last).to_have_class("message persona", timeout=SECONDS)  # no longer live
    expect(page.locator("#composer .stop")).to_be_hidden()


def send(page: Page, text: str) -> None:
    area = page.locator("#composer textarea")
    area.fill(text)
    area.press("Enter")
    expect(page.locator("article.user .bubble").last).to_have_text(text, timeout=SECONDS)


def bubbles(page: Page) -> list[str]:
    """Return what stands in the conversation, as people read it."""
    return [text.strip() for text in page.locator("article:not(.live) .bubble").all_inner_texts()]


def enter(page: Page, room: str) -> None:
    """Go to a room by its tab."""
    page.locator(f"#{room}-tab").click()
    expect(page.locator(f'#{room}-tab[aria-current="page"]')).to_be_visible()


def choose_persona(page: Page, name: str) -> None:
    page.locator(f'#personas [data-persona="{name}"]').click()
    expect(page.locator("#head .who")).to_have_text(name)


def save(page: Page, form: str) -> None:
    """Press a form's own button, and wait until what came of it is shown."""
    page.locator(f"{form} button.main").first.click()
    expect(page.locator("#told .told").last).to_be_visible()


def edit_core_memory(page: Page, text: str) -> None:
    enter(page, "notes")
    page.locator("#note textarea").fill(text)
    save(page, "#note")
    expect(page.locator("#note textarea")).to_have_value(text)


def enter_while_composing(page: Page) -> None:
    """The Enter of a conversion, as Chrome and Firefox report it (isComposing), and as Safari does (the code 229)."""
    page.evaluate(
        """() => {
            const area = document.querySelector('#composer textarea');
            for (const ctrlKey of [false, true]) {
                const key = {key: 'Enter', code: 'Enter', ctrlKey, bubbles: true, cancelable: true};
                area.dispatchEvent(new KeyboardEvent('keydown', {...key, isComposing: true}));
                area.dispatchEvent(new KeyboardEvent('keydown', {...key, keyCode: 229}));
            }
        }"""
    )


def hold_back(page: Page, address: str) -> list[Route]:
    """Keep the forms that are sent there back, until the test lets them go (`let_go`).

    Playwright cannot hold back what browsers send to its end though the page is left.
    """
    held: list[Route] = []
    page.evaluate(
        "() => { const real = window.fetch; window.fetch = (there, how) => real(there, { ...how, keepalive: false }); }"
    )
    page.route(address, lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    return held


def let_go(page: Page, held: list[Route], number: int = 0) -> None:
    """Let a form go on its way that `hold_back` keeps, as soon as it is there."""
    while len(held) <= number:
        page.wait_for_timeout(20)
    held[number].continue_()


def open_fold(page: Page, selector: str, inside: str) -> None:
    """Open the first such fold, and wait for what is in it."""
    page.locator(f"{selector} > summary").first.click()
    expect(page.locator(f"{selector} {inside}").first).to_be_visible()
