"""Choosing words: variants from the reply tables, none that was just used, in the persona's register."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from random import Random

from agent.minds.builtin.talk.quotation import outside_quotes
from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import load

_ALTERNATIVES = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_SLOT = re.compile(r"<([^<>]+)>")


class Phrasebook:
    """The phrases for one reply: it remembers what was said in it and in the turns before."""

    def __init__(self, voice: Voice, rng: Random, recent: Sequence[str], *, kept: bool = True) -> None:
        """`recent`: the persona's own last replies, newest last; `kept`: what is said now is remembered."""
        self.voice = voice
        self._rng = rng
        self._kept = {"kept": "yes" if kept else ""}
        self._recent = [text for text in recent if text]
        self._table = load(f"{voice.lang}/replies")

    def say(self, table: str, key: str, **slots: str) -> str:
        """Return a phrase, filled in; a slot without a value empties its template's chances.

        A slot that begins with `?` is a condition: it stands for nothing and must have a value.

        Raises:
            KeyError: there is no such list, or it needs a slot that was not given.
        """
        templates: list[str] = self._table[table][key]
        usable = [template for template in templates if self._can_fill(template, slots)]
        chosen = self._choose(usable or templates)
        text = self._fill(chosen, slots)
        self._recent.append(text)
        return text

    def phrase(self, table: str, key: str, **slots: str) -> str:
        """Return the only phrase of a list, filled in; it is said as often as it fits."""
        return self._fill(self._table[table][key][0], slots)

    def can(self, table: str, key: str, **slots: str) -> bool:
        """Tell whether there is such a list, and one of its templates can be filled in."""
        return any(self._can_fill(template, slots) for template in self._table[table].get(key, []))

    def was_said(self, table: str, key: str, text: str) -> bool:
        """Tell whether a text holds one of a list's phrases."""
        return any(fragment in text for template in self._table[table][key] for fragment in self._fragments(template))

    def chance(self, probability: float) -> bool:
        """Flip a coin of this mind's own."""
        return self._rng.random() < probability

    def pick(self, options: Sequence[str]) -> str:
        """Choose one of several."""
        return options[self._rng.randrange(len(options))]

    def _can_fill(self, template: str, slots: dict[str, str]) -> bool:
        slots = self._kept | slots
        return all(
            slots.get(slot.lower().strip("、,?"))
            for slot in _SLOT.findall(template)
            if slot.strip("、,").lower() not in _FREE
        )

    def _choose(self, templates: Sequence[str]) -> str:
        """Choose at random among those that were used longest ago."""
        ages = [self._age(template) for template in templates]
        oldest = max(ages)
        candidates = [template for template, age in zip(templates, ages, strict=True) if age == oldest]
        return candidates[self._rng.randrange(len(candidates))]

    def _age(self, template: str) -> int:
        """Return how many replies ago a template was used; far more than there are if never."""
        fragments = self._fragments(template)
        if not fragments:
            return len(self._recent) + 1
        for age, text in enumerate(reversed(self._recent)):
            if any(fragment in text for fragment in fragments):
                return age
        return len(self._recent) + 1

    def _fragments(self, template: str) -> list[str]:
        """Return the fixed pieces of a template that are long enough to be recognised."""
        plain = self._register(template)
        pieces = [piece.strip(" 。、！？!?.") for piece in _SLOT.split(plain)[::2]]
        return [piece for piece in pieces if len(piece) >= self.voice.marks["shortest_piece"]]

    def _register(self, template: str) -> str:
        return _ALTERNATIVES.sub(lambda match: match.group(1 if self.voice.polite else 2), template)

    def _fill(self, template: str, slots: dict[str, str]) -> str:
        you = self.voice.you
        free = {
            "you、": f"{you}、" if you else "",
            "、you": f"、{you}" if you else "",
            ",you": f", {you}" if you else "",
            "you": you or self.voice.marks["somebody"],
            "I": self.voice.i,
            "name": self.voice.name,
        }

        def value(match: re.Match[str]) -> str:
            slot = match.group(1)
            if slot.startswith("?"):
                return ""
            if slot in free:
                return free[slot]
            text = slots.get(slot.lower(), "")
            return text[:1].upper() + text[1:] if slot[:1].isupper() else text

        return tidy(_SLOT.sub(value, self._register(template)), self.voice)


_FREE = frozenset({"you", "i", "name", "echo"})


def tidy(text: str, voice: Voice) -> str:
    """Mend what filling in leaves: a comma before nobody's name, doubled stops and spaces."""
    text = text.replace("、。", "。").replace("。。", "。").replace("m..", "m.").replace(" ,", ",").strip()
    text = re.sub(r" {2,}", " ", text).removeprefix("、")
    return outside_quotes(text, _with_capitals) if voice.marks["has_capitals"] else text


_with_capitals = partial(re.compile(r"(?:^|[.!?]\s+)[a-z]").sub, lambda match: match.group().upper())
