"""One reply of the built-in mind, from reading the message to the finished words or a tool call."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from agent.minds.builtin.answers.dispatch import answer_questions
from agent.minds.builtin.answers.from_memory import asks_of_the_past
from agent.minds.builtin.answers.grounds import grounds_of
from agent.minds.builtin.talk import crisis
from agent.minds.builtin.talk.acknowledgement import heard_words, listen, plain_words
from agent.minds.builtin.talk.condolence import is_near_loss, speaks_of_death
from agent.minds.builtin.talk.dates_in_words import part_of_day
from agent.minds.builtin.talk.forget_requests import forget
from agent.minds.builtin.talk.introduction import was_asked_name
from agent.minds.builtin.talk.mood import feeling_of, is_everyday, is_heavy_talk
from agent.minds.builtin.talk.note_taking import keep, keep_name
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene, read_scene
from agent.minds.builtin.talk.sent_files import answer_from_files
from agent.minds.builtin.talk.unreadable import answer_oddity
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.reading import SOCIAL, Sentence, read
from managers.mind import ReplyRequest, ToolCall
from managers.recall.hits import Hit

_LONG = 700
_GREETINGS = {"morning": ("おはよう{ございます|}", "Good morning"), "day": ("こんにちは", "Hello"), "evening": ("こんばんは", "Good evening")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to a message, and the memories that it rests on."""

    text: str
    grounds: tuple[Hit, ...]


def compose_reply(request: ReplyRequest, seed: int) -> Said | ToolCall:
    """Return what is said to a message, or the tool that must be used first."""
    grave = request.concern is not None or crisis.lingering(request.turns, request.now)
    scene = read_scene(request, seed, grave=grave)
    said = _said(scene, grave=grave)
    return said if isinstance(said, ToolCall) else Said(said, grounds_of(scene))


def _said(scene: Scene, *, grave: bool) -> str | ToolCall:  # noqa: PLR0911  # one return per kind reads best
    request = scene.request
    if request.concern is not None:
        return crisis.first_words(request.concern, scene.book, request.turns)
    if (let_go := forget(scene)) is not None:
        return let_go if isinstance(let_go, ToolCall) else _finished(scene, [let_go])
    if (kept := keep(scene)) is not None:
        return kept if isinstance(kept, ToolCall) else _finished(scene, [kept])
    if grave:
        return _finished(scene, answer_from_files(scene) or _with_care(scene))
    if (named := keep_name(scene)) is not None:
        return named
    parts = [scene.book.say("small", "image")] if _has_image(request) else []
    if scene.message.strip(" 、,!?！？。…〜ー") == request.sheet.persona:
        return _finished(scene, [scene.book.say("small", "here")])
    if not _brings_a_text(request) and (odd := answer_oddity(scene)) is not None:
        return _finished(scene, parts or [odd])
    return _finished(scene, parts + _converse(scene))


def _finished(scene: Scene, parts: list[str]) -> str:
    text = scene.joint.join(part for part in [_murmur(scene), *parts] if part)
    if scene.lang == "ja":
        text = re.sub(r"(?<=[？！])(?=[^\s」』！？])", " ", text)
    return scene.book.voice.finish(text or scene.book.say("small", "ask_on"))


def _murmur(scene: Scene) -> str:
    """Let a sound of the persona's slip out: seldom, and never when somebody is hurting."""
    murmurs = scene.book.voice.murmurs
    if (
        not murmurs
        or any(m in text for m in murmurs for text in scene.spoken[-2:])
        or not scene.book.chance(0.12)
        or feeling_of(scene) in {*NEGATIVE, "mixed"}
    ):
        return ""
    if (
        speaks_of_death(scene)
        or is_near_loss(scene)
        or is_heavy_talk(scene)
        or crisis.lingering(scene.request.turns, scene.request.now)
    ):
        return ""
    return f"{scene.book.pick(murmurs)}……。" if scene.lang == "ja" else f"{scene.book.pick(murmurs)}."


def _has_image(request: ReplyRequest) -> bool:
    return any(turn.images for turn in request.turns[-1:]) or any(
        path.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp")) for path in request.message.attachments
    )


def _brings_a_text(request: ReplyRequest) -> bool:
    return any(not file.is_earlier for file in request.files)


# --- conversation --------------------------------------------------------------------------------------------


