"""English words (and other Latin script): own tokenisation, irregular forms, Snowball stems, names."""

import re
import threading
import unicodedata
from functools import lru_cache

import snowballstemmer

from managers.language.lexicons import load, word_list, word_set
from managers.language.word import EntityKind, Kind, Word

_LETTERS = "A-Za-zÀ-ÖØ-öø-ɏḀ-ỿＡ-Ｚａ-ｚ"
_WORD = rf"[{_LETTERS}]+(?:[’'][{_LETTERS}]+|[-‐&][{_LETTERS}]+)*"
_NUMBER = r"\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|am|pm|kg|km|cm|mm|m|g|%)?(?![A-Za-z])"
TOKEN = re.compile(rf"(?P<word>{_WORD})|(?P<number>{_NUMBER})|(?P<symbol>[^\s])")
"""One token of Latin text: a word, with what apostrophes and hyphens join; a number; any other sign."""

_SHORT_WORD = re.compile(r"(?<![\w'])[a-z]{1,9}(?![\w'])")
_local = threading.local()
_LONG_WORD = re.compile(r"[a-z]{4,}")
_SENTENCE_ENDS = frozenset(".!?…\n。！？")
_TRANSPARENT = frozenset("\"'“”‘’()[]*_「『")
_MIN_STEM = 2
_TITLES_WITH_STOP = frozenset({"mr", "mrs", "ms", "dr", "prof"})


def stem(word: str) -> str:
    """Return the Snowball stem of the base form of an English word: went and going → go."""
    return _stemmed(base_form(word))


def base_form(word: str) -> str:
    """Return the base of an irregular form (went → go, children → child), else the word, lower case."""
    lower = unicodedata.normalize("NFKC", word).lower().replace("’", "'")
    return _irregular().get(lower, lower)


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    pairs: dict[str, str] = {}
    for base, forms in load("en/lexicon")["irregular"].items():
        for form in forms.split():
            pairs.setdefault(form, base)
    return pairs


@lru_cache(maxsize=50_000)
def _stemmed(base: str) -> str:
    if len(base) <= _MIN_STEM or not base.isascii():
        return base
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # the stemmer keeps its word in itself: one for each thread
        stemmer = _local.stemmer = snowballstemmer.stemmer("english")
    return str(stemmer.stemWord(base))


def spelt_out(plain: str) -> str:
    """Write out what quick fingers leave out of a text in lower case: whats ur name → what's your name."""
    return _SHORT_WORD.sub(lambda match: _short_forms().get(match.group(), match.group()), plain)


@lru_cache(maxsize=1)
def _short_forms() -> dict[str, str]:
    pairs = (pair.split("=") for pair in word_list("en", "short_forms"))
    return {short: long.replace("_", " ") for short, long in pairs}


def english_words(text: str, start: int = 0, *, at_sentence_start: bool = True) -> list[Word]:
    """Return the words of Latin text.

    Args:
        text: the text, or a run of Latin words inside another.
        start: where the run begins in the whole text.
        at_sentence_start: whether its first word begins a sentence, so that a capital says nothing.
    """
    found: list[Word] = []
    is_first = at_sentence_start
    last_end = 0
    for match in TOKEN.finditer(text):
        surface = match.group()
        if "\n" in text[last_end : match.start()]:
            is_first = True
        last_end = match.end()
        if match.lastgroup == "symbol":
            found.append(Word(surface, surface, "symbol", None, start + match.start(), surface, surface))
            is_first = (surface in _SENTENCE_ENDS and not _is_abbreviation(found)) or (
                is_first and surface in _TRANSPARENT
            )
            continue
        if match.lastgroup == "number":
            found.append(Word(surface, surface.lower(), "number", None, start + match.start(), surface, surface))
        else:
            found.extend(_words_of(surface, start + match.start(), is_first=is_first))
        is_first = False
    return _name_entities(found, is_shouting=_is_shouting(text))


def _is_abbreviation(found: list[Word]) -> bool:
    if len(found) < 2 or found[-1].surface != ".":  # noqa: PLR2004  # the word and its full stop
        return False
    before = found[-2].surface.lower().removesuffix(".")
    return before in word_set("en/lexicon", "names", "abbreviations")


