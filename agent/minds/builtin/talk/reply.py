"""One reply of the built-in mind, from reading the message to the finished words or a tool call."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.minds.builtin.answers.citation import grounds_of
from agent.minds.builtin.answers.dispatch import answer_questions, speaks_of_the_past
from agent.minds.builtin.talk.acknowledgement import heard_words, listen, plain_words
from agent.minds.builtin.talk.company import among_others, is_hurting
from agent.minds.builtin.talk.greeting import answer_courtesy, meet, short_hello
from agent.minds.builtin.talk.mood import feeling_of, is_everyday, is_heavy_talk, is_near_loss, speaks_of_death
from agent.minds.builtin.talk.note_taking import forget, keep, keep_name
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import FACTS, Scene, read_scene
from agent.minds.builtin.talk.sent_files import answer_from_files
from agent.minds.builtin.talk.unreadable import answer_unreadable
from agent.minds.builtin.talk.voice import Phrasebook
from managers.language.dates_in_words import part_of_day
from managers.language.emotion import read_emotion
from managers.language.reading.concern import find_concern
from managers.language.reading.reading import has_question_mark
from managers.language.reading.rules import fits_any
from managers.language.words import sentences
from managers.mind import ChatTurn, Concern, ReplyRequest, ToolCall
from managers.recall.hits import Hit

_LONG = 700
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_STAYS_FOR = frozenset({"sadness", "fear", "anger", "stressed", "anxious", "mixed"})
"""What is not passed over when somebody takes their leave."""
_MURMURS = 0.12
"""How often a sound of the persona's own slips out."""
_FEW = 2
"""So many sentences are a short answer."""
_VIEWS = ("ask_opinion", "cannot", "task", "ask_body", "talk", "joke", "insult")
"""What is not answered in grave moments, where facts are."""
_LINGERS_TURNS = 8
"""For so many turns of the user after a concern, the persona stays careful."""
_LINGERS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to a message, and the memories that it rests on."""

    text: str
    grounds: tuple[Hit, ...]


def compose_reply(request: ReplyRequest, seed: int) -> Said | ToolCall:
    """Return what is said to a message, or the tool that must be used first."""
    grave = request.concern is not None or _is_lingering(request.turns, request.now)
    scene = read_scene(request, seed, grave=grave)
    if request.concern is not None:
        said: str | ToolCall = _first_words(request.concern, scene.book, request.turns)
    else:
        said = (
            _asked_for(scene)
            or (None if grave else keep_name(scene))
            or _finished(
                scene, _with_care(scene) if grave else _as_wished(scene, among_others(scene, _in_conversation(scene)))
            )
        )
    return said if isinstance(said, ToolCall) else Said(said, grounds_of(scene))


def _asked_for(scene: Scene) -> str | ToolCall | None:
    """Forget or note what a message asks to have forgotten or noted; None if it asks for neither."""
    for done in (forget(scene), keep(scene)):
        if done is not None:
            return done if isinstance(done, ToolCall) else _finished(scene, [done])
    return None


def _finished(scene: Scene, parts: list[str]) -> str:
    text = scene.book.voice.joint.join(part for part in [_murmur(scene), *parts] if part)
    if scene.lang == "ja":
        text = re.sub(r"(?<=[？！])(?=[^\s」』！？])", " ", text)
    return scene.book.voice.finish(text or scene.book.say("small", "ask_on"))


def _as_wished(scene: Scene, parts: list[str]) -> list[str]:
    """Leave out what was complained of before: questions back, and what makes an answer long; never all of it."""
    advice, said = scene.request.advice, [one for part in parts for one in sentences(part)]
    if any("\n" in part for part in parts):
        return parts  # a list that was asked for
    if "questions" in advice.avoid:
        said = [one for one in said if not has_question_mark(one)]
    if "too_long" in advice.avoid or "short" in advice.strategy:
        said = said[:_FEW]
    return said or parts


def _murmur(scene: Scene) -> str:
    """Let a sound of the persona's slip out: seldom, and never when somebody is hurting."""
    murmurs = scene.book.voice.murmurs
    if not murmurs or any(m in text for m in murmurs for text in scene.spoken[-2:]) or not scene.book.chance(_MURMURS):
        return ""
    if is_hurting(scene) or is_heavy_talk(scene) or _is_lingering(scene.request.turns, scene.request.now):
        return ""
    return scene.book.pick(murmurs) + str(scene.book.voice.marks["trailing"])


def _in_conversation(scene: Scene) -> list[str]:
    request = scene.request
    if scene.message.strip(" 、,!?！？。…〜ー") == request.sheet.persona:
        return [scene.book.say("small", "here")]
    files = request.message.attachments
    has_image = any(turn.images for turn in request.turns[-1:]) or any(one.lower().endswith(_IMAGES) for one in files)
    image = [scene.book.say("small", "image")] if has_image else []
    brings_text = any(not file.is_earlier for file in request.files)
    if not brings_text and (odd := answer_unreadable(scene)) is not None:
        return image or [odd]
    return image + _converse(scene)


