"""A wish that something just said be forgotten: 「さっきの猫の話は忘れて」, "please forget what I said about Tom".

Read narrowly: what is forgotten by mistake is a word lost, so whatever could mean something else is no wish. The rules
are in `forget_wishes.toml`.
"""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from managers.language.reading.bounds import LONGEST
from managers.language.reading.reading import asks_anything
from managers.language.reading.rules import fits_any, rules
from managers.language.words import content_words, sentences


@dataclass(frozen=True, slots=True)
class ForgetWish:
    """What is to be forgotten.

    Attributes:
        about: the words that name it (猫, Tom); empty: what was said last.
    """

    about: str = ""


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
    about = about[:LONGEST]
    is_clear = any(not _found("vague", word) for word in content_words(about))
    return is_clear and not _found("vague", about.strip().casefold())


def _found(name: str, text: str) -> bool:
    return fits_any("forget_wishes", name, text)


def _own_words(text: str) -> str | None:
    """Return a message as the rules read it; None where it is too long for a wish, or cites somebody else's."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    if len(plain) > _WISH_LENGTH or not _found("speaks_of_it", plain):
        return None
    return None if _found("do_not", plain) or _found("cited", plain) else plain


def _is_all(plain: str, wishes: Collection[str]) -> bool:
    """Tell whether a message says nothing of weight beside its wishes: no news, no question."""
    beside = [one for one in sentences(plain) if one not in wishes and not _found("apology", one)]
    return all(len(content_words(one)) < _TELLS and not asks_anything(one) for one in beside)


def _wish_of(sentence: str) -> ForgetWish | None:
    if _found("refused", sentence):
        return None
    if _found("last", sentence) or _found("last_please", sentence):
        return ForgetWish()
    for lang in ("ja", "en"):
        if match := rules(lang, "forget_wishes")["about"].search(sentence):
            about = next(one for one in match.groupdict().values() if one)
            return ForgetWish(about.strip()) if names_something(about) else None
    return None


def _may_be_wish(sentence: str) -> bool:
    if _found("refused", sentence) or _found("about", sentence):
        return False  # "about" is read already, and names nothing
    return _found("may_be", sentence)
