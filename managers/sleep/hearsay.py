"""What nobody told: what rests only on the persona's own words, on courtesies, on error messages, or on what the app recalled.

A persona that says again what was recalled must not be heard as a witness of it: what one mind once made up would be
remembered anew each night. Nor is a machine one whose words somebody pasted. A model may say in its own words what it was
told; but whoever asks what a letter says has not said what it says: that stands in no content words of their own lines.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, time
from functools import cached_property, lru_cache
from typing import Final

from managers.hygiene.similarity import claims
from managers.language.reading.error_texts import part_errors
from managers.language.reading.reading import Sentence, read
from managers.language.reading.synonyms import one_word_each
from managers.language.reading.times import find_times, tells_when, without_times
from managers.language.reading.values import values_in
from managers.language.words import content_words, words
from managers.memory.entities import name_key
from managers.memory.messages import Message
from managers.memory.provenance import is_own
from managers.sleep.review import Why, is_foreign
from managers.sleep.tasks import DayMaterial, is_of_document, is_testimony

_SMALL_TALK: Final = frozenset(
    "night morning evening first home leave bye day how_are_you thanks praise laugh silence call".split()  # noqa: SIM905  # as in a list, and shorter
)
"""What a message does that tells nothing to be remembered."""
_MOST_TOLD: Final = 0.25
_LEAST_FOUND: Final = 0.6
"""Nobody told a statement when persons told no more than this share of its words, and what the app recalled, or an error
message, holds at least this one."""
_LEAST_SAID: Final = 1 / 3
"""Nor when their lines hold no more than this, and others' lines alone as much as that."""
_COUNTED, _SPELT = 12, 100
"""Up to the one whoever writes counts ("a cat and a dog" are two pets), below the other one may spell ("thirty-four")."""
_CLOCK: Final = re.compile(r"\d{1,2}(?::\d\d|時(?:\d{1,2}分)?)|(?<!\d)(?:19|20)\d\d(?!\d)")
_LONGEST_NAME: Final = 40
_STEM: Final = 5  # letters tell one English word from another: allergy, allergic


