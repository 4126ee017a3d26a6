"""Whether what was found is about what was asked: for questions that may as well be about the world.

"How does a fridge work?" finds whoever speaks of work. A question's topic must be there by more than half.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache

from managers.recall.hits import Hit
from managers.recall.index.terms import is_question_word, terms
from managers.recall.question.stop_phrases import without_asking

_ASKED_EN = (
    "colour color name called call size age kind sort number type date day time price cost many much long tall old big high far"
    " still now currently new news latest tell know remember happen happened like look again name's year month week"
)
_ASKED_JA = "色 名前 大きさ 年齢 歳 種類 数 番号 値段 高さ 長さ 日 時間 教える 聞かせる 知る 覚える どう つく 付く 最近 さん ちゃん くん 君"


def is_about(query: str, hits: Sequence[Hit]) -> bool:
    """Whether one memory, with those from beside it, holds more than half of what a question is about.

    Args:
        query: a question.
        hits: what was found for it.
    """
    topic = {term for term in terms(without_asking(query)) if term not in _asked() and not is_question_word(term)}
    held = [(hit.time, topic.intersection(terms(hit.text))) for hit in hits]
    talks = [
        set().union(words, *(others for other, others in held if time and other and abs(other - time) <= _TALK))
        for time, words in held
    ]
    return any(2 * len(words) > len(topic) for words in talks)


_TALK = timedelta(hours=1)
"""What was said so close together is of one talk: "I bought a red bicycle. It has three gears." """


@lru_cache(maxsize=1)
def _asked() -> frozenset[str]:
    """Words that say what is asked about something, and are seldom in what answers it."""
    return frozenset([*terms(_ASKED_EN), *_ASKED_JA.split()])
