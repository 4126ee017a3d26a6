"""A persona's way of speaking, read from its sheet, and the words that it chooses: variants of the reply tables, in its register."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any

from agent.minds.builtin.talk.quotation import marks, outside_quotes
from managers.language.lexicons import load
from managers.language.reading.rules import fits, rule
from managers.mind import Sheet
from managers.storage.errors import Lang

_MARK = "\ue001"
"""Stands behind what a rule wrote at an end, so that no later rule changes it again."""
_END = rf"(?<!{_MARK})(?=[。！!…]|$|\n)"
_OWN_ENDING = "+"
_ALTERNATIVES = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_SLOT = re.compile(r"<([^<>]+)>")
_FREE = frozenset({"you", "i", "name", "echo"})
_with_capitals = partial(re.compile(r"(?:^|[.!?]\s+)[a-z]").sub, lambda match: match.group().upper())


@dataclass(frozen=True, slots=True)
class Voice:
    """How a persona speaks in one language.

    Attributes:
        lang: the language that it speaks now: the user's.
        name: the persona's own.
        i: what it calls itself (Japanese; in English always "I").
        you: what it calls the user; empty where no name is known.
        polite: Japanese です・ます, or the formal register in English.
        quirk: the name of a way to end sentences (`speech.toml`), or the ending itself after `+`; or empty.
        murmurs: sounds that slip out now and then (a yawn), by the sheet's own words.
    """

    lang: Lang
    name: str
    i: str
    you: str
    polite: bool
    quirk: str = ""
    murmurs: tuple[str, ...] = ()

    @property
    def marks(self) -> dict[str, Any]:
        """The marks of its language (`marks.toml`)."""
        return marks(self.lang)

    @property
    def joint(self) -> str:
        """What stands between two sentences."""
        return str(self.marks["joint"])

    def finish(self, text: str) -> str:
        """Give the finished words the persona's own sentence endings; quotations stay as they are."""
        return outside_quotes(text, self._with_endings) if self.quirk else text

    def _with_endings(self, text: str) -> str:
        for pattern, replacement in _endings(self.quirk):
            text = pattern.sub(replacement, text)
        return text.replace(_MARK, "")


