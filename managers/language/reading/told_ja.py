"""Taking up what was told in Japanese: what its verb is about, and the phrases to ask after."""

from collections.abc import Sequence
from dataclasses import replace

from managers.language.lexicons import verbs, word_list
from managers.language.reading.kinship import is_person
from managers.language.reading.noun_phrases_ja import names_person, phrases, spoken, trimmed
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, rule
from managers.language.reading.told import Told, signs_of
from managers.language.words import Word

_NEGATIVE = ("無い", "ない", "ぬ", "ず", "ん")
_EMPTY_VERBS = ("為る", "居る", "成る", "有る", "思う", "言う")
_BY_PARTICLE = {"を": 3.0, "が": 2.0, "は": 1.5, "に": 1.2, "で": 1.0}
"""How likely the phrase before a particle is what a sentence is about."""


def take_up(sentence: Sentence, you: str) -> Told:
    """Read what a Japanese sentence tells."""
    found, plain = sentence.words, sentence.plain
    person = _phrase_before(found, ("と", "に", "から"), you, wants_person=True)
    subject = _phrase_before(found, ("は", "が"), you, wants_person=True)
    topic, is_pet = _topic(found, you)
    is_denied = any(word.normal in _NEGATIVE and word.kind != "noun" for word in found[-4:])
    is_ahead = not is_denied and _is_future(found, plain)
    is_past = not is_ahead and any(_is_past(word) for word in found[-5:])
    act = _act(sentence, "" if is_denied else _verb_act(found), is_past=is_past, is_of_one=bool(subject or person))
    pet = next((word.surface for word in found if word.surface in word_list("ja", "pets")), "")
    if pet and act in ("checkup", "illness"):
        topic, is_pet = pet, True
    return replace(
        signs_of(sentence),
        act=act,
        is_future=is_ahead,
        is_past=is_past,
        topic=topic,
        is_wish=_is_wish(found),
        is_own=not subject and not _is_of_theirs(found),
        person=person or subject,
        place=_phrase_before(found, ("へ", "に", "で"), you, wants_person=False),
        is_pet=is_pet,
        names_somebody=bool(pet)
        or fits("ja", "told", "of_another", plain)
        or any(is_person(word, "ja") for word in found),
        is_relative=fits("ja", "told", "relative", person or subject),
    )


# --- verbs ---------------------------------------------------------------------------------------------------


def _act(sentence: Sentence, act: str, *, is_past: bool, is_of_one: bool) -> str:
    """Return what is told of the body or the garden, whatever its verb is: nobody is asked how an operation felt."""

    def told(name: str) -> bool:
        return fits("ja", "told", name, sentence.plain)

    if told("checkup"):
        return "checkup"
    if not act and told("garden"):
        act = "garden"
    elif told("illness") and (is_past or act in ("", "start", "mishap")):
        return "illness"
    another = rule("ja", "told", "topic_of_another").search(sentence.text)
    if act == "live" and another and another["who"] not in word_list("ja", "first_person"):
        act = ""  # シンは大阪に住んでる: nobody asks the teller how they like it there
    if is_of_one and told("favour"):
        return "kindness"  # 夫がカレーを作ってくれた
    return "job" if act == "work" and told("job") else act


def _verb_act(found: Sequence[Word]) -> str:
    """Return what the last verb of a sentence is about (`words.toml`); auxiliaries (食べてみる, 貸してくれる) are none."""
    known = verbs("ja")
    for at in range(len(found) - 1, -1, -1):
        word, before = found[at], found[at - 1].surface if at else ""
        is_motion = word.lemma in ("いく", "くる", "行く", "来る")
        joined = before in ("て", "で", "ちゃ", "じゃ") and known.get(word.normal) != "go"
        if word.kind == "verb" and (joined or (before in ("て", "で") and is_motion)):
            continue
        if word.kind in ("verb", "noun", "adjective"):
            if act := known.get(word.lemma) or known.get(word.normal):
                return act
            if word.kind == "verb" and word.normal not in _EMPTY_VERBS:
                return ""
    return ""


