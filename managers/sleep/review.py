"""What is wrong with a mind's answer: what must be mended before any of it is taken, and what is left out of it."""

from collections.abc import Collection, Sequence
from typing import Literal

from managers.language.words import detect_language
from managers.sleep.errors import DraftRejectedError, LeftOutError
from managers.storage.errors import Lang
from managers.storage.texts import Texts

Why = Literal[
    "unknown_message",
    "nobody_said",
    "language",
    "unsafe_name",
    "pronoun",
    "too_many",
    "unknown_target",
    "only_monthly",
    "alike",
    "incomplete",
    "small_talk",
    "recalled",
    "error_text",
    "unsaid",
]
UNKNOWN_LABEL = "?"
"""Stands before a label that was given to no message: no id begins with it."""

_say = Texts("prompts/review")
_JUDGED_LENGTH = 12
"""Shorter texts may be a name or a loan word, whatever the language."""
_TOLD = 5
_ITEM_LENGTH = 80


def is_foreign(text: str, lang: Lang) -> bool:
    """Tell whether a text is in another language than the persona's."""
    return len(text.strip()) >= _JUDGED_LENGTH and detect_language(text, lang) != lang


class Review:
    """Gathers what is wrong with one answer, so that all of it is said at once.

    Attributes:
        left_out: the items that do not become memory, each with why and what it rests on.
        quotes: the mind only quotes, in whatever language it was said; what it names needs no second look.
    """

    def __init__(self, task: str, lang: Lang, *, quotes: bool = False) -> None:
        self.left_out: list[tuple[LeftOutError, tuple[str, ...]]] = []
        self._task = task
        self._lang = lang
        self.quotes = quotes
        self._problems: list[str] = []

    def leave_out(self, item: str, why: Why, evidence: Sequence[str] = ()) -> None:
        """Note an item that does not become memory."""
        told = " ".join(item.split())
        short = told if len(told) <= _ITEM_LENGTH else f"{told[: _ITEM_LENGTH - 1]}…"
        words = _say.both(f"why.{why}")
        error = LeftOutError(item=short, why=why, why_ja=words["ja"], why_en=words["en"])
        self.left_out.append((error, tuple(evidence)))

    def is_foreign(self, text: str) -> bool:
        """Tell whether a text is in another language than it should be."""
        return not self.quotes and is_foreign(text, self._lang)

    def require_text(self, name: str, text: str) -> None:
        """Note a field that is empty or in the wrong language."""
        if not text.strip():
            self._note("empty", name=name)
        elif self.is_foreign(text):
            self._note("language", name=name)

    def require_evidence(self, name: str, evidence: Sequence[str], ids: Collection[str]) -> None:
        """Note evidence that does not exist."""
        unknown = [one.removeprefix(UNKNOWN_LABEL) for one in evidence if one not in ids]
        if unknown or not evidence:
            self._note("evidence", name=name, named=", ".join(unknown[:_TOLD]) or _say("field.none", self._lang))

    def refuse(self, what: Literal["own_words", "error_text", "repeated", "unsaid"], name: str = "") -> None:
        """Note that a field rests on nobody's words, or that what is concluded was concluded before."""
        self._note(what, name=name)

    def close(self, *, nothing_left: bool = False) -> None:
        """End the review.

        Args:
            nothing_left: there were items, and none of them can be taken.

        Raises:
            DraftRejectedError: the answer must be mended.
        """
        problems = list(self._problems)
        if nothing_left:
            items = (f"{error.facts['item']}: {error.facts['why_' + self._lang]}" for error, _ in self.left_out)
            problems += list(dict.fromkeys(items))[:_TOLD]
        if problems:
            raise DraftRejectedError(task=self._task, reason="; ".join(problems))

    def _note(self, what: str, **facts: str) -> None:
        self._problems.append(_say(f"field.{what}", self._lang, **facts))
