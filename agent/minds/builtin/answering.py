"""Answers to questions: about the persona, the clock, the user, the past; and about what it cannot know."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta

from agent.minds.builtin.quoting import for_quoting
from agent.minds.builtin.recollection import Candidate, is_of_persona, noted_lines, overview, search_question
from agent.minds.builtin.scene import Scene
from agent.minds.builtin.understanding import SOCIAL, Sentence, question_terms, understand
from agent.minds.builtin.when import say_date, say_time, say_when
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.times import find_times
from managers.language.words import content_words, detect_language, sentences

_PAST_JA = re.compile(
    r"覚えて|おぼえて|思い出|言って(?:た|い)|言った|言いました|話し(?:た|て(?:た|い))|話しました|前に|この前|以前|昔|っけ|でしたか|ましたか|教えてくれた|あの(?:時|とき)|昨日|先週|先月|去年"
)
_PAST_EN = re.compile(
    r"\b(?:remember|recall|did|was|were|told|said|mentioned|earlier|before|last (?:time|week|month|year|night)|yesterday|ago|have i|have we|had)\b"
)
_PAST = re.compile(
    r"覚え|思い出|[いっんし]た(?:の|っけ|か|んです|$)|ました|てた|でした|っけ|\b(?:did|was|were|have|said|told|mention\w*|recommend\w*|suggest\w*|remember|recall)\b"
)
_MINE_JA = re.compile(r"私|わたし|僕|ぼく|俺|おれ|うち|自分|あたし")
_MINE_EN = re.compile(r"\b(?:my|i|me|mine|we|our|us)\b")


def answer_questions(scene: Scene) -> list[str]:
    """Return the answers to what a message asks; empty if it asks nothing."""
    for intent, answer in _ANSWERS.items():
        if (sentence := scene.read.intent(intent)) is not None:
            is_asked = sentence.is_question or scene.request.recall_wanted or _SUMS_UP.search(sentence.plain)
            if intent in _NEEDS_QUESTION and not is_asked:
                continue
            if (
                intent in _NOT_OF_THE_PAST
                and (scene.request.hits or _PAST.search(sentence.plain))
                and scene.request.recall_wanted
            ):
                continue
            if intent == "overview" and _names_a_subject(sentence, scene):
                continue
            return answer(scene)
    asked = scene.read.questions
    if not asked and (not scene.request.recall_wanted or all(_is_statement(s) for s in scene.read.sentences)):
        return []
    return _answer_from_memory(scene, asked or list(scene.read.sentences))


_SUMS_UP = re.compile(r"まとめ|要約|振り返|\bsum")


def _is_statement(sentence: Sentence) -> bool:
    """Tell news ("I went there again today") from a request without a question mark ("tell me about my cat")."""
    if sentence.intent in SOCIAL:
        return True
    if _REQUESTS.search(sentence.plain):
        return False
    return bool(sentence.intent) or sentence.lang == "ja" or bool(_OWN_NEWS.search(sentence.plain))


_REQUESTS = re.compile(
    r"教え|思い出|覚え|聞かせ|話して|っけ|知りたい|忘れ|言った(?:こと|の)|何|誰|どこ|いつ|\b(?:remind|remember|recall|wonder|forg[eo]t\w*|tell me|show me|what|when|who|where|which|how)\b"
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


def _answer_name(scene: Scene) -> list[str]:
    return [scene.book.say("self", "name")]


def _answer_joke(scene: Scene) -> list[str]:
    return [scene.book.say("small", "joke")]


def _answer_self(scene: Scene) -> list[str]:
    """Tell of oneself in the words of one's own notes and sheet; other ones each time that one is asked."""
    fresh = [line for line in about_persona(scene) if not any(line[-16:] in text for text in scene.spoken)]
    if not fresh:
        return [scene.book.say("self", "what")]
    return [*fresh[: 1 if any(mark in fresh[0] for mark in "“「") else 2], scene.book.say("self", "you_now")]


def about_persona(scene: Scene) -> list[str]:
    """Return what the persona says of itself in its notes, else what its sheet says of it, as a quotation."""
    sheet = scene.request.sheet
    lines = [line for line in noted_lines(scene.request) if is_of_persona(line, sheet)]
    own = [s for line in lines for s in sentences(line) if detect_language(s) == scene.lang]
    of_sheet = [s.strip("-・* ") for s in sheet.system_prompt.splitlines()[:60] if not s.lstrip().startswith("#")]
    described = [s for s in of_sheet if _DESCRIBES.match(s) and detect_language(s) == scene.lang]
    quoted = [scene.book.say("self", "persona_fact", quote=for_quoting(s, scene.lang, 120)) for s in described[:4]]
    return own + quoted


