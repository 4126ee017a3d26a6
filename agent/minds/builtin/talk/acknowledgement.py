"""Answering what was told: the feeling, the words taken up, a memory it touches, and what to ask next."""

from __future__ import annotations

import re
from dataclasses import replace

from agent.minds.builtin.answers.selection import related
from agent.minds.builtin.talk import told_en, told_ja
from agent.minds.builtin.talk.condolence import is_gone, is_long_past, is_near_loss, misses_the_dead
from agent.minds.builtin.talk.correction import read_correction
from agent.minds.builtin.talk.dates_in_words import say_when
from agent.minds.builtin.talk.happenings import ACHIEVED, NEWS, RELUCTANT, thinks_aloud
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.told import Told
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.reading import Sentence
from managers.language.reading.values import capital_days, values_in
from managers.language.words import content_words

_SURE = 0.35
_SAME_TALK = 3
"""A correction that names nothing means one of so many messages before it."""
_HEAVY = frozenset({"sadness", "fear", "anger", "stressed", "anxious"})
_ECHO_MARKS = re.compile(r"んですね。|んだね。|\bSo you|\bSo your")
_LINK_MARKS = re.compile(r"そういえば、|にも「|reminds me|also told me")
_IDLE_WONDER = 0.3
"""Questions of less priority than this can wait for ever."""
_LAUGHTER = re.compile(
    r"[(（]笑[)）]|笑+(?=[。！!]?$)|[wｗ]{1,}(?=[。！!]?$)|\b(?:lol|lmao|(?:ha){2,}h?)\b", re.IGNORECASE
)
"""People laugh about mishaps, too."""


def listen(scene: Scene) -> list[str]:  # noqa: PLR0911  # one return per kind of message reads best
    """Return the answer to what a message tells; empty if it tells nothing."""
    if (put_right := read_correction(scene.message, scene.heard[-_SAME_TALK:], scene.heard[:-_SAME_TALK])) is not None:
        return [
            scene.book.say(
                "fact", "put_right", old=_as_value(put_right.old, scene.lang), new=_as_value(put_right.new, scene.lang)
            )
        ]
    sentence = _main_sentence(scene)
    feeling = feeling_of(scene)
    if sentence is None:
        is_felt = feeling in NEGATIVE and not any(
            s.act in ("thanks", "laugh", "insult", "complaint", "enough") for s in scene.read.sentences
        )
        return [scene.book.say("feel", feeling), _comfort(scene, feeling)] if is_felt else []
    if feeling in ("joy", "happy", "neutral") and _is_about_persona(sentence, scene):
        return [scene.book.say("small", "praise" if feeling != "neutral" else "about_me"), _open_question(scene)]
    if len(sentence.words) == 1 and len(scene.read.told) == 1 and feeling == "neutral":
        if scene.asked_lately:
            return [scene.book.say("follow", "rest")]
        return [scene.book.say("small", "puzzled", quote=for_quoting(sentence.text, scene.lang, 30).rstrip(".!"))]
    if aloud := thinks_aloud(scene, sentence, feeling):
        return [aloud]
    told = take_up(sentence, scene)
    if quiet := _beside_the_dead(scene, told, feeling):
        return quiet
    parts = [_acknowledge(scene, told, feeling)]
    if link := _link(scene, sentence, feeling):
        parts.append(link)
    parts.append(_next(scene, told, feeling, is_linked=bool(link), is_acknowledged=bool(parts[0])))
    return [part for part in parts if part]


def _as_value(value: str, lang: str) -> str:
    """Return a value as it stands alone: Sunday, 青."""
    is_colour = lang == "ja" and any(one.kind == "colour" for one in values_in(value, "ja"))
    return value.removesuffix("い") if is_colour else capital_days(value)


def _beside_the_dead(scene: Scene, told: Told, feeling: str) -> list[str]:
    """Answer what is told of somebody who has died, or shortly after a death was told; empty where there is none."""
    subject = told.person or told.topic
    is_about_dead = bool(subject) and is_gone(subject, scene)
    if (is_about_dead and told.is_wish) or misses_the_dead(scene):
        return [scene.book.say("feel", "sadness", echo=told.echo), scene.book.say("comfort", "rest")]
    is_quiet = feeling == "neutral" or (feeling in ("joy", "happy") and told.is_past and is_about_dead)
    if is_quiet and (is_about_dead or is_near_loss(scene)) and not NEWS.search(scene.message):
        return [scene.book.say("feel", "neutral", echo=told.echo), scene.book.say("comfort", "quiet")]
    return []


