"""Questions that one place cannot answer: in what order things came up, or how all of something went."""

from __future__ import annotations

import re

_ORDER = re.compile(
    r"\b(?:in )?(?:what|which|the) (?:\w+ )?(?:order|sequence)\b|\bchronolog\w+|\btimeline\b|\bin (?:the )?order\b|\bsequence (?:of|in which)\b"
    r"|\bfrom (?:the )?(?:first|earliest|beginning|start) (?:to|until) (?:the )?(?:last|latest|end|now)\b|\bstep by step how (?:i|we|you)\b"
    r"|どんな順|どういう順|順番(?:で|に|は|を)|順を追って|時系列|時間の?順|最初から(?:順|最後)|どういう流れ|どんな流れ|経緯|経過",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\bsum(?:marise|marize|maries| up)\b|\bsummary\b|\boverview of (?:what|how|all|everything|my|our)\b|\brecap\b|\bround up\b"
    r"|\bhow (?:\w+ ){0,4}?(?:ha(?:s|ve) |did )(?:\w+ ){0,6}?(?:developed?|progress(?:ed)?|evolved?|changed?|come along|gone)\b"
    r"|\b(?:everything|all) (?:that )?(?:i|we|you)(?:'ve| have)? (?:told|said|talked|discussed|mentioned|covered)\b"
    r"|要約|まとめて|総まとめ|おさらい|振り返って|ふりかえって|全体像|これまでの(?:話|流れ|経|こと)|どう(?:進んで|変わって|なって)きた",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:i|we|you|my|our|us|me)\b|私|わたし|僕|ぼく|俺|うち|話|言っ|これまで|今まで|始めて|始まって",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:order|sequence|chronolog\w+|timeline|list|brought|bring|up|came|come|talk(?:ed|s)?|convers\w+|discuss\w*|mention\w*|cover\w*|different|various"
    r"|aspects?|parts?|topics?|things?|over|time|first|last|earliest|latest|beginning|began|begin|start(?:ed)?|end|now|throughout|across|sum(?:marise|marize|mary)?"
    r"|overview|recap|everything|all|told|said|develop\w*|progress\w*|evolve\w*|changed?|since|walk|through|sessions?|chats?|previous|mentioning|items?|only|give|provide|comprehensive|complete|whole|clear)\b"
    r"|順番|順序|順|時系列|流れ|経緯|経過|最初|最後|始めて|始まり|要約|まとめ|総まとめ|おさらい|振り返っ?|全体像|これまで|今まで|話して?|話した|話す|いろいろな?|色々な?|こと|追って"
    r"|進んで|変わって|きた|どんな|どういう|教えて|くれる",
    re.IGNORECASE,
)


def asks_for_overview(text: str) -> bool:
    """Tell whether a question wants an order of what was said, or the sum of it."""
    return bool(_BACK.search(text) and (_ORDER.search(text) or _SUMMARY.search(text)))


def subject_of_overview(text: str) -> str:
    """Return such a question without the words that only ask for an order or a sum."""
    return " ".join(_ASKING.sub(" ", text).split())
