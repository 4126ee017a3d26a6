"""Answers to questions: which one a message asks for, who gives it, and what memory has to say.

What is remembered is quoted with who said it and when, or owned up to as unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from agent.minds.builtin.answers import about_itself as itself
from agent.minds.builtin.answers.candidates import MADE_OF, Candidate
from agent.minds.builtin.answers.citation import quote, say_told, say_value
from agent.minds.builtin.answers.extraction import is_beside
from agent.minds.builtin.answers.known import (
    answer_last_heard,
    answer_who,
    as_said,
    asked_name,
    tell_overview,
    tell_what_is_known,
)
from agent.minds.builtin.answers.question_focus import asks_how_it_stands, names_days_alone
from agent.minds.builtin.answers.selection import Found, search_question
from agent.minds.builtin.talk.acknowledgement import turn_to_what_is_open
from agent.minds.builtin.talk.mood import take_up
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_time, say_when
from managers.language.lexicons import word_list
from managers.language.reading.reading import SOCIAL, Sentence, question_terms, read
from managers.language.reading.rules import fits, fits_any
from managers.language.reading.slots import told_slot
from managers.language.reading.times import find_times, tells_when
from managers.language.words import content_words

_SURE: Final = 0.6
"""A question that may be about the world is answered from this conversation only by what holds most of its words."""
_WHOLE: Final = 0.75
"""What holds so much of a question needs no summary of the same beside it."""


def answer_questions(scene: Scene) -> list[str]:
    """Return the answers to what a message asks; empty if it asks nothing."""
    for act, answer in _ANSWERS.items():
        sentence = scene.read.act(act)
        if sentence is not None and _is_asked(act, sentence, scene):
            return answer(scene)
    asked = scene.read.questions
    if reminds := scene.read.act("remind"):
        return answer_from_memory(scene, asked or [reminds])
    if not asked and (heard := answer_last_heard(scene, scene.read.sentences)):
        return heard
    if not asked and (not scene.request.recall_wanted or all(_is_statement(s) for s in scene.read.sentences)):
        return []
    asked = asked or list(scene.read.sentences)
    if scene.request.recall_wanted and names_days_alone(asked, scene.request, scene.lang):
        return sum_up(scene)
    return answer_from_memory(scene, asked)


def _is_asked(act: str, sentence: Sentence, scene: Scene) -> bool:
    """Tell whether a sentence that has the form of an act is answered as such, and not from memory."""
    request = scene.request
    is_asked = sentence.is_question or request.recall_wanted or fits(scene.lang, "answers", "sums_up", sentence.plain)
    if act in _NEEDS_QUESTION and not is_asked:
        return False
    if act in _NOT_OF_THE_PAST and request.recall_wanted:
        return not (speaks_of_the_past(sentence) or (request.hits and act != "ask_opinion"))
    return act != "overview" or not _names_a_subject(sentence, scene)


def _is_statement(sentence: Sentence) -> bool:
    """Tell news ("Ruth stayed the night") from a request without a question mark ("my cat's name again")."""

    def is_a(rule: str) -> bool:
        return fits(sentence.lang, "answers", rule, sentence.plain)

    if sentence.act in SOCIAL or fits(sentence.lang, "is_question", "never", sentence.plain) or is_a("says_of_me"):
        return True
    if is_a("requests"):
        return False
    if sentence.act or is_a("own_news") or not is_a("fragment"):
        return True
    says = word_list("en", "says")
    return any(w.kind == "verb" or (w.form in says and w.surface not in ("'s", "’s")) for w in sentence.words)


def _names_a_subject(sentence: Sentence, scene: Scene) -> bool:
    """Tell "what did I say about my boss?" from "what did we talk about yesterday?"."""
    timed = {t for span in find_times(sentence.text, scene.request.now) for t in content_words(span.text)}
    named = content_words(scene.request.sheet.persona) + content_words(scene.book.voice.you)
    return bool(set(question_terms([sentence], scene.lang)) - timed - set(named))


def _phrase(section: str, name: str, scene: Scene) -> list[str]:
    return [scene.book.say(section, name)]


def sum_up(scene: Scene) -> list[str]:
    """Say what was talked about, or that nothing is remembered of it."""
    if told := tell_overview(scene):
        return told
    spans = find_times(scene.read.text, scene.request.now)
    asked = [s for s in scene.read.sentences if s.act == "overview"]
    return [nothing_remembered(scene, asked, as_said(spans[0], scene) if spans else "")]


def answer_from_memory(scene: Scene, asked: Sequence[Sentence]) -> list[str]:  # noqa: PLR0911  # one return per way to answer
    """Answer with what is remembered; what is not, and what nobody here can know, is owned up to."""
    if person := answer_who(scene, asked) or answer_last_heard(scene, asked):
        return person
    about_past = _is_about_past(asked, scene)
    is_to_persona = _is_to_persona(asked, scene) and not any(speaks_of_the_past(one) for one in asked)
    found = search_question(asked, scene.request, scene.lang)
    asks_a_fact = any(sentence.asks in ("who", "when", "where", "how_many") for sentence in asked)
    if found.best and not (about_past or asks_a_fact) and found.coverage < _SURE and found.best[0].kind == "said":
        found = search_question(asked, scene.request, scene.lang, with_now=False)
    is_of_now = is_to_persona and not _any_fits(asked, "knows")
    if is_of_now and not (found.fits and found.best[0].who == "persona"):
        return itself.tell_of_body(scene)
    if found.best and found.fits:
        return _found(found, scene, asked)
    if is_to_persona and (fact := itself.tell_liking(scene)):
        return [fact]
    if not about_past:
        return itself.tell_of_body(scene) if is_of_now else [scene.book.say("self", "world")]
    if found.best and (found.is_near or found.best[0].source > 0 or found.coverage):
        return _unsure(found.best, scene)
    return [nothing_remembered(scene, asked)]


def speaks_of_the_past(sentence: Sentence) -> bool:
    """Tell whether a sentence names something that was, or that was said."""
    return fits_any("answers", "past", sentence.plain)


def _any_fits(asked: Sequence[Sentence], *names: str) -> bool:
    plain = " ".join(sentence.plain for sentence in asked)
    return any(fits(sentence.lang, "answers", name, plain) for name in names for sentence in asked[:1])


def _is_about_past(asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell a question that this memory may answer: of what was, of the user, or of somebody of theirs."""
    return (
        _any_fits(asked, "about_past", "mine", "theirs")
        or bool(asked_name(asked))
        or (bool(scene.request.hits) and (scene.request.recall_wanted or asks_how_it_stands(asked)))
        or _names_theirs(asked, scene)
    )


