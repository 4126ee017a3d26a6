"""Whether what a rule finds in a sentence is claimed of its speaker's life.

It is not where it stands in a dream, a story or somebody else's words, or is supposed, hoped or denied. The rules are
those of `reality.toml`.
"""

import re
from collections.abc import Iterator, Sequence

from managers.language.lexicons import word_list
from managers.language.reading.bounds import LONGEST
from managers.language.reading.kinship import is_person, kin_words, pets
from managers.language.reading.rules import fits, rule, rules, search
from managers.language.reading.synonyms import one_word
from managers.language.words import Word, words
from managers.storage.errors import Lang

_PARTICLES = frozenset("をにでとへがも")


def claimed(lang: Lang, topic: str, name: str, text: str) -> re.Match[str] | None:
    """Return where a rule is found first in what a sentence claims; None where it is not."""
    return next(claims(lang, topic, name, text), None)


def claims(lang: Lang, topic: str, name: str, text: str) -> Iterator[re.Match[str]]:
    """Yield wherever a rule is found in what a sentence claims."""
    plain, asked = without_quotes(text[:LONGEST], lang), rules(lang, topic).get(name)
    if asked is None or not asked.search(plain) or fits(lang, "reality", "elsewhere", plain):
        return
    for found in asked.pattern.finditer(plain):
        before, after = plain[: found.start()], plain[found.end() :]
        if not fits(lang, "reality", "led_by", before) and not fits(lang, "reality", "leads_into", after):
            yield found


def without_quotes(text: str, lang: Lang) -> str:
    """Return a text with a straight apostrophe, and nothing between its quotation marks."""
    return rule(lang, "reality", "quotation").sub("“”", text.replace("’", "'"))


def other_subject(text: str, lang: Lang) -> str:
    """Return who does what a sentence tells, where that is somebody else (妹, my brother); empty where it is the speaker."""
    plain = text.replace("’", "'")
    return _subject_ja(plain[-LONGEST:]) if lang == "ja" else _subject_en(plain[:LONGEST])


def _subject_en(plain: str) -> str:
    """Read who stands first in a sentence in which the speaker does not."""
    found = search("en", "reality", "of_another", plain)
    if found is None:
        return ""
    is_name = found["name"] is None or words(plain)[0].kind == "proper"
    return found["who"] if is_name else ""


def _subject_ja(plain: str) -> str:
    """Read what stands before は, が, も.

    A topic (は) stays so until the speaker is one; another subject (が, も) as long as its clause: 娘が生まれたので引っ越した.
    """
    text = rule("ja", "reality", "of_speaker").split(plain)[-1]
    known = kin_words("ja") - pets("ja") | word_list("ja", "somebody")
    clause = max((end.end() for end in rule("ja", "reality", "clause_ends").finditer(text)), default=0)
    told = words(text)
    for at, word in enumerate(told):
        is_subject = word.surface == "は" or (word.surface in ("が", "も") and word.start >= clause)
        if not is_subject or word.form not in ("係助詞", "格助詞") or "助詞" in told[at - 1].form:
            continue
        near = _phrase_before(told, at)
        if any(one.entity == "person" or one_word(one.surface) in known or one.form == "名" for one in near):
            return "".join(word.surface for word in near)
    return ""


def _phrase_before(told: Sequence[Word], at: int) -> Sequence[Word]:
    """Return the nouns before a particle, with what is joined to them: 隣の人の母, 妹の誕生日."""
    start = at - 1
    while start > 0 and (told[start - 1].kind != "function" or told[start - 1].form in ("名詞的", "格助詞")):
        if told[start - 1].kind in ("verb", "symbol") or told[start - 1].surface in _PARTICLES:
            break
        start -= 1
    return told[max(start, 0) : at]


def is_named_in(who: str, text: str, lang: Lang) -> bool:
    """Tell whether a text speaks of somebody: by the same words, by another for the same relation, or, for "she", of anybody."""
    if who.casefold() in word_list(lang, "pronouns"):
        return any(is_person(word, lang) for word in words(text))
    same = [group.split("=") for group in word_list(lang, "same")]
    named = {word.surface.casefold() for word in words(who) if word.kind in ("noun", "proper")}
    found = (next((group for group in same if one in group), [one]) for one in named - word_list(lang, "first_person"))
    return all(any(one in text.casefold() for one in group) for group in found)
