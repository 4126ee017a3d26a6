"""A reply among others: what was said already is not said again, and a word of the persona's own domain goes with it."""

from __future__ import annotations

from collections.abc import Sequence

from agent.minds.builtin.talk.quotation import readable
from agent.minds.builtin.talk.scene import Scene
from managers.language.words import content_words, sentences
from managers.memory.messages import Message
from managers.mind import Company

_FEW = 3
"""So many sentences are a long turn among several."""


def among_others(scene: Scene, parts: Sequence[str]) -> list[str]:
    """Return what is said in a conversation of several.

    Args:
        scene: the moment.
        parts: what would be said to the user alone.
    """
    company = scene.request.company
    if company is None:
        return [*parts]
    others = [one for one in company.since if one.role == "other"]
    heard = {_plain(one) for message in others for one in sentences(readable(message.text))}
    own = [one for part in parts for one in sentences(part)]
    left = [one for one in own if _plain(one) not in heard]
    if others and any(_is_question(one.text) for one in others):
        left = [one for one in left if not _is_question(one)]  # one question at a time, whoever asks it
    remark = _remark(scene, company)
    is_answer = bool(scene.read.questions or scene.request.recall_wanted) and bool(left)
    if not others:
        return [*left, remark][:_FEW] if company.is_of_domain and not is_answer and remark else [*parts]
    if company.is_first and (is_answer or company.is_addressed):
        return left[:_FEW] or [*parts]
    if not remark and left and company.is_first:
        return left[:_FEW]
    taken_up = _taken_up(scene, others[-1], has_more=bool(remark))
    return [taken_up, *([remark] if remark else [])]


def _remark(scene: Scene, company: Company) -> str:
    """Return what the persona likes to say of its domain: nearest to what is spoken of, and not said lately."""
    said = "\n".join(scene.spoken)
    fresh = [one for one in company.remarks.get(scene.lang, ()) if one not in said]
    if not fresh:
        return ""
    spoken_of = set(content_words("\n".join([scene.message, *(one.text for one in company.since)])))
    near = {one: len(spoken_of & set(content_words(one))) for one in fresh}
    best = max(near.values())
    return scene.book.pick([one for one in fresh if near[one] == best])


def _taken_up(scene: Scene, last: Message, *, has_more: bool) -> str:
    """Return a word on what another one said."""
    kind = "asked" if _is_question(last.text) and not has_more else "differs" if scene.book.chance(1 / 3) else "agrees"
    return scene.book.say("company", kind, other=last.speaker, more="yes" if has_more else "")


def _plain(sentence: str) -> str:
    return "".join(char for char in sentence.casefold() if char.isalnum())


def _is_question(text: str) -> bool:
    return text.rstrip(" 　\"'”」』)）").endswith(("?", "？"))