def _is_about_persona(sentence: Sentence, scene: Scene) -> bool:
    """Tell what is said of the listener ("your words mean a lot") from what is told of one's own life."""
    if sentence.lang == "en":
        return bool(_YOU_EN.search(sentence.plain)) and not _I_EN.search(sentence.plain)
    is_shared = bool(_SHARED_JA.search(sentence.text)) and read_emotion(sentence.text).emotion not in NEGATIVE
    return is_shared or bool(_YOU_JA.search(sentence.text)) or scene.request.sheet.persona in sentence.text


_YOU_EN = re.compile(r"\b(?:you|your|you're|yours|y'all)\b")
_I_EN = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b")
_YOU_JA = re.compile(r"あなた|(?<![彼諸])君(?:は|が|の|も|って)|きみ(?:は|が|の|も)")
_SHARED_JA = re.compile(
    r"(?:すごい|いい|素敵|偉い|羨ましい|うらやましい|楽しそう|便利|お得|大変|面白い|素晴らしい|さすが)(?:です)?よ?ね[え〜ー!！。]*$|んですね[!！。]*$"
)


def heard_words(scene: Scene) -> str:
    """Give back what happened, and nothing else, in grave moments; never despair (どうせ変わらない), which it would confirm."""
    sentence = _main_sentence(scene)
    if sentence is None or (scene.spoken and _ECHO_MARKS.search(scene.spoken[-1])):
        return ""
    told = take_up(sentence, scene)
    is_dark = _DARK.search(sentence.plain) or read_emotion(sentence.text).emotion in NEGATIVE
    return told.echo.strip() if told.is_past and not is_dark else ""


_DARK = re.compile(
    r"な[いくかけ]|ません|だめ|無理|どうせ|もう|\b(?:no|not|never|nobody|nothing|alone|hopeless|can't|don't|won't)\b|n't\b"
)


def take_up(sentence: Sentence, scene: Scene) -> Told:
    """Read what a sentence tells, in its own language."""
    if sentence.lang == "ja":
        return told_ja.take_up(sentence, scene.book.voice, scene.request.sheet.persona)
    return told_en.take_up(sentence)


def topic_of(sentence: Sentence, scene: Scene) -> str:
    """Return the phrase that a sentence is about, or empty."""
    return take_up(sentence, scene).topic


def _main_sentence(scene: Scene) -> Sentence | None:
    """Return the sentence that tells most: with feeling before without, longer before shorter, later before earlier."""
    told = scene.read.told[-12:]
    if not told:
        return None

    feeling = read_emotion(_LAUGHTER.sub("", scene.message)).emotion

    def weight(pair: tuple[int, Sentence]) -> float:
        place, sentence = pair
        own = read_emotion(sentence.text).emotion
        felt = (own != "neutral") + 2.0 * (own in NEGATIVE and own == feeling)
        return min(len(sentence.terms), 8) + 2.0 * felt + 0.3 * place - 0.05 * max(0, len(sentence.text) - 60)

    return max(enumerate(told), key=weight)[1]


def feeling_of(scene: Scene) -> str:
    """Return the feeling to answer: the turn's own reading where it is sure, `mixed` where there are two."""
    name = scene.request.sheet.persona
    sober = _LAUGHTER.sub("", scene.message)
    reading = read_emotion(sober, [name])
    if _PLAIN_FACT.search(sober):
        return "neutral"  # "I was born in Leicester", にんじんきらい
    if reading.mixed:
        return "mixed"
    given = scene.request.emotion
    if (
        name not in scene.message
        and sober == scene.message
        and given.emotion != "neutral"
        and given.confidence >= _SURE
    ):
        return given.emotion
    return reading.emotion if reading.confidence >= _SURE else "neutral"


_PLAIN_FACT = re.compile(
    r"^(?:and |so |well,? )?i was born (?:in|on)\b|^(?:(?:私|わたし|僕|ぼく|俺|あたし)[はも]?、?)?[ァ-ヴーぁ-んー一-龠]{1,8}?(?:が|は|も)?(?:きらい|嫌い|苦手)(?:だ|です|なの|なんだ|かな)?[。！!]?$",
    re.IGNORECASE,
)


