"""Rules of a language, as data: each has a pattern, sentences that it fits, and sentences that it must not fit.

They lie in `assets/language/<language>/<topic>.toml`, one table a rule:

    [asks_age]
    pattern = '(?:{first_person})(?:は|って)?何歳'
    yes = ["私は何歳だっけ"]
    no = ["弟は何歳？"]

`pattern` is a regular expression, or a list of which one must fit. `unless`, written in the same way, must not fit.
`{name}` stands for the entry `name` of the table `[parts]` of the same file, or of `parts.toml` in the same folder, in a
group of its own. `ignore_case = true` where capitals do not matter. `means` is a table for the code that asks for the
rule, such as how many days back it points. One test reads every rule and holds it to its examples.

A message may be of both languages: `either` gives one pattern for both, `fits_any` tries both.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from managers.language.lexicons import FOLDER
from managers.language.reading.bounds import MOST
from managers.storage.errors import Lang

_PARTS: Final = "parts"
_PART: Final = re.compile(r"\{([a-z_]+)\}")
_KEYS: Final = frozenset({"pattern", "unless", "yes", "no", "ignore_case", "means"})
_LANGS: Final[tuple[Lang, ...]] = get_args(Lang)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, compiled.

    Attributes:
        name: its table in the file.
        pattern: what it looks for.
        unless: what must not be there.
        means: what it says to the code that asks for it.
        yes: sentences in which it is found.
        no: sentences in which it is not.
    """

    name: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    means: Mapping[str, Any]
    yes: tuple[str, ...]
    no: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        """Return where it is found first in what is read of a text, if it is."""
        text = text[:MOST]
        return None if self.unless is not None and self.unless.search(text) else self.pattern.search(text)


@cache
def rules(lang: Lang, topic: str) -> Mapping[str, Rule]:
    """Return the rules of one file by name, in the order of the file; read and compiled once per process.

    Raises:
        ValueError: a rule has an unknown key, part or pattern: the installation is broken.
    """
    tables = tomllib.loads((FOLDER / lang / f"{topic}.toml").read_text("utf-8"))
    parts = dict(_parts(lang))
    for name, text in tables.pop(_PARTS, {}).items():
        parts[name] = _filled(text, parts)
    return MappingProxyType({name: _rule(f"{lang}/{topic}/{name}", table, parts) for name, table in tables.items()})


@cache
def either(topic: str, name: str) -> re.Pattern[str]:
    """Return one pattern for a rule of both languages, without their `unless`; a language may have none.

    Raises:
        KeyError: no language has it.
    """
    found = [rules(lang, topic)[name].pattern for lang in _LANGS if name in rules(lang, topic)]
    if not found:
        raise KeyError(f"{topic}/{name}")
    flags = re.NOFLAG
    for one in found:
        flags |= re.RegexFlag(one.flags) & re.IGNORECASE
    return re.compile("|".join(f"(?:{one.pattern})" for one in found), flags)


def rule(lang: Lang, topic: str, name: str) -> re.Pattern[str]:
    """Return the pattern of one rule."""
    return rules(lang, topic)[name].pattern


def fits(lang: Lang, topic: str, name: str, text: str) -> bool:
    """Tell whether a rule is found in a text; a rule that a language does not have never is."""
    return search(lang, topic, name, text) is not None


def search(lang: Lang, topic: str, name: str, text: str) -> re.Match[str] | None:
    """Return where a rule is found in a text; None where it is not, or the language does not have it."""
    found = rules(lang, topic).get(name)
    return found.search(text) if found else None


def search_any(topic: str, name: str, text: str) -> re.Match[str] | None:
    """Return where a rule of some language is found in a text that may be in any; None where it is not."""
    return next((match for lang in _LANGS if (match := search(lang, topic, name, text))), None)


def fits_any(topic: str, name: str, text: str) -> bool:
    """Tell whether a rule is found in a text that may be in any language."""
    return search_any(topic, name, text) is not None


def first_fit(lang: Lang, topic: str, text: str, *, but: Collection[str] = ()) -> str:
    """Return the name of the first rule of a file that is found in a text, empty if none is; `but` names those left out."""
    return next((one.name for one in rules(lang, topic).values() if one.name not in but and one.search(text)), "")


def topics(lang: Lang) -> list[str]:
    """Return the names of a language's files of rules; word lists and phrases lie beside them."""
    return sorted(file.stem for file in (FOLDER / lang).glob("*.toml") if _holds_rules(file))


def _holds_rules(file: Path) -> bool:
    tables = tomllib.loads(file.read_text("utf-8"))
    return any(isinstance(table, dict) and "pattern" in table for name, table in tables.items() if name != _PARTS)


def _rule(name: str, table: Mapping[str, Any], parts: Mapping[str, str]) -> Rule:
    if unknown := table.keys() - _KEYS:
        raise ValueError(f"{name}: unknown {', '.join(sorted(unknown))}")
    flags = re.IGNORECASE if table.get("ignore_case") else re.NOFLAG
    try:
        pattern, unless = (
            re.compile(_filled(given if isinstance(given, str) else "|".join(given), parts), flags)
            for given in (table["pattern"], table.get("unless", ""))
        )
    except (KeyError, re.error) as error:
        raise ValueError(f"{name}: {error}") from error
    examples = (tuple(table.get(key, ())) for key in ("yes", "no"))
    return Rule(name.rpartition("/")[2], pattern, unless if unless.pattern else None, table.get("means", {}), *examples)


def _filled(text: str, parts: Mapping[str, str]) -> str:
    return _PART.sub(lambda match: f"(?:{parts[match[1]]})", text)


@cache
def _parts(lang: Lang) -> Mapping[str, str]:
    """Return the named pieces that the patterns of a language share; the words of a list stand apart by spaces."""
    tables = tomllib.loads((FOLDER / lang / f"{_PARTS}.toml").read_text("utf-8"))
    pieces = {name: "|".join(sorted(text.split(), key=len, reverse=True)) for name, text in tables["words"].items()}
    for name, text in tables.get("patterns", {}).items():
        pieces[name] = _filled(text, pieces)
    return MappingProxyType(pieces)
