"""Introductions: the name that somebody gives, in which sentence, and what is no name though it stands like one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from managers.language.emotion import read_emotion
from managers.language.lexicons import verbs, word_list
from managers.language.reading.english import verb_base
from managers.language.reading.reading import Reading
from managers.language.reading.rules import fits_any, rule, rules
from managers.language.words import words

GIVES_NAME = "give_name"
_EARLY = 3
"""In so many first messages 名前は… with nobody else spoken of gives one's own; later on, that of whatever was told."""
_MOST_READ = 2000
_MOST_SENTENCES = 6
_GIVEN_AND_MORE = 24
"""A sentence with so many letters beside the name tells more than a name."""


def was_asked_name(spoken: str) -> bool:
    """Tell whether some words ask for a name."""
    return fits_any("introduction", "asks", spoken)


def is_about_oneself(earlier: Sequence[str]) -> bool:
    """Tell whether a name without an owner (名前は遥) can be nobody's but the speaker's: early, and nobody was told of."""
    if len(earlier) >= _EARLY:
        return False
    return not any(_speaks_of_others(text) or any(word.entity for word in words(text[:500])) for text in earlier)


def _speaks_of_others(text: str) -> bool:
    """Tell whether a friend, a relation or an animal is spoken of, be it by no name."""
    others = word_list("ja", "persons") | word_list("ja", "pets")
    return any(word.surface.lower() in others for word in words(text[:500]))


def name_given(texts: Sequence[str], spoken: Sequence[str] = ()) -> str:
    """Return the name that the user gave in their own words, the latest one, or empty.

    `spoken` are the persona's words before each text, where there are such: a bare name answers "what shall I call you?".
    """
    name = ""
    for at, text in enumerate(texts):
        before = spoken[at - 1] if 0 < at <= len(spoken) else ""
        is_own = is_about_oneself(texts[:at])
        name = name_in(text[:_MOST_READ], is_first=at == 0, before=before, is_own=is_own, known=name) or name
    return name


def name_noted(notes: str, persona: str) -> str:
    """Return the name that the notes give in so many words; never the persona's own."""
    found = [*_sure(notes[:20_000]), *rule("ja", "introduction", "noted").finditer(notes[:20_000])]
    names = [_given(match) for match in sorted(found, key=re.Match.start)]
    return next((_written(name) for name in reversed(names) if _may_be(name) and name.lower() != persona.lower()), "")


def name_in(text: str, *, is_first: bool, before: str = "", is_own: bool = False, known: str = "") -> str:
    """Return the name that one message gives, or empty.

    Args:
        text: the message.
        is_first: nothing was said before it.
        before: what the persona said before it.
        is_own: a name without an owner can only be the speaker's.
        known: the name that the speaker goes by: "Thomas, not Tom" puts it right.
    """
    may_be_real = is_own or (bool(known) and not _speaks_of_others(before))
    real = rule("ja", "introduction", "real_name").finditer(text) if may_be_real else ()
    for match in sorted([*_sure(text), *real, *_replacing(text, known)], key=re.Match.start):
        name = _given(match)
        if _may_be(name) and (_is_thing(name) if name.isascii() else _is_one_word(name)):
            return _written(name)
    asked = was_asked_name(before)
    for at, line in enumerate(re.split(r"(?<=[.!。！])\s*|\n", text)[:_MOST_SENTENCES]):
        is_open = at == 0 and (is_first or is_own)
        is_expected = asked or is_open or is_first or "よろしく" in text
        if name := _weak(line.strip(), asked=asked, is_open=is_open, is_expected=is_expected):
            return _written(name)
    return ""


def _sure(text: str) -> Iterator[re.Match[str]]:
    """Yield where a name is given wherever it stands."""
    for table in (rules("ja", "introduction"), rules("en", "introduction")):
        for one in table.values():
            if one.name.startswith("sure_"):
                yield from one.pattern.finditer(text)


def _replacing(text: str, known: str) -> Iterator[re.Match[str]]:
    found = (match for lang in ("ja", "en") for match in rule(lang, "introduction", "replaced").finditer(text))
    return (match for match in found if known and match["old"].casefold().endswith(known.casefold()))


def _given(match: re.Match[str]) -> str:
    """Return the name of a match, without the one that it is not (健太じゃなくて健一)."""
    return rule("ja", "introduction", "not_but").sub("", match["name"])


