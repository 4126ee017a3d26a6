"""Taking up what was told in English: what its verb is about, and the noun phrases to ask after."""

from collections.abc import Sequence
from dataclasses import replace

from managers.language.lexicons import verbs, word_list
from managers.language.reading.english import verb_base
from managers.language.reading.kinship import is_person
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, rule
from managers.language.reading.told import Told, signs_of
from managers.language.words import Word

Span = tuple[int, int]
_BEFORE_PERSON = frozenset(["with", "met", "meet", "and", "to", "see", "saw", "called", "visited", "for", ""])


def take_up(sentence: Sentence) -> Told:
    """Read what an English sentence tells."""
    found, text = sentence.words, sentence.text
    verb = _main_verb(found)
    act = _act(sentence, found, verb)
    spans = phrases(found)
    person = next((s for s in spans if is_person(found[s[1] - 1], "en") and _before(found, s) in _BEFORE_PERSON), None)
    place = next((s for s in spans if _is_place(found, s, act)), None)
    verb = verb if verb >= 0 else _first_verb(found)
    topic = _topic(found, spans, verb)
    named = rule("en", "told", "named").search(text)
    kin = " ".join(w.surface.lower() for w in found[slice(*person)]) if person else ""
    about = found if named else found[slice(*topic)] if topic else []
    is_pet = topic is not None and any(w.form in word_list("en", "pets") for w in about)
    if is_pet and (named or person == topic):
        person = None  # "my cat Momo", "my dog is called Rex": a name, and nobody's
    return replace(
        signs_of(sentence),
        act=act,
        is_future=any(word.surface.lower() in word_list("en", "future") for word in found) and not _is_done(found),
        is_past=any(_is_past(word) for word in found),
        is_wish=fits("en", "told", "wish", text),
        is_own=_is_own(found[: max(verb, 0)]),
        topic=named["name"] if named else _spoken(found, topic, text),
        person=_spoken(found, person, text),
        place=_spoken(found, place, text) if place and not is_person(found[place[1] - 1], "en") else "",
        points_back=bool(found) and found[0].surface.lower() in word_list("en", "pointing"),
        is_relative=bool(kin)
        and (fits("en", "told", "relative", kin) or fits("en", "told", "married", sentence.plain)),
        is_pet=is_pet,
        names_somebody=any(is_person(word, "en") or word.form in word_list("en", "pets") for word in found),
    )


# --- verbs ---------------------------------------------------------------------------------------------------


def _act(sentence: Sentence, found: Sequence[Word], verb: int) -> str:
    """Return what the verb at a place is about (`words.toml`), or what the words tell beside it; empty if nothing."""
    act = verbs("en").get(verb_base(found[verb].surface), "") if verb >= 0 else ""
    denied = {"not", "n't", "n’t", "never"} & {word.surface.lower() for word in found[max(0, verb - 3) : verb]}

    def told(name: str, text: str = sentence.text) -> bool:
        return fits("en", "told", name, text)

    if act == "work" and told("job"):
        act = "job"
    if denied or (act == "start" and told("hours")):
        act = ""
    if act == "go" and (told("goes_nowhere", sentence.plain) or told("advised")):
        act = ""
    act = "injury" if told("injury", sentence.plain) else "illness" if told("ails", sentence.plain) else act
    if act == "mishap" and told("loses_oneself", sentence.plain):
        act = ""
    return act or ("eat" if told("meal") else "")


def _main_verb(found: Sequence[Word]) -> int:
    """Return where the verb stands that tells what happened, -1 if no table knows one."""
    known = verbs("en")
    listed = [
        at
        for at, word in enumerate(found)
        if word.kind in ("verb", "function", "noun") and verb_base(word.surface) in known and not _is_helper(found, at)
    ]
    after_subject = [
        at for at in listed if any(w.kind == "pronoun" or w.entity == "person" for w in found[max(0, at - 4) : at])
    ]
    mishaps = [at for at in listed if known[verb_base(found[at].surface)] == "mishap"]
    return (mishaps or after_subject or listed or [-1])[0]


def _first_verb(found: Sequence[Word]) -> int:
    """Return where the first verb of a sentence stands that no table knows, or -1."""
    for at, word in enumerate(found):
        is_short = word.surface in ("'s", "’s") and at and found[at - 1].kind in ("pronoun", "function", "adverb")
        if word.kind == "verb" or word.form in ("be", "have") or is_short:
            return at
    return -1


def _is_helper(found: Sequence[Word], at: int) -> bool:
    """Tell "going to cook" and "gonna cook" from "going to Kyoto"."""
    lower = [word.surface.lower() for word in found[at : at + 2]]
    before_verb = at + 2 < len(found) and found[at + 2].kind == "verb"
    return lower[0] in ("to", "gonna") or (lower == ["going", "to"] and before_verb)


def _is_own(before: Sequence[Word]) -> bool:
    """Tell whether the nearest subject before the verb is I or we; a sentence without one is the teller's."""
    for word in reversed(before):
        lower = word.surface.lower()
        if lower in ("i", "we", "i'm"):
            return True
        if lower in ("he", "she", "they", "it", "you") or word.entity == "person":
            return False
        if word.form in word_list("en", "persons") | word_list("en", "pets"):
            return False
    return True


def _is_past(word: Word) -> bool:
    is_form = word.reading.endswith("ed") or (word.reading != word.form and not word.reading.endswith(("ing", "s")))
    return word.surface.lower() in ("was", "were", "had", "did") or (word.kind == "verb" and is_form)


