"""A reply among others: what was said already is not said again, and a word of the persona's own domain goes with it."""

from collections.abc import Sequence

from agent.minds.builtin.answers.citation import grounds_of
from agent.minds.builtin.answers.dispatch import nothing_remembered
from agent.minds.builtin.talk.mood import feeling_of, is_near_loss, speaks_of_death
from agent.minds.builtin.talk.quotation import readable
from agent.minds.builtin.talk.scene import FACTS, Scene
from managers.language.emotion import NEGATIVE
from managers.language.reading.reading import SOCIAL, has_question_mark
from managers.language.words import content_words, sentences
from managers.memory.messages import Message
from managers.mind import Company

_FEW = 3
"""So many sentences are a long turn among several."""


def among_others(scene: Scene, parts: Sequence[str]) -> list[str]:
    """Return what is said in a conversation of several."""
    company = scene.request.company
    if company is None or company.arranges:
        return [*parts] if company is None else [scene.book.say("company", "arranged")]
    others = [one for one in company.since if one.role == "other"]
    asked = bool(scene.read.questions) and not grounds_of(scene)
    heard = {_plain(one) for message in others for one in sentences(readable(message.text))}
    own = [one for part in parts for one in sentences(part)]
    left = [one for one in own if _plain(one) not in heard]
    if others and any(has_question_mark(one.text) for one in others):
        left = [one for one in left if not has_question_mark(one)]  # one question at a time, whoever asks it
    if _is_courtesy(scene):
        left = left or own  # a greeting is given back by each of them, in the same words too
    if is_hurting(scene):
        return left[:_FEW] or [scene.book.say("company", "stays")]
    remark = _remark(scene, company)
    if remark and asked and not scene.read.act(*FACTS, "ask_self", "how_are_you"):
        if _asks_for_a_view(scene, company, parts):
            return [remark]
        if company.is_of_domain and left:
            return [*_owned_up(scene, company, left), remark]
    if not others:
        is_fitting = company.is_of_domain and remark and not scene.read.questions
        return [*left, remark][:_FEW] if is_fitting else [*parts]
    return _after_others(scene, company, others[-1], left, remark)


def _after_others(scene: Scene, company: Company, last: Message, left: list[str], remark: str) -> list[str]:
    """Return what is said after somebody else: an own answer, or a word on what they said."""
    is_own = company.is_addressed or scene.request.recall_wanted or bool(scene.read.questions) or _is_courtesy(scene)
    if company.is_first and (is_own or (left and not remark)):
        return left[:_FEW] or [remark or scene.book.say("company", "agrees", other=last.speaker, more="")]
    taken_up = _taken_up(scene, last, has_more=bool(remark))
    return [taken_up, remark] if remark else [taken_up]


def _owned_up(scene: Scene, company: Company, left: list[str]) -> list[str]:
    """Return what is answered in the persona's own domain; its sheet, found by its name alone, is no answer."""
    if not any(name in one.text for one in scene.used for name in company.own_names):
        return left[: _FEW - 1]
    owned = nothing_remembered(scene, scene.read.questions)
    return [] if any(name in owned for name in company.own_names) else [owned]  # it asks for no more than the name


def is_hurting(scene: Scene) -> bool:
    """Tell whether the user is hurting: no moment for anybody's subject."""
    return feeling_of(scene) in {*NEGATIVE, "mixed"} or speaks_of_death(scene) or is_near_loss(scene)


def _is_courtesy(scene: Scene) -> bool:
    return all(one.act in SOCIAL for one in scene.read.sentences)


def _asks_for_a_view(scene: Scene, company: Company, parts: Sequence[str]) -> bool:
    """Tell whether a question is after the persona's own view, or memory has but its sheet to offer."""
    of_others = any(name in part for part in parts for name in company.voices)
    is_view = scene.read.act("ask_opinion", "ask_taste") is not None
    return of_others or (is_view and (company.is_of_domain or company.is_addressed))


def _remark(scene: Scene, company: Company) -> str:
    """Return what the persona likes to say of its domain: nearest to what is spoken of, and not said lately."""
    said = "\n".join([*scene.spoken, *(one.text for one in company.since)])
    fresh = [one for one in company.remarks.get(scene.lang, ()) if one not in said]
    if not fresh:
        return ""
    spoken_of = set(content_words("\n".join([scene.message, *(one.text for one in company.since)])))
    near = {one: len(spoken_of & set(content_words(one))) for one in fresh}
    best = max(near.values())
    return scene.book.pick([one for one in fresh if near[one] == best])


def _taken_up(scene: Scene, last: Message, *, has_more: bool) -> str:
    kind = (
        "asked"
        if has_question_mark(last.text) and not has_more
        else "differs"
        if scene.book.chance(1 / 3)
        else "agrees"
    )
    return scene.book.say("company", kind, other=last.speaker, more="yes" if has_more else "")


def _plain(sentence: str) -> str:
    return "".join(char for char in sentence.casefold() if char.isalnum())
