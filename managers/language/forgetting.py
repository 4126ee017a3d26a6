"""A wish that something just said be forgotten: 「さっきの猫の話は忘れて」, "please forget what I said about Tom".

Read narrowly: what is forgotten by mistake is a word lost, so whatever could mean something else is no wish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from managers.language.words import content_words, sentences


@dataclass(frozen=True, slots=True)
class ForgetWish:
    """What is to be forgotten.

    Attributes:
        about: the words that name it (猫, Tom); empty: what was said last.
    """

    about: str = ""


_NOW_JA = r"(?:たった今|今さっき|いまさっき|さっき|今(?![日朝夜晩週月年度回])|いま|先ほど|さきほど|先程|直前)"
_I_JA = r"(?:(?:私|わたし|僕|ぼく|俺|おれ|あたし)[がの])?"
_SAID_JA = r"(?:言った|いった|話した|話してた|しゃべった|喋った|書いた|送った|伝えた|打ち明けた)"
_WHAT_JA = r"(?:こと|事|話|はなし|お話|件|やつ|発言|メッセージ|内容|の)"
_LAST_JA = (
    rf"(?:{_NOW_JA}(?:の)?、?{_I_JA}(?:{_SAID_JA})?{_WHAT_JA}|{_NOW_JA}の(?:{_WHAT_JA})?"
    rf"|(?:それ|これ|その話|この話|その件|この件|そのこと|このこと))"
)
_ABOUT_JA = (
    rf"(?:{_NOW_JA}(?:の)?、?{_I_JA}(?P<said>[^、。「」]{{1,20}}?)(?:の話|の件|のこと|についての話)"
    rf"|{_I_JA}(?P<told>[^、。「」]{{1,20}}?)(?:の話|についての話|(?:について|のこと(?:を|で)?|って){_SAID_JA}{_WHAT_JA}))"
)
_TALK_JA = rf"(?:[^、。「」]{{0,24}}(?:話|はなし|件|発言|メッセージ|{_SAID_JA}(?:こと|事|の|内容)))"
_LEAD_JA = r"(?:(?>(?:ごめん(?:ね|なさい)?|すみません|すいません|あの|ねえ|やっぱり?|お願い(?:だから)?|悪いけど|申し訳ないけど|できれば|もう|[^、。]{1,24}?(?:から|ので|けど)|[^、。]{1,8}(?<![にがをへ])(?=、))、?\s*))*"
"""Each piece is read in one way alone (atomic): else 80 characters of からからから… are read in millions of ways."""
_HOW_JA = r"(?:、|は|を|も|って|なんだけど|ですが|だけど)*\s*(?:もう|全部|ぜんぶ|すっかり|どうか|やっぱり?|きれいに|綺麗に|一旦|、)*"
_PLEASE_JA = (
    r"(?:おいて)?(?:(?:ちょうだい|頂戴|ください|下さい|くれ(?:る|ない|ます|ません)?|もらえ(?:る|ない|ます|ません)?|もらって(?:も)?いい"
    r"|いただけ(?:ます|ません))|(?:ほしい|欲しい)[のん]?)?(?:な|の|です|だ|か|かな|ね|よ|さい|けど|が)*[。．.!！?？～〜ー♪… ]*$"
)
_FORGET_JA = r"(?:忘れて|わすれて|[な無]かったことにして|聞かなかったことにして)"
_ERASE_JA = r"(?:(?:記憶から|ログから|会話から)?(?:消して|削除して|忘れて)|覚えて(?:い)?なくて(?:も)?いい(?:です)?)"
_ASK_JA = _HOW_JA + _FORGET_JA + _PLEASE_JA
_JA_LAST = re.compile(rf"^{_LEAD_JA}{_LAST_JA}{_ASK_JA}")
_JA_ABOUT = re.compile(rf"^{_LEAD_JA}{_ABOUT_JA}{_ASK_JA}")
_JA_MAY_BE = re.compile(rf"^{_LEAD_JA}(?:{_LAST_JA}|{_TALK_JA}){_HOW_JA}(?:{_FORGET_JA}|{_ERASE_JA}){_PLEASE_JA}")
_TOO_MUCH_JA = re.compile(r"全部|ぜんぶ|すべて|全て|みんな|何もかも|これまで|今まで")
_JA_REFUSED = re.compile(
    r"忘れて(?:しま|た|い[るたい]|ん|も(?!ら)|は|いない)|わすれて(?:た|しま|ん)|消して(?:しま|い[るた]|も(?!ら))|って(?:言|い)わ"
)

_YOU_EN = r"(?:please|pls|(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|i need you to)"
_LEAD_EN = (
    r"(?:\w{1,20}, )?(?:(?:oh|ah|um|sorry|i'm sorry|actually|no|wait|hey|ok|okay|well|but|so|and|just|"
    rf"never ?mind|on second thought|{_YOU_EN})[,.!;: ]+)*"
)
_SAID_EN = r"i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|typed|sent|shared)"
_LATELY_EN = r"(?: (?:just now|right now|now|before|earlier|(?:a|one) (?:moment|minute|second|bit) ago))?"
_LAST_EN = (
    rf"(?:(?:what|the thing|that thing) {_SAID_EN}{_LATELY_EN}|(?:that )?{_SAID_EN} (?:that|this|it|anything){_LATELY_EN}"
    rf"|(?:my|the) last (?:message|sentence|bit|thing|part)(?: {_SAID_EN})?)"
)
_ABOUT_EN = (
    rf"(?:(?:what|everything|anything|all|the things?|that thing) {_SAID_EN} about (?P<said>[^,.;]{{1,60}}?)"
    rf"|(?:that )?{_SAID_EN} (?:anything |you )?about (?P<told>[^,.;]{{1,60}}?)"
    r"|(?:the|that|my) (?P<story>[^,.;]{1,40}?) (?:story|thing|part|business))"
)
_TALK_EN = (
    r"(?:(?:the|that|my) [^,.;]{1,40}? (?:story|thing|part|business|news|secret|confession|message|remark|comment)"
    rf"|(?:the|that) [^,.;]{{1,40}}? (?:that |which )?{_SAID_EN}(?: about)?)"
)
_TAIL_EN = r"(?:[, ]+(?:please|pls|ok|okay|again|will you|would you|could you|right now|for me|thanks|thank you|just now|earlier|a (?:moment|minute) ago))*[.!? ]*$"
_FROM_EN = r" (?:from|out of) (?:your |the |our )?(?:memory|mind|log|records?|chat|conversation|history)"
_ERASE_EN = r"(?:forget|erase|delete|remove|unsay|unhear|disregard|wipe|strike)"
_EN_LAST = re.compile(rf"^{_LEAD_EN}forget (?:about )?{_LAST_EN}{_TAIL_EN}", re.IGNORECASE)
_EN_ABOUT = re.compile(rf"^{_LEAD_EN}forget {_ABOUT_EN}{_TAIL_EN}", re.IGNORECASE)
# Without a "please", "forget it" and "forget that" let a subject drop: they ask for nothing.
_EN_PLEASE_IT = re.compile(
    rf"^{_LEAD_EN}(?:{_YOU_EN} (?:please )?forget (?:about )?(?:it|that|this){_TAIL_EN}"
    r"|forget (?:about )?(?:it|that|this),? (?:please|pls)[.! ]*$)",
    re.IGNORECASE,
)
_EN_MAY_BE = re.compile(
    rf"^{_LEAD_EN}(?:{_ERASE_EN} (?:about )?(?:{_LAST_EN}|{_ABOUT_EN}|{_TALK_EN})(?:{_FROM_EN})?"
    rf"|{_YOU_EN} {_ERASE_EN} (?:about )?(?:it|that|this)(?:{_FROM_EN})?|{_ERASE_EN} (?:it|that|this){_FROM_EN}"
    rf"|(?:pretend|act like|act as if) (?:that )?i (?:never|didn't|had never|hadn't) (?:said?|say|told you|tell you|mention(?:ed)?)"
    rf" (?:that|this|it|anything)(?: about [^,.;]{{1,60}})?){_TAIL_EN}",
    re.IGNORECASE,
)
_FORGETS = r"忘れ|わすれ|[な無]かったこと|消し|削除|\b(?:forget|erase|delete|remove)\b"
_ASKS = re.compile(_FORGETS + r"|覚えて|\b(?:unsay|unhear|disregard|wipe|strike|pretend|act)\b", re.IGNORECASE)
_CITED = re.compile(
    rf"(?:「[^」]*(?:{_FORGETS})[^」]*」|『[^』]*(?:{_FORGETS})[^』]*』|“[^”]*(?:{_FORGETS})[^”]*”|\"[^\"]*(?:{_FORGETS})[^\"]*\"|^\s*>)",
    re.IGNORECASE | re.MULTILINE,
)
_CITES = re.compile(r"[^\d\s]\s*:(?!\d)")
_DON_T = re.compile(
    r"忘れないで|わすれないで|忘れるな|忘れずに|\b(?:don't|do not|never|won't) (?:you )?(?:ever )?forget\b",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    [
        "昨日",
        "一昨日",
        "おととい",
        "今日",
        "本日",
        "日",
        "明日",
        "今朝",
        "朝",
        "昼",
        "夜",
        "晩",
        "昨夜",
        "昨晩",
        "ゆうべ",
        "前",
        "この前",
        "こないだ",
        "先日",
        "先週",
        "先月",
        "去年",
        "昨年",
        "昔",
        "以前",
        "例",
        "別",
        "他",
        "ほか",
        "最初",
        "最後",
        "前回",
        "今回",
        "途中",
        "first",
        "second",
        "third",
        "other",
        "whole",
        "last",
        "same",
        "old",
        "new",
        "bad",
        "silly",
        "stupid",
        "dumb",
        "embarrassing",
        "awkward",
        "weird",
        "yesterday",
        "today",
        "tonight",
        "day",
        "morning",
        "evening",
        "night",
        "week",
        "past",
    ]
)
"""Words that tell when or of what kind something was, and not what it was about."""
_WISH_LENGTH = 300
"""A wish is short; what is longer was pasted, or tells something itself."""
_TELLS = 3
"""So many words of content beside the wish tell something themselves: then it is not clear what is meant."""


def read_forget_wish(text: str) -> ForgetWish | None:
    """Return what a message asks to have forgotten; None if it asks for no such thing, or not clearly."""
    plain = _own_words(text)
    wishes = {} if plain is None else {one: wish for one in sentences(plain) if (wish := _wish_of(one)) is not None}
    if plain is None or not wishes or not _is_all(plain, wishes):
        return None
    return next(iter(wishes.values()))


def asks_to_forget(text: str) -> bool:
    """Tell whether a message may be such a wish, for a mind that knows what it means: nothing may be forgotten else.

    Wider than `read_forget_wish`, and yet: of somebody who left an umbrella behind, who quotes a wish, or lets
    a subject drop, no mind may take it for one.
    """
    plain = _own_words(text)
    if plain is None:
        return False
    wishes = [one for one in sentences(plain) if _wish_of(one) is not None or _may_be_wish(one)]
    return bool(wishes) and _is_all(plain, wishes)


def names_something(about: str) -> bool:
    """Tell whether words say what something was about, and not only when it was, or of what kind."""
    return any(word not in _VAGUE for word in content_words(about)) and about.strip().casefold() not in _VAGUE


def _own_words(text: str) -> str | None:
    """Return a message as patterns read it; None where it is too long for a wish, or cites somebody else's."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    if len(plain) > _WISH_LENGTH or not _ASKS.search(plain) or _DON_T.search(plain) or _CITES.search(plain):
        return None
    return None if _CITED.search(plain) else plain


