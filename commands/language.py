"""The language of whoever sits at the terminal."""

from __future__ import annotations

import locale
import os
from typing import TYPE_CHECKING

from managers.storage.errors import Lang

if TYPE_CHECKING:
    from ui.locales import Texts


def terminal_language() -> Lang:
    """Return the language of the terminal's user: UTATANE_LANG, else the system's locale."""
    variables = ("UTATANE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((value for name in variables if (value := os.environ.get(name))), None)
    if chosen is None:  # Windows has a locale, and no variable that says so
        chosen = locale.getlocale()[0] or ""
    return "ja" if chosen.lower().startswith("ja") else "en"


def page_texts() -> Texts:
    """Return the page's texts in the language of the terminal's user."""
    from ui.locales import texts

    return texts(terminal_language())
