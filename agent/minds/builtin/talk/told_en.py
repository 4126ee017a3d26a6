"""Taking up what was told in English: echoes from the listener's side, and noun phrases to ask after."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.minds.builtin.talk.acting_en import ADVISED, act_of
from agent.minds.builtin.talk.told import Told, acts
from managers.language.english import verb_base
from managers.language.lexicons import word_list
from managers.language.reading.reading import Sentence
from managers.language.times import tells_when
from managers.language.words import Word, words

_SWAPS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you", "us": "you",
    "our": "your", "ours": "yours", "ourselves": "yourselves", "am": "are", "'m": "'re", "im": "you're", "ive": "you've",
}  # fmt: skip
SECOND_PERSONS = frozenset(["you", "your", "yours", "yourself", "u", "ur"])
_EMPTY_SUBJECTS = frozenset(["this", "that", "these", "those", "its"])
_POINTING = frozenset(["it", "they", "he", "she"])
_MAX_WORDS = 15
_GOOD_WORDS = 9
"""Up to here a sentence is given back whole; of a longer one a clause is enough."""
_MIN_WORDS = 4
TRAILING = re.compile(r",?\s+(?:though|too|lol|haha|actually|anyway|by the way|btw|you know|i guess)$", re.IGNORECASE)
_BREAKS = re.compile(r",\s+|;\s+|\s+(?=(?:and|but|because|so|although|though|which|when|while|since)\s)")


def take_up(sentence: Sentence) -> Told:
    """Read what an English sentence tells."""
    found = sentence.words
    verb = _main_verb(found)
    act = act_of(sentence, found, verb)
    spans = phrases(found)
    person = next(
        (
            s
            for s in spans
            if _is_person(found, s)
            and _before(found, s) in ("with", "met", "meet", "and", "to", "see", "saw", "called", "visited", "for", "")
        ),
        None,
    )
    place = next(
        (s for s in spans if _is_place(found, s) or (act == "go" and _before(found, s) in ("to", "in", "at"))), None
    )
    topic = _topic(found, spans, verb if verb >= 0 else _first_verb(found))
    named = _NAMED.search(sentence.text)
    return Told(
        echo=_echo(sentence),
        act=act,
        is_future=any(word.surface.lower() in word_list("en", "future") for word in found) and not _is_done(found),
        is_past=_is_past(found),
        is_wish=bool(_WISH.search(sentence.text)),
        is_blocked=bool(_BLOCKED.search(sentence.plain)),
        is_own=_is_own(found, verb if verb >= 0 else _first_verb(found)),
        is_dated=tells_when(sentence.text),
        topic=named.group(1) if named else _spoken(found, topic, sentence.text) if topic else "",
        person=_spoken(found, person, sentence.text) if person else "",
        place=_spoken(found, place, sentence.text) if place and not _is_person(found, place) else "",
        is_duty=bool(_DUTY.search(sentence.text)) and not ADVISED.search(sentence.text),
        points_back=bool(found) and found[0].surface.lower() in _POINTING,
        is_relative=bool(
            person
            and (
                _RELATIVE.search(" ".join(w.surface.lower() for w in found[person[0] : person[1]]))
                or _MARRIED.search(sentence.plain)
            )
        ),
        is_pet=topic is not None
        and any(w.form in word_list("en", "pets") for w in (found if named else found[topic[0] : topic[1]])),
    )


_BLOCKED = re.compile(
    r"\b(?:i|we)(?:'d| would) (?:really |so )?(?:love|like)\b.*\b(?:but|though)\b.*(?:n't\b|\b(?:not|no|never|cannot|against|too|forbid\w*|forbidden|ban\w*)\b)"
    r"|\b(?:i|we) (?:really |so )?(?:want|wanted|wish)\b.*\b(?:but|though)\b.*(?:n't\b|\b(?:not|no|never|cannot|against|too|forbid\w*|forbidden|ban\w*)\b)"
)
_DUTY = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:still )?(?:need to|have to|must|should|got to|gotta|ought to)\b"
    r"|\b(?:i|we)(?:'d| had) better\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:named|called)\s+([A-Z]\w+)")


def _first_verb(found: Sequence[Word]) -> int:
    """Return where the first verb of a sentence stands that no table knows, or -1."""
    return next(
        (
            at
            for at, word in enumerate(found)
            if word.kind == "verb"
            or word.form in ("be", "have")
            or (word.surface in ("'s", "’s") and at and found[at - 1].kind in ("pronoun", "function", "adverb"))
        ),
        -1,
    )


_WISH = re.compile(
    r"\b(?:want(?:ed)? to|wanna|would like to|'d like to|'d love to|would love to|wish|hope to|hoping to)\b",
    re.IGNORECASE,
)


def _is_own(found: Sequence[Word], verb: int) -> bool:
    """Tell whether the nearest subject before the verb is I or we."""
    for word in reversed(found[: max(verb, 0)]):
        if word.surface.lower() in ("i", "we", "i'm"):
            return True
        if (
            word.surface.lower() in ("he", "she", "they", "it", "you")
            or word.entity == "person"
            or word.form in word_list("en", "persons")
            or word.form in word_list("en", "pets")
        ):
            return False
    return True


def _is_past(found: Sequence[Word]) -> bool:
    return any(
        word.surface.lower() in ("was", "were", "had", "did")
        or (
            word.kind == "verb"
            and (word.reading.endswith("ed") or (word.reading != word.form and not word.reading.endswith(("ing", "s"))))
        )
        for word in found
    )


_AHEAD = frozenset(["tomorrow", "will", "'ll", "going", "gonna", "upcoming", "plan", "planning"])


def _is_done(found: Sequence[Word]) -> bool:
    """Tell "I burnt the risotto tonight" from "we play tonight": what has happened is not to come, whatever the hour."""
    lower = [word.surface.lower().replace("’", "'") for word in found]
    if _AHEAD & set(lower):
        return False
    return any(
        (word.form in ("be", "have", "do") and word.surface.lower() in ("was", "were", "had", "did"))
        or (word.kind == "verb" and _is_past([word]) and not (at and found[at - 1].form == "be"))
        for at, word in enumerate(found)
    )


def _is_helper(found: Sequence[Word], at: int) -> bool:
    """Tell "going to cook" and "gonna cook" from "going to Kyoto"."""
    lower = found[at].surface.lower()
    following = found[at + 2] if at + 2 < len(found) else None
    is_going_to = lower == "going" and found[at + 1].surface == "to" if at + 1 < len(found) else False
    return lower in ("to", "gonna") or (is_going_to and following is not None and following.kind == "verb")


def _main_verb(found: Sequence[Word]) -> int:
    known = acts("en")
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


# --- noun phrases --------------------------------------------------------------------------------------------

Span = tuple[int, int]
_RELATIVE = re.compile(
    r"\b(?:mother|mom|mum|father|dad|sister|brother|husband|wife|son|daughter|grand\w+|aunt|uncle|cousin|parents|family|kids?|child|children)\b"
)
_MARRIED = re.compile(r"\b(?:married|engaged|anniversary)\b")
_COPULAS = frozenset(["be", "feel", "look", "seem", "very", "so", "really", "quite", "get"])
_SUBJECTS = frozenset(["i", "we", "you", "they", "to"])
_DETERMINERS = frozenset(
    ["a", "an", "the", "my", "our", "this", "that", "these", "those", "some", "his", "her", "their"]
)


def phrases(found: Sequence[Word]) -> list[Span]:
    """Return the noun phrases of a sentence as spans of words: determiner, adjectives, nouns."""
    spans: list[Span] = []
    at = 0
    while at < len(found):
        end, has_noun = at, False
        if found[end].surface.lower() in _DETERMINERS:
            end += 1
        while end < len(found) and _is_inside(found, end) and not (end > at and _is_verb_after_name(found, end)):
            has_noun = has_noun or found[end].kind in ("noun", "proper")
            end += 1
        if has_noun and _is_usable(found, (at, end)):
            spans.append((at, end))
        at = max(end, at + 1)
    return spans


def _is_verb_after_name(found: Sequence[Word], at: int) -> bool:
    """Tell "Lily wants" from "Lily Parks": what somebody does, though the lists take it for a noun."""
    word = found[at]
    return (
        found[at - 1].entity == "person"
        and word.entity is None
        and word.surface.islower()
        and word.surface.endswith("s")
    )


def _is_inside(found: Sequence[Word], at: int) -> bool:
    word = found[at]
    follows_noun = at + 1 < len(found) and found[at + 1].kind in ("noun", "proper")
    if at and found[at - 1].surface.lower() in _SUBJECTS and verb_base(word.surface) in acts("en"):
        return False  # "I love ramen": what one does, though the lists take it for a noun
    if word.kind == "noun" and word.surface.endswith("ing") and follows_noun:
        return False  # "prioritizing self-care"
    if word.kind in ("noun", "proper"):
        return True
    if (
        word.kind == "verb"
        and word.form == word.reading
        and at
        and found[at - 1].kind in ("noun", "proper", "adjective")
    ):
        return follows_noun  # "a support group"
    if word.kind == "adjective":
        return at + 1 < len(found) and found[at + 1].kind in ("noun", "proper", "adjective")
    is_joint = word.surface in ("'s", "’s") or (word.entity is not None and word.kind == "function")
    return is_joint and at + 1 < len(found) and found[at + 1].kind in ("noun", "proper", "adjective")


def _is_usable(found: Sequence[Word], span: Span) -> bool:
    head = found[span[1] - 1]
    if (
        found[span[0]].surface[0] in "'’"
        or _NUMBER_WORDS.fullmatch(head.surface)
        or _TIME_WORDS.fullmatch(head.surface)
    ):
        return False
    if (
        span[0] > 1
        and found[span[0] - 1].form == "be"
        and "i" in {w.surface.lower() for w in found[max(0, span[0] - 3) : span[0]]}
    ):
        return False  # "I'd be a guide": what one is, no thing to ask after
    is_bare = span[1] - span[0] == 1 and head.entity is None
    if is_bare and span[0] > 1 and found[span[0] - 1].surface == "of" and found[span[0] - 2].kind == "noun":
        return False  # "the maid of honour": half of a name
    if is_bare and (head.surface.endswith("ing") or (span[0] and found[span[0] - 1].form in _COPULAS)):
        return False  # "refreshing" is no thing, though the lists do not know it
    return (
        head.form not in word_list("en", "light")
        and head.surface.lower() not in word_list("en", "light")
        and head.lemma not in word_list("en", "light")
        and len(head.surface) > 1
    )


_TIME_WORDS = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december",
    re.IGNORECASE,
)
_NUMBER_WORDS = re.compile(
    r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand",
    re.IGNORECASE,
)


def _before(found: Sequence[Word], span: Span) -> str:
    return found[span[0] - 1].surface.lower() if span[0] else ""


def _is_person(found: Sequence[Word], span: Span) -> bool:
    inside = found[span[0] : span[1]]
    return (
        inside[-1].entity == "person"
        or inside[-1].form in word_list("en", "persons")
        or inside[-1].surface.lower() in word_list("en", "persons")
    )


def _is_place(found: Sequence[Word], span: Span) -> bool:
    return found[span[1] - 1].entity == "place"


def _topic(found: Sequence[Word], spans: Sequence[Span], verb: int) -> Span | None:
    """Return the phrase that the sentence is about: what follows its verb, else what has a name, else the last."""
    after = [span for span in spans if verb >= 0 and span[0] > verb]
    named = [span for span in spans if found[span[1] - 1].entity]
    own = [span for span in spans if found[span[0]].surface.lower() == "my"]
    for group in (after[:1], own, named, list(spans[-1:])):
        if group:
            return group[0]
    return None


def _spoken(found: Sequence[Word], span: Span, text: str) -> str:  # one return per kind of phrase
    """Return a phrase from the listener's side: my sister → your sister; a cake → the cake."""
    words_in = found[span[0] : span[1]]
    if not words_in:
        return ""
    rest = text[words_in[0].start : words_in[-1].end]
    first = words_in[0].surface.lower()
    if first in ("my", "our"):
        return "your" + rest[len(first) :]
    if len(words_in) == 1 and (first in _FAMILY or _may_be_name(words_in[0])):
        return f"your {first}" if first in _FAMILY else ""
    if first in ("a", "an", "some", "this", "these", "that", "those"):
        return "the" + rest[len(first) :]
    owns = len(words_in) > 1 and words_in[1].surface in ("'s", "’s")
    if words_in[0].entity or words_in[0].surface.isupper() or (owns and rest[0].isupper()):
        return rest
    is_fragment = words_in[0].start == 0 and words_in[-1].kind == "noun" and not rest.endswith("s")
    return ("the " if is_fragment and first not in _DETERMINERS else "") + rest[0].lower() + rest[1:]


