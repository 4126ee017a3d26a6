"""What a question wants: about what, which kind of answer, whose words, from when."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.minds.builtin.answers.candidates import Candidate, Who
from managers.language.lexicons import word_list
from managers.language.reading.english import verb_bases
from managers.language.reading.forget_wishes import read_forget_wish
from managers.language.reading.kinship import marked
from managers.language.reading.reading import Sentence, asks_anything, question_terms
from managers.language.reading.rules import fits, fits_any, rule
from managers.language.reading.synonyms import dislike_for_no_liking, one_word, without_idioms
from managers.language.reading.times import TimeSpan, find_times
from managers.language.reading.whose import read_asked, told_of
from managers.language.words import content_words, detect_language
from managers.mind import ReplyRequest
from managers.recall.index.terms import is_question_word
from managers.recall.question.stop_phrases import without_asking
from managers.storage.errors import Lang


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question wants: about what, which kind of answer, whose words, from when.

    `cues` are its lighter verbs: too common to search by, they tell which of two sentences on somebody answers.
    """

    terms: tuple[str, ...]
    asks: str
    owner: Who
    spans: tuple[TimeSpan, ...]
    counter: str = ""
    cues: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    named: tuple[tuple[str, frozenset[str]], ...] = ()


def read_question(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang) -> Wanted:
    """Read what some questions want to know."""
    spans = [span for sentence in asked for span in find_times(sentence.text, request.now)]
    names = {term for name in (request.sheet.persona, request.sheet.user_name) for term in content_words(name)}
    timed = {term for span in spans for term in content_words(span.text)}
    terms = [term for term in question_terms(asked, lang) if term not in names | timed]
    counter = _counter(asked)
    said = set(content_words(without_asking(" ".join(sentence.text for sentence in asked))))
    terms = [term for term in terms if not is_question_word(term) and (term in said or not asks_how_it_stands(asked))]
    plain = " ".join(sentence.plain for sentence in asked)
    terms = without_idioms(terms, plain) + ["work"] * fits_any("focus", "what_they_do", plain)  # "What does Neil do?"
    terms = dislike_for_no_liking(terms, plain, lang)
    terms = terms or ([counter] if counter else [] if spans else _terms_before(request, lang))
    asks = next((sentence.asks for sentence in asked if sentence.asks), "")
    if any(fits(lang, "values", "asks_colour", sentence.plain) for sentence in asked):
        asks, terms = "colour", [term for term in terms if term not in _COLOUR_WORDS]
    named = _names(asked)
    return Wanted(
        terms=tuple(terms),
        asks=asks,
        owner=_owner(asked, request, lang),
        spans=tuple(spans),
        counter=counter,
        cues=frozenset(base for one in asked if one.lang == "en" for base in verb_bases(one.plain)),
        names=frozenset(term for terms_of_one in named.values() for term in terms_of_one),
        named=tuple(named.items()),
    )


def may_answer(
    found: Sequence[Candidate], asked: Sequence[Sentence], request: ReplyRequest, lang: Lang
) -> list[Candidate]:
    """Return the sentences that may answer at all: no questions, and nothing of somebody else's for one's own."""
    things = [m["thing"] for one in asked for m in rule(lang, "focus", "own_thing").finditer(one.plain)]
    candidates = [
        c for c in found if not any(fits(lang, "focus", "anothers", marked(c.text, [thing], lang)) for thing in things)
    ]
    is_told = any(thing in c.text.lower() for thing in things for c in candidates if c.who == "user")
    if len(candidates) < len(found) and not is_told:
        return []  # somebody else's birthday is none of one's own
    candidates = _of_whom_is_asked(candidates, asked, request.sheet.user_name, lang)
    if any(fits_any("focus", "for_questions", sentence.plain) for sentence in asked):
        return candidates
    of_days = [c for c in candidates if c.kind == "episodic_memory" and fits_any("candidates", "names_topics", c.text)]
    told = [c for c in candidates if c not in of_days and read_forget_wish(c.text) is None]
    return [c for c in told if not asks_anything(c.text)]