def _converse(scene: Scene) -> list[str]:
    from_files = answer_from_files(scene)
    answers = [*(listen(scene)[:1] if from_files and _weighs(scene) else []), *from_files] or answer_questions(scene)
    if not answers and len(scene.message) > _LONG:
        answers = _about_long(scene)
    told = [] if answers else listen(scene)
    social = answer_courtesy(scene, is_alone=not answers and not told)
    if told and scene.read.act("night", "bye") and feeling_of(scene) not in _STAYS_FOR:
        return [*_last_words(scene, told), *social]
    return [*social, *answers, *told]


def _weighs(scene: Scene) -> bool:
    """Tell whether what is told beside a file must be heard first: a death, a feeling that hurts."""
    hurts = feeling_of(scene) in _STAYS_FOR or speaks_of_death(scene) or is_near_loss(scene)
    return bool(scene.read.told) and hurts


def _last_words(scene: Scene, told: list[str]) -> list[str]:
    """Say a word on what was told before a goodbye: nobody who is leaving is asked anything, or told that they are sleepy."""
    is_drowsy = any(fits_any("courtesy", "drowsy", sentence.plain) for sentence in scene.read.told)
    if is_drowsy or feeling_of(scene) == "tired":
        return []
    return [part for part in told[:1] if not has_question_mark(part)]


def _about_long(scene: Scene) -> list[str]:
    told = scene.read.told
    if not told:
        return []
    best = max(told, key=lambda s: min(len(set(s.terms)), 10) + 3 * (read_emotion(s.text).emotion != "neutral"))
    count, quote = f"{len(scene.request.message.text):,}", for_quoting(best.text, scene.lang, 80)
    return [scene.book.say("small", "long", count=count, quote=quote), scene.book.say("follow", "any")]


def _is_lingering(turns: Sequence[ChatTurn], now: datetime) -> bool:
    """Tell whether an earlier message of this conversation raised a concern, not long ago."""
    earlier = [
        turn for turn in turns[:-1] if turn.role == "user" and (turn.time is None or turn.time >= now - _LINGERS)
    ]
    return any(find_concern(turn.text) for turn in earlier[-_LINGERS_TURNS:])


def _first_words(concern: Concern, book: Phrasebook, turns: Sequence[ChatTurn]) -> str:
    """Answer a message that raises a concern: heard, honest, with help lines, and one gentle question."""
    lines = concern.help_lines
    spoken = [turn.text for turn in turns[:-1] if turn.role == "persona"]
    if lines and any(lines[0] in text for text in spoken):
        heard, header = book.say("care", "stay"), book.say("care", "again")
    else:
        heard = book.voice.joint.join([book.say("care", concern.kind), book.say("care", "honest")])
        header = book.say("care", "lines")
    listed = ["\n".join([header, *(f"{book.voice.marks['bullet']}{line}" for line in lines)])] if lines else []
    return "\n\n".join(
        [heard, book.say("care", f"now_{concern.kind}"), *listed, book.say("care", f"ask_{concern.kind}")]
    )


def _closing(text: str) -> str:
    """Return how a turn after it ends: with getting `better`, with `thanks` for being heard, else with an offer to `stay`."""
    return next((name for name in ("better", "thanks") if fits_any("events", name, text)), "stay")


def _with_care(scene: Scene) -> list[str]:
    """Answer the turns after a concern: questions rightly, everyday things as such, all else with nothing but care."""
    if from_files := answer_from_files(scene):
        return from_files
    if scene.read.act("night", "bye"):
        return [scene.book.say("care", "night")]
    if (hello := scene.read.act("morning", "day", "evening", "home")) is not None and not scene.read.told:
        act = hello.act if hello.act in ("morning", "evening") else part_of_day(scene.request.now)
        return [short_hello(scene, act), scene.book.say("care", "aside")]
    if answer := _plain_answer(scene):
        return [answer, _aside(scene)]
    closing = _closing(scene.message)
    if closing != "stay" or not is_everyday(scene):
        return [heard_words(scene), scene.book.say("care", closing)]
    return [*(meet(scene) if scene.given else []), plain_words(scene), _aside(scene)]


def _aside(scene: Scene) -> str:
    if any(scene.book.was_said("care", "aside", text) for text in scene.spoken[-2:]):
        return ""
    return scene.book.say("care", "aside")


def _plain_answer(scene: Scene) -> str:
    """In grave moments facts that were asked for are given, and no views."""
    is_asked = scene.read.act(*FACTS) is not None or scene.request.recall_wanted
    is_asked = is_asked or any(speaks_of_the_past(sentence) for sentence in scene.read.questions)
    if scene.read.act(*_VIEWS) or not is_asked:
        return ""
    return scene.book.voice.joint.join(answer_questions(scene))
