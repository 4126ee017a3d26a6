"""What nobody told: what rests only on the persona's own words, on courtesies, on error messages, or on what the app recalled.

A persona that says again what was recalled must not be heard as a witness of it: what one mind once made up would be
remembered anew each night. Nor is a machine one whose words somebody pasted.
"""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

from managers.language.reading.error_texts import part_errors
from managers.language.reading.reading import Sentence, read
from managers.language.words import content_words
from managers.memory.messages import Message
from managers.sleep.review import Why
from managers.sleep.tasks import DayMaterial, is_testimony

_SMALL_TALK: Final = frozenset(
    "night morning evening first home leave bye day how_are_you thanks praise laugh silence call".split()  # noqa: SIM905  # as in a list, and shorter
)
"""What a message does that tells nothing to be remembered."""
_MOST_TOLD: Final = 0.25
_LEAST_FOUND: Final = 0.6
"""Nobody told a statement when persons told no more than this share of its words, and what the app recalled, or an error
message, holds at least this one."""


class Telling:
    """What persons told on a day, and what the persona said after it had recalled something."""

    def __init__(self, day: DayMaterial) -> None:
        self._day = day
        self._by_id = {message.id: message for message in day.messages}

    def why_not(self, text: str, evidence: Collection[str]) -> Why | None:
        """Return why a statement about the day may not become a memory; None if it may."""
        witnesses = [self._by_id[one] for one in evidence if one in self._day.testimony_ids]
        if not witnesses:
            return "nobody_said"
        said = [self._parts[message.id] for message in witnesses]
        if not any(map(str.isalnum, "".join(told for told, _ in said))) and any(error for _, error in said):
            return "error_text"
        if all(self._is_small_talk(message) for message in witnesses):
            return "small_talk"
        return self.untold(text)

    def untold(self, text: str) -> Why | None:
        """Return why nobody told a statement on that day: the app had recalled it, or an error message says it."""
        found: tuple[tuple[Why, frozenset[str]], ...] = (("recalled", self._recalled), ("error_text", self._errors))
        if not any(there for _, there in found):
            return None
        terms = set(content_words(text)) - self._names
        if not terms or len(terms & self._told) / len(terms) > _MOST_TOLD:
            return None
        return next((why for why, there in found if len(terms & there) / len(terms) >= _LEAST_FOUND), None)

    def _is_small_talk(self, message: Message) -> bool:
        return all(one.act in _SMALL_TALK for one in self._sentences(message) if any(map(str.isalnum, one.text)))

    def _sentences(self, message: Message) -> tuple[Sentence, ...]:
        return read(self._parts[message.id][0], self._day.sheet.language).sentences

    @cached_property
    def _parts(self) -> dict[str, tuple[str, str]]:
        """What persons told in each of their messages, and what error messages in it say."""
        return {one.id: part_errors(one.text) for one in self._day.messages if is_testimony(one)}

    @cached_property
    def _names(self) -> frozenset[str]:
        sheet = self._day.sheet
        names = {sheet.persona, sheet.user_name, *(message.speaker for message in self._day.messages)}
        return frozenset(_terms(names))

    @cached_property
    def _told(self) -> frozenset[str]:
        witnesses = (message for message in self._day.messages if is_testimony(message))
        told = (one.text for message in witnesses for one in self._sentences(message) if not one.is_question)
        return frozenset(_terms(told))

    @cached_property
    def _errors(self) -> frozenset[str]:
        return frozenset(_terms(error for _, error in self._parts.values() if error))

    @cached_property
    def _recalled(self) -> frozenset[str]:
        return frozenset(_terms(one.text for one in self._day.messages if one.id in self._day.recalled))


def _terms(texts: Iterable[str]) -> Iterable[str]:
    return (term for text in texts for term in content_words(text))