_FAMILY = frozenset(["mum", "mom", "dad", "mummy", "daddy", "mam", "grandma", "grandpa", "granny", "grandad", "nan"])
"""Whom people name by what they are to them alone."""


def _may_be_name(word: Word) -> bool:
    """Tell a capital that says nothing, since it begins a sentence: "Tobi scored" may be somebody, and is no thing."""
    return word.start == 0 and word.entity is None and word.surface[0].isupper() and not word.surface.endswith("s")


# --- echo ----------------------------------------------------------------------------------------------------


def _echo(sentence: Sentence) -> str:
    text = re.sub(r"[\U0001F000-\U0001FAFF☀-➿❤]+|\s*\([^)]*\)|\s*[:;]-?[)D(pP]+", "", sentence.text).strip()
    text = text.rstrip(".!…~ ")
    clause = _clause(without_opener(text))
    if not clause:
        return ""
    found = words(clause)
    lower = [word.surface.lower() for word in found]
    least = {"it": 4}.get(lower[0], 3) if lower[0] in _POINTING else _MIN_WORDS
    if not least <= len([w for w in found if w.kind != "symbol"]) <= _MAX_WORDS or SECOND_PERSONS & set(lower):
        return ""
    if lower[0] in _EMPTY_SUBJECTS or found[0].kind in ("interjection", "adverb", "symbol", "number"):
        return ""
    if (found[0].kind == "verb" and lower[0].endswith(("ed", "ght"))) or (
        verb_base(lower[0]) != lower[0] and found[0].kind == "verb" and not lower[0].endswith("ing")
    ):
        return f"So you {swapped(found, clause)}. "
    if not has_subject(found):
        return ""
    return f"So {swapped(found, clause)}. "