_DESCRIBES = re.compile(r"(?:you(?: are|'re| love| like| doze| live)|あなたは|好きなもの|いつも)", re.IGNORECASE)


def _answer_what(scene: Scene) -> list[str]:
    return [scene.book.say("self", "what")]


def _answer_my_name(scene: Scene) -> list[str]:
    key = "your_name" if scene.book.voice.you else "your_name_unknown"
    return [scene.book.say("memory", key)]


def _answer_time(scene: Scene) -> list[str]:
    return [scene.book.say("self", "time", time=say_time(scene.request.now, scene.lang))]


def _answer_date(scene: Scene) -> list[str]:
    plain = scene.read.text.lower()
    shift = next((days for pattern, days in _SHIFTS.items() if re.search(pattern, plain)), 0)
    text = scene.book.say("self", "date", date=say_date(scene.request.now + timedelta(days=shift), scene.lang))
    if shift and scene.lang == "ja":
        text = text.replace("今日は", {1: "明日は", -1: "昨日は", 2: "あさっては"}[shift], 1)
    elif shift:
        text = text.replace(
            "Today is", {1: "Tomorrow is", -1: "Yesterday was", 2: "The day after tomorrow is"}[shift], 1
        )
    return [text]


_SHIFTS = {r"明後日|あさって|day after tomorrow": 2, r"明日|あした|tomorrow": 1, r"昨日|きのう|yesterday": -1}


def _answer_known(scene: Scene) -> list[str]:
    """Say what is known of the user, quoting notes and profile."""
    name = scene.book.voice.you
    lines = [line for line in noted_lines(scene.request) if not is_of_persona(line, scene.request.sheet)]
    about = [line for line in lines if name and name.removesuffix("さん") in line] or lines
    if not about:
        return [scene.book.say("memory", "known_nothing")]
    chosen = list(dict.fromkeys(about))[-3:]
    if scene.lang == "ja":
        facts = "、".join(f"「{for_quoting(line, 'ja')}」" for line in chosen)
    else:
        facts = "; ".join(f"“{for_quoting(line, 'en').rstrip('.')}”" for line in chosen)
    return [scene.book.say("memory", "known", facts=facts)]


def _answer_can(scene: Scene) -> list[str]:
    return [scene.book.say("self", "can")]


def _answer_again(scene: Scene) -> list[str]:
    """Say once more what was said last, as it was."""
    if not scene.spoken:
        return [scene.book.say("small", "here")]
    return [
        f"「{for_quoting(scene.spoken[-1], 'ja', 200)}」"
        if scene.lang == "ja"
        else f"“{for_quoting(scene.spoken[-1], 'en', 200)}”"
    ]


def _answer_memory(scene: Scene) -> list[str]:
    return [scene.book.say("self", "memory")]


def _answer_forget(scene: Scene) -> list[str]:
    return [scene.book.say("note", "forget")]


def _answer_talk(scene: Scene) -> list[str]:
    if scene.request.questions:
        fresh = [q.topic for q in scene.request.questions if not any(q.topic in text for text in scene.spoken)]
        if fresh:
            return [scene.book.say("open", "ask", topic=for_quoting(fresh[0], scene.lang, 60))]
    return [scene.book.say("self", "talk")]


def _answer_body(scene: Scene) -> list[str]:
    fact = _persona_fact(scene)
    return [fact] if fact else [scene.book.say("self", "body")]


def _persona_fact(scene: Scene) -> str:
    """Quote the persona's own sheet where it answers a question about the persona ("what do you like?")."""
    asked = _TASTES.findall(scene.read.text)
    if not asked:
        return ""
    best, best_score = "", 0
    for line in re.split(r"[\n。]|(?<=[.!])\s", scene.request.sheet.system_prompt):
        words_of_taste = {_taste(found) for found in _TASTES.findall(line)}
        score = len(words_of_taste & {_taste(found) for found in asked}) + bool(_TASTE_LINE.match(line.strip("-・* ")))
        if words_of_taste and score > best_score:
            best, best_score = line.strip("-・* #"), score
    return scene.book.say("self", "persona_fact", quote=for_quoting(best, scene.lang, 120)) if best else ""


