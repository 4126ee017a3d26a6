"""Corrections that name no subject ("No, it's on Friday", いや、金曜だよ): what they put right, and how it reads then."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from managers.language.lexicons import word_list
from managers.language.reading.values import KINDS, Value, values_in
from managers.language.words import content_words, detect_language, sentences, words
from managers.storage.errors import Lang

_LOOKS_BACK = 3
_MARK: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:(?:oh(?! no)|ah|um|hm+|well)[,. ]+)*(?:(?:no|nope|not quite|wait|sorry|actually|i mean|i meant|correction|my mistake"
        r"|my bad|scratch that|i was wrong|i got (?:that|it) wrong|that(?:'s| is| was) wrong|oops)\b[,.:;! …-]*)+",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"^あ+っ?[、。… ]+(?=[^、。]{1,10}(?:だった|でした|です|だよ|だ)$)|^(?:あ+|え+と?)?[、。 ]*(?:(?:いや|いえ|いいえ|ううん|違(?:う|った|います|いました|うんだ|うの)|ちが(?:う|った|います|いました)|ごめん(?:なさい|ね)?|すみません|間違え(?:た|ました)"
        r"|まちがえた|訂正(?:します)?|正しくは|ほんとは|本当は|じゃなくて|じゃなかった|やっぱり?|やっぱ)[、。!！… ]*)+"
    ),
}
_NOT: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\bnot (?:on |at |in |the |a )?(?P<old>[\w' -]+?),? (?:but|it's|it is)\b|,? not (?:on |at |in )?(?P<last>[\w' -]+)$|^not (?:on |at |in )?(?P<first>[\w' -]+?), ",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"(?P<old>[^、。]+?)(?:じゃ|では)な(?:くて?|い)、?(?P<last>)(?P<first>)"),
}
_SUBJECTLESS: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:(?:it|that|this|he|she|they)(?:'s|'re|'ll be| is| was| are| will be)?|we(?:'re| are)?|i(?:'m| am)?)?\b", re.IGNORECASE
    ),
    "ja": re.compile(r"^(?:それは|あれは)?"),
}  # fmt: skip
_SMALL = frozenset("move chang make mean say turn 為る 成る 変わる 変更 言う 思う 間違える".split())  # noqa: SIM905  # words read best as words
"""What a correction may say besides its value and the words of what it puts right: more would be news of its own."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence that was put right.

    Attributes:
        place: which of the texts before held it, counted from the end: 1 is the last.
        original: the sentence as it was said.
        corrected: the same with the new value.
        old, new: the two values.
    """

    place: int
    original: str
    corrected: str
    old: str
    new: str


_AFTER_ALL: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(r"[,;.–-]+ ?(?:sorry|my mistake|my bad|i got (?:that|it) wrong|i meant|(?:as )?it turns out|after all)$| (?:now|after all|instead)$", re.IGNORECASE),
    "ja": re.compile(r"[、。… ](?:間違え(?:た|てた|ました|ていました)|まちがえた|勘違い(?:だった|してた|でした)|ごめん(?:なさい|ね)?)$|(?:から)?に(?:なった|なりました|変わった|変わりました|変更)(?:よ|の|んだ|んです)?$"),
}  # fmt: skip


def read_correction(text: str, before: Sequence[str], long_before: Sequence[str] = ()) -> Correction | None:
    """Return what a message puts right of the user's messages before it, oldest first; None if it is none.

    Only a value is exchanged for one of its kind (a day for a day): what else somebody may have meant is not guessed.
    What was said in an earlier talk is put right only where the correction names what it means.

    Args:
        text: the message.
        before: what was said in the same talk.
        long_before: what was said before that.
    """
    for sentence in sentences(text)[:_FIRST]:
        if (found := _read(sentence, before[-_LOOKS_BACK:], is_far=False)) is not None:
            return found
        if (found := _read(sentence, [*long_before, *before][-_LOOKS_FAR:], is_far=True)) is not None:
            return found
    return None


_LOOKS_FAR = 25


_FIRST = 2
"""Whoever puts something right begins with that, be it after a "Sorry."."""


def _read(text: str, before: Sequence[str], *, is_far: bool) -> Correction | None:
    lang = detect_language(text)
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip().rstrip(".。!！ ")
    marked = _MARK[lang].match(plain)
    denied = _NOT[lang].search(plain)
    late = _AFTER_ALL[lang].search(plain)
    if marked is None and denied is None and late:
        marked, plain = late, plain[: late.start()]
        rest_of = plain
    else:
        rest_of = plain[marked.end() :] if marked else plain
    if (marked is None and denied is None) or plain.endswith(("?", "？")):
        return None
    rest = rest_of
    old_named = (denied["old"] or denied["last"] or denied["first"] or "").strip() if denied else ""
    said = rest.replace(denied.group(), " ") if denied else rest
    for place, earlier in enumerate(reversed(before), 1):
        for sentence in reversed(sentences(earlier)):
            if (is_far or marked is late) and marked and not _names(said, sentence, lang):
                continue
            if found := _put_right(sentence, said, old_named, lang):
                return Correction(place, sentence, *found)
    return None


def _put_right(sentence: str, said: str, old_named: str, lang: Lang) -> tuple[str, str, str] | None:
    plain = unicodedata.normalize("NFKC", sentence)
    for kind in KINDS:
        new = values_in(said, lang, [kind])
        old = [one for one in values_in(plain, lang, [kind]) if not old_named or _bare(one.text) in _bare(old_named)]
        if len(new) != 1 or len(old) != 1 or _bare(new[0].text) == _bare(old[0].text):
            continue
        if _is_bare(said, new[0], plain, lang):
            return _exchanged(plain, old[0], new[0])
    return None


def _names(said: str, sentence: str, lang: Lang) -> bool:
    """Tell whether a correction names what an earlier sentence spoke of."""
    bare = said
    for value in reversed(values_in(said, lang)):
        bare = bare[: value.start] + " " + bare[value.end :]
    light = word_list(lang, "light") | _SMALL
    return bool((set(content_words(bare)) - light) & set(content_words(sentence)))


def _is_bare(said: str, value: Value, sentence: str, lang: Lang) -> bool:
    """Tell whether a correction says hardly more than its value, or only words of the sentence that it puts right."""
    rest = _SUBJECTLESS[lang].sub("", said[: value.start].strip()) + " " + said[value.end :]
    known = set(content_words(sentence))
    own = [term for term in content_words(rest) if term not in known | _SMALL and term not in word_list(lang, "light")]
    return not own and not any(word.entity and word.surface not in sentence for word in words(rest))


def _exchanged(plain: str, old: Value, new: Value) -> tuple[str, str, str]:
    fresh, stale = _bare(new.text), _bare(old.text)
    lead = plain[old.start : old.end].split(stale, maxsplit=1)[0] if stale in plain[old.start : old.end] else ""
    whole = plain[old.start : old.end]
    week = _WEEK.match(stale)
    if week and not _WEEK.match(fresh) and _WEEKDAY.fullmatch(fresh):
        fresh = week.group() + fresh  # 来週の火曜 → 来週の水曜: the week was not in question
    tail = whole[len(lead) + len(stale) :] if lead or stale in whole else ""
    return plain[: old.start] + lead + fresh + tail + plain[old.end :], stale, fresh


_WEEK = re.compile(r"(?:今週|来週|再来週|先週|今度)の?|(?:this|next|last) (?=\w+day)", re.IGNORECASE)
_WEEKDAY = re.compile(r"[月火水木金土日]曜日?|(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)


def _bare(value: str) -> str:
    """Return a value without the preposition that stands before it."""
    return re.sub(r"^(?:on|at|in)(?: the)? ", "", value.strip(), flags=re.IGNORECASE)