_WHEN_FIRST = re.compile(
    r"^(?:(?:and )?then )?(?:on|last|this|next|yesterday|today|tonight)(?: (?:mon|tues|wednes|thurs|fri|satur|sun)day| (?:morning|afternoon|evening|night|week|weekend))?,? (?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)


def without_opener(text: str) -> str:
    """Return a sentence without what only leads into it: well, so, on Monday."""
    openers = word_list("en", "openers")
    text = _WHEN_FIRST.sub("", text)
    while match := re.match(r"([A-Za-z]+)[,.! ]+\s*", text):
        if match.group(1).lower() not in openers or len(text) == match.end():
            break
        text = text[match.end() :]
    return text


_SPLICE = re.compile(
    r",\s+(?=(?:the|my|our|his|her) \w+ (?:was|were|is|are|has|had)\b|(?:i|he|she|it|they|we)(?:['’](?:m|s|re|ve|d)\b|\s+(?!and\b)\w))(?<!and, )",
    re.IGNORECASE,
)


def _clause(text: str) -> str:
    """Return the clause to give back; two that a comma alone holds together are joined by "and"."""
    text = TRAILING.sub("", text)
    is_conditional = re.match(r"(?:when|if|while|because|since|after|before|as|although|though)\b", text, re.IGNORECASE)
    if not is_conditional and not re.search(r",\s+(?:but|and|so)\b", text):
        text = _SPLICE.sub(", and ", text)
    if len(text.split()) <= _GOOD_WORDS:
        return text
    for piece in _BREAKS.split(text):
        clause = without_opener(piece.strip())
        if _MIN_WORDS <= len(clause.split()) <= _MAX_WORDS and re.match(r"(?:i|we|my|our)\b", clause, re.IGNORECASE):
            return clause
    return text if len(text.split()) <= _MAX_WORDS else ""


def has_subject(found: Sequence[Word]) -> bool:
    """A clause worth echoing begins with I, we, a name, or a thing of one's own, and says something of it."""
    if found[0].surface.lower() in ("i", "we", "my", "our", *_POINTING) or found[0].entity == "person":
        return any(
            word.kind == "verb"
            or word.form in ("be", "have", "do", "can", "will")
            or word.surface in ("'m", "’m", "'s")
            for word in found[1:]
        )
    return False


def swapped(found: Sequence[Word], text: str) -> str:
    """Return a sentence from the listener's side: my → your, I was → you were."""
    pieces, last_end = [], found[0].start
    for at, word in enumerate(found):
        pieces.append(text[last_end : word.start])
        last_end = word.end
        lower = word.surface.lower().replace("’", "'")
        before = found[at - 1].surface.lower() if at else ""
        if lower == "was" and before == "i":
            pieces.append("were")
        elif lower in _SWAPS:
            pieces.append(_SWAPS[lower])
        else:
            pieces.append(word.surface if at or word.entity else lower)
    return "".join(pieces)