def _acknowledge(scene: Scene, told: Told, feeling: str) -> str:
    echo = told.echo
    was_echoed = bool(scene.spoken and _ECHO_MARKS.search(scene.spoken[-1]))
    if echo and was_echoed and (feeling != "neutral" or scene.book.chance(0.6)):
        echo = ""
    if told.is_blocked and told.is_own and feeling in ("neutral", "joy", "happy"):
        return scene.book.say("feel", "blocked")
    if feeling in ("neutral", "joy", "happy", "surprise") and NEWS.search(scene.message) and not _is_ones_own(told):
        return scene.book.say("feel", "news", echo=echo)
    if feeling == "neutral" and (not echo or scene.book.chance(0.5)) and (remark := _remark(scene, told)):
        return remark
    if feeling == "neutral" and not echo:
        return ""
    if feeling in ("joy", "happy") and ACHIEVED.search(scene.message):
        feeling = "achievement"
    if feeling == "sadness" and _is_mild(scene, told):
        feeling = "down"
    return scene.book.say("feel", feeling, echo=echo)


def _is_mild(scene: Scene, told: Told) -> bool:
    """Tell dread of the dentist from grief."""
    reading = read_emotion(scene.message, [scene.request.sheet.persona])
    if _PARTING.search(scene.message):
        return False
    return told.is_future or (told.is_own and (reading.scores or {}).get("sadness", 1.0) < _GRIEF)


_PARTING = re.compile(
    r"寂し|さみし|別れ|亡く|死|会えな|\b(?:miss|lose|lost|funeral|dying|died|goodbye)\b", re.IGNORECASE
)
_GRIEF = 0.8


def _is_ones_own(told: Told) -> bool:
    return told.is_own and not told.points_back and not told.is_hearsay


def _remark(scene: Scene, told: Told) -> str:
    """Say a word on what was told, where there is one that fits its kind."""
    if goes_on_heavily(scene):
        return ""
    if RELUCTANT.search(scene.message):
        return scene.book.say("feel", "down", echo="")
    slots = _slots(told)
    if told.is_future and told.act in ("mishap", "live"):
        return ""
    if told.is_duty:
        return scene.book.say("remark", "duty")
    kinds = ["pet"] if told.is_pet and told.is_own else []
    kinds += (
        ["want"]
        if told.is_wish
        else ["plan"]
        if told.is_future and told.is_own and told.act not in _NOT_PLANNED
        else []
    )
    if told.act and (told.is_own or told.act in _ANYBODYS):
        kinds.append(told.act)
    for kind in kinds:
        if scene.book.has("remark", kind) and scene.book.can("remark", kind, **slots):
            return scene.book.say("remark", kind, **slots)
    return ""


_NOT_PLANNED = frozenset({"garden", "weather", "mishap", "injury", "like", "live", "checkup", "illness"})
_ANYBODYS = ("injury", "kindness", "weather", "mishap", "checkup", "illness")
"""Acts that are answered alike whoever they are of."""


def _slots(told: Told) -> dict[str, str]:
    return {
        "topic": "" if _NO_TOPIC.search(told.topic) else told.topic,
        "person": told.person,
        "place": told.place,
        "single": "" if told.topic.endswith("s") and not told.topic.endswith("ss") else "yes",
        "alone": "" if told.person else "yes",
        "undated": "" if told.is_dated else "yes",
        "names_day": "yes" if told.names_day else "",
        "friend": "" if told.is_relative else "yes",
        "apart": "" if _HOUSEHOLD.search(told.person) else "yes",
        "past": "yes" if told.is_past else "",
        "present": "" if told.is_past else "yes",
    }


_NO_TOPIC = re.compile(r"(?:名前|なまえ|誕生日)$|\b(?:names?|birthday)$")
"""What is answered with a word, and makes no story to ask for."""
_HOUSEHOLD = re.compile(
    r"\b(?:wife|husband|partner|daughters?|sons?|child|children|kids?|baby)\b|奥さん|旦那さん|妻|夫|お?子さん|息子さん?|娘さん?"
)
"""Whom one lives with: whether one sees them often is no question."""


