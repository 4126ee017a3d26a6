"""Hold an answer back until it is certain that it is in the talk's language, which its first words tell; or certain that it is not."""

from functools import cache
from typing import Any, Final

import regex

from managers.mind import ReplyRequest
from managers.storage.texts import table

_LONGEST: Final = 240
"""After so many letters without one of the talk's own script, nobody waits for one."""
_NO_SPEECH: Final = ("```", "://")


def certain_language(request: ReplyRequest) -> str:
    """Return the language that an answer must have; empty where that is not certain: who names a language may want it."""
    sheet, lang = request.sheet, request.sheet.language
    said = [turn.text for turn in request.turns if turn.role == "persona" and turn.text.strip()]
    named = [turn.text for turn in request.turns if turn.role == "user"]
    texts = [request.message.text, sheet.system_prompt, sheet.user_profile, *named]
    if any(_pattern("named").search(text) for text in texts) or any(is_other(text, lang) for text in said):
        return ""
    is_own = _pattern(lang, "own").search(request.message.text) and not is_other(request.message.text, lang)
    return lang if is_own else ""


def is_other(text: str, lang: str) -> bool:
    """Tell whether a whole text is certainly in another language."""
    others = table("model_marks")["languages"][lang]["others"]
    return not _pattern(lang, "own").search(text) and any(_compiled(one).match(text) for one in others)


class LanguageGate:
    """Feed it what is said; `is_other` tells that it is in another language, and nothing of it came through."""

    def __init__(self, lang: str) -> None:
        """Begin; with no language all is let through."""
        self._lang = lang
        self._held = ""
        self.is_other = False

    def feed(self, text: str, *, is_last: bool = False) -> str:
        """Return what may be said."""
        if not self._lang:
            return "" if self.is_other else text
        self._held += text
        is_certain = _pattern(self._lang, "own").search(self._held) or any(one in self._held for one in _NO_SPEECH)
        if not is_certain and not is_last and len(self._held) < _LONGEST:
            return ""
        self.is_other = not is_certain and is_other(self._held, self._lang)
        said, self._held, self._lang = self._held, "", ""
        return "" if self.is_other else said


def _pattern(*keys: str) -> Any:  # noqa: ANN401  # regex has no types
    found: Any = table("model_marks")["languages"]
    for key in keys:
        found = found[key]
    return _compiled(found)


@cache
def _compiled(pattern: str) -> Any:  # noqa: ANN401  # the same
    return regex.compile(pattern, regex.IGNORECASE)