def _converse(scene: Scene) -> list[str]:
    from_files = answer_from_files(scene)
    answers = [*(listen(scene)[:1] if from_files and _weighs(scene) else []), *from_files] or answer_questions(scene)
    if not answers and len(scene.message) > _LONG:
        answers = _about_long(scene)
    told = [] if answers else listen(scene)
    social = _social(scene, is_alone=not answers and not told)
    if told and scene.read.act("night", "bye") and feeling_of(scene) not in _STAYS_FOR:
        return [*_last_words(scene, told), *social]
    return [*social, *answers, *told]


def _weighs(scene: Scene) -> bool:
    """Tell whether what is told beside a file must be heard first: a death, a feeling that hurts."""
    hurts = feeling_of(scene) in _STAYS_FOR or speaks_of_death(scene) or is_near_loss(scene)
    return bool(scene.read.told) and hurts


_STAYS_FOR = frozenset({"sadness", "fear", "anger", "stressed", "anxious", "mixed"})
"""What is not passed over when somebody takes their leave."""


def _last_words(scene: Scene, told: list[str]) -> list[str]:
    """Say a word on what was told before a goodbye: nobody who is leaving is asked anything, or told that they are sleepy."""
    is_drowsy = feeling_of(scene) == "tired" or any(_DROWSY.search(sentence.plain) for sentence in scene.read.told)
    return [] if is_drowsy else [part for part in told[:1] if not part.rstrip().endswith(("？", "?"))]


_DROWSY = re.compile(r"眠|寝|ねむ|昼寝|\b(?:bed|sleep\w*|nap|tired|knackered)\b")


def _with_care(scene: Scene) -> list[str]:
    """Answer the turns after a concern: questions rightly, everyday things as such, all else with nothing but care."""
    if scene.read.act("night", "bye"):
        return [scene.book.say("care", "night")]
    if (hello := scene.read.act("morning", "day", "evening", "home")) is not None and not scene.read.told:
        hour = part_of_day(scene.request.now)
        said = hello.act if hello.act in ("morning", "evening") else hour
        return [scene.book.say("greet", "short", greeting=_greeting(scene, said)), scene.book.say("care", "aside")]
    if answer := _plain_answer(scene):
        return [answer, _aside(scene)]
    if crisis.speaks_of_it(scene.message) or not is_everyday(scene):
        return [crisis.next_words(scene.message, scene.book, heard_words(scene))]
    return [*(_meet(scene) if scene.given else []), plain_words(scene), _aside(scene)]


def _aside(scene: Scene) -> str:
    """Leave the door open, in a word, now and then."""
    if any(scene.book.was_said("care", "aside", text) for text in scene.spoken[-2:]):
        return ""
    return scene.book.say("care", "aside")


def _plain_answer(scene: Scene) -> str:
    """In grave moments facts that were asked for are given, and no views."""
    if scene.read.act("ask_opinion", "cannot", "ask_body", "talk", "joke", "insult"):
        return ""
    asked = scene.read.act("ask_time", "ask_date", "ask_name", "ask_my_name", "ask_what", "ask_known", "overview")
    if asked is None and not scene.request.recall_wanted and not asks_of_the_past(scene):
        return ""
    return scene.joint.join(answer_questions(scene))


def _about_long(scene: Scene) -> list[str]:
    told = scene.read.told
    if not told:
        return []
    best = max(told, key=lambda s: min(len(set(s.terms)), 10) + 3 * (read_emotion(s.text).emotion != "neutral"))
    return [
        scene.book.say(
            "small", "long", count=f"{len(scene.request.message.text):,}", quote=for_quoting(best.text, scene.lang, 80)
        ),
        scene.book.say("follow", "any"),
    ]


def _social(scene: Scene, *, is_alone: bool) -> list[str]:
    """Answer greetings, thanks and the like; in full when nothing else was said, else in a word."""
    said = [sentence for sentence in scene.read.sentences if sentence.act in SOCIAL]
    if not said:
        return [] if not is_alone else _lost(scene)
    if scene.given:
        return _meet(scene)
    if is_alone and _is_late_bye(scene, said):
        return [scene.book.say("greet", "bye_late")]
    parting = [sentence for sentence in said if sentence.act in ("night", "bye")]
    asked = [sentence for sentence in said if sentence.act == "how_are_you"]
    chosen = (parting or asked or said)[0]
    return _social_full(scene, chosen) if is_alone or asked else _social_brief(scene, chosen)