def _link(scene: Scene, sentence: Sentence, feeling: str) -> str:
    """Mention what the user said of the same thing on an earlier day; seldom, and not into a fresh wound."""
    if any(_LINK_MARKS.search(text) for text in scene.spoken[-3:]) or feeling in ("fear", "anger"):
        return ""
    memory = related(sentence, scene.request)
    if memory is None or any(memory.text[:12] in text for text in scene.spoken):
        return ""
    scene.used.append(memory)
    when = say_when(memory.time, scene.request.now, scene.lang)
    return scene.book.say("memory", "linked", when=when, quote=for_quoting(memory.text, scene.lang, 90))


def _next(scene: Scene, told: Told, feeling: str, *, is_linked: bool, is_acknowledged: bool) -> str:  # noqa: PLR0911  # one return per kind of answer
    if feeling in NEGATIVE or feeling == "mixed":
        return _comfort(scene, feeling)
    if RELUCTANT.search(scene.message):
        return scene.book.say("comfort", "down_ask")
    if feeling not in ("joy", "happy") and goes_on_heavily(scene):
        return scene.book.say("comfort", "rest" if scene.asked_lately else "ask", grief="yes")
    if told.act == "illness":
        return scene.book.say(*(("comfort", "rest") if scene.asked_lately else ("follow", "illness")))
    if scene.asked_lately > 1 or (is_linked and scene.book.chance(0.5)):
        return scene.book.say("follow", "rest")
    if is_acknowledged and (opened := _open_question(scene)):
        return opened
    if scene.asked_lately and scene.book.chance(0.35):
        return scene.book.say("follow", "rest")
    if NEWS.search(scene.message) and not _is_ones_own(told):
        return scene.book.say("follow", "news", **_slots(told))
    if ACHIEVED.search(scene.message) and feeling in ("joy", "happy"):
        return scene.book.say("follow", "celebrate")
    if feeling in ("joy", "happy") and not told.act and not told.topic:
        return scene.book.say("follow", "rest")
    return _follow_up(scene, told)


def is_heavy_talk(scene: Scene) -> bool:
    """Tell whether the user's last words before this were heavy."""
    felt = [read_emotion(text, [scene.request.sheet.persona]).emotion for text in scene.heard[-2:]]
    return any(emotion in ("sadness", "fear") for emotion in felt) or bool(felt and felt[-1] in _HEAVY - {"anxious"})


def goes_on_heavily(scene: Scene) -> bool:
    """Tell whether a message goes on about the heavy thing that was told before it, or turns to something else."""
    if not is_heavy_talk(scene) or _was_left(scene):
        return False
    sentence = _main_sentence(scene)
    if sentence is None or _POINTS_BACK.search(sentence.plain) or read_emotion(sentence.text).emotion in NEGATIVE:
        return True
    told = take_up(sentence, scene)
    if not told.topic:
        return True
    before = {term for text in scene.heard[-2:] for term in content_words(text)}
    return bool(before & set(sentence.terms)) or len(sentence.terms) < _OWN_SUBJECT


def _was_left(scene: Scene) -> bool:
    """Tell whether the message before this one had turned from the heavy one before it to a subject of its own already."""
    if scene.lang != "en" or len(scene.heard) < 2:  # noqa: PLR2004  # the heavy one and what followed it
        return False
    heavy, last = scene.heard[-2:]
    terms = set(content_words(last))
    is_other = len(terms) >= _OWN_SUBJECT and not terms & set(content_words(heavy)) and not _OF_THEM.search(last)
    return is_other and read_emotion(last, [scene.request.sheet.persona]).emotion not in NEGATIVE


_OF_THEM = re.compile(r"\b(?:he|she|it|they|him|her|his|them|their|that|this)\b", re.IGNORECASE)


def plain_words(scene: Scene) -> str:
    """Take up an everyday thing in a grave time: heard, without cheer and without questions."""
    sentence = _main_sentence(scene)
    echo = take_up(sentence, scene).echo.strip() if sentence is not None else ""
    return echo or scene.book.say("follow", "rest")


