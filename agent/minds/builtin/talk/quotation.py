"""Other people's words inside one's own: quoting them, and leaving them as they were."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from managers.language.lexicons import load
from managers.storage.errors import Lang

_KEPT = "\ue000"
_QUOTATION = re.compile(r"「[^」]*」|『[^』]*』|“[^”]*”")


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


def marks(lang: Lang) -> dict[str, Any]:
    """Return the marks of a language, around a quotation and elsewhere (`marks.toml`)."""
    found: dict[str, Any] = load(f"{lang}/marks")
    return found
