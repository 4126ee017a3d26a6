"""Words that mean the same when people talk of their lives: likings, kin, quarrels, work. One word stands for all."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, get_args

from managers.language.lexicons import load, word_list
from managers.language.reading.noun_phrases_ja import relatives
from managers.language.reading.rules import fits
from managers.language.words import content_words
from managers.storage.errors import Lang

LIKING: Final = "好き"
DISLIKING: Final = "嫌い"
LIKINGS: Final = frozenset([LIKING, DISLIKING])


def one_word(term: str) -> str:
    """Return the one word that stands for all of a kind: 好き for love and enjoy, 母 for お母さん."""
    return _groups().get(term, term)


def one_word_each(text: str) -> set[str]:
    """Return what a text is about, with words that mean the same made one, and idioms read as what they mean."""
    return {one_word(term) for term in content_words(plain_of_idioms(text))}


def plain_of_idioms(text: str) -> str:
    """Return a text with its idioms said plainly: "fell out with" → "quarrel with"."""
    for pattern, word in _idioms():
        text = pattern.sub(word, text)
    return text


def without_idioms(terms: Sequence[str], plain: str) -> list[str]:
    """Return the words of a question with those of its idioms exchanged for what they mean."""
    if (said := plain_of_idioms(plain)) == plain:
        return [*terms]
    gone = set(content_words(plain)) - set(content_words(said))
    fresh = [term for term in content_words(said) if term not in content_words(plain)]
    return [*(term for term in terms if term not in gone), *fresh]


def dislike_for_no_liking(terms: Iterable[str], plain: str, lang: Lang) -> list[str]:
    """Return a question's words, where it asks for what somebody does not like with the word for disliking."""
    is_denied = fits(lang, "answers", "not_liked", plain)
    return [DISLIKING if is_denied and one_word(term) == LIKING else term for term in terms]


@cache
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    listed = load("en/words")["idioms"]
    return tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), word) for word, pattern in listed.items())


@cache
def _groups() -> dict[str, str]:
    """Return the one word of each that belongs to a group."""
    lists = [
        group.split("=")
        for lang in get_args(Lang)
        for name in ("same", "alike")
        for group in sorted(word_list(lang, name))
    ]
    lists += [[plain, spoken] for plain, spoken in relatives().items()]
    tastes = [group.split("=") for lang in get_args(Lang) for group in word_list(lang, "tastes")]
    found = {word: group[0] for group in tastes for word in group}
    for group in lists:
        forms = [form for word in group for form in (content_words(word)[:1] or [word])]
        head = next((found[form] for form in forms if form in found), forms[0])
        for form in (*forms, *group):
            found.setdefault(form, head)
    return found
