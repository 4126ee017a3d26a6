"""Every text of `assets/prompts/` and `assets/notices/` is there in both languages, and asks for the same facts in both."""

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

from managers.storage.texts import FOLDER, table

TOPICS = sorted(
    f"{folder}/{path.stem}" for folder in ("prompts", "notices") for path in (FOLDER / folder).glob("*.toml")
)


BY_LANGUAGE_ALONE = {"prompts/tools.arguments"}
"""English stands with the arguments themselves."""


def entries(tables: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in tables.items():
        at = f"{path}.{name}"
        if at in BY_LANGUAGE_ALONE:
            continue
        if all(isinstance(one, dict) for one in value.values()):
            yield from entries(value, at)
        else:
            yield at, value


def facts(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_it_with_the_same_facts_and_notices_name_the_same_files_and_commands() -> None:
    named = re.compile(r"`[^`]+`|(?<!\w)\.[a-z]+\b|\b\w+\.(?:txt|json|md)\b", re.ASCII)
    amiss = list[str]()
    for topic in TOPICS:
        for at, entry in entries(table(topic), topic):
            if set(entry) != {"ja", "en"} or not all(entry.values()) or facts(entry["ja"]) != facts(entry["en"]):
                amiss.append(at)
            elif topic.startswith("notices/") and {*named.findall(entry["ja"])} != {*named.findall(entry["en"])}:
                amiss.append(f"{at} names")
    assert amiss == []
    assert len(TOPICS) > 10
