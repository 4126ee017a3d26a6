"""Answers that give the fact itself: who somebody is, a day, a place, a colour; with the day on which it was told.

Everything said here stands in what the user told; a sentence that cannot be turned into one's own words safely is
left to be quoted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from agent.minds.builtin.answers.candidates import Candidate, candidates_of, is_question
from agent.minds.builtin.answers.extraction import value_for
from agent.minds.builtin.answers.relations import Relation, relation_of, spoken_kin
from agent.minds.builtin.talk.dates_in_words import say_when
from agent.minds.builtin.talk.indirect_speech import report
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.reading.kinship import kin_words
from managers.language.reading.reading import Sentence
from managers.language.words import content_words, sentences
from managers.storage.errors import Lang

_MOST_TOLD = 3
_NAME = r"(?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
_WHO_EN = (
    rf"^(?:(?:and|so|but|hey|hm+|ok|sorry|wait)[, ]+)*(?:do you (?:know|remember) )?who(?:'s| is| was|'re| are) (?:my )?{_NAME}(?: is| was)?(?: again)?$",
    rf"^(?:(?:and|so|but|please|can you|could you)[, ]+)*(?:tell me (?:more |something )?|what (?:do|can) you (?:know|remember) )about (?:my )?{_NAME}(?: again)?$",
    rf"^(?:(?:and|so|but)[, ]+)*(?:is|was) {_NAME} (?:my|our) [a-z]+$",
    rf"^(?:(?:and|so|but|hey)[, ]+)*(?:do you )?(?:know|remember) (?:my )?{_NAME}$",
)  # fmt: skip
_WHO_JA = (
    r"^(?P<name>[^のをはがも、]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?(?:って|は|とは)、?(?:誰|だれ|どなた|どんな(?:人|子)|どういう人|何者)(?:だ|な|です|でした|だった)?(?:の|っけ|か|かな|ん)*$",
    r"^(?P<name>[^のをはがも、]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?って、?(?:何|なに|なん)(?:だ|でした|です)(?:っけ|か)$",
    r"^(?P<name>[^のをはがも、]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?は(?:私|わたし|僕|ぼく|俺)の(?:兄|弟|姉|妹|母|父|友達|友人|親友|彼氏|彼女|恋人|上司|同僚|先輩|後輩|先生)(?:だ|です|だった|でした)?(?:っけ|か|かな|の)*$",
    r"^(?P<name>[^のをはがも、]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?(?:のこと|について)(?:は|を|、)?(?:、)?(?:教えて|覚えて|おぼえて|知って|話して|何か)(?!おいて|おこう).{0,8}$",
    r"^(?P<name>[^のをはがも、]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?(?:を|は|って)?、?(?:覚えて|おぼえて|知って)(?:い)?(?:る|ます)(?:の|か|かな)*$",
)
_NOBODY = frozenset("i me you he she they it we that this him her them there here everyone anyone somebody something 私 わたし 僕 俺 自分 うち あなた 君 それ これ あれ 何 今日 昨日".split())  # fmt: skip  # noqa: SIM905  # words read best as words


def answer_who(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say who somebody is and what was told of them; empty if nobody is asked for or nothing is known."""
    name = asked_name(scene, asked)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.who == "user" or c.kind == "note"]
    about = _about(name, pool, scene)
    relation = relation_of(_bare_name(name), (c.text for c in about), scene.book.voice)
    told = _distinct([c for c in about if not _says_only_who(c, name, relation)])
    newest = sorted(told, key=lambda c: (c.time is not None, c.time, -c.source))[-_MOST_TOLD:]
    if relation is None and not newest:
        return []
    scene.used.extend([*(c for c in about if relation_of(_bare_name(name), [c.text], scene.book.voice)), *newest])
    return _person(name, relation, newest, scene)


def asked_name(scene: Scene, asked: Sequence[Sentence]) -> str:
    """Return whom a message asks about by name ("who is Neil?"), as it is written there; or empty."""
    for sentence in asked:
        for pattern in _WHO_JA if scene.lang == "ja" else _WHO_EN:
            match = re.search(pattern, sentence.plain)
            if match and match["name"] not in _NOBODY and match["name"].split()[0] not in _NOBODY:
                return _as_written(match["name"], sentence.text) + (match.groupdict().get("hon") or "")
    return ""