def _weak(line: str, *, asked: bool, is_open: bool, is_expected: bool) -> str:
    """Return the name in a sentence that gives one where one is awaited; empty if it gives none."""
    match = rule("en", "introduction", "weak").match(line) or _ja("weak", line)
    if match is None and asked:
        match = _ja("bare", line)
    if match is None and (asked or is_open):
        match = _ja("name_is", line)
        if match is not None and _is_said_to_be_name(match["name"]):
            return match["name"]
    if match is None and is_open and (plain := _ja("i_am", line)) and _is_known_name(plain["name"]):
        match = plain
    if match is None:
        return ""
    name, parts = match["name"], match.groupdict()
    is_expected = is_expected or bool(parts.get("hello"))
    if parts.get("goes_on") and not (is_expected and name[0].isupper()):
        return ""
    return name if _is_name(name, is_expected=is_expected) else ""


def _ja(name: str, line: str) -> re.Match[str] | None:
    return rule("ja", "introduction", name).match(line)


# --- what is a name ------------------------------------------------------------------------------------------


def _may_be(name: str) -> bool:
    return bool(name) and name.lower() not in word_list("ja", "not_names") | word_list("en", "not_names")


def _is_name(name: str, *, is_expected: bool) -> bool:
    """Tell Aoi from tired, and あおい from さむい: names are what no table of feelings, deeds or things knows."""
    lower = name.lower()
    is_loose = not name.isascii() and not _is_one_word(name)
    if is_loose or not _may_be(name) or read_emotion(lower).emotion != "neutral":
        return False
    found = words(name)
    if any(word.entity == "person" for word in found) or (is_expected and _is_known_name(name)):
        return True
    if name.isascii():
        is_known = verb_base(lower) in verbs("en") or lower in word_list("en", "light")
        is_marked = name[0].isupper() or is_expected
        return not is_known and not lower.endswith(("ing", "ed")) and _is_thing(lower) and is_marked
    if len(found) != 1 or not is_expected or re.search(r"[一-龠]", name):
        return False
    word = found[0]
    is_known = word.normal in verbs("ja") or word.lemma in verbs("ja") or word.surface in word_list("ja", "light")
    return word.kind in ("noun", "proper", "adjective", "function") and not is_known and 2 <= len(name) <= 6  # noqa: PLR2004  # kana names


def _is_thing(name: str) -> bool:
    """Tell what may be a name in small letters from "call me later" and "call me when …"."""
    return name[0].isupper() or words(f"I am {name}")[-1].kind in ("noun", "proper")


def _is_known_name(name: str) -> bool:
    """Tell 茂 and 遥, which the dictionary has as names of people, though one sign alone is mostly no name."""
    found = words(name)
    return len(found) == 1 and (found[0].entity == "person" or found[0].form in ("名", "姓"))


def _is_said_to_be_name(name: str) -> bool:
    """Tell what stands behind 名前は for a name: any noun (湊), whatever else it may mean."""
    found = words(name)
    return len(found) == 1 and found[0].kind in ("noun", "proper") and _may_be(name)


def _is_one_word(name: str) -> bool:
    """Tell 美咲 from 妻は美咲: a name holds no verb, and no particle but where it is all one such word (のの)."""
    found = words(name)
    return len(found) == 1 or not any(w.kind == "verb" or "助詞" in w.form or w.lemma == "だ" for w in found)


def _written(name: str) -> str:
    return name[:1].upper() + name[1:] if name.isascii() else name


# --- the sentence that gives it ------------------------------------------------------------------------------


def parted(text: str, name: str) -> str:
    """Let what follows an introduction stand as a sentence of its own: "my name is Aoi, I work as a nurse"."""
    given = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    match = rule("en", "introduction", "follows").match(text[given.end() :]) if given else None
    if given is None or match is None:
        return text
    return f"{text[: given.end() + match.start('joint')]}. {text[given.end() + match.end() :]}"


def marked(read: Reading, name: str) -> Reading:
    """Return a message read with the sentence that gives the name known as an introduction: it tells nothing else."""
    sentences_read = tuple(
        replace(sentence, known_act=GIVES_NAME)
        if name.lower() in sentence.text.lower() and _is_introduction(sentence.text.strip())
        else sentence
        for sentence in read.sentences
    )
    return replace(read, sentences=sentences_read)


def _is_introduction(text: str) -> bool:
    if rule("en", "introduction", "weak").match(text) or any(
        _ja(name, text) for name in ("weak", "bare", "name_is", "i_am")
    ):
        return True
    found = [*_sure(text), *rule("ja", "introduction", "real_name").finditer(text)]
    longest = max((len(match.group()) for match in found), default=-1)
    return longest >= 0 and len(text) - longest <= _GIVEN_AND_MORE
