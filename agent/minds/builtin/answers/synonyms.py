"""Words that mean the same when people talk of their lives: likings, kin, quarrels, work. One word stands for all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from agent.minds.builtin.dreams.statements import cue_words
from agent.minds.builtin.talk.noun_phrases_ja import relatives
from managers.language.lexicons import load
from managers.language.words import content_words

LIKINGS = frozenset(["好き", "嫌い"])
_TASTES = {
    **dict.fromkeys(["好き", "大好き", "大好物", "好物", "好む", "気に入る", "お気に入り"], "好き"),
    **dict.fromkeys(["love", "like", "favorit", "favourit", "favorite", "favourite", "enjoy", "ador", "adore"], "好き"),
    **dict.fromkeys(["嫌い", "大嫌い", "苦手", "hate", "dislik", "dislike", "detest"], "嫌い"),
}


def one_word(term: str) -> str:
    """Return the one word that stands for all of a kind: 好き for love and enjoy, 母 for お母さん."""
    return _TASTES.get(term) or _groups().get(term, term)


def one_word_each(text: str) -> set[str]:
    """Return what a text is about, with words that mean the same made one, and idioms read as what they mean."""
    return {one_word(term) for term in content_words(plain_of_idioms(text))}


def plain_of_idioms(text: str) -> str:
    """Return a text with its idioms said plainly: "fell out with" → "quarrel with"."""
    for pattern, word in _idioms():
        text = pattern.sub(word, text)
    return text


def dislike_for_no_liking(terms: Iterable[str], plain: str) -> list[str]:
    """Return a question's words, where it asks for what somebody does not like with the word for disliking."""
    is_denied = bool(_NOT_LIKED.search(plain))
    return ["嫌い" if is_denied and one_word(term) == "好き" else term for term in terms]


_NOT_LIKED = re.compile(r"(?:n't|\bnot|\bnever)(?: \w+){0,3} (?:like|love|enjoy)\b|好きじゃな|好きでな|好きではな")


@cache
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    listed = load("follow")["en"]["idioms"]
    return tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), word) for word, pattern in listed.items())


@cache
def _groups() -> dict[str, str]:
    """Return the one word of each that belongs to a group."""
    lists = [group.split("=") for lang in ("ja", "en") for group in _listed(lang)]
    lists += [[plain, spoken] for plain, spoken in relatives().items()]
    found: dict[str, str] = {}
    for group in lists:
        forms = [form for word in group for form in (content_words(word)[:1] or [word])]
        head = next((found[form] for form in forms if form in found), forms[0])
        for form in (*forms, *group):
            found.setdefault(form, head)
    return found


def _listed(lang: str) -> list[str]:
    same = cue_words("ja" if lang == "ja" else "en", "same")
    alike: str = load("follow")[lang]["words"]["alike"]
    return [*sorted(same), *alike.split()]
