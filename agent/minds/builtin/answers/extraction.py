"""The value that answers a question, read from one sentence that the user told: the day, the place, the colour, the name."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from agent.minds.builtin.answers.candidates import Candidate
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_day
from managers.language.lexicons import load, word_list
from managers.language.reading.english import verb_base
from managers.language.reading.kinship import kin_words, marked
from managers.language.reading.noun_phrases_ja import phrases
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, rule, rules
from managers.language.reading.synonyms import one_word, one_word_each, plain_of_idioms
from managers.language.reading.values import ValueKind, capital_days, day_meant, values_in
from managers.language.words import Word, words
from managers.storage.errors import Lang

_SURE: Final = 0.45
"""So much of what is asked must be in what answers, for a bare value to be given as the fact."""
_KIN_MARK: Final = "◇"
"""What stands for the word that was asked with in the rules of `naming.toml`, where it is a relation."""
_LIVING: Final = ({"live", "move"}, {"住む", "暮らす", "引っ越す"})
"""Verbs of which each asks for the place that another gives."""


def value_for(  # noqa: PLR0911  # one return per kind of value
    asked: Sequence[Sentence], candidate: Candidate, scene: Scene, coverage: float
) -> str:
    """Return the value that a question wants, as a sentence may begin with it; empty where it is not plain."""
    sentence = next((one for one in asked if one.asks), asked[0] if asked else None)
    if sentence is None or coverage < _SURE or not is_of_that(sentence, candidate):
        return ""
    text = unicodedata.normalize("NFKC", candidate.text).replace("’", "'")
    lang, plain = scene.lang, sentence.plain
    if fits(lang, "values", "asks_colour", plain):
        return _only(text, lang, "colour").removesuffix("い")
    if fits(lang, "answers", "asks_code", plain):
        codes = rule("en", "answers", "code").findall(text)
        return codes[0] if len(codes) == 1 else ""
    if fits(lang, "answers", "asks_name", plain):
        return _name(plain, text, lang)
    if sentence.asks == "when":
        return _day(sentence, candidate, text, scene)
    if sentence.asks == "how_many":
        return _count(plain, text, lang)
    if sentence.asks == "where":
        return (_place_ja if lang == "ja" else _place_en)(sentence, text)
    return ""


def is_of_that(sentence: Sentence, candidate: Candidate) -> bool:
    """Tell whether a sentence speaks of all that a question asks about: of Mum's coming, not of her birthday."""
    there = _words_there(candidate)
    return all(_forms(word) & there for word in _asked_words(sentence))


def is_beside(sentence: Sentence, candidate: Candidate) -> bool:
    """Tell a sentence that shares with a question nothing but whom it is about."""
    kin = kin_words(sentence.lang)
    plain = [w for w in _asked_words(sentence) if w.entity != "person" and w.kind != "proper" and w.surface not in kin]
    there = _words_there(candidate)
    return bool(plain) and not any(_forms(word) & there for word in plain)


def _asked_words(sentence: Sentence) -> list[Word]:
    light = word_list(sentence.lang, "asking")
    return [
        word
        for word in words(plain_of_idioms(sentence.plain))
        if word.kind in ("noun", "verb", "proper", "adjective")
        and not word.surface.startswith("何")
        and not {word.normal, word.surface, word.form, *_forms(word)} & light
    ]


def _words_there(candidate: Candidate) -> set[str]:
    there = one_word_each(f"{candidate.text} {candidate.original} {candidate.around}")
    return there.union(*(_forms(word) for word in words(plain_of_idioms(candidate.text))))


def _forms(word: Word) -> set[str]:
    return {one_word(form) for form in (word.normal, word.lemma, verb_base(word.surface.lower()))}


def _only(text: str, lang: Lang, kind: ValueKind) -> str:
    """Return the one value of a kind; two would leave open which is meant."""
    found = values_in(text, lang, [kind])
    return found[0].text if len(found) == 1 else ""


def _day(sentence: Sentence, candidate: Candidate, text: str, scene: Scene) -> str:
    lang = scene.lang
    hour = _only(text, lang, "hour")
    if fits(lang, "answers", "asks_hour", sentence.plain):
        return hour
    said = capital_days(_only(text, lang, "day"))
    day = _as_day(said, candidate, text, scene) if said else ""
    return f"{day}{load('dates')[lang]['hour_joint']}{hour}" if day and hour else day


