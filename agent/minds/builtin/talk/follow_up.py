"""What to ask next: after what was told, with its own words; after a heavy feeling, an offer and no cross-examination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.minds.builtin.talk.mood import goes_on_heavily, is_mild, main_sentence, take_up
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.emotion import NEGATIVE
from managers.language.reading.rules import fits_any
from managers.language.reading.told import Told
from managers.language.words import content_words
from managers.mind import OpenQuestion

NOT_PLANNED = frozenset({"garden", "weather", "mishap", "injury", "like", "live", "checkup", "illness"})
"""Acts to come that nobody prepares for."""
OF_ANYBODY = ("injury", "kindness", "weather", "mishap", "checkup", "illness")
"""Acts that are answered alike whoever they are of."""
_IDLE_WONDER = 0.3
"""Questions of less priority than this can wait for ever."""
_AFTER = {"tired": "tired_ask", "busy": "tired_ask", "anger": "anger_ask", "anxious": "anxious_ask"}
"""What is asked after a feeling."""


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
        return (
            say("comfort", "rest")
            if asked
            else _first_that_fits(scene, told, ["pet_care" if told.is_pet else "illness"])
        )
    is_enough = asked > 1 or (is_linked and scene.book.chance(0.5))
    if not is_enough and is_acknowledged and (opened := open_question(scene)):
        return opened
    if is_enough or (asked and scene.book.chance(0.35)):
        return say("follow", "rest")
    return _about_what_was_told(scene, told, feeling)


def _about_what_was_told(scene: Scene, told: Told, feeling: str) -> str:
    """Ask after what was told, with its own words."""
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


# --- the words of what was told ------------------------------------------------------------------------------


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