def _as_written(name: str, text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    at = plain.lower().find(name)
    written = plain[at : at + len(name)] if at >= 0 else name
    return (
        written[:1].upper() + written[1:] if written.isascii() and written.islower() and _is_one(written) else written
    )


def _is_one(name: str) -> bool:
    """Tell a name in small letters from a relation ("who is my boss?")."""
    return name not in kin_words("en") and " " not in name


def _about(name: str, pool: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Return what tells of somebody, oldest first: it names them, or goes on about what names them."""
    bare = _bare_name(name)
    named = re.compile(re.escape(bare) if scene.lang == "ja" else rf"\b{re.escape(bare)}\b", re.IGNORECASE)
    told = [c for c in pool if not is_question(c.text)]
    sources = {c.source for c in told if named.search(c.text)}
    found = [c for c in told if named.search(c.text) or (_goes_on_about(c, named) and _is_near(c, sources, scene.lang))]
    return sorted(found, key=lambda c: (c.time is not None, c.time or scene.request.now, abs(c.source)))


def _goes_on_about(candidate: Candidate, named: re.Pattern[str]) -> bool:
    """Tell whether a sentence has its subject before it, and that is the one who is named."""
    before = sentences(candidate.around)
    return candidate.goes_on and bool(before) and any(named.search(sentence) for sentence in before)


def _is_near(candidate: Candidate, sources: set[int], lang: Lang) -> bool:
    """Tell a sentence that surely has its subject in the one before: "He …" in English; in Japanese only in one breath.

    A Japanese sentence without a subject is mostly of the speaker (さみしい).
    """
    return candidate.source in sources if lang == "ja" else bool(_PRONOUN.match(candidate.text))


_PRONOUN = re.compile(r"(?:(?:and|but|so)[, ]+)?(?:he|she|it|they|his|her|its|their|hes|shes|theyre)\b", re.IGNORECASE)


def _bare_name(name: str) -> str:
    return re.sub(r"(?:さん|くん|君|ちゃん)$", "", name)


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    kept: list[Candidate] = []
    for candidate in found:
        terms = set(content_words(candidate.text))
        if terms and not any(terms <= set(content_words(other.text)) for other in kept):
            kept.append(candidate)
    return kept


def _says_only_who(candidate: Candidate, name: str, relation: Relation | None) -> bool:
    """Tell "My cat is called Biscuit", which the relation says already, from what tells more."""
    if relation is None:
        return False
    light = {*content_words(name), *content_words(relation.word), *content_words("name called named 名前 いう 呼ぶ")}
    light |= {*content_words(relation.spoken), *content_words(_bare_name(name)), "i", "have", "我々"}
    return not set(content_words(candidate.text)) - light


def _person(name: str, relation: Relation | None, told: Sequence[Candidate], scene: Scene) -> list[str]:
    book = scene.book
    said = [book.say("fact", "relation", who=name, relation=relation.spoken)] if relation else []
    pronoun = relation.pronoun if relation else ""
    by_day: dict[str, list[str]] = {}
    quotes: list[str] = []
    for candidate in told:
        when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
        reported = report(candidate.text, candidate.time, scene.request.now, book.voice, scene.request.sheet.persona)
        if reported:
            by_day.setdefault(when, []).append(_of_them(reported, name, relation, pronoun, scene))
        elif len(quotes) < 1 and len(told) < _MOST_TOLD:
            quotes.append(quote_told(candidate, scene))
    for when, reports in by_day.items():
        said.append(_reported(reports, when, scene))
    return [*said, *(quotes if not by_day else [])]


def _of_them(reported: str, name: str, relation: Relation | None, pronoun: str, scene: Scene) -> str:
    """Leave out who it is about, where that was just said: "your brother Neil moved" → "he moved", 弟さんのニールが → ∅."""
    if scene.lang == "en":
        kin = rf"(?:{re.escape(relation.spoken)}(?: is called| named| called|,)? )?" if relation else ""
        return re.sub(rf"^{kin}{re.escape(name)}\b(?!'|,? and\b)", pronoun or name, reported, flags=re.IGNORECASE)
    kin = rf"(?:{re.escape(relation.spoken)}の?|[^、]{{0,8}}{re.escape(relation.word)}の)?" if relation else ""
    return re.sub(rf"^{kin}{re.escape(_bare_name(name))}(?:さん|くん|君|ちゃん)?(?:は|が|、)、?", "", reported)


def _reported(reports: Sequence[str], when: str, scene: Scene) -> str:
    if scene.lang == "ja":
        told = "、".join(f"{one}って" for one in reports)
    else:
        told = ", and that ".join(reports) if len(reports) < _MOST_TOLD else ", that ".join(reports[:-1]) + ", and that " + reports[-1]  # fmt: skip
    return scene.book.say("fact", "report", told=told, when=when, undated="" if when else "yes")


def quote_told(candidate: Candidate, scene: Scene) -> str:
    """Quote what the user told; what was put right since is quoted with the words that did so."""
    scene.used.append(candidate)
    when = say_when(candidate.time, scene.request.now, scene.lang)
    if not candidate.amended:
        return scene.book.say("memory", "quote_user", quote=for_quoting(candidate.text, scene.lang), when=when)
    return scene.book.say(
        "fact",
        "quote_amended",
        quote=for_quoting(candidate.original, scene.lang),
        amended=for_quoting(candidate.amended, scene.lang),
        when=when,
    )


def answer_value(scene: Scene, asked: Sequence[Sentence], best: Sequence[Candidate], coverage: float) -> list[str]:
    """Give the value that a question asks for (a day, a place, a colour), and when it was told; empty if none is plain."""
    for at, candidate in enumerate(best):
        if candidate.who != "user" or (at and candidate.source == best[0].source and candidate.goes_on):
            continue
        value = value_for(asked, candidate, scene, coverage)
        if value:
            return [_given(value, candidate, scene)]
        break
    return []


def _given(value: str, candidate: Candidate, scene: Scene) -> str:
    scene.used.append(candidate)
    when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
    slots = {"value": value, "when": when, "undated": "" if when else "yes"}
    if candidate.amended:
        return scene.book.say(
            "fact",
            "value_amended",
            **slots,
            quote=for_quoting(candidate.original, scene.lang),
            amended=for_quoting(candidate.amended, scene.lang),
        )
    return scene.book.say("fact", "value", **slots)


def say_told(candidate: Candidate, scene: Scene) -> str:
    """Say in one's own sentence what the user told, with its day; the words themselves where that is not safe."""
    if candidate.who != "user" or candidate.kind not in _SAID:
        return ""
    if candidate.amended:
        return quote_told(candidate, scene)
    told = report(candidate.text, candidate.time, scene.request.now, scene.book.voice, scene.request.sheet.persona)
    if not told or (scene.lang == "en" and _PRONOUN.match(candidate.text)):
        return ""
    scene.used.append(candidate)
    when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
    return _reported([told], when, scene)


_SAID = frozenset(["said", "told", "log_archive", "current_log"])


def answer_last_heard(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say what was heard last of somebody whom the user wonders about (クロは元気かな); empty if nothing is known."""
    name = wondered_about(asked, scene)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.who == "user" and c.kind in _SAID]
    about = [c for c in _about(name, pool, scene) if c.text.strip() != scene.message.strip()]
    for candidate in reversed(about):
        told = report(candidate.text, candidate.time, scene.request.now, scene.book.voice, scene.request.sheet.persona)
        if told and candidate.time is not None:
            scene.used.append(candidate)
            relation = relation_of(_bare_name(name), (c.text for c in about), scene.book.voice)
            told = _of_them(told, name, relation, relation.pronoun if relation else "", scene)
            when = say_when(candidate.time, scene.request.now, scene.lang)
            return [scene.book.say("fact", "last_heard", who=spoken_kin(name, scene.book.voice), told=told, when=when)]
    return []


def wondered_about(asked: Sequence[Sentence], scene: Scene) -> str:
    """Return whose health or luck a message wonders about, or empty."""
    for sentence in asked:
        pattern = _WONDERS_JA if scene.lang == "ja" else _WONDERS_EN
        match = pattern.search(sentence.plain)
        if match and match["name"] not in _NOBODY and match["name"].split()[0] not in _NOBODY:
            return _as_written(match["name"], sentence.text) + (match.groupdict().get("hon") or "")
    return ""


_WONDERS_JA = re.compile(
    r"^(?P<name>[^、。はがも]{1,12}?)(?P<hon>さん|くん|君|ちゃん)?(?:は|って|、)?、?(?:今頃|いまごろ|今|いま|最近|その後)?、?(?:は)?(?:お?元気(?:に?して(?:い)?る|でいる|だ)?|どうして(?:い)?る|うまくやって(?:い)?る|大丈夫(?:だ)?)(?:ろう|でしょう)?(?:かな|か|かしら|の|なの)*(?:あ|ぁ|ー)*$"
)
_WONDERS_EN = re.compile(
    r"^(?:(?:and|so|but|hm+|oh)[, ]+)*(?:i wonder )?how(?:'s| is| are| has)? (?:my |the |our )?(?P<name>[a-z][\w'-]*)(?: is| are)?(?: doing| getting on| keeping| been)?(?: (?:now|these days|today|lately))?(?:,? i wonder)?$"
)