_TASTES = re.compile(
    r"好き|嫌い|趣味|得意|苦手|\b(?:likes?|loves?|enjoys?|hobby|hobbies|favou?rites?|hates?|dislikes?)\b", re.IGNORECASE
)
_STEM = 4
"""So many letters tell rain and rainy for the same."""


def _answer_taste(scene: Scene) -> list[str]:
    """Say what one's sheet says of liking that very thing; else own up to having no body to like it with."""
    return [_sheet_on(scene) or scene.book.say("self", "body")]


def _sheet_on(scene: Scene) -> str:
    """Quote the line of one's sheet that speaks of what a question is about, or nothing."""
    asked = [s for s in scene.read.sentences if s.is_question] or list(scene.read.sentences)
    light = _DAYS | {t for word in _TASTES.findall(scene.read.text) for t in content_words(word)}
    terms = {t[:_STEM] for t in question_terms(asked, scene.lang) if len(t) > 1 or not t.isascii()} - light
    for line in re.split(r"[\n。]|(?<=[.!])\s", scene.request.sheet.system_prompt):
        if _TASTES.search(line) and terms & {t[:_STEM] for t in content_words(line)}:
            return scene.book.say("self", "persona_fact", quote=for_quoting(line.strip("-・* #"), scene.lang, 120))
    return ""


_DAYS = frozenset(["day", "days", "日", "時"])
_TASTE_LINE = re.compile(r"好きな|嫌いな|趣味|得意な|苦手な|(?:you|she|he) (?:love|like|enjoy|hate)", re.IGNORECASE)


def _taste(found: str) -> str:
    """Return liking or disliking, in whatever word."""
    return "dislike" if re.match(r"嫌|苦手|hate|dislike", found, re.IGNORECASE) else "like"


def _answer_opinion(scene: Scene) -> list[str]:
    """Say what one's sheet says of the thing; else own up to having no view, and ask for theirs."""
    if fact := _sheet_on(scene):
        return [fact, scene.book.say("self", "you_now")]
    asked = [s for s in scene.read.sentences if s.is_question] or list(scene.read.sentences)
    terms = set(question_terms(asked, scene.lang)) - _DAYS
    before = _told_of(asked, scene) if terms else _told_before(scene)
    if before:
        emotion = read_emotion(before).emotion
        key = (
            "good"
            if emotion in ("joy", "happy") or _WISHES.search(before)
            else "bad"
            if emotion in NEGATIVE
            else "about"
        )
        return [scene.book.say("self", f"opinion_{key}", quote=for_quoting(before, scene.lang, 80))]
    return [scene.book.say("self", "opinion")]


_WISHES = re.compile(r"たい|たくて|\b(?:want|wanna|hope|wish|dream)\b|\bI'd (?:be|like|love)\b", re.IGNORECASE)


def _told_before(scene: Scene) -> str:
    """Return the last thing that the user told: what a bare "what do you think?" is about."""
    for text in reversed(scene.heard[-2:]):
        told = understand(text[:2000], scene.request.sheet.persona, scene.lang).told
        best = max(told, key=lambda sentence: len(sentence.terms), default=None)
        if best is not None and len(best.terms) > 1:
            return best.text
    return ""


def _told_of(asked: Sequence[Sentence], scene: Scene) -> str:
    """Return what the user told of somebody or something that is asked about by name ("what do you think of Tom?")."""
    if not any(word.entity for sentence in asked for word in sentence.words):
        return ""
    found = search_question(asked, scene.request, scene.lang)
    return next((c.text for c in found.best if found.fits and c.who == "user"), "")


def _answer_musing(scene: Scene) -> list[str]:
    return [scene.book.say("self", "musing")]


def _answer_dream(scene: Scene) -> list[str]:
    return [scene.book.say("self", "dream")]


def _answer_love(scene: Scene) -> list[str]:
    return [scene.book.say("self", "love")]


def _answer_cannot(scene: Scene) -> list[str]:
    return [scene.book.say("self", "cannot")]