class Telling:
    """What persons told on a day, and what the persona said after it had recalled something."""

    def __init__(self, day: DayMaterial, known: Iterable[str] | None = None) -> None:
        """Read a day, and what was `known` before, by name and number; None: nobody can tell by which names."""
        self._day, self._lang, self._knows_names = day, day.sheet.language, known is not None
        speakers = {day.sheet.persona, day.sheet.user_name, *(message.speaker for message in day.messages)}
        self._names = {term for name in speakers for term in content_words(name)}
        self._lines = [one.text for one in day.messages if is_testimony(one)]
        self._others = [one.text for one in day.messages if not is_testimony(one)]
        self._documents = [one.text for one in day.messages if is_of_document(one)]
        self._known = [*self._lines, *(known or ()), day.before.summary if day.before else "", *speakers]

    def why_not(self, text: str, evidence: Collection[str]) -> Why | None:
        """Return why a statement about the day may not become a memory; None if it may."""
        witnesses = [one for one in self._day.messages if one.id in evidence and is_testimony(one)]
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
        recalled = [one.text for one in self._day.messages if one.id in self._day.recalled]
        errors = [error for _, error in self._parts.values() if error]
        about, own = self._about(text), [one for one in self._day.messages if is_testimony(one)]
        told = (one.text for message in own for one in self._sentences(message) if not one.is_question)
        if not about or not (recalled or errors) or len(_shared(about, told)) > _MOST_TOLD * len(about):
            return None
        found: tuple[tuple[Why, list[str]], ...] = (("recalled", recalled), ("error_text", errors))
        return next((why for why, lines in found if len(_shared(about, lines)) >= _LEAST_FOUND * len(about)), None)

    def misses(self, text: str, evidence: Collection[str], whole: str | None = None) -> bool:
        """Whether cited lines of persons, and those beside them, surely lack the numbers, names or words of a text, or of the `whole` it is in.

        Of lines in another language than the persona's only numbers are sure.
        """
        near = [*self._near(evidence, {"yes", "no"} if claims(text)[1] else {"yes"})] or self._known
        if self._is_strange(text) or is_foreign("\n".join(near), self._lang):
            return self._is_strange(text)
        about = self._about(text if whole is None else whole)
        shares = _shared(about, near) or 2 * len(_shared(about, self._lines)) >= len(about)
        return not shares or self._names_others(text, near) or self._is_of(self._others, text, near)

    def is_of_document(self, text: str) -> bool:
        """Whether surely nobody but a document says something, be it a thought of the persona's own."""
        return self._is_strange(text) or self._is_of(self._documents, text, self._lines)

    def strays(self, text: str, lines: Collection[str], least: float = 0) -> bool:
        """Whether no more than a share of a text's words, none if not given, stand in the lines that it is about."""
        about = self._about(text)
        is_alien = bool(about) and len(_shared(about, lines)) <= least * len(about)
        return is_alien and not is_foreign("\n".join(lines), self._lang)

    def origins_of(self, text: str) -> tuple[str, ...]:
        """Return whose foreign words a fact is marked with: words of it stand in foreign lines of the day, and in no others."""
        lines, about = [one.text for one in self._day.messages if not is_own(one) and one.foreign], self._about(text)
        return self._day.origins if _shared(about, lines) - _shared(about, self._known) else ()

    def is_name(self, text: str) -> bool:
        """Whether something can be what somebody is called: it is short, and the user's own lines have words of it."""
        own = [one.text for one in self._day.messages if is_own(one)]
        return len(text) <= _LONGEST_NAME and not self.strays(text, own)

    def _is_of(self, others: Collection[str], text: str, near: Collection[str]) -> bool:
        """Whether most words of a statement stand in others' lines alone."""
        about, said = self._about(text), _shared(self._about(text), near)
        theirs = _shared(about, others) - _shared(about, (*near, *self._known))
        return len(theirs) >= max(1, _LEAST_FOUND * len(about)) and len(said) <= _LEAST_SAID * len(about)

    def _is_strange(self, text: str) -> bool:
        """Whether something names a number that nobody said; dates aside, which are reckoned."""
        said, told = _numbers(term for line in self._known for term in _said_in(line)), _numbers(self._about(text))
        strange = {one for one in told if one > _COUNTED and one not in said and one - _COUNTED not in said}
        spelt = (one.text[0].isalpha() for one in values_in(" ".join(self._known), "en", ["count"]))
        return bool(strange) and (max(strange) >= _SPELT or not any(spelt))

    def _near(self, evidence: Collection[str], answers: set[str]) -> Iterator[str]:
        """Yield the lines of persons that are cited, those beside them, and what they were asked and say yes to."""
        talk = self._day.messages
        for at, one in enumerate(talk):
            if not is_testimony(one) or all(beside.id not in evidence for beside in talk[max(0, at - 2) : at + 3]):
                continue
            yield one.text
            parts = (one.text, re.split(r"[\s、,。．.!！]", one.text)[0])
            begins = {first.act for part in parts for first in read(part, self._lang).sentences[:1]}
            if at and one.id in evidence and begins & answers and talk[at - 1].text not in self._documents:
                yield from (asked.text for asked in read(talk[at - 1].text, self._lang).sentences if asked.is_question)

    def _names_others(self, text: str, near: Collection[str]) -> bool:
        """Whether a statement names whom no person named."""
        named = (one.surface for one in words(text, "short") if one.kind == "proper" and not tells_when(one.surface))
        keys, said = set(map(name_key, named)), name_key("\n".join([*self._known, *near]))
        return self._knows_names and any((key[:_STEM] if key.isascii() else key) not in said for key in keys)

    def _about(self, text: str) -> set[str]:
        spans = find_times(text, datetime.combine(self._day.date, time(12)))
        return one_word_each(_CLOCK.sub(" ", without_times(text, spans))) - self._names

    def _is_small_talk(self, message: Message) -> bool:
        return all(one.act in _SMALL_TALK for one in self._sentences(message) if any(map(str.isalnum, one.text)))

    def _sentences(self, message: Message) -> tuple[Sentence, ...]:
        return read(self._parts[message.id][0], self._lang).sentences

    @cached_property
    def _parts(self) -> dict[str, tuple[str, str]]:
        """What persons told in each of their messages, and what error messages in it say."""
        return {one.id: part_errors(one.text) for one in self._day.messages if is_testimony(one)}


_said_in = lru_cache(maxsize=2048)(one_word_each)


def _shared(about: Collection[str], lines: Iterable[str]) -> set[str]:
    there = {one for line in lines for one in _said_in(line)}
    stems = {one[:_STEM] for one in there if one.isascii()}
    return {one for one in about if one in there or (one.isascii() and one[:_STEM] in stems)}


def _numbers(terms: Iterable[str]) -> set[int]:
    return {int(one) for term in terms for one in re.findall(r"\d{1,9}", term.replace(",", ""))}