def _is_done(found: Sequence[Word]) -> bool:
    """Tell "I burnt the risotto tonight" from "we play tonight": what has happened is not to come, whatever the hour."""
    lower = {word.surface.lower().replace("’", "'") for word in found}
    return not word_list("en", "ahead") & lower and any(
        _is_past(word) and not (word.kind == "verb" and at and found[at - 1].form == "be")
        for at, word in enumerate(found)
    )


# --- noun phrases --------------------------------------------------------------------------------------------


def phrases(found: Sequence[Word]) -> list[Span]:
    """Return the noun phrases of a sentence as spans of words: determiner, adjectives, nouns."""
    spans: list[Span] = []
    at = 0
    while at < len(found):
        end, has_noun = at, False
        if found[end].surface.lower() in word_list("en", "determiners"):
            end += 1
        while end < len(found) and _is_inside(found, end) and not (end > at and _is_verb_after_name(found, end)):
            has_noun = has_noun or found[end].kind in ("noun", "proper")
            end += 1
        if has_noun and _is_usable(found, (at, end)):
            spans.append((at, end))
        at = max(end, at + 1)
    return spans


def _is_verb_after_name(found: Sequence[Word], at: int) -> bool:
    """Tell "Lily wants" from "Lily Parks" and "my sister work": what somebody does, though the lists take it for a noun."""
    word = found[at]
    if word.kind == "noun" and is_person(found[at - 1], "en") and verb_base(word.surface) in verbs("en"):
        return True
    is_plain = word.entity is None and word.surface.islower() and word.surface.endswith("s")
    return found[at - 1].entity == "person" and is_plain


def _is_inside(found: Sequence[Word], at: int) -> bool:
    word = found[at]
    before = found[at - 1] if at else None
    following = found[at + 1].kind if at + 1 < len(found) else ""
    if before and before.surface.lower() in ("i", "we", "you", "they", "to") and verb_base(word.surface) in verbs("en"):
        return False  # "I love ramen": what one does, though the lists take it for a noun
    if word.kind in ("noun", "proper"):  # no "prioritizing self-care"
        is_doing = word.kind == "noun" and word.surface.endswith("ing") and following in ("noun", "proper")
        return not is_doing
    if before and word.kind == "verb" and word.form == word.reading and before.kind in ("noun", "proper", "adjective"):
        return following in ("noun", "proper")  # "a support group"
    is_joint = word.surface in ("'s", "’s") or (word.entity is not None and word.kind == "function")
    return (word.kind == "adjective" or is_joint) and following in ("noun", "proper", "adjective")


def _is_usable(found: Sequence[Word], span: Span) -> bool:
    """Leave out hours and numbers, what somebody is ("I'd be a guide"), halves of names and what is no thing."""
    start, head = span[0], found[span[1] - 1]
    before = found[start - 1] if start else None
    if found[start].surface[0] in "'’" or fits("en", "told", "time_or_number", head.surface):
        return False
    subjects = {word.surface.lower() for word in found[max(0, start - 3) : start]}
    if start > 1 and before and before.form == "be" and "i" in subjects:
        return False
    if span[1] - start == 1 and head.entity is None:
        is_half = start > 1 and before and before.surface == "of" and found[start - 2].kind == "noun"
        is_state = before is not None and before.form in word_list("en", "copulas")
        if is_half or is_state or head.surface.endswith("ing"):
            return False
    return not {head.form, head.surface.lower(), head.lemma} & word_list("en", "light") and len(head.surface) > 1


def _before(found: Sequence[Word], span: Span) -> str:
    return found[span[0] - 1].surface.lower() if span[0] else ""


def _is_place(found: Sequence[Word], span: Span, act: str) -> bool:
    is_aim = act == "go" and _before(found, span) in ("to", "in", "at")
    return found[span[1] - 1].entity == "place" or is_aim


def _topic(found: Sequence[Word], spans: Sequence[Span], verb: int) -> Span | None:
    """Return the phrase that the sentence is about: what follows its verb, else one's own, a name, the last."""
    after = [span for span in spans if 0 <= verb < span[0]]
    own = [span for span in spans if found[span[0]].surface.lower() == "my"]
    named = [span for span in spans if found[span[1] - 1].entity]
    return next((group[0] for group in (after, own, named, spans[-1:]) if group), None)


def _spoken(found: Sequence[Word], span: Span | None, text: str) -> str:  # noqa: PLR0911  # one return per kind of phrase
    """Return a phrase from the listener's side: my sister → your sister; a cake → the cake."""
    if span is None:
        return ""
    inside = found[slice(*span)]
    rest = text[inside[0].start : inside[-1].end]
    first, is_alone = inside[0].surface.lower(), len(inside) == 1
    if first in ("my", "our"):
        return "your" + rest[len(first) :]
    if is_alone and first in word_list("en", "family"):
        return f"your {first}"
    if is_alone and _may_be_name(inside[0]):
        return ""
    if first in ("a", "an", "some", "this", "these", "that", "those"):
        return "the" + rest[len(first) :]
    owns = not is_alone and inside[1].surface in ("'s", "’s")
    if inside[0].entity or inside[0].surface.isupper() or (owns and rest[0].isupper()):
        return rest
    is_fragment = inside[0].start == 0 and inside[-1].kind == "noun" and not rest.endswith("s")
    the = "the " if is_fragment and first not in word_list("en", "determiners") else ""
    return the + (
        rest if inside[0].start else rest[0].lower() + rest[1:]
    )  # a capital within a sentence is the word's own


def _may_be_name(word: Word) -> bool:
    """Tell a capital that says nothing, since it begins a sentence: "Tobi scored" may be somebody, and is no thing."""
    return word.start == 0 and word.entity is None and word.surface[0].isupper() and not word.surface.endswith("s")
