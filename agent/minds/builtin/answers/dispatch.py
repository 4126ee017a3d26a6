"""Answers to questions: which one a message asks for, and who gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from agent.minds.builtin.answers import about_itself as itself
from agent.minds.builtin.answers.from_memory import answer_from_memory, speaks_of_the_past, sum_up
from agent.minds.builtin.answers.overview import tell_what_is_known
from agent.minds.builtin.answers.people import answer_last_heard
from agent.minds.builtin.answers.question_focus import names_days_alone
from agent.minds.builtin.talk.follow_up import turn_to_what_is_open
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_time
from managers.language.lexicons import word_list
from managers.language.reading.reading import SOCIAL, Sentence, question_terms
from managers.language.reading.rules import fits
from managers.language.reading.times import find_times
from managers.language.words import content_words


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
    "ask_diary": itself.tell_of_diary,
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