def _meet(scene: Scene) -> list[str]:
    """Greet somebody who gives their name, by that name; later on take up what they want to be called."""
    if scene.given == scene.request.sheet.user_name:
        return [] if _has_greeted(scene) else [scene.book.say("greet", part_of_day(scene.request.now))]
    is_early = len(scene.heard) <= 1 and not any(scene.book.voice.name in text for text in scene.spoken)
    if (
        scene.spoken
        and not (is_early and not was_asked_name(scene.spoken[-1]))
        and not any(sentence.act == "first" for sentence in scene.read.sentences)
    ):
        return [scene.book.say("greet", "called")]
    said = next((s.act for s in scene.read.sentences if s.act in ("morning", "day", "evening")), "")
    hello = said or part_of_day(scene.request.now)
    bare = "" if scene.read.told or scene.read.questions else "yes"
    return [scene.book.say("greet", "met", greeting=_greeting(scene, hello), bare=bare)]


def _is_late_bye(scene: Scene, said: list[Sentence]) -> bool:
    hour = scene.request.now.hour
    return any(s.act == "bye" for s in said) and (hour >= _LATE or hour < _EARLY)


_LATE, _EARLY, _NOON = 22, 4, 12
"""Hours: from when a goodbye is for the night, and from when a good morning comes late."""


def _social_full(scene: Scene, sentence: Sentence) -> list[str]:  # noqa: PLR0911  # one return per kind reads best
    act, book = sentence.act, scene.book
    if act in ("morning", "day", "evening"):
        if (
            not scene.spoken
            and not book.voice.you
            and not scene.request.notes
            and not scene.request.hits
            and scene.book.chance(0.5)
        ):
            return [book.say("greet", "short", greeting=_greeting(scene, act)), book.say("greet", "first")]
        if _has_greeted(scene):
            return [book.say("greet", "again", greeting=_greeting(scene, act))]
        if act == "morning" and _NOON <= scene.request.now.hour < _LATE:
            return [book.say("greet", "late_morning")]
        return [book.say("greet", part_of_day(scene.request.now) if act == "day" and scene.lang == "en" else act)]
    if act in ("night", "bye", "home", "leave", "first", "how_are_you"):
        return [book.say("greet", act)]
    if act == "give_name":
        return [book.say("greet", "called" if book.voice.you else "again", greeting=_greeting(scene, "day"))]
    if act == "yes" and is_heavy_talk(scene):
        return [book.say("comfort", "rest" if scene.asked_lately > 1 else "ask")]
    if act == "yes":
        return (
            [book.say("small", "ask_on")]
            if _was_asked_what(scene)
            else [book.say("small", "agree"), *_keep_going(scene)]
        )
    if act == "no":
        return [book.say("small", "no"), *_keep_going(scene)]
    if act == "call":
        return [book.say("small", "here")]
    return [book.say("small", act)]


def _social_brief(scene: Scene, sentence: Sentence) -> list[str]:
    act, book = sentence.act, scene.book
    if act in ("morning", "day", "evening"):
        return [] if _has_greeted(scene) else [book.say("greet", "short", greeting=_greeting(scene, act))]
    if act in ("thanks", "apology", "praise", "affection"):
        return [book.say("small", act)]
    if act in ("night", "bye"):
        return [book.say("greet", act)]
    return []


def _greeting(scene: Scene, act: str) -> str:
    ja, en = _GREETINGS[act]
    if scene.lang == "en":
        return en
    return re.sub(r"\{([^|]*)\|([^}]*)\}", r"\1" if scene.book.voice.polite else r"\2", ja)


def _has_greeted(scene: Scene) -> bool:
    plain = [unicodedata.normalize("NFKC", text).lower() for text in scene.spoken[-6:]]
    return any(
        text.startswith(
            ("おはよう", "こんにちは", "こんばんは", "good morning", "hello", "hi", "hey", "good evening", "morning")
        )
        for text in plain
    )


def _was_asked(scene: Scene) -> bool:
    return bool(scene.spoken) and scene.spoken[-1].rstrip().endswith(("？", "?"))


def _was_asked_what(scene: Scene) -> bool:
    """Tell whether the persona's question wants more than yes or no."""
    return _was_asked(scene) and bool(read(scene.spoken[-1][-60:], scene.lang).sentences[-1].asks)


def _keep_going(scene: Scene) -> list[str]:
    """After a short answer: an open question or a new start, when the thread has run dry."""
    if _was_asked(scene) and scene.asked_lately < 2:  # noqa: PLR2004  # of the last two
        return []
    fresh = [q.topic for q in scene.request.questions if not any(q.topic in text for text in scene.spoken)]
    if fresh:
        return [scene.book.say("open", "ask", topic=for_quoting(fresh[0], scene.lang, 60))]
    return [scene.book.say("self", "talk")]


def _lost(scene: Scene) -> list[str]:
    return [scene.book.say("small", "ask_on")]
