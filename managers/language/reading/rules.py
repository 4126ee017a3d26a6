"""Rules of a language, as data: each has a pattern, sentences that it fits, and sentences that it must not fit.

They lie in `assets/language/<language>/<topic>.toml`, one table a rule:

    [asks_age]
    pattern = '(?:{first_person})(?:は|って)?何歳'
    yes = ["私は何歳だっけ"]
    no = ["弟は何歳？"]

`pattern` is a regular expression, or a list of which one must fit. `{name}` stands for the entry `name` of
`parts.toml` in the same folder, in a group of its own. `ignore_case = true` where capitals do not matter.
One test reads every rule and holds it to its examples.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, get_args

from managers.language.lexicons import FOLDER
from managers.storage.errors import Lang

_PARTS: Final = "parts"
_PART: Final = re.compile(r"\{([a-z_]+)\}")
_KEYS: Final = frozenset({"pattern", "yes", "no", "ignore_case"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, compiled.

    Attributes:
        name: its table in the file.
        pattern: what it looks for.
        yes: sentences in which it is found.
        no: sentences in which it is not.
    """

    name: str
    pattern: re.Pattern[str]
    yes: tuple[str, ...]
    no: tuple[str, ...]


@cache
def rules(lang: Lang, topic: str) -> Mapping[str, Rule]:
    """Return the rules of one file by name, in the order of the file; read and compiled once per process.

    Raises:
        ValueError: a rule has an unknown key, part or pattern: the installation is broken.
    """
    tables = tomllib.loads((FOLDER / lang / f"{topic}.toml").read_text("utf-8"))
    return MappingProxyType({name: _rule(lang, name, table) for name, table in tables.items()})


def rule(lang: Lang, topic: str, name: str) -> re.Pattern[str]:
    """Return the pattern of one rule."""
    return rules(lang, topic)[name].pattern


def fits(lang: Lang, topic: str, name: str, text: str) -> bool:
    """Tell whether a rule is found in a text; a rule that a language does not have never is."""
    found = rules(lang, topic).get(name)
    return found is not None and found.pattern.search(text) is not None


def fits_any(topic: str, name: str, text: str) -> bool:
    """Tell whether a rule is found in a text that may be in any language."""
    return any(fits(lang, topic, name, text) for lang in get_args(Lang))


def first_fit(lang: Lang, topic: str, text: str, *, but: Collection[str] = ()) -> str:
    """Return the name of the first rule of a file that is found in a text, empty if none is; `but` names those left out."""
    return next(
        (one.name for one in rules(lang, topic).values() if one.name not in but and one.pattern.search(text)), ""
    )


def topics(lang: Lang) -> list[str]:
    """Return the names of a language's files of rules."""
    return sorted(file.stem for file in (FOLDER / lang).glob("*.toml") if file.stem != _PARTS)


def _rule(lang: Lang, name: str, table: Mapping[str, object]) -> Rule:
    if unknown := table.keys() - _KEYS:
        raise ValueError(f"{lang}/{name}: unknown {', '.join(sorted(unknown))}")
    given = table["pattern"]
    text = given if isinstance(given, str) else "|".join(given) if isinstance(given, list) else ""
    flags = re.IGNORECASE if table.get("ignore_case") else re.NOFLAG
    try:
        pattern = re.compile(_PART.sub(lambda match: f"(?:{_parts(lang)[match[1]]})", text), flags)
    except (KeyError, re.error) as error:
        raise ValueError(f"{lang}/{name}: {error}") from error
    return Rule(name, pattern, _examples(table, "yes"), _examples(table, "no"))


def _examples(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    listed = table.get(key, [])
    return tuple(listed) if isinstance(listed, list) else ()


@cache
def _parts(lang: Lang) -> Mapping[str, str]:
    """Return the named pieces that the patterns of a language share; the words of a list stand apart by spaces."""
    tables = tomllib.loads((FOLDER / lang / f"{_PARTS}.toml").read_text("utf-8"))
    pieces = {name: "|".join(sorted(text.split(), key=len, reverse=True)) for name, text in tables["words"].items()}
    for name, text in tables.get("patterns", {}).items():
        pieces[name] = _PART.sub(lambda match: f"(?:{pieces[match[1]]})", text)
    return MappingProxyType(pieces)
