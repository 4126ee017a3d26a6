"""Does a message tell of a death that is near? Patterns are data (`assets/language/loss.toml`)."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from managers.language.lexicons import load
from managers.language.words import sentences

_MAX_LENGTH = 4000
_JUNK = re.compile(r"[\s.。!！…~〜ー]+$")


def tells_of_loss(text: str) -> bool:
    """Tell whether somebody died, in the writer's own life and lately."""
    return any(_tells(_JUNK.sub("", sentence)) for sentence in sentences(_plain(text[:_MAX_LENGTH])))


def _tells(sentence: str) -> bool:
    return any(tells.search(sentence) and not never.search(sentence) for tells, never in _patterns())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    tables = load("loss")
    return tuple((_joined(tables[lang]["tells"]), _joined(tables[lang]["not"])) for lang in ("ja", "en"))


def _joined(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
