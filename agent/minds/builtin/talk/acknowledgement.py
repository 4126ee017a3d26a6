"""Answering what was told: the feeling, the words taken up, a memory it touches, and what to ask next."""

from collections.abc import Sequence
from dataclasses import replace

from agent.minds.builtin.answers.selection import related
from agent.minds.builtin.talk.mood import condole, feeling_of, goes_on_heavily, is_dark, is_mild, main_sentence, take_up
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_when
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.corrections import read_correction
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, fits_any
from managers.language.reading.told import Told
from managers.language.reading.values import capital_days, values_in
from managers.language.words import content_words
from managers.mind import OpenQuestion

_SAME_TALK = 3
"""A correction that names nothing means one of so many messages before it."""
_PLEASED = ("joy", "happy")
_ANSWERED_OTHERWISE = ("thanks", "laugh", "insult", "complaint", "enough")
_ALOUD = ("wished_of_me", "may_forget", "mull")
"""What is neither news nor a question: what is meant to be done with the listener, what is being weighed."""
NOT_PLANNED = frozenset({"garden", "weather", "mishap", "injury", "like", "live", "checkup", "illness"})
"""Acts to come that nobody prepares for."""
OF_ANYBODY = ("injury", "kindness", "weather", "mishap", "checkup", "illness")
"""Acts that are answered alike whoever they are of."""
_IDLE_WONDER = 0.3
"""Questions of less priority than this can wait for ever."""
_AFTER = {"tired": "tired_ask", "busy": "tired_ask", "anger": "anger_ask", "anxious": "anxious_ask"}
"""What is asked after a feeling."""


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


def follow_up(scene: Scene, told: Told, feeling: str, *, is_linked: bool, is_acknowledged: bool) -> str:  # noqa: PLR0911  # one return per kind of answer
    """Return what follows the acknowledgement: comfort, a question, or a word that leaves room."""
    say, asked = scene.book.say, scene.asked_lately
    if feeling in NEGATIVE or feeling == "mixed":
        return comfort(scene, feeling)
    if fits_any("events", "reluctant", scene.message):
        return say("comfort", "down_ask")
    if feeling not in ("joy", "happy") and goes_on_heavily(scene):
        return say("comfort", "rest" if asked else "ask", grief="yes")
    if told.act == "illness":
        kind = "pet_care" if told.is_pet else "illness"
        return say("comfort", "rest") if asked else _first_that_fits(scene, told, [kind])
    is_enough = asked > 1 or (is_linked and scene.book.chance(0.5))
    if not is_enough and is_acknowledged and (opened := open_question(scene)):
        return opened
    if is_enough or (asked and scene.book.chance(0.35)):
        return say("follow", "rest")
    return _about_what_was_told(scene, told, feeling)


def _about_what_was_told(scene: Scene, told: Told, feeling: str) -> str:
    is_glad = feeling in ("joy", "happy")
    if is_news(scene, told):
        return scene.book.say("follow", "news", **slots_of(told))
    if is_achieved(scene, told, feeling):
        return scene.book.say("follow", "celebrate")
    if is_glad and not told.act and not told.topic:
        return scene.book.say("follow", "rest")
    own = scene.book.voice.you.removesuffix("さん")
    if own and own in (told.person, told.topic):
        told = replace(told, person="", topic="")  # nobody is asked how long they have known themselves
    return _first_that_fits(scene, told, _keys(told))


def _first_that_fits(scene: Scene, told: Told, keys: Sequence[str]) -> str:
    slots = slots_of(told)
    key = next((key for key in keys if scene.book.can("follow", key, **slots)), "any")
    return scene.book.say("follow", key, **slots)


def is_news(scene: Scene, told: Told) -> bool:
    """Tell whether a message tells of somebody else's joy: a wedding, a birth."""
    is_ones_own = told.is_own and not told.points_back and not told.is_hearsay
    return not is_ones_own and fits_any("events", "news", scene.message)


def is_achieved(scene: Scene, told: Told, feeling: str) -> bool:
    """Tell whether a message tells of something brought off: by whoever is glad of it, or plainly by the teller."""
    is_plain = feeling == "neutral" and told.is_own and told.is_past and not fits_any("events", "dark", scene.message)
    return (feeling in ("joy", "happy") or is_plain) and fits_any("events", "achieved", scene.message)


