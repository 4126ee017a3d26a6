"""What only repeats: questions that were asked before, and a companion that gives back what it was told.

Where places are few, what tells something comes before both; nothing is thrown away, for it may be all there is.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from managers.language.reading.reading import only_asks, read
from managers.language.reading.rules import fits_any
from managers.recall.index.memory_index import Passage
from managers.recall.index.terms import terms

_QUOTED = re.compile(r"[「『“]([^「」『』“”]+)[」』”]")
_SHARE = 0.7
"""A sentence that holds so few words of its own says nothing of its own."""


@lru_cache(maxsize=2_000)
def words_in(text: str) -> frozenset[str]:
    """Return what words a text holds; who goes on about something is shown the same memories, turn by turn."""
    return frozenset(terms(text))


def what_tells_first(
    order: Iterable[int], passages: Sequence[Passage], scores: Sequence[float], query: str
) -> list[int]:
    """Return an order of messages in which those that only ask or repeat come last.

    The user's last word on what is asked is among the first, wherever it stood: what was true may have changed.
    """
    again = repeats(passages)
    if not fits_any("recall", "about_questions", query):
        again = [is_again or only_asks(one.text) for is_again, one in zip(again, passages, strict=True)]
    ordered = list(order)
    telling = [place for place in ordered if not again[place]]
    asked = words_in(query)
    near = [
        place for place in telling if passages[place].role == "user" and scores[place] >= _NEARLY * scores[telling[0]]
    ]
    newest = sorted(near, key=lambda place: str(passages[place].time or ""), reverse=True)
    last = next((place for place in newest if not asked.isdisjoint(words_in(passages[place].text))), None)
    if last is not None and last not in telling[:_AMONG]:
        telling.remove(last)
        telling.insert(_AMONG - 1, last)
    return telling + [place for place in ordered if again[place]]


_NEARLY = 0.25
"""The last word on it is one if it scores so much of what the best does."""
_AMONG = 3
"""So many are in any prompt, however many messages are in it already."""


def repeats(passages: Sequence[Passage]) -> list[bool]:
    """Say of each message whether it only gives back others of them, or is said word for word by one before it."""
    told = [(passage, words_in(passage.text)) for passage in passages if not only_asks(passage.text)]
    seen: set[tuple[str, str]] = set()
    found = []
    for passage in passages:
        key = (passage.role, "".join(c for c in passage.text.casefold() if c.isalnum()))
        found.append(bool(passage.role) and (key in seen or (passage.role == "persona" and _is_echo(passage, told))))
        seen.add(key)
    return found


def _is_echo(passage: Passage, told: Sequence[tuple[Passage, frozenset[str]]]) -> bool:
    """Tell a companion's words that give back what somebody had said by then, and else only ask or fill in."""
    before = [
        words for other, words in told if other.role and other.number != passage.number and _is_earlier(other, passage)
    ]
    if not before:
        return False
    quoted = _QUOTED.findall(passage.text)
    pieces = [*quoted, _QUOTED.sub(" ", passage.text)]
    said = [words_in(one.text) for piece in pieces for one in read(piece, "ja").sentences if not one.is_question]
    gives_back = [words for words in said if len(words) > 1 and _is_in_one_of(words, before)]
    filling = _FILLING + (_QUOTING if quoted else 0)
    return bool(gives_back) and len(frozenset().union(*said) - frozenset().union(*gives_back)) <= filling


_FILLING = 4
"""So many words that are not given back may be "that's the kind of thing I like to know"."""
_QUOTING = 6
"""So many more say who said it and when: 「11月8日、『…』と話してくれましたね」."""


def _is_in_one_of(words: Collection[str], before: Sequence[frozenset[str]]) -> bool:
    return any(len(other.intersection(words)) >= _SHARE * len(words) for other in before)


def _is_earlier(one: Passage, other: Passage) -> bool:
    return one.time is not None and other.time is not None and one.time <= other.time