def _is_past(word: Word) -> bool:
    """Tell た, だった and the だ of 休んだ."""
    return word.kind == "function" and (word.lemma in ("た", "だった") or word.normal == "た")


def _is_wish(found: Sequence[Word]) -> bool:
    """Tell 行きたい from 行きたくない."""
    return any(
        word.lemma == "たい"
        and word.kind == "function"
        and not any(later.normal in ("無い", "ない") for later in found[at + 1 : at + 3])
        for at, word in enumerate(found)
    )


def _is_future(found: Sequence[Word], plain: str) -> bool:
    """Tell what is to come; what one remembers of tomorrow (明日だった) is to come, too."""
    is_remembered = plain.endswith("だった") and any(w.surface in word_list("ja", "not_yet") for w in found)
    if is_remembered or fits("ja", "told", "agreed", plain):
        return True
    if any(_is_past(word) for word in found[-4:]):
        return False
    future = word_list("ja", "future")
    return any(word.surface in future or (word.lemma == "たい" and word.kind == "function") for word in found)


# --- phrases -------------------------------------------------------------------------------------------------


def _is_of_theirs(found: Sequence[Word]) -> bool:
    """Tell 息子の湊は… and 妹の結婚式は…, where somebody of the teller's comes first, from what the teller does."""
    return any(
        end < len(found)
        and found[end].surface in ("は", "が")
        and end - start > 1
        and found[start].surface in word_list("ja", "persons")
        for start, end in phrases(found)
    )


def _phrase_before(found: Sequence[Word], particles: Sequence[str], you: str, *, wants_person: bool) -> str:
    """Return the first phrase before one of some particles that names somebody, or else a place; empty if none."""
    for start, end in (trimmed(found, span) for span in phrases(found)):
        following = found[end] if start < end < len(found) else None
        is_marked = following is not None and following.form in ("格助詞", "係助詞")
        if following is None or not is_marked or following.surface not in particles:
            continue
        is_somebody = names_person(found, (start, end))
        is_place = any(word.entity == "place" for word in found[start:end]) or _verb_act(found) == "go"
        if is_somebody == wants_person and (is_somebody or is_place):
            return spoken(found, (start, end), you)
    return ""


def _topic(found: Sequence[Word], you: str) -> tuple[str, bool]:
    """Return the phrase that most of the sentence is about, and whether it is an animal."""
    best, best_score = (0, 0), 0.0
    for start, end in (trimmed(found, span) for span in phrases(found)):
        if start == end:
            continue
        after = found[end] if end < len(found) else None
        if _is_pet(found[start:end]) and after and after.surface in ("は", "が", "も", "、"):
            return spoken(found, (start, end), you), True  # うちの猫、…: what it did is told of it
        score = _weight(found[start:end], after)
        if found[end - 1].end - found[start].start > 1 and score > best_score:
            best, best_score = (start, end), score
    if not best_score:
        return "", False
    inside = found[slice(*best)]
    return spoken(found, best, you), _is_pet(inside) and "さん" not in "".join(word.surface for word in inside)


def _weight(phrase: Sequence[Word], after: Word | None) -> float:
    """Return how likely a phrase is what the sentence is about: the object before the subject, a predicate (雨は苦手) last."""
    if after is None or after.kind == "symbol" or after.lemma in ("だ", "です"):
        return 0.0 if phrase[-1].form in ("形状詞可能", "サ変形状詞可能") else 0.5
    score = _BY_PARTICLE.get(after.surface, 0.8) + min(phrase[-1].end - phrase[0].start, 10) / 10
    score += 0.6 if any(word.entity for word in phrase) else 0.0
    is_bare_object = after.kind == "verb" and after.normal != "為る"  # ギター弾いた
    return score + (1.2 if is_bare_object else 0.0)


def _is_pet(phrase: Sequence[Word]) -> bool:
    """Tell a phrase that ends with an animal (うちの猫) from one of its things (猫の餌)."""
    return bool(phrase) and (phrase[-1].surface in word_list("ja", "pets") or phrase[-1].surface.endswith(("犬", "猫")))
