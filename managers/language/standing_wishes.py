"""Wishes that hold from now on, and what somebody likes better: said once, meant for every answer that they touch."""

from __future__ import annotations

import re

_EN_WISH = (
    r"\b(?:from now on|from here on|going forward|as a (?:general )?rule|in (?:the )?future|by default|every time|each time|whenever)\b"
    r"|\b(?:always|never|please don't|please do not|make sure (?:to|that)|be sure to|remember to|avoid|stick to|keep in mind)\b"
)
_EN_LIKE = (
    r"\bi(?:'d| would)?(?: \w+){0,2} (?:prefer|rather|sooner|like(?! to)|love|enjoy|favou?r|hate|dislike|loathe)\b|\bwe(?:'d| would)?(?: \w+){0,2} (?:prefer|rather|sooner)\b"
    r"|\bi (?:don't|do not|can't|cannot) (?:\w+ )?(?:like|enjoy|stand|bear|eat|drink)\b|\bmy preference\b|\bprefer(?:red|ence)?\b"
    r"|\b(?:suits|distracts?|bothers?|annoys?) me\b|\b(?:does|do) nothing for me\b"
)
_JA_WISH = (
    r"(?:これから|今後|以後|いつも|毎回|必ず|かならず|常に|つねに|絶対に?|ときは|時は|場合は|たら).{0,40}(?:て|で)(?:ください|下さい|ほしい|欲しい|ね|くれる)"
    r"|ないで(?:ください|下さい|ほしい|欲しい|ね)|(?:で|に)お願いします(?!。?ね?[?？])|ようにして(?:ください|ほしい|ね)"
)
_JA_LIKE = r"ほうが(?:ずっと|もっと|よほど)?(?:好き|いい|良い|よい|楽|ありがたい|助かる|合って)|(?:好き|嫌い|苦手|興味がな|気が散|大好き|好み)"
_SAID = re.compile(f"{_EN_WISH}|{_EN_LIKE}|{_JA_WISH}|{_JA_LIKE}", re.IGNORECASE)
_EN_ASKS = (
    r"\bshould (?:i|we|it|the|my|our|you|be)\b|\b(?:would|could|can|will) you\b|\b(?:suggest|recommend|advi[sc]e|propose|help me|show me|give me)\b"
    r"|\b(?:best|right|good|better) (?:way|idea|time|place|choice)\b|\b(?:suits?|suitable for|for|with) me\b|\bwhat do you think\b|\b(?:any|an) ideas?\b"
    r"|^(?:please )?(?:write|plan|draw|draft|explain|compare|make|list|design|create|find|choose|pick)\b"
)
_JA_ASKS = (
    r"(?:すれば|したら|するのが|るのが|たら|ば)(?:いい|よい|良い)|(?:が|なら)(?:いい|よい|良い)(?:ですか|かな|と思|[?？])|向いて|向く|おすすめ|お勧め|すすめて|勧めて|どう思"
    r"|(?:書いて|作って|組んで|考えて|選んで|比べて|見せて|手伝って|説明して|提案して|計画して|探して)|(?:方法|やり方|こつ|コツ)(?:は|が|を)|しようか"
)
_ASKS = re.compile(f"{_EN_ASKS}|{_JA_ASKS}", re.IGNORECASE)

_LOOKS_BACK = re.compile(
    r"\b(?:did|remember|recall|told|said|mentioned|again)\b|っけ|覚えて|おぼえて|言って(?:た|い)|話した|教えてくれた|聞いた",
    re.IGNORECASE,
)
"""What was said once is asked for: nobody wants to be advised."""


def is_standing_wish(text: str) -> bool:
    """Tell whether a user says how things should be done from now on, or what they like better."""
    return _SAID.search(text) is not None


def asks_for_help(text: str) -> bool:
    """Tell whether somebody wants something done or advised, which such a wish may bear on."""
    return _ASKS.search(text) is not None and _LOOKS_BACK.search(text) is None
