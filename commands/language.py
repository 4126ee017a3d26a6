"""The language of whoever sits at the terminal."""

import locale
import os

from managers.storage.errors import Lang


def terminal_language() -> Lang:
    """Return the language of the terminal's user: UTATANE_LANG, else the system's locale."""
    variables = ("UTATANE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((value for name in variables if (value := os.environ.get(name))), None)
    if chosen is None:  # Windows has a locale, and no variable that says so
        chosen = locale.getlocale()[0] or ""
    return "ja" if chosen.lower().startswith("ja") else "en"