def comfort(scene: Scene, feeling: str) -> str:
    """Return what follows a heavy feeling."""
    if scene.asked_lately > 1:
        return scene.book.say("comfort", "rest")
    sentence = main_sentence(scene)
    if feeling == "sadness" and sentence is not None and is_mild(scene, take_up(sentence, scene)):
        return scene.book.say("comfort", "down_ask")
    grief = "yes" if feeling in ("sadness", "fear") and not fits_any("events", "long_ago", scene.message) else ""
    is_special = feeling in ("tired", "busy", "anxious") or scene.book.chance(0.6)
    return scene.book.say("comfort", _AFTER.get(feeling, "ask") if is_special else "ask", grief=grief)


def open_question(scene: Scene) -> str:
    """Ask what is open, when a few turns have passed, not each turn, and none twice."""
    if len(scene.spoken) < 2 or any(scene.book.was_said("open", "ask", text) for text in scene.spoken[-4:]):  # noqa: PLR2004  # arrive first
        return ""
    for question in open_topics(scene):
        if question.priority >= _IDLE_WONDER and scene.book.chance(0.2 * len(scene.spoken)):
            return scene.book.say("open", "ask", topic=for_quoting(question.topic, scene.lang, 60))
    return ""


def turn_to_what_is_open(scene: Scene) -> list[str]:
    """Ask what has been left open, once; else ask for anything."""
    if fresh := open_topics(scene):
        return [scene.book.say("open", "ask", topic=for_quoting(fresh[0].topic, scene.lang, 60))]
    return [scene.book.say("self", "talk")]


def open_topics(scene: Scene) -> list[OpenQuestion]:
    """Return the open questions that may be asked now: not what was asked already, nor what was just spoken of."""
    told = {term for text in (*scene.heard, scene.message) for term in content_words(text)}
    spoken = "\n".join(scene.spoken)
    return [
        question
        for question in scene.request.questions
        if question.topic.strip() and question.topic not in spoken and not told & set(content_words(question.topic))
    ]


def slots_of(told: Told) -> dict[str, str]:
    """Return the values and conditions for phrases on what was told."""
    conditions = {
        "single": not told.topic.endswith("s") or told.topic.endswith("ss"),
        "alone": not told.person,
        "undated": not told.is_dated,
        "names_day": told.names_day,
        "friend": not told.is_relative,
        "apart": not fits_any("events", "household", told.person),
        "past": told.is_past,
        "present": not told.is_past,
        "of_oneself": not told.names_somebody,
    }
    topic = "" if fits_any("events", "no_topic", told.topic) else told.topic
    met = {name: "yes" if is_met else "" for name, is_met in conditions.items()}
    return {"topic": topic, "person": told.person, "place": told.place, **met}


def _keys(told: Told) -> list[str]:
    """Return which questions fit what was told, the sharpest first."""
    if told.points_back:
        return ["rest"]
    if told.is_blocked and told.is_own:
        return ["blocked"]
    if not told.is_own and told.act not in (*OF_ANYBODY, "meet"):
        return [*(["pet"] if told.is_pet else ["person"] if told.person else ["topic"] if told.topic else []), "rest"]
    keys = [key] if (key := _key(told)) else []
    if told.person and told.act in ("", "meet"):
        keys.append("meet" if told.act and told.is_past else "person")
    if told.topic:
        keys.append("topic")
    last = "any_past" if told.is_past else "any"
    return [*keys, last if keys or (told.echo and told.is_past) else "rest"]


def _key(told: Told) -> str:
    """Return which question fits what was done or planned; empty if none does."""
    kinds = {
        "rest": told.is_future and told.act in ("mishap", "live"),
        "duty_buy" if told.act == "buy" else "duty": told.is_duty,
        "want": told.is_wish,
        "go_future" if told.is_future else "go_past" if told.is_past else "": told.act == "go",
        "pet_care": told.is_pet and told.act in ("checkup", "illness"),
        "pet": told.is_pet and told.act not in ("eat", "buy"),
        told.act if told.act in NOT_PLANNED else "plan": told.is_future,
    }
    is_met = told.act == "meet" and not told.is_past
    return next((key for key, is_so in kinds.items() if is_so), "" if is_met else told.act)