def _names_theirs(asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell whether it is about somebody of the user's (孫の名前は？), or whom they named before."""
    spoken_of = [word for sentence in asked for word in sentence.words]
    if scene.lang == "ja" and any(word.surface in word_list("ja", "persons") for word in spoken_of):
        return True
    named = {word.normal for word in spoken_of if word.entity == "person"}
    texts = [*scene.heard, *(hit.text for hit in scene.request.hits)]
    return bool(named) and any(named & set(content_words(text[:2000])) for text in texts)


def _is_to_persona(asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell a question about the persona; in Japanese also one that names nobody: it asks the listener."""
    if _any_fits(asked, "mine"):
        return False
    if scene.request.sheet.persona.lower() in " ".join(sentence.text for sentence in asked).lower():
        return True
    if _any_fits(asked, "of_persona"):
        return True
    is_of_deeds = any(word.kind in ("verb", "adjective") for sentence in asked for word in sentence.words)
    if is_of_deeds and not any(sentence.asks for sentence in asked):
        return _any_fits(asked, "of_no_thing")
    return _any_fits(asked, "to_persona")


def _found(found: Found, scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Give the fact, else what was told; what is but near is not said as if it were the answer."""
    if _is_beside(asked, found.best[0]):
        return _unsure(found.best[:1], scene)
    return say_value(scene, asked, found.best, found.coverage) or _quoted(found, scene, asked)


def _unsure(best: Sequence[Candidate], scene: Scene) -> list[str]:
    say, joint = scene.book.say, scene.book.voice.joint
    quotes = joint.join(quote(candidate, scene) for candidate in best)
    return [joint.join([say("memory", "unsure", quotes=quotes), say("memory", "unsure_tail")])]


def _is_beside(asked: Sequence[Sentence], candidate: Candidate) -> bool:
    """Tell a day or a place of something else (Mum's birthday) from that of what was asked for (her arrival)."""
    sentence = next((one for one in asked if one.asks in ("when", "where")), None)
    return (
        candidate.is_own_word
        and sentence is not None
        and is_beside(sentence, candidate)
        and told_slot(candidate.text, sentence.lang) is None
    )


def _quoted(found: Found, scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    best, first = found.best, found.best[0]
    asks = next((sentence.asks for sentence in asked if sentence.asks), "")
    if asks == "when" and first.time and first.who == "user" and _happened_then(first, asked, scene):
        scene.used.append(first)
        when = say_when(first.time, scene.request.now, scene.lang)
        return [scene.book.say("memory", "when_answer", when=when, quote=for_quoting(first.text, scene.lang))]
    if any(fits(sentence.lang, "answers", "asks_for_words", sentence.plain) for sentence in asked):
        return [quote(first, scene)]
    parts = [say_told(first, scene) or quote(first, scene)]
    is_whole = found.coverage >= _WHOLE and first.who == "user" and best[-1].source != first.source
    if len(best) > 1 and not (is_whole and best[-1].kind in MADE_OF):
        second = say_told(best[1], scene) or quote(best[1], scene)
        parts.append(scene.book.say("memory", "also") + scene.book.voice.joint + second)
    return parts


def _happened_then(candidate: Candidate, asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell what happened on the day it was told (クロが家出した) from what tells its own time, and from what is to come."""
    is_over = any(speaks_of_the_past(s) or fits(s.lang, "answers", "ended", s.plain) for s in asked)
    if tells_when(candidate.text) or not is_over:
        return False
    sentences = read(candidate.text, scene.lang, persona=scene.request.sheet.persona).sentences
    return bool(sentences) and take_up(sentences[0], scene).is_past


def nothing_remembered(scene: Scene, asked: Sequence[Sentence], when: str = "") -> str:
    """Say that nothing is remembered, naming what was asked for."""
    topic = when or next((topic for sentence in asked if (topic := take_up(sentence, scene).topic)), "")
    marks = scene.book.voice.marks
    return scene.book.say("memory", "nothing", topic=marks["matter"].format(topic) if topic else marks["that_matter"])


_ANSWERS: Final[Mapping[str, Callable[[Scene], list[str]]]] = {
    "ask_my_name": lambda scene: [
        scene.book.say("memory", "your_name" if scene.book.voice.you else "your_name_unknown")
    ],
    "ask_name": partial(_phrase, "self", "name"),
    "ask_self": itself.tell_of_oneself,
    "joke": partial(_phrase, "small", "joke"),
    "ask_what": partial(_phrase, "self", "what"),
    "ask_time": lambda scene: [scene.book.say("self", "time", time=say_time(scene.request.now, scene.lang))],
    "ask_date": itself.tell_date,
    "ask_known": tell_what_is_known,
    "ask_memory": partial(_phrase, "self", "memory"),
    "ask_can": partial(_phrase, "self", "can"),
    "say_again": itself.say_again,
    "forget": partial(_phrase, "note", "forget"),
    "talk": turn_to_what_is_open,
    "overview": sum_up,
    "ask_goals": partial(itself.tell_of_life, "goals"),
    "ask_strategy": partial(itself.tell_of_life, "strategy"),
    "ask_drive": lambda scene: [scene.book.say("self", f"drive_{scene.request.itself().drive or 'none'}")],
    "ask_diary": partial(_phrase, "self", "diary"),
    "ask_dream": itself.tell_dream,
    "ask_language": partial(_phrase, "self", "languages"),
    "ask_love": partial(_phrase, "self", "love"),
    "muse": partial(_phrase, "self", "musing"),
    "task": itself.own_up_to_task,
    "cannot": itself.own_up_to_task,
    "ask_taste": itself.tell_taste,
    "has_body": partial(_phrase, "self", "bodiless"),
    "ask_body": itself.tell_of_body,
    "ask_opinion": itself.tell_opinion,
}
_NOT_OF_THE_PAST: Final = frozenset({"ask_body", "ask_opinion", "cannot", "task"})
_NEEDS_QUESTION: Final = frozenset({"overview", "ask_body", "ask_opinion"})