def _as_day(said: str, candidate: Candidate, text: str, scene: Scene) -> str:
    """Return a day that was named from another one ("tomorrow", 金曜) with the date it had; empty where that is unsure."""
    lang, today = scene.lang, scene.request.now.date()
    if fits(lang, "values", "vague", said):
        return ""
    is_weekday = fits(lang, "values", "weekday", said)
    if is_weekday and (fits(lang, "values", "gone_by", text) or fits(lang, "values", "regular", text)):
        return said
    date = day_meant(said, candidate.time.date(), lang) if candidate.time else None
    if date is None:
        return said if is_weekday or day_meant(said, today, lang) is None else ""
    named = say_day(date, today, lang)
    if not is_weekday or named.lower() == said.lower():
        return said if is_weekday else named
    form: str = load(f"{lang}/day_words")["weekday_to_come" if date >= today else "weekday_gone_by"]
    return form.format(said=said, named=named, month=date.month, day=date.day)


def _count(plain: str, text: str, lang: Lang) -> str:
    found = values_in(text, lang, ["count"])
    if lang == "ja":
        unit = rule("ja", "answers", "asks_count").search(plain)
        fitting = [v.text for v in found if unit and (not unit["unit"] or v.text.endswith(unit["unit"]))]
        return fitting[0] if len(fitting) == 1 else ""
    if fits("en", "answers", "asks_age", plain):
        return _age(plain, text)
    if fits("en", "answers", "asks_own", plain) and not fits("en", "answers", "own", text):
        return ""  # twelve poems that an editor wants are none that one has
    return found[0].text if len(found) == 1 and " " in found[0].text else ""


def _age(plain: str, text: str) -> str:
    asked = [word.surface for word in words(plain) if word.kind in ("noun", "proper", "verb", "adjective")]
    for name, told in (("age_of_asked", marked(text, asked, "en")), ("age", text)):
        ages = [match["age"] for match in rule("en", "answers", name).finditer(told)]
        if len(ages) == 1:
            return str(ages[0])
    return ""


def _place_en(sentence: Sentence, text: str) -> str:
    """Return the phrase of place behind the verb that was asked with: "in a bakery", of "He works in a bakery"."""
    verbs = {verb_base(word.surface.lower()) for word in sentence.words if word.kind in ("verb", "noun")}
    verbs |= _LIVING[0] if verbs & _LIVING[0] else set()
    for word in words(text)[:-1]:
        if verb_base(word.surface.lower()) not in verbs or word.surface.lower() == "going":
            continue
        match = rule("en", "answers", "place").match(text[word.end :])
        if match and not fits("en", "answers", "no_place", match["place"]):
            return re.sub(r"\bour\b", "your", match["place"])
    return ""


def _place_ja(sentence: Sentence, text: str) -> str:
    """Return the phrase before で, に or へ and the verb that was asked with: パン屋 of パン屋で働いてる."""
    verbs = {word.normal for word in sentence.words if word.kind == "verb"} - word_list("ja", "asking")
    verbs |= _LIVING[1] if verbs & _LIVING[1] else set()
    found = words(text)
    places = [
        phrase
        for start, end in phrases(found)
        if end < len(found) and found[end].surface in ("で", "に", "へ") and _verbs_after(found, end) & verbs
        if found[start].entity != "person"
        and not values_in(phrase := text[found[start].start : found[end].start], "ja", ["day", "hour"])
    ]
    return places[0] if len(places) == 1 else ""


def _verbs_after(found: Sequence[Word], at: int) -> set[str]:
    verb = next((word.normal for word in found[at + 1 :] if word.kind == "verb"), "")
    noun = next((word.normal for word in found[at + 1 : at + 3] if word.form == "サ変可能"), "")
    return {verb, noun} - {""}


def _name(plain: str, text: str, lang: Lang) -> str:
    """Return the name that a sentence gives to the one who is asked for (my cat, うちの猫, my boat)."""
    light = word_list(lang, "asking") | {"name", "names", "名前", "なまえ"}
    nouns = [word for word in words(plain) if word.kind == "noun" and word.surface not in light]
    asked = {form for word in nouns for form in (word.surface, word.form) if form.isalnum()}
    kin = asked & kin_words(lang)
    text = marked(marked(text, kin, lang, _KIN_MARK), asked - kin, lang)
    found = (one.pattern.search(text) for one in rules(lang, "naming").values()) if asked else ()
    return next((match["name"] for match in found if match), "")