def _answer_overview(scene: Scene) -> list[str]:
    """Say what was talked about: three things, each quoted."""
    chosen = overview(scene.request, scene.lang)
    spans = find_times(scene.read.text, scene.request.now)
    if spans:
        on_day = [c for c in chosen if c.time and spans[0].first <= c.time.date() <= spans[0].last]
        chosen = on_day or ([] if not chosen else chosen if not any(c.time for c in chosen) else [])
    if not chosen:
        asked = [s for s in scene.read.sentences if s.intent == "overview"]
        when = spans[0].text if spans else ""
        return [_nothing(scene, asked, when)]
    when = say_when(chosen[0].time, scene.request.now, scene.lang)
    quotes = scene.joint.join(quote(c, scene, brief=True) for c in chosen)
    return [scene.book.say("memory", "overview", when=spans[0].text if spans else when, quotes=quotes)]


def _answer_from_memory(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    about_past = _is_about_past(asked, scene) or (scene.request.recall_wanted and bool(scene.request.hits))
    is_to_persona = _is_to_persona(asked, scene) and not _PAST.search(" ".join(sentence.plain for sentence in asked))
    found = search_question(asked, scene.request, scene.lang, with_now=about_past or _asks_a_fact(asked))
    is_now = not _KNOWS.search(" ".join(sentence.plain for sentence in asked))
    if is_to_persona and is_now and not (found.fits and found.best[0].who == "persona"):
        return _answer_body(scene)
    if found.best and found.fits:
        return _quoted(found.best, scene, asked)
    if is_to_persona and (fact := _persona_fact(scene)):
        return [fact]
    if about_past and found.best and (scene.request.hits or found.is_near):
        quotes = scene.joint.join(quote(candidate, scene) for candidate in found.best)
        return [
            scene.book.say("memory", "unsure", quotes=quotes) + scene.joint + scene.book.say("memory", "unsure_tail")
        ]
    if about_past:
        return [_nothing(scene, asked)]
    return _answer_body(scene) if is_to_persona else [scene.book.say("self", "world")]


def asks_of_the_past(scene: Scene) -> bool:
    """Tell whether a message asks for something that was said before."""
    asked = scene.read.questions
    return bool(asked) and any(_PAST.search(sentence.plain) for sentence in asked)


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
    if scene.lang == "ja" and not any(sentence.asks for sentence in asked):
        return not plain.endswith(("は", "も", "って")) and not re.search(
            r"[0-9]", plain
        )  # a Japanese yes-or-no question without a subject asks the listener
    return bool(re.search(r"あなた|君|きみ|お前" if scene.lang == "ja" else r"\b(?:you|your)\b", plain))


def _quoted(best: Sequence[Candidate], scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    asks = next((sentence.asks for sentence in asked if sentence.asks), "")
    first = best[0]
    if asks == "when" and first.time and first.who == "user" and not find_times(first.text, first.time):
        when = say_when(first.time, scene.request.now, scene.lang)
        return [scene.book.say("memory", "when_answer", when=when, quote=for_quoting(first.text, scene.lang))]
    parts = [quote(first, scene)]
    if len(best) > 1:
        parts.append(scene.book.say("memory", "also") + scene.joint + quote(best[1], scene))
    return parts


def quote(candidate: Candidate, scene: Scene, *, brief: bool = False) -> str:
    """Return what was recalled in the speaker's own words, with who said it and when."""
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
    from agent.minds.builtin.listening import topic_of  # noqa: PLC0415  # the two modules take up each other's words

    for sentence in asked:
        if topic := topic_of(sentence, scene):
            return topic
    return ""


_ANSWERS: dict[str, Callable[[Scene], list[str]]] = {
    "ask_my_name": _answer_my_name,
    "ask_name": _answer_name,
    "ask_self": _answer_self,
    "joke": _answer_joke,
    "ask_what": _answer_what,
    "ask_time": _answer_time,
    "ask_date": _answer_date,
    "ask_known": _answer_known,
    "ask_memory": _answer_memory,
    "ask_can": _answer_can,
    "say_again": _answer_again,
    "forget": _answer_forget,
    "talk": _answer_talk,
    "overview": _answer_overview,
    "ask_dream": _answer_dream,
    "ask_love": _answer_love,
    "muse": _answer_musing,
    "cannot": _answer_cannot,
    "ask_taste": _answer_taste,
    "ask_body": _answer_body,
    "ask_opinion": _answer_opinion,
}
_NOT_OF_THE_PAST = frozenset({"ask_body", "ask_opinion", "cannot"})
_NEEDS_QUESTION = frozenset({"overview", "ask_body", "ask_opinion"})