def _is_shouting(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 8 and sum(char.isupper() for char in letters) > 0.7 * len(letters)  # noqa: PLR2004  # most of a text, not an acronym


_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall", "ai": "be"}
_CLITIC = re.compile(r"^(.+?)([’'](?:s|re|ve|ll|d|m|t|n|em)|n[’']t)$", re.IGNORECASE)


def _words_of(surface: str, start: int, *, is_first: bool) -> list[Word]:
    """Cut clitics off: Emma's → Emma + 's, don't → do + n't (what reads negation wants to see it)."""
    match = _CLITIC.match(surface)
    if match and match.group(1).lower() != "o":
        host, clitic = match.groups()
        if host.lower().endswith("n") and clitic.lower() in ("'t", "’t"):
            host, clitic = host[:-1] or host, host[-1] + clitic
        plain = clitic.lower().replace("’", "'")
        host_word = _word(host, start, is_first=is_first)
        if plain == "n't":
            base = _BEFORE_NOT.get(host.lower(), host_word.form)
            host_word = Word(host, base, "function", None, start, host.lower(), base, base)
        return [host_word, Word(clitic, plain, "function", None, start + len(host), plain, plain)]
    return [_word(surface, start, is_first=is_first)]


def _word(surface: str, start: int, *, is_first: bool) -> Word:
    base = base_form(surface)
    return Word(
        surface=surface,
        lemma=_stemmed(base),
        kind=_kind(surface, base, is_first=is_first),
        entity=None,
        start=start,
        reading=surface.lower(),
        normal=_stemmed(base),
        form=base,
    )


def _kind(surface: str, base: str, *, is_first: bool) -> Kind:  # noqa: PLR0911  # one return per reason reads best
    lower = surface.lower()
    words = load("en/lexicon")["kinds"]
    if lower in _set("pronoun"):
        return "pronoun"
    if lower in _set("function"):
        return "function"
    if lower in _set("interjection"):
        return "interjection"
    if surface[0].isupper() and not is_first and not _is_plain_capital(surface):
        return "proper"
    for kind in ("adverb", "adjective", "noun"):
        if lower in _set(kind):
            return kind
    if base in _set("verb") or _verb_root(base) in _set("verb"):
        return "verb"
    for ending, kind in words["endings"].items():
        if lower.endswith(ending) and len(lower) > len(ending) + 2:
            return kind  # type: ignore[no-any-return]  # the data file holds kinds
    return "noun"


def _set(kind: str) -> frozenset[str]:
    return word_set("en/lexicon", "kinds", kind)


def _is_plain_capital(surface: str) -> bool:
    """Tell PC, TV and I from Emma: short words all in capitals are abbreviations of ordinary things."""
    return surface.isupper() and unicodedata.normalize("NFKC", surface).lower() in _names("plain_capitals")


@lru_cache(maxsize=20_000)
def _verb_root(word: str) -> str:
    """Undo regular inflection, as far as the list of verbs confirms it."""
    verbs = _set("verb")
    for ending, replacements in (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ied", ("y",))):
        if word.endswith(ending):
            for replacement in replacements:
                if (root := word[: -len(ending)] + replacement) in verbs:
                    return root
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            root = word[: -len(ending)]
            doubled = root[:-1] if len(root) > 2 and root[-1:] == root[-2:-1] else root  # noqa: PLR2004  # running → run
            for candidate in (root, root + "e", doubled):
                if candidate in verbs:
                    return candidate
    return word


def verb_base(word: str) -> str:
    """Return the base form of a verb: went → go, studied → study, running → run."""
    return _verb_root(base_form(word))


def _name_entities(found: list[Word], *, is_shouting: bool) -> list[Word]:
    """Mark names, one run of capitalised words at a time."""
    if is_shouting:
        return [_with(word, "noun", None) if word.kind == "proper" else word for word in found]
    result = list(found)
    at = 0
    while at < len(found):
        run = _run_length(found, at)
        if run == 0:
            at += 1
            continue
        entity = _entity_of(found, at, run)
        if found[at + run - 1].kind == "symbol":
            run -= 1  # "Dr." with nothing after it
        for index in range(at, at + run):
            kind: Kind = "proper" if entity else ("noun" if found[index].kind == "proper" else found[index].kind)
            if found[index].kind not in ("function", "symbol"):
                result[index] = _with(found[index], kind, entity)
        at += run
    return result


def _run_length(found: list[Word], at: int) -> int:
    """Count the capitalised words from here on that belong together (Lake Biwa, University of Tokyo)."""
    if not _is_capitalised(found[at]) or (found[at].kind != "proper" and not _is_known_name(found, at)):
        return 0
    end = at + 1
    while end < len(found):
        is_next_name = _is_capitalised(found[end]) and found[end].kind == "proper"
        is_title_stop = found[end].surface == "." and end == at + 1 and found[at].form in _TITLES_WITH_STOP
        if is_title_stop or (is_next_name and found[end].start <= found[end - 1].end + 1):
            end += 1
        elif (
            found[end].surface in ("of", "the", "de", "la", "&")
            and end + 1 < len(found)
            and found[end + 1].kind == "proper"
            and found[end - 1].surface.lower() in word_set("en/lexicon", "names", "heads_before_of")
        ):
            end += 2
        else:
            break
    return end - at


def _is_capitalised(word: Word) -> bool:
    return word.surface[:1].isupper() and word.kind not in ("pronoun", "symbol", "number", "function", "interjection")


def _is_known_name(found: list[Word], at: int) -> bool:
    """Tell whether a word at the start of a sentence is a name all the same."""
    lower = found[at].surface.lower()
    following = found[at + 1] if at + 1 < len(found) else None
    if lower in _names("ambiguous_first_names"):
        # "Will is here", "Mark's car" against "Will you come?", "Mark the date".
        return bool(following and following.surface.lower() in ("'s", "’s", "is", "was", "has", "and", "said", "told"))
    if lower in _names("first_names") or lower in _names("places") or lower in _names("person_titles"):
        return True
    follows_with_capital = following is not None and following.kind == "proper" and following.start <= found[at].end + 1
    return follows_with_capital and found[at].kind == "noun" and found[at].form not in _set("noun")


def _names(key: str) -> frozenset[str]:
    return word_set("en/lexicon", "names", key)


def _entity_of(found: list[Word], at: int, run: int) -> EntityKind | None:  # noqa: PLR0911  # one return per reason
    surfaces = [word.surface.lower() for word in found[at : at + run] if word.kind != "symbol"]
    run = len(surfaces)
    whole = " ".join(surfaces)
    before = [word.surface.lower() for word in found[max(0, at - 3) : at]]
    if run == 1 and surfaces[0] in _names("never"):
        return None
    if surfaces[0] in _names("person_titles"):
        return "person" if run > 1 else None
    if whole in _names("places") or whole.replace(" ", "_") in _names("places"):
        return "place"
    if surfaces[-1] in _names("organisation_heads") or surfaces[0] in _names("organisation_heads"):
        return "organisation"
    if surfaces[-1] in _names("place_heads") or surfaces[0] in _names("place_heads"):
        return "place"
    if surfaces[0] in _names("first_names"):
        return "person"
    if surfaces[0] in _names("ambiguous_first_names") and run <= 2:  # noqa: PLR2004  # first and last name
        return "person"
    if _introduces_person(before):
        return "person"
    return "other"


def _introduces_person(before: list[str]) -> bool:
    """Read "my sister Aiko", "a friend named Taro", "her name is Yuki"."""
    if not before:
        return False
    if before[-1] in ("named", "called"):
        return True
    if before[-1] in _names("relations"):
        return True
    return before[-2:] in (["name", "is"], ["name", "'s"], ["name", "was"])


def _with(word: Word, kind: Kind, entity: EntityKind | None) -> Word:
    return Word(word.surface, word.lemma, kind, entity, word.start, word.reading, word.normal, word.form)


def verb_bases(text: str) -> set[str]:
    """Return the longer words of an English text in their base forms, those of asking left out."""
    found = {verb_base(word) for word in _LONG_WORD.findall(text.lower())} - word_list("en", "no_cues")
    return {"call" if base == "name" else base for base in found}
