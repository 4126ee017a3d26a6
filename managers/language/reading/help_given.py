"""What an answer is like as help: its steps, and traits that somebody may like or not. The rules are in `helping.toml`."""

import re
from typing import Final

from managers.language.reading.bounds import MOST
from managers.language.reading.reading import SOCIAL, Reading, read
from managers.language.reading.rules import fits
from managers.storage.errors import Lang

TRAITS: Final = ("steps", "lists", "long", "short", "example", "advises", "asks_back", "listens")
"""Numbered steps; other lists; its length; an example; advice; ends with a question; listens and gives no advice."""
_LONG: Final[dict[Lang, int]] = {"ja": 300, "en": 700}
_SHORT: Final[dict[Lang, int]] = {"ja": 60, "en": 150}
_NUMBERED = re.compile(r"^[ \t]*(?:\d{1,2}[.)．、]|[①-⑳])[ \t　]*(.+)$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*•・‣]\s*\S", re.MULTILINE)
_MARKUP = re.compile(r"[*_`#]+")
_MOST_STEPS, _LONGEST_STEP = 7, 80


def steps_of(answer: str) -> list[str]:
    """Return the numbered steps of an answer, each in a few words; none where fewer than two are numbered."""
    answer = answer[:MOST]
    steps = [" ".join(_MARKUP.sub("", found[1]).split()) for found in _NUMBERED.finditer(answer)]
    return [step[:_LONGEST_STEP] for step in steps[:_MOST_STEPS]] if len(steps) > 1 else []


def traits_of(answer: str, request: Reading) -> tuple[str, ...]:
    """Return what an answer to a request is like, in the order of `TRAITS`."""
    answer, length = answer[:MOST], len(answer)
    found = read(answer, request.lang)
    has_list = len(_NUMBERED.findall(answer)) + len(_BULLET.findall(answer)) > 1
    advises = fits(found.lang, "helping", "advises", answer)
    has = {
        "steps": bool(steps_of(answer)),
        "lists": has_list,
        "long": length >= _LONG[found.lang],
        "short": length <= _SHORT[found.lang],
        "example": fits(found.lang, "helping", "gives_example", answer),
        "advises": advises,
        "asks_back": bool(found.sentences) and found.sentences[-1].is_question,
        "listens": bool(request.told) and not (request.questions or advises or has_list),
    }
    return tuple(name for name in TRAITS if has[name])


def asks_for_help(request: Reading) -> bool:
    """Tell whether a message asks or tells anything, so that an answer to it can help: a greeting does not."""
    return any(one.act not in SOCIAL and (one.act or one.terms) for one in request.sentences)
