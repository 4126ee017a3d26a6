"""Answering what was told: the feeling, the words taken up, a memory it touches, and what to ask next."""

from __future__ import annotations

from agent.minds.builtin.answers.selection import related
from agent.minds.builtin.talk.condolence import condole
from agent.minds.builtin.talk.follow_up import (
    NOT_PLANNED,
    OF_ANYBODY,
    comfort,
    follow_up,
    is_achieved,
    is_news,
    open_question,
    slots_of,
)
from agent.minds.builtin.talk.mood import feeling_of, goes_on_heavily, is_dark, is_mild, main_sentence, take_up
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_when
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.corrections import read_correction
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, fits_any
from managers.language.reading.told import Told
from managers.language.reading.values import capital_days, values_in

_SAME_TALK = 3
"""A correction that names nothing means one of so many messages before it."""
_PLEASED = ("joy", "happy")
_ANSWERED_OTHERWISE = ("thanks", "laugh", "insult", "complaint", "enough")
_ALOUD = ("wished_of_me", "may_forget", "mull")
"""What is neither news nor a question: what is meant to be done with the listener, what is being weighed."""


def listen(scene: Scene) -> list[str]:
    """Return the answer to what a message tells; empty if it tells nothing."""
    if put_right := _put_right(scene):
        return [put_right]
    sentence, feeling = main_sentence(scene), feeling_of(scene)
    if sentence is None:
        is_felt = feeling in NEGATIVE and not any(s.act in _ANSWERED_OTHERWISE for s in scene.read.sentences)
        return [scene.book.say("feel", feeling), comfort(scene, feeling)] if is_felt else []
    if apart := _not_of_their_life(scene, sentence, feeling):
        return apart
    told = take_up(sentence, scene)
    if quiet := condole(scene, sentence, told, feeling):
        return quiet
    heard, link = _acknowledge(scene, told, feeling), _link(scene, sentence, feeling)
    asked = follow_up(scene, told, feeling, is_linked=bool(link), is_acknowledged=bool(heard))
    return [part for part in (heard, link, asked) if part]


def _put_right(scene: Scene) -> str:
    """Say that a correction was heard; empty if the message is none."""
    found = read_correction(scene.message, scene.heard[-_SAME_TALK:], scene.heard[:-_SAME_TALK])
    if found is None:
        return ""
    old, new = (_as_value(value) for value in (found.old, found.new))
    return scene.book.say("fact", "put_right", old=old, new=new)


def _as_value(value: str) -> str:
    """Return a value as it stands alone: Sunday, 青."""
    is_colour = any(one.kind == "colour" for one in values_in(value, "ja"))
    return value.removesuffix("い") if is_colour else capital_days(value)


def _not_of_their_life(scene: Scene, sentence: Sentence, feeling: str) -> list[str]:
    """Answer what is said of the listener, a bare word, and what is thought aloud; empty if it is told of their life."""
    if feeling in (*_PLEASED, "neutral") and _is_about_persona(sentence, scene):
        return [scene.book.say("small", "about_me" if feeling == "neutral" else "praise"), open_question(scene)]
    if len(sentence.words) == 1 and len(scene.read.told) == 1 and feeling == "neutral":
        if scene.asked_lately:
            return [scene.book.say("follow", "rest")]
        return [scene.book.say("small", "puzzled", quote=for_quoting(sentence.text, scene.lang, 30).rstrip(".!"))]
    kinds = ["may_forget"] if feeling in NEGATIVE else _ALOUD
    aloud = next((kind for kind in kinds if fits(sentence.lang, "events", kind, sentence.plain)), "")
    return [scene.book.say("small", aloud)] if aloud else []


def _is_about_persona(sentence: Sentence, scene: Scene) -> bool:
    """Tell what is said of the listener ("your words mean a lot") from what is told of one's own life."""

    def of(whom: str, text: str = sentence.text) -> bool:
        return fits(sentence.lang, "events", whom, text)

    if sentence.lang == "en":
        return of("of_listener", sentence.plain) and not of("of_speaker", sentence.plain)
    is_shared = of("shared") and read_emotion(sentence.text).emotion not in NEGATIVE
    return is_shared or of("of_listener") or scene.request.sheet.persona in sentence.text


def heard_words(scene: Scene) -> str:
    """Give back what happened, and nothing else, in grave moments; never despair, which it would confirm."""
    sentence = main_sentence(scene)
    if sentence is None or _was_echoed(scene):
        return ""
    told = take_up(sentence, scene)
    return told.echo.strip() if told.is_past and not is_dark(sentence) else ""


def plain_words(scene: Scene) -> str:
    """Take up an everyday thing in a grave time: heard, without cheer and without questions."""
    sentence = main_sentence(scene)
    echo = take_up(sentence, scene).echo.strip() if sentence is not None else ""
    return echo or scene.book.say("follow", "rest")


def _was_echoed(scene: Scene) -> bool:
    """Tell whether the last thing that was said gave something back."""
    return fits_any("told", "echoed", "".join(scene.spoken[-1:]))


def _acknowledge(scene: Scene, told: Told, feeling: str) -> str:
    echo, say = told.echo, scene.book.say
    is_calm = feeling in ("neutral", *_PLEASED)
    if echo and _was_echoed(scene) and (feeling != "neutral" or scene.book.chance(0.6)):
        echo = ""
    if told.is_blocked and told.is_own and is_calm:
        return say("feel", "blocked")
    if is_news(scene, told) and (is_calm or feeling == "surprise"):
        return say("feel", "news", echo=echo)
    if is_achieved(scene, told, feeling):
        return say("feel", "achievement", echo=echo)
    if feeling == "neutral" and (not echo or scene.book.chance(0.5)) and (remark := _remark(scene, told)):
        return remark
    if feeling == "neutral" and not echo:
        return ""
    return say("feel", "down" if feeling == "sadness" and is_mild(scene, told) else feeling, echo=echo)


def _remark(scene: Scene, told: Told) -> str:
    """Say a word on what was told, where there is one that fits its kind."""
    if goes_on_heavily(scene):
        return ""
    if fits_any("events", "reluctant", scene.message):
        return scene.book.say("feel", "down", echo="")
    if told.is_future and told.act in ("mishap", "live"):
        return ""
    if told.is_duty:
        return scene.book.say("remark", "duty")
    is_plan = told.is_future and told.is_own and told.act not in NOT_PLANNED
    kinds = [
        "pet" if told.is_pet and told.is_own and told.act not in OF_ANYBODY else "",
        "want" if told.is_wish else "plan" if is_plan else "",
        told.act if told.is_own or told.act in OF_ANYBODY else "",
    ]
    slots = slots_of(told)
    kind = next((one for one in kinds if one and scene.book.can("remark", one, **slots)), "")
    return scene.book.say("remark", kind, **slots) if kind else ""


def _link(scene: Scene, sentence: Sentence, feeling: str) -> str:
    """Mention what the user said of the same thing on an earlier day; seldom, and not into a fresh wound."""
    if feeling in ("fear", "anger") or any(scene.book.was_said("memory", "linked", one) for one in scene.spoken[-3:]):
        return ""
    memory = related(sentence, scene.request)
    if memory is None or any(memory.text[:12] in text for text in scene.spoken):
        return ""
    scene.used.append(memory)
    when = say_when(memory.time, scene.request.now, scene.lang)
    return scene.book.say("memory", "linked", when=when, quote=for_quoting(memory.text, scene.lang, 90))
