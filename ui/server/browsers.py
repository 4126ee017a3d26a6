"""What a browser is called, by words of ours: nothing that it says of itself is kept or shown."""

from managers.storage.texts import table


def browser_of(agent: str) -> tuple[str, str]:
    """Return the browser and the system of a `User-Agent` header; empty for what is not known."""
    kinds = table("browsers")
    browser, system = (
        next((name for sign, name in kinds[kind].items() if sign in agent), "") for kind in ("browser", "system")
    )
    return browser, system
