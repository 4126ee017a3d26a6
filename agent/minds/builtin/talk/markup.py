"""Text without its markup: what somebody said, and nothing that only shows it."""

from __future__ import annotations

from managers.language.reading.rules import rules

_MAX_READ = 20_000


def readable(text: str) -> str:
    """Return a message without markup, code, links and control characters, and not longer than can be read."""
    return "".join(_printed(char) for char in without_markup(text[:_MAX_READ])).strip()


def without_markup(text: str) -> str:
    """Return a text without what nobody said: code, tags, links, notes on pictures in imported conversations."""
    for one in rules("en", "markup").values():
        if one.name.startswith("past_"):
            text = one.pattern.sub(" ", text)
    return text


def _printed(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return char
    return " " if char.isspace() else ""  # the wide space parts Japanese sentences
