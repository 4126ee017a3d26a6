"""Answers to questions: which one a message asks for, and who gives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agent.minds.builtin.answers.about_itself import (
    say_again,
    take_up_a_topic,
    tell_date,
    tell_of_body,
    tell_of_oneself,
    tell_opinion,
    tell_taste,
    tell_time,
)
from agent.minds.builtin.answers.facts import answer_last_heard
from agent.minds.builtin.answers.from_memory import (
    answer_from_memory,
    say_users_name,
    speaks_of_the_past,
    sum_up,
    tell_what_is_known,
)
from agent.minds.builtin.answers.question_focus import names_days_alone
from agent.minds.builtin.talk.scene import Scene
from managers.language.reading.reading import SOCIAL, Sentence, question_terms
from managers.language.times import find_times
from managers.language.words import content_words


def answer_questions(scene: Scene) -> list[str]:
    """Return the answers to what a message asks; empty if it asks nothing."""
    for act, answer in _ANSWERS.items():
        if (sentence := scene.read.act(act)) is not None:
            is_asked = sentence.is_question or scene.request.recall_wanted or _SUMS_UP.search(sentence.plain)
            if act in _NEEDS_QUESTION and not is_asked:
                continue
            if (
                act in _NOT_OF_THE_PAST
                and ((scene.request.hits and act != "ask_opinion") or speaks_of_the_past(sentence))
                and scene.request.recall_wanted
            ):
                continue
            if act == "overview" and _names_a_subject(sentence, scene):
                continue
            return answer(scene)
    asked = scene.read.questions
    if not asked and (heard := answer_last_heard(scene, scene.read.sentences)):
        return heard
    if not asked and (not scene.request.recall_wanted or all(_is_statement(s) for s in scene.read.sentences)):
        return []
    asked = asked or list(scene.read.sentences)
    if scene.request.recall_wanted and names_days_alone(asked, scene.request, scene.lang):
        return sum_up(scene)
    return answer_from_memory(scene, asked)


_SUMS_UP = re.compile(r"まとめ|要約|振り返|\bsum")


def _is_statement(sentence: Sentence) -> bool:
    """Tell news ("Ruth stayed the night") from a request without a question mark ("my cat's name again")."""
    if sentence.act in SOCIAL or sentence.plain.startswith("what if") or _SAYS_OF_ME.search(sentence.plain):
        return True
    if _REQUESTS.search(sentence.plain):
        return False
    if sentence.act or sentence.lang == "ja" or _OWN_NEWS.search(sentence.plain):
        return True
    if not _FRAGMENT.search(sentence.plain):
        return True
    return any(
        word.kind == "verb" or (word.form in _SAYS and word.surface not in ("'s", "’s")) for word in sentence.words
    )


_FRAGMENT = re.compile(
    r"(?:\b(?:my|our|his|her|their|the)\b|'s\b).*\b(?:names?|birthday|age|number|address|code|password|colou?r|date|again)\b"
)
"""A request needs no verb ("my cat's name again"); other words without one tell something ("night shift again")."""
_SAYS_OF_ME = re.compile(
    r"^(?:so |and |well,? )?(?:you(?:'re| are)|they say you(?:'re| are)?) (?:supposed|meant|said|able)\b|^let's (?:test|try|see)\b"
)
_SAYS = frozenset(["be", "have", "do", "will", "can"])


_REQUESTS = re.compile(
    r"教え|思い出|覚え|聞かせ|話して|っけ|知りたい|忘れ(?!ます|る$|て[たいる]|そう|っぽ|がち|る|な[いか]|ちゃいそう|ちゃう|てしまいそう|物|もの)|言った(?:こと|の)|何|誰|どこ|いつ|\b(?:remind|remember|recall|wonder|forg[eo]t\w*(?= (?:what|when|where|who|which|how|why|if|whether)\b|.*\b(?:names?|birthday|number|address)\b)|tell me|show me|what|when|who|where|which|how)\b"
)
_OWN_NEWS = re.compile(
    r"^(?:(?:and|but|so|well|oh|today|yesterday|anyway|actually|now|also|then|finally|honestly|recently|sadly|luckily"
    r"|by the way|in fact|(?:this|last) \w+)[, ]+)*(?:i|we|my|our|he|she|they|it|the|there)\b"
)


def _names_a_subject(sentence: Sentence, scene: Scene) -> bool:
    """Tell "what did I say about my boss?" from "what did we talk about yesterday?"."""
    timed = {t for span in find_times(sentence.text, scene.request.now) for t in content_words(span.text)}
    named = content_words(scene.request.sheet.persona) + content_words(scene.book.voice.you)
    return bool(set(question_terms([sentence], scene.lang)) - timed - set(named))


def _phrase(section: str, name: str) -> Callable[[Scene], list[str]]:
    """Return the answer that is one phrase of the book."""
    return lambda scene: [scene.book.say(section, name)]


_ANSWERS: Mapping[str, Callable[[Scene], list[str]]] = {
    "ask_my_name": say_users_name,
    "ask_name": _phrase("self", "name"),
    "ask_self": tell_of_oneself,
    "joke": _phrase("small", "joke"),
    "ask_what": _phrase("self", "what"),
    "ask_time": tell_time,
    "ask_date": tell_date,
    "ask_known": tell_what_is_known,
    "ask_memory": _phrase("self", "memory"),
    "ask_can": _phrase("self", "can"),
    "say_again": say_again,
    "forget": _phrase("note", "forget"),
    "talk": take_up_a_topic,
    "overview": sum_up,
    "ask_dream": _phrase("self", "dream"),
    "ask_love": _phrase("self", "love"),
    "muse": _phrase("self", "musing"),
    "cannot": _phrase("self", "cannot"),
    "ask_taste": tell_taste,
    "ask_body": tell_of_body,
    "ask_opinion": tell_opinion,
}
_NOT_OF_THE_PAST = frozenset({"ask_body", "ask_opinion", "cannot"})
_NEEDS_QUESTION = frozenset({"overview", "ask_body", "ask_opinion"})
