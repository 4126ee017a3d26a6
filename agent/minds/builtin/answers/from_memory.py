"""Answers about the past and about the user: quoted with who said it and when, or owned up to as unknown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from agent.minds.builtin.answers.about_itself import quote_sheet, tell_of_body
from agent.minds.builtin.answers.candidates import MADE_OF, Candidate, is_of_persona, noted_lines
from agent.minds.builtin.answers.extraction import is_beside
from agent.minds.builtin.answers.facts import (
    answer_last_heard,
    answer_value,
    answer_who,
    asked_name,
    quote_told,
    say_told,
)
from agent.minds.builtin.answers.known import known_of_user
from agent.minds.builtin.answers.overview import overview
from agent.minds.builtin.answers.question_focus import asks_how_it_stands
from agent.minds.builtin.answers.selection import Found, search_question
from agent.minds.builtin.talk.dates_in_words import say_when
from agent.minds.builtin.talk.introduction import name_noted
from agent.minds.builtin.talk.main_point import take_up, topic_of
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.lexicons import word_list
from managers.language.reading.reading import Sentence, read
from managers.language.standing import told_slot
from managers.language.times import TimeSpan, find_times, tells_when
from managers.language.words import content_words

_PAST_JA = re.compile(
    r"覚え[てと]|おぼえて|思い出|言って(?:た|い)|言った|言いました|話し(?:た|て(?:た|い))|話しました|前に|この前|以前|昔|っけ|でしたか|ましたか|教えてくれた|あの(?:時|とき)|昨日|先週|先月|去年|(?:だった|でした|[しっん]た|んだ)(?:の|っけ|か|かな)*$"
)
_PAST_EN = re.compile(
    r"\b(?:remember|recall|did|was|were|told|said|mentioned|earlier|before|last (?:time|week|month|year|night)|yesterday|ago|have i|have we|had)\b"
)
_PAST = re.compile(
    r"覚え|思い出|[いっんし]た(?:の|っけ|か|んです|$)|ました|てた|でした|っけ|\b(?:did|was|were|have|said|told|mention\w*|recommend\w*|suggest\w*|remember|recall)\b"
)
_MINE_JA = re.compile(r"私|わたし|僕|ぼく|俺|おれ|うち|自分|あたし|わし(?=[のはがもを])|儂")
_MINE_EN = re.compile(r"\b(?:my|i|me|mine|we|our|us)\b")


def say_users_name(scene: Scene) -> list[str]:
    """Say what the user is called, where one was told."""
    key = "your_name" if scene.book.voice.you else "your_name_unknown"
    return [scene.book.say("memory", key)]


def tell_what_is_known(scene: Scene) -> list[str]:
    """Say what is known of the user: their name, what is noted of them, and what they told of themselves."""
    persona, name = scene.request.sheet.persona, scene.book.voice.you
    lines = [line for line in noted_lines(scene.request) if not is_of_persona(line, scene.request.sheet)]
    about = [line for line in lines if name and name.removesuffix("さん") in line] or lines
    noted = [line for line in dict.fromkeys(about) if not (name_noted(line, persona) and len(line) < _NAME_NOTE)][-3:]
    known = [c for c in known_of_user(scene.request, scene.lang) if not any(c.text in line for line in noted)]
    scene.used.extend(known)
    own = [scene.book.say("memory", "your_name")] if name else []
    if not (chosen := [*noted, *(c.text for c in known)]):
        return [*own, scene.book.say("memory", "known_nothing")]
    if scene.lang == "ja":
        facts = "、".join(f"「{for_quoting(line, 'ja')}」" for line in chosen)
    else:
        facts = "; ".join(f"“{for_quoting(line, 'en').rstrip('.')}”" for line in chosen)
    return [*own, scene.book.say("memory", "known", facts=facts)]


_NAME_NOTE = 60
"""A note of so many letters that gives a name tells nothing else."""


def sum_up(scene: Scene) -> list[str]:
    """Say what was talked about: three things, each quoted."""
    spans = find_times(scene.read.text, scene.request.now)
    chosen = overview(scene.request, scene.lang, spans[0] if spans else None)
    if not chosen:
        asked = [s for s in scene.read.sentences if s.act == "overview"]
        when = _as_said(spans[0], scene) if spans else ""
        return [_nothing(scene, asked, when)]
    when = say_when(chosen[0].time, scene.request.now, scene.lang)
    quotes = scene.joint.join(_quote(c, scene, brief=True) for c in chosen)
    return [scene.book.say("memory", "overview", when=_as_said(spans[0], scene) if spans else when, quotes=quotes)]


def _as_said(span: TimeSpan, scene: Scene) -> str:
    """Return a time in the words it was asked for in, with their capitals: "last Thursday"."""
    plain = unicodedata.normalize("NFKC", scene.read.text)
    said = plain[span.start : span.end].strip()
    return said if said.lower() == span.text else span.text


def answer_from_memory(scene: Scene, asked: Sequence[Sentence]) -> list[str]:  # noqa: PLR0911  # one return per way to answer
    """Answer with what is remembered; what is not, and what nobody here can know, is owned up to."""
    if person := answer_who(scene, asked) or answer_last_heard(scene, asked):
        return person
    plain = " ".join(sentence.plain for sentence in asked)
    about_past = (
        _is_about_past(asked, scene)
        or bool(asked_name(scene, asked))
        or (scene.request.recall_wanted and bool(scene.request.hits))
    )
    is_to_persona = _is_to_persona(asked, scene) and not _PAST.search(plain)
    about_past = about_past or _concerns_theirs(asked, scene)
    about_past = about_past or (bool(scene.request.hits) and asks_how_it_stands(asked))
    found = search_question(asked, scene.request, scene.lang)
    if found.best and not (about_past or _asks_a_fact(asked)) and found.coverage < _SURE and _is_now(found):
        found = search_question(asked, scene.request, scene.lang, with_now=False)
    is_now = not _KNOWS.search(plain)
    if is_to_persona and is_now and not (found.fits and found.best[0].who == "persona"):
        return tell_of_body(scene)
    if found.best and found.fits:
        return _found(found, scene, asked)
    if is_to_persona and (fact := quote_sheet(scene)):
        return [fact]
    if about_past and found.best and (found.is_near or found.best[0].source > 0 or found.coverage):
        return _unsure(found.best, scene)
    if about_past:
        return [_nothing(scene, asked)]
    return tell_of_body(scene) if is_to_persona and is_now else [scene.book.say("self", "world")]


def _found(found: Found, scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Give the fact, else what was told; what is but near is not said as if it were the answer."""
    if _is_beside(asked, found.best[0]):
        return _unsure(found.best[:1], scene)
    return answer_value(scene, asked, found.best, found.coverage) or _quoted(found.best, scene, asked, found.coverage)


