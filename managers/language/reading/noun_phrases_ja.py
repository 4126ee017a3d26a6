"""Japanese noun phrases: finding them, and saying them from the listener's side."""

from collections.abc import Sequence
from functools import cache

from managers.language.lexicons import load, word_list
from managers.language.words import Word

Span = tuple[int, int]


def phrases(found: Sequence[Word]) -> list[Span]:
    """Return the noun phrases of a sentence as spans of words: compounds, honorifics, nouns joined by の."""
    spans: list[Span] = []
    empty = word_list("ja", "empty_heads")
    at = 0
    while at < len(found):
        if not is_noun(found[at]) or found[at].surface in empty - {"自分"}:
            at += 1
            continue
        end = at + 1
        while end < len(found):
            is_joined = found[end].start == found[end - 1].end and found[end].surface not in empty
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
    is_plain = word.kind in ("noun", "proper", "number") and word.form not in ("副詞可能", "助数詞可能")
    return is_plain or word.entity is not None


def is_suffix(word: Word) -> bool:
    """Tell what belongs to the noun before it: さん, 駅, 屋."""
    return word.kind == "function" and word.form in ("名詞的", "一般") and word.surface in word_list("ja", "suffixes")


def names_person(found: Sequence[Word], span: Span) -> bool:
    """Tell whether a phrase names a person."""
    inside = found[slice(*span)]
    is_kin = any(word.surface in word_list("ja", "persons") for word in inside[-2:])
    return is_kin or any(word.entity == "person" for word in inside)


def trimmed(found: Sequence[Word], span: Span) -> Span:
    """Leave out a beginning that carries nothing (今日の…) and refuse what ends in a light word."""
    start, end = span
    light = word_list("ja", "light")
    while end - start > 2 and found[start].surface in light and found[start + 1].surface == "の":  # noqa: PLR2004  # X の Y
        start += 2
    while start < end and (found[start].kind == "number" or found[start].surface == "の"):
        start += 1
    head = found[end - 1]
    is_light = head.surface in word_list("ja", "empty_heads") or (head.surface in light and end - start == 1)
    return (start, start) if start >= end or is_light or head.kind == "number" else (start, end)


def spoken(found: Sequence[Word], span: Span, you: str) -> str:
    """Return a phrase from the listener's side: 私の母 → お母さん; the お of お茶, which the analysis keeps apart, with it."""
    start, end = span
    before = found[start - 1] if start else None
    is_courtesy = before is not None and before.surface in ("お", "ご") and before.end == found[start].start
    lead = before.surface if before is not None and is_courtesy and found[start].kind != "proper" else ""
    return from_listener(found[start:end], you, lead)


def from_listener(tokens: Sequence[Word], you: str, lead: str = "") -> str:
    """Join words as the listener says them (母 → お母さん, 私 → the user's name), keeping the spaces between Latin ones."""
    text, last_end = lead, tokens[0].start if tokens else 0
    for at, word in enumerate(tokens):
        following = tokens[at + 1].surface if at + 1 < len(tokens) else ""
        text += " " if word.start > last_end else ""
        last_end = word.end
        is_oneself = word.surface in word_list("ja", "first_person") - {"自分"} and word.kind in ("pronoun", "noun")
        has_courtesy = following in ("さん", "ちゃん", "様") or text.endswith(("ご", "お"))
        if is_oneself:
            is_home = word.surface in ("うち", "ウチ") and following in ("の", "に", "で", "へ", "から")
            text += (you or "あなた") + ("のところ" if is_home else "")
        else:
            text += word.surface if has_courtesy else relatives().get(word.surface, word.surface)
    return text


@cache
def relatives() -> dict[str, str]:
    """Return what a listener calls the teller's relatives: 母 → お母さん."""
    return dict(pair.split("=") for pair in load("ja/words")["words"]["relatives"].split())
