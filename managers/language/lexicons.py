"""The word lists in `assets/language/`: data that people can read and extend without touching code."""

import tomllib
from functools import cache
from typing import Any

from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT

FOLDER = CHECKOUT / "assets" / "language"


@cache
def load(name: str) -> dict[str, Any]:
    """Return the tables of `assets/language/<name>.toml`; read once per process.

    The files ship with the program: a missing or broken one is a broken installation and raises.
    """
    return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))


@cache
def phrases(name: str, table: str, key: str) -> tuple[str, ...]:
    """Return one list of strings; long lists may be written as one string, words apart by spaces."""
    value = load(name)[table][key]
    return tuple(value.split() if isinstance(value, str) else value)


@cache
def word_set(name: str, table: str, key: str) -> frozenset[str]:
    """Return one list of words as a set."""
    return frozenset(phrases(name, table, key))


@cache
def word_list(lang: Lang, name: str) -> frozenset[str]:
    """Return a list of words of a language under a name, from `words.toml` or `parts.toml`: `colours`, `pets`."""
    return frozenset({**load(f"{lang}/parts")["words"], **load(f"{lang}/words")["words"]}[name].split())


@cache
def verbs(lang: Lang) -> dict[str, str]:
    """Return what each verb is about (`words.toml`), by its base form: `cook` for bake."""
    return {verb: subject for subject, listed in load(f"{lang}/words")["verbs"].items() for verb in listed.split()}
