"""Japanese noun phrases: finding them, and saying them from the listener's side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import load, word_list
from managers.language.words import Word


def phrases(found: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the noun phrases of a sentence as spans of words: compounds, honorifics, nouns joined by の."""
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(found):
        if not is_noun(found[at]) or found[at].surface in word_list("ja", "empty_heads") - {"自分"}:
            at += 1
            continue
        end = at + 1
        while end < len(found):
            is_joined = found[end].start == found[end - 1].end and found[end].surface not in word_list(
                "ja", "empty_heads"
            )
            if is_joined and (is_noun(found[end]) or is_suffix(found[end])):
                end += 1
            elif found[end].surface in ("の", "・") and end + 1 < len(found) and is_noun(found[end + 1]):
                end += 2
            else:
                break
        spans.append((at, end))
        at = end
    return spans


def is_noun(word: Word) -> bool:
    """Tell nouns that can be a phrase's part from adverbial ones (昨日) and counters."""
    return (
        word.kind in ("noun", "proper", "number") and word.form not in ("副詞可能", "助数詞可能")
    ) or word.entity is not None


def is_suffix(word: Word) -> bool:
    """Tell what belongs to the noun before it: さん, 駅, 屋."""
    return word.kind == "function" and word.form in ("名詞的", "一般") and word.surface in word_list("ja", "suffixes")


def trimmed(found: Sequence[Word], span: tuple[int, int]) -> tuple[int, int]:
    """Leave out a beginning that carries nothing (今日の…) and refuse what ends in a light word."""
    start, end = span
    light = word_list("ja", "light")
    while end - start > 2 and found[start].surface in light and found[start + 1].surface == "の":  # noqa: PLR2004  # X の Y
        start += 2
    while start < end and (found[start].kind == "number" or found[start].surface == "の"):
        start += 1
    head = found[end - 1]
    is_light = head.surface in word_list("ja", "empty_heads") or (head.surface in light and end - start == 1)
    if start >= end or is_light or head.kind == "number":
        return start, start
    return start, end


def spoken(found: Sequence[Word], span: tuple[int, int], voice: Voice) -> str:
    """Return a phrase from the listener's side: 私の母 → お母さん."""
    start, end = span
    known = relatives()
    text = _courtesy(found, start)
    for at in range(start, end):
        word = found[at]
        following = found[at + 1].surface if at + 1 < end else ""
        if word.surface in word_list("ja", "first_persons"):
            text += voice.you or "あなた"
        elif word.surface in known and following not in ("さん", "ちゃん", "様") and not text.endswith(("ご", "お")):
            text += known[word.surface]
        else:
            text += word.surface
    return text


def _courtesy(found: Sequence[Word], start: int) -> str:
    """Return the お of お茶, which the analysis keeps apart."""
    before = found[start - 1] if start else None
    is_prefix = before is not None and before.surface in ("お", "ご") and before.end == found[start].start
    return before.surface if before is not None and is_prefix and found[start].kind != "proper" else ""


@cache
def relatives() -> dict[str, str]:
    """Return what a listener calls the teller's relatives: 母 → お母さん."""
    return dict(pair.split("=") for pair in load("follow")["ja"]["words"]["relatives"].split())


def is_person(found: Sequence[Word], span: tuple[int, int]) -> bool:
    """Tell whether a phrase names a person."""
    inside = found[span[0] : span[1]]
    return any(word.entity == "person" for word in inside) or any(
        word.surface in word_list("ja", "persons") for word in inside[-2:]
    )
