"""Other people's words inside one's own: quoting them, and leaving them as they were."""

import re
from collections.abc import Callable
from typing import Any

from managers.language.lexicons import load
from managers.language.reading.bounds import MOST
from managers.language.reading.rules import rules, search_any
from managers.storage.errors import Lang

_KEPT = "\ue000"
_QUOTATION = re.compile(r"「[^」]{0,600}」|『[^』]{0,600}』|“[^”]{0,600}”")


def outside_quotes(text: str, change: Callable[[str], str]) -> str:
    """Change a text but for what it quotes."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return _KEPT

    changed = change(_QUOTATION.sub(keep, text.replace(_KEPT, "")))
    pieces = iter(kept)
    return re.sub(_KEPT, lambda _: next(pieces), changed)


def for_quoting(text: str, lang: Lang, limit: int = 160) -> str:
    """Return words as they stand between quotation marks: one line, shortened, inner marks giving way."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    line = line.rstrip(marks(lang)["full_stop"])
    for mark, instead in marks(lang)["within"]:
        line = line.replace(mark, instead)
    return line


def quoted(text: str, lang: Lang, limit: int = 120) -> str:
    """Return words between quotation marks, as `for_quoting` has them."""
    return f"{marks(lang)['open']}{for_quoting(text, lang, limit)}{marks(lang)['close']}"


def between_quotes(text: str) -> str:
    """Return the first words of a text that stand between quotation marks; empty where none do."""
    found = search_any("quotations", "quoted", text)
    return found["said"] if found else ""


def marks(lang: Lang) -> dict[str, Any]:
    """Return the marks of a language, around a quotation and elsewhere (`marks.toml`)."""
    found: dict[str, Any] = load(f"{lang}/marks")
    return found


def readable(text: str) -> str:
    """Return a message without markup, code, links and control characters, and not longer than can be read."""
    return "".join(_printed(char) for char in without_markup(text[:MOST])).strip()


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