def _of_whom_is_asked(found: Sequence[Candidate], asked: Sequence[Sentence], user: str, lang: Lang) -> list[Candidate]:
    """Leave out what was told of the user where somebody else is asked after, and the other way round.

    What the persona said of either is what it had heard. Who is asked after as "my sister" and told of as Ann is named.
    """
    whose = read_asked(asked, [c.text for c in found if c.who == "user"], lang)
    is_of_persona = any(fits(lang, "focus", "yours", one.plain) for one in asked)
    is_of_theirs = bool(whose.known) or any(fits(lang, "answers", "mine", one.plain) for one in asked)
    kept: list[Candidate] = []
    breath: dict[int, str] = {}
    for c in found:
        before, breath[c.source] = breath.get(c.source, ""), c.text
        may, unnamed = c.who != "persona" or is_of_persona or not is_of_theirs, ""
        if whose.known and (c.who == "user" or c.kind == "note") and detect_language(c.text) == lang:
            told = told_of(c.text, lang, c.around if c.goes_on else "", speaker=user, breath=before)
            may, unnamed = whose.may_have(told), whose.unnamed(told)
        if may:
            kept.append(replace(c, around=f"{c.around} {unnamed}", goes_on=True) if unnamed else c)
    return kept


def _counter(asked: Sequence[Sentence]) -> str:
    """Return in what a number is asked for: the 位 of 何位."""
    found = (rule("ja", "answers", "asks_count").search(sentence.plain) for sentence in asked)
    return next((match["unit"] for match in found if match and match["unit"]), "")


_COLOUR_WORDS = frozenset(["colour", "color", "色", "何色"])


def _names(asked: Sequence[Sentence]) -> dict[str, frozenset[str]]:
    """Return the words of a question that name somebody, as they are written, with their terms.

    Not those beside the user ("Tom and I", 健太と), who may have called both "we".
    """
    kin = word_list("en", "persons") | word_list("ja", "persons")
    found = [word for sentence in asked for word in sentence.words]
    small = [word.surface.lower() for word in found]
    return {
        word.surface: frozenset(one_word(term) for term in content_words(word.surface))
        for at, word in enumerate(found)
        if small[at + 1 : at + 3] != ["and", "i"] and small[at + 1 : at + 2] != ["と"]
        if word.entity == "person" or word.kind == "proper" or small[at] in kin
    }


def _owner(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang) -> Who:
    """Read whose words are asked for: mine (the user's) or yours (the persona's)."""
    text = " ".join(sentence.text for sentence in asked)
    if request.sheet.user_name and request.sheet.user_name in text:
        return "user"
    if request.sheet.persona and request.sheet.persona in text:
        return "persona"
    plain = " ".join(sentence.plain for sentence in asked)
    mine, yours = fits(lang, "answers", "mine", plain), fits(lang, "focus", "yours", plain)
    if mine == yours:
        return "user" if mine else "nobody"
    return "user" if mine else "persona"


def _terms_before(request: ReplyRequest, lang: Lang) -> list[str]:
    """A question without words of its own ("and when was that?") is about what was said before."""
    light = word_list(lang, "question_light")
    for turn in reversed(request.turns[:-1]):
        if turn.role == "user" and (terms := [t for t in content_words(turn.text) if t not in light]):
            return list(dict.fromkeys(terms))
    return []


def asks_how_it_stands(asked: Sequence[Sentence]) -> bool:
    """Tell a question for news of somebody or something (モモはどうなった？)."""
    return any(fits_any("focus", "how_it_stands", sentence.plain) for sentence in asked)


def names_days_alone(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang) -> bool:
    """Tell a question that asks for nothing but what was on some days ("What did I do yesterday?")."""
    spans = [span for sentence in asked for span in find_times(sentence.text, request.now)]
    timed = {term for span in spans for term in content_words(span.text)}
    return bool(spans) and not _counter(asked) and all(term in timed for term in question_terms(asked, lang))
