"""A wish that something just said be forgotten: 「さっきの猫の話は忘れて」, "please forget what I said about Tom".

Read narrowly: what is forgotten by mistake is a word lost, so whatever could mean something else is no wish.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from managers.language.words import content_words, sentences


@dataclass(frozen=True, slots=True)
class ForgetWish:
    """What is to be forgotten.

    Attributes:
        about: the words that name it (猫, Tom); empty: what was said last.
    """

    about: str = ""


_NOW_JA = r"(?:たった今|今さっき|いまさっき|さっき|今|いま|先ほど|さきほど|先程|直前)"
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
_LEAD_JA = r"(?:(?:ごめん(?:ね|なさい)?|すみません|すいません|あの|ねえ|やっぱり?|お願い(?:だから)?|悪いけど|申し訳ないけど|できれば|もう|[^、。]{1,24}(?:から|ので|けど)|[^、。]{1,8}(?=、))、?\s*)*"
_ASK_JA = (
    r"(?:、|は|を|も|って|なんだけど|ですが|だけど)*\s*(?:もう|全部|ぜんぶ|すっかり|どうか|やっぱり?|きれいに|綺麗に|一旦|、)*"
    r"(?:忘れて|わすれて|[な無]かったことにして|聞かなかったことにして)"
    r"(?:おいて|ちょうだい|頂戴|ください|下さい|ほしい|欲しい|くれ(?:る|ない|ます|ません)?|もらえ(?:る|ない|ます|ません)?|もらって(?:も)?いい"
    r"|いただけ(?:ます|ません)|な|の|ん|です|だ|か|かな|ね|よ|さい)*[。．.!！?？～〜ー♪… ]*$"
)
_JA_LAST = re.compile(rf"^{_LEAD_JA}{_LAST_JA}{_ASK_JA}")
_JA_ABOUT = re.compile(rf"^{_LEAD_JA}{_ABOUT_JA}{_ASK_JA}")
_TOO_MUCH_JA = re.compile(r"全部|ぜんぶ|すべて|全て|みんな|何もかも|これまで|今まで")
_JA_REFUSED = re.compile(r"忘れて(?:しま|た|い[るた]|も(?!ら)|は|いない)|わすれて(?:た|しま)|って(?:言|い)わ")

_LEAD_EN = (
    r"(?:\w{1,20}, )?(?:(?:oh|ah|um|sorry|i'm sorry|actually|no|wait|hey|ok|okay|well|but|so|and|please|pls|just|"
    r"(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|i need you to|never ?mind|on second thought)[,.!;: ]+)*"
)
_SAID_EN = r"i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|typed|sent|shared)"
_LATELY_EN = r"(?: (?:just now|right now|now|before|earlier|(?:a|one) (?:moment|minute|second|bit) ago))?"
_LAST_EN = (
    rf"(?:(?:what|the thing|that thing) {_SAID_EN}{_LATELY_EN}|(?:that )?{_SAID_EN} (?:that|this|it|anything){_LATELY_EN}"
    rf"|(?:my|the) last (?:message|sentence|bit|thing|part)(?: {_SAID_EN})?|that|this)"
)
_ABOUT_EN = (
    rf"(?:(?:what|everything|anything|all|the things?|that thing) {_SAID_EN} about (?P<said>[^,.;]{{1,60}}?)"
    rf"|(?:that )?{_SAID_EN} (?:anything |you )?about (?P<told>[^,.;]{{1,60}}?)"
    r"|(?:the|that|my) (?P<story>[^,.;]{1,40}?) (?:story|thing|part|business))"
)
_TAIL_EN = r"(?:[, ]+(?:please|pls|ok|okay|again|will you|would you|could you|right now|for me|thanks|thank you|just now|earlier|a (?:moment|minute) ago))*[.!? ]*$"
_EN_LAST = re.compile(rf"^{_LEAD_EN}forget (?:about )?{_LAST_EN}{_TAIL_EN}", re.IGNORECASE)
_EN_ABOUT = re.compile(rf"^{_LEAD_EN}forget {_ABOUT_EN}{_TAIL_EN}", re.IGNORECASE)
_EN_PLEASE_IT = re.compile(rf"^{_LEAD_EN}(?:please|can you|could you|would you) forget it{_TAIL_EN}", re.IGNORECASE)
_ASKS = re.compile(
    r"忘れ|わすれ|[な無]かったこと|聞かなかったこと|消し|削除|覚えて(?:い)?(?:なくて|なくていい|ないで)|内緒じゃなく"
    r"|\b(?:forget|erase|delete|remove|unsay|disregard|scratch that|take (?:that|it) back|never said|don't remember|do not remember|off the record)\b",
    re.IGNORECASE,
)
_DON_T = re.compile(
    r"忘れないで|わすれないで|\b(?:don't|do not|never|won't) (?:you )?(?:ever )?forget\b", re.IGNORECASE
)
_TELLS = 3
"""So many words of content beside the wish tell something themselves: then it is not clear what is meant."""


def read_forget_wish(text: str) -> ForgetWish | None:
    """Return what a message asks to have forgotten; None if it asks for no such thing, or not clearly."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    if len(plain) > 300 or not _ASKS.search(plain) or _DON_T.search(plain):  # noqa: PLR2004  # a wish is short
        return None
    said = sentences(plain)
    for at, sentence in enumerate(said):
        wish = _wish_of(sentence)
        if wish is not None:
            beside = [one for n, one in enumerate(said) if n != at and not _is_apology(one)]
            return wish if all(len(content_words(one)) < _TELLS for one in beside) else None
    return None


def asks_to_forget(text: str) -> bool:
    """Tell whether a message speaks of forgetting or erasing at all: without that, nothing may be forgotten."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    return bool(_ASKS.search(plain)) and not _DON_T.search(plain)


def _wish_of(sentence: str) -> ForgetWish | None:
    if _JA_REFUSED.search(sentence) or _TOO_MUCH_JA.search(sentence):
        return None
    for pattern in (_JA_LAST, _EN_LAST, _EN_PLEASE_IT):
        if pattern.match(sentence):
            return ForgetWish()
    for pattern in (_JA_ABOUT, _EN_ABOUT):
        if match := pattern.match(sentence):
            about = next(one for one in match.groupdict().values() if one)
            return ForgetWish(about.strip()) if content_words(about) else None
    return None


def _is_apology(sentence: str) -> bool:
    return bool(
        re.search(
            r"言(?:う|わ)|話(?:す|さ)|口が|ごめん|すみません|\b(?:sorry|shouldn't have|should not have)\b",
            sentence,
            re.IGNORECASE,
        )
    )