def _is_all(plain: str, wishes: Collection[str]) -> bool:
    """Tell whether a message says nothing of weight beside its wishes: no news, no question."""
    beside = [one for one in sentences(plain) if one not in wishes and not _is_apology(one)]
    return all(len(content_words(one)) < _TELLS and not one.rstrip().endswith("?") for one in beside)


def _wish_of(sentence: str) -> ForgetWish | None:
    if _JA_REFUSED.search(sentence) or _TOO_MUCH_JA.search(sentence):
        return None
    for pattern in (_JA_LAST, _EN_LAST, _EN_PLEASE_IT):
        if pattern.match(sentence):
            return ForgetWish()
    for pattern in (_JA_ABOUT, _EN_ABOUT):
        if match := pattern.match(sentence):
            about = next(one for one in match.groupdict().values() if one)
            return ForgetWish(about.strip()) if names_something(about) else None
    return None


def _may_be_wish(sentence: str) -> bool:
    if _JA_REFUSED.search(sentence) or _TOO_MUCH_JA.search(sentence):
        return False
    if _JA_ABOUT.match(sentence) or _EN_ABOUT.match(sentence):
        return False  # read already, and it names nothing
    return bool(_JA_MAY_BE.match(sentence) or _EN_MAY_BE.match(sentence))


def _is_apology(sentence: str) -> bool:
    return bool(
        re.search(
            r"言(?:う|わ)|話(?:す|さ)|口が|ごめん|すみません|\b(?:sorry|shouldn't have|should not have)\b",
            sentence,
            re.IGNORECASE,
        )
    )