@lru_cache(maxsize=32)
def _endings(quirk: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return how a quirk changes the ends of sentences; what it writes is marked, before its question mark if it has one."""
    given = [[load("ja/speech")["any_ending"] + "END", re.escape(quirk[1:])]] if quirk[0] == _OWN_ENDING else None
    listed = given or load("ja/speech")["quirks"][quirk]["rules"]
    return tuple(
        (re.compile(pattern.replace("END", _END)), re.sub(r"(？?)$", rf"{_MARK}\1", replacement, count=1))
        for pattern, replacement in listed
    )


@lru_cache(maxsize=64)
def read_voice(sheet: Sheet, lang: Lang) -> Voice:
    """Read how a persona speaks from its system prompt, for a reply in `lang`."""
    prompt = sheet.system_prompt
    if lang == "en":
        murmurs = [one["said"].capitalize() for one in rule("en", "voice", "murmur").finditer(prompt)]
        return Voice("en", sheet.persona, "I", _english_you(sheet), _is_formal(prompt), "", tuple(murmurs))
    quirk, base = _quirk(prompt)
    polite = base == "polite" if base else _is_polite(prompt)
    told = rule("ja", "voice", "murmur").search(prompt)
    murmurs = rule("ja", "voice", "speech").findall(told["said"]) if told else []
    i, you = _first_person(sheet, polite=polite), _japanese_you(sheet)
    return Voice("ja", sheet.persona, i, you, polite, quirk, tuple(murmurs))


def _speech(prompt: str) -> str:
    return " ".join(rule("ja", "voice", "speech").findall(prompt))


def _first_person(sheet: Sheet, *, polite: bool) -> str:
    prompt = sheet.system_prompt
    known: list[str] = load("ja/speech")["first_persons"].split()
    if told := rule("ja", "voice", "calls_itself").search(prompt):
        if fits("ja", "voice", "own_name", told["name"]):
            return sheet.persona
        for candidate in [*sorted(known, key=len, reverse=True), sheet.persona]:
            if told["name"].startswith(candidate):
                return candidate
    speech = _speech(prompt) or prompt
    counts = {word: len(re.findall(rf"(?<![ぁ-んァ-ヶ一-龠]){word}(?=[はがもをのにって、])", speech)) for word in known}
    most = max(known, key=lambda word: counts[word])
    if counts[most]:
        return most
    return "私" if polite or sheet.language != "ja" else "わたし"


def _quirk(prompt: str) -> tuple[str, str]:
    """Return how the persona ends its sentences, and on which form that is built; empty where nothing tells."""
    quirks: dict[str, Any] = load("ja/speech")["quirks"]
    if told := rule("ja", "voice", "ending").search(prompt):
        ending = rule("ja", "voice", "after_ending").sub("", told["end"])
        for name, table in quirks.items():
            if any(ending.endswith(sign) or sign.endswith(ending) for sign in table["signs"] if len(ending) > 1):
                return name, table["base"]
        if ending and ending not in load("ja/speech")["plain_endings"].split():
            return _OWN_ENDING + ending, "plain"
    speech = _speech(prompt)
    for name, table in quirks.items():
        if any(_shows(sign, prompt, speech) for sign in table["signs"]):
            return name, table["base"]
    return "", ""


def _shows(sign: str, prompt: str, speech: str) -> bool:
    """Tell whether the persona's speech ends with a sign, or its sheet names a way of speaking."""
    if fits("ja", "voice", "kana", sign):
        return re.search(rf"{sign}(?:[。！!？?、」…よねな\s]|$)", speech) is not None
    return sign in prompt


def _is_polite(prompt: str) -> bool:
    table = load("ja/speech")
    no_keigo = fits("ja", "voice", "no_keigo", prompt)
    plain_told = no_keigo or any(word in prompt for word in table["plain_words"].split())
    polite_told = not no_keigo and any(word in prompt for word in table["polite_words"].split())
    if plain_told != polite_told:
        return polite_told
    speech = _speech(prompt) or prompt
    polite, plain = (len(rule("ja", "voice", name).findall(speech)) for name in ("polite", "plain"))
    return polite >= plain


def _japanese_you(sheet: Sheet) -> str:
    told = rule("ja", "voice", "calls_user").search(sheet.system_prompt)
    name = sheet.user_name.strip()
    if told and "名前" not in told["name"] and "{" not in told["name"] and not (name and told["name"] == "あなた"):
        return "" if told["name"] == "あなた" else told["name"]
    return name if not name or fits("ja", "voice", "honorific", name) else f"{name}さん"


def _english_you(sheet: Sheet) -> str:
    if told := rule("en", "voice", "calls_user").search(sheet.system_prompt):
        return told["name"]
    name = sheet.user_name.strip()
    return name if name.isascii() else rule("ja", "voice", "honorific").sub("", name)


def _is_formal(prompt: str) -> bool:
    table = load("en/speech")
    lower = set(rule("en", "voice", "word").findall(prompt.lower()))
    return len(lower & set(table["formal_words"].split())) > len(lower & set(table["casual_words"].split()))


class Phrasebook:
    """The phrases for one reply: it remembers what was said in it and in the turns before."""

    def __init__(self, voice: Voice, rng: Random, recent: Sequence[str], *, kept: bool = True) -> None:
        """`recent`: the last replies and, among several, what was said since, newest last; `kept`: what is said now is remembered."""
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
        text = self._fill(self._choose(usable or templates), slots)
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
        ages = (age for age, text in enumerate(reversed(self._recent)) if any(one in text for one in fragments))
        return next(ages, len(self._recent) + 1)

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


def tidy(text: str, voice: Voice) -> str:
    """Mend what filling in leaves: a comma before nobody's name, doubled stops and spaces."""
    text = text.replace("、。", "。").replace("。。", "。").replace("m..", "m.").replace(" ,", ",").strip()
    text = re.sub(r" {2,}", " ", text).removeprefix("、")
    return outside_quotes(text, _with_capitals) if voice.marks["has_capitals"] else text