def is_everyday(scene: Scene) -> bool:
    """Tell whether a message is of everyday things, with nothing dark in it, though the talk before was."""
    if scene.given:
        return True
    sentence = _main_sentence(scene)
    if sentence is None or any(
        _DARK.search(s.plain) or read_emotion(s.text).emotion in NEGATIVE for s in scene.read.told
    ):
        return False
    return not goes_on_heavily(scene) and bool(take_up(sentence, scene).topic) and len(sentence.terms) >= _OWN_SUBJECT


_OWN_SUBJECT = 2
"""So many words of meaning make a subject of their own; fewer go on with the one before."""
_POINTS_BACK = re.compile(
    r"^(?:(?:and|but|so|because|well|then)[, ]+)*(?:it|he|she|they|that|this|because)\b|^(?:それ|あれ|その|あの人|彼|だって|だから|しかも)|(?:から|ので|で|のに|けど)$"
)


def _comfort(scene: Scene, feeling: str) -> str:
    if scene.asked_lately > 1:
        return scene.book.say("comfort", "rest")
    special = {
        "tired": "tired_ask",
        "busy": "tired_ask",
        "anger": "anger_ask",
        "anxious": "anxious_ask",
    }
    sentence = _main_sentence(scene)
    if feeling == "sadness" and sentence is not None and _is_mild(scene, take_up(sentence, scene)):
        return scene.book.say("comfort", "down_ask")
    key = special.get(feeling, "ask")
    grief = "yes" if feeling in ("sadness", "fear") and not is_long_past(scene.message) else ""
    is_special = feeling in ("tired", "busy", "anxious") or scene.book.chance(0.6)
    return scene.book.say("comfort", key if is_special else "ask", grief=grief)


def _open_question(scene: Scene) -> str:
    """Ask what is open, when a few turns have passed, not each turn, and none twice."""
    if len(scene.spoken) < 2 or not scene.request.questions:  # noqa: PLR2004  # arrive first
        return ""
    if any(
        ("「" in text and ("気にな" in text or "そういえば" in text))
        or "wondering about" in text
        or "By the way, how did" in text
        or "meant to ask" in text
        for text in scene.spoken[-4:]
    ):
        return ""
    told = set(content_words(scene.request.message.text))
    for question in scene.request.questions:
        if told & set(content_words(question.topic)):
            continue  # whoever just spoke of it is not asked what became of it
        topic = for_quoting(question.topic, scene.lang, 60)
        if (
            question.priority >= _IDLE_WONDER
            and topic
            and not any(topic in text for text in scene.spoken)
            and scene.book.chance(0.2 * len(scene.spoken))
        ):  # idle wonder can wait
            return scene.book.say("open", "ask", topic=topic)
    return ""


def _follow_up(scene: Scene, told: Told) -> str:
    """Ask after what was told, with its own words."""
    own = scene.book.voice.you.removesuffix("さん")
    if own and own in (told.person, told.topic):
        told = replace(told, person="", topic="")  # nobody is asked how long they have known themselves
    slots = _slots(told)
    for key in _keys(told):
        if scene.book.has("follow", key) and scene.book.can("follow", key, **slots):
            return scene.book.say("follow", key, **slots)
    return scene.book.say("follow", "any")


def _keys(told: Told) -> list[str]:
    keys: list[str] = []
    if told.points_back:
        return ["rest"]
    if told.is_blocked and told.is_own:
        return ["blocked"]
    if not told.is_own and told.act not in (*_ANYBODYS, "meet"):
        return [*(["person"] if told.person else ["topic"] if told.topic else []), "rest"]
    if told.is_future and told.act in ("mishap", "live"):
        keys.append("rest")
    elif told.is_duty:
        keys.append("duty_buy" if told.act == "buy" else "duty")
    elif told.is_wish:
        keys.append("want")
    elif told.act == "go":
        keys += ["go_future"] if told.is_future else ["go_past"] if told.is_past else []
    elif told.is_pet and told.act not in ("eat", "buy"):
        keys.append("pet")
    elif told.is_future:
        keys.append(told.act if told.act in _NOT_PLANNED else "plan")
    elif told.act and not (told.act == "meet" and not told.is_past):
        keys.append(told.act)
    if told.person and told.act in ("", "meet"):
        keys.append("meet" if told.act and told.is_past else "person")
    if told.topic:
        keys.append("topic")
    last = "any_past" if told.is_past else "any"
    return [*keys, last if keys or (told.echo and told.is_past) else "rest"]