def _unsure(best: Sequence[Candidate], scene: Scene) -> list[str]:
    quotes = scene.joint.join(_quote(candidate, scene) for candidate in best)
    return [scene.book.say("memory", "unsure", quotes=quotes) + scene.joint + scene.book.say("memory", "unsure_tail")]


def _is_beside(asked: Sequence[Sentence], candidate: Candidate) -> bool:
    """Tell a day or a place of something else (Mum's birthday) from that of what was asked for (her arrival)."""
    if candidate.who != "user" or candidate.kind not in ("said", "told", "log_archive", "current_log"):
        return False
    sentence = next((one for one in asked if one.asks in ("when", "where")), None)
    return sentence is not None and is_beside(sentence, candidate) and told_slot(candidate.text, sentence.lang) is None


_SURE = 0.6
"""A question that may be about the world is answered from this conversation only by what holds most of its words."""


def _is_now(found: Found) -> bool:
    return found.best[0].kind == "said"


def _concerns_theirs(asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell whether it is about somebody of the user's (孫の名前は？, where does she live?), or what they named before."""
    plain = " ".join(sentence.plain for sentence in asked)
    if scene.lang == "ja" and any(word.surface in word_list("ja", "persons") for s in asked for word in s.words):
        return True
    if scene.lang == "en" and _THEIRS_EN.search(plain):
        return True
    named = {word.normal for sentence in asked for word in sentence.words if word.entity == "person"}
    heard = {term for text in scene.heard for term in content_words(text[:2000])}
    recalled = {term for hit in scene.request.hits for term in content_words(hit.text[:2000])}
    return bool(named & (heard | recalled))


_THEIRS_EN = re.compile(r"\b(?:she|he|they|her|his|their|him|them)\b")


def speaks_of_the_past(sentence: Sentence) -> bool:
    """Tell whether a sentence names something that was, or that was said."""
    return bool(_PAST.search(sentence.plain))


def asks_of_the_past(scene: Scene) -> bool:
    """Tell whether a message asks for something that was said before."""
    return any(speaks_of_the_past(sentence) for sentence in scene.read.questions)


def _asks_a_fact(asked: Sequence[Sentence]) -> bool:
    """Tell who, when, where and how many, which this conversation may hold, from why and what in the world."""
    return any(sentence.asks in ("who", "when", "where", "how_many") for sentence in asked)


_KNOWS = re.compile(r"\b(?:know|heard|find|look|memory)\b|知って|聞いた|探し|わかる|記憶")
"""What the listener knows is a question of memory, though it is put to them."""


def _is_about_past(asked: Sequence[Sentence], scene: Scene) -> bool:
    plain = " ".join(sentence.plain for sentence in asked)
    if scene.lang == "ja":
        return bool(_PAST_JA.search(plain) or _MINE_JA.search(plain))
    return bool(_PAST_EN.search(plain) or _MINE_EN.search(plain))


def _is_to_persona(asked: Sequence[Sentence], scene: Scene) -> bool:
    plain = " ".join(sentence.plain for sentence in asked)
    if (_MINE_JA if scene.lang == "ja" else _MINE_EN).search(plain):
        return False
    if scene.request.sheet.persona.lower() in " ".join(sentence.text for sentence in asked).lower():
        return True
    if scene.lang == "ja" and re.search(r"(?:あなた|君|きみ|お前)(?:は|の|って|も|が)", plain):
        return True
    if scene.lang == "ja" and not any(
        word.kind in ("verb", "adjective") for sentence in asked for word in sentence.words
    ):
        return bool(re.search(r"あなた|君|きみ|お前", plain))
    if scene.lang == "ja" and not any(sentence.asks for sentence in asked):
        # A Japanese yes-or-no question without a subject asks the listener.
        return not plain.endswith(("は", "も", "って")) and not re.search(
            r"[0-9]|(?:について|のこと)を?、?(?:教えて|聞かせて)", plain
        )
    return bool(re.search(r"あなた|君|きみ|お前" if scene.lang == "ja" else r"\b(?:you|your)\b", plain))


def _quoted(best: Sequence[Candidate], scene: Scene, asked: Sequence[Sentence], coverage: float = 0.0) -> list[str]:
    asks = next((sentence.asks for sentence in asked if sentence.asks), "")
    first = best[0]
    if asks == "when" and first.time and first.who == "user" and _happened_then(first, asked, scene):
        scene.used.append(first)
        when = say_when(first.time, scene.request.now, scene.lang)
        return [scene.book.say("memory", "when_answer", when=when, quote=for_quoting(first.text, scene.lang))]
    if any(_ASKS_FOR_WORDS.search(sentence.plain) for sentence in asked):
        return [_quote(first, scene)]
    parts = [say_told(first, scene) or _quote(first, scene)]
    is_whole = coverage >= _WHOLE and first.who == "user" and best[-1].source != first.source
    if len(best) > 1 and not (is_whole and best[-1].kind in MADE_OF):
        second = say_told(best[1], scene) or _quote(best[1], scene)
        parts.append(scene.book.say("memory", "also") + scene.joint + second)
    return parts


_ASKS_FOR_WORDS = re.compile(
    r"\bwhat (?:did|have) (?:i|we|you) (?:say|said|tell|told|write|written)\b|\bmy (?:exact )?words\b|(?:何て|なんて|何と|どう)(?:言|話|書)|言葉"
)
"""Who asks what was said wants the words themselves."""
_WHOLE = 0.75
"""What holds so much of a question needs no summary of the same beside it."""


def _happened_then(candidate: Candidate, asked: Sequence[Sentence], scene: Scene) -> bool:
    """Tell what happened on the day it was told (クロが家出した) from what tells its own time, and from what is to come."""
    if tells_when(candidate.text) or not any(speaks_of_the_past(s) or _ENDED.search(s.plain) for s in asked):
        return False
    told = read(candidate.text, scene.lang, persona=scene.request.sheet.persona).sentences
    return bool(told) and take_up(told[0], scene).is_past


_ENDED = re.compile(r"たの(?:は|って)|た(?:っけ|の|か|日|時)|\b(?:was|were|did)\b")


def _quote(candidate: Candidate, scene: Scene, *, brief: bool = False) -> str:
    """Return what was recalled in the speaker's own words, with who said it and when."""
    scene.used.append(candidate)
    if candidate.amended and not brief:
        return quote_told(candidate, scene)
    slots = {
        "quote": for_quoting(candidate.text, scene.lang),
        "when": say_when(candidate.time, scene.request.now, scene.lang),
        "heading": _heading(candidate, scene),
    }
    if brief:
        mark = "「{}」。" if scene.lang == "ja" else "“{}”"
        return mark.format(slots["quote"])
    return scene.book.say("memory", _QUOTE_KEYS.get(candidate.kind, f"quote_{candidate.who}"), **slots)


_QUOTE_KEYS = {
    "note": "quote_note",
    "episodic_memory": "quote_episode",
    "entity_memory": "quote_entity",
    "knowledge": "quote_document",
    "diary": "quote_diary",
    "dream_insight": "quote_diary",
}


def _heading(candidate: Candidate, scene: Scene) -> str:
    if not candidate.heading:
        return " " if scene.lang == "en" else "の中"
    return f"の「{candidate.heading}」" if scene.lang == "ja" else f" (“{candidate.heading}”)"


def _nothing(scene: Scene, asked: Sequence[Sentence], when: str = "") -> str:
    """Say that nothing is remembered, naming what was asked for."""
    topic = when or _asked_topic(scene, asked)
    if scene.lang == "ja":
        return scene.book.say("memory", "nothing", topic=f"{topic}のこと" if topic else "そのこと")
    return scene.book.say("memory", "nothing", topic=topic or "that")


def _asked_topic(scene: Scene, asked: Sequence[Sentence]) -> str:
    return next((topic for sentence in asked if (topic := topic_of(sentence, scene))), "")
