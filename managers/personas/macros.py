"""The names that stand in a persona's words as `{{user}}` and `{{char}}`, filled in when the words are used.

Character cards are written so that whoever talks with the persona has their own name in them. The file keeps the words
as they are, so that another name is used from the next message on.
"""

import re
import zlib
from collections.abc import Callable
from typing import Final

_MACRO: Final = re.compile(r"\{\{([^{}]*)\}\}|<(USER|BOT|CHAR)>")
_NAME: Final = re.compile(r"//|[A-Za-z_]+")
_START: Final = re.compile(r"^<START>[ \t]*$", re.MULTILINE)
_DICE: Final = re.compile(r"(?:1?[dD])?([0-9]{1,9})")
_CHOICE: Final = re.compile(r"(?<!\\),")


def fill_names(text: str, char: str, user: str) -> str:
    """Return words with the names in them, and without what is only meant for who writes them.

    What is chosen "at random" is chosen by the words, so that the same words stand in every prompt.
    """
    if "{{" not in text and "<" not in text:
        return text

    def filled(found: re.Match[str]) -> str:
        inside = (found[2] or found[1]).strip()
        named = _NAME.match(inside)
        if not named:
            return found[0]
        name, told = named[0].casefold(), inside[named.end() :].strip().removeprefix(":")
        if name == "user":
            return user
        if name in {"char", "bot"}:
            return char
        if name in {"//", "comment", "hidden_key", "original"}:
            return ""
        worked_out = _WORKED_OUT.get(name)
        return worked_out(told) if worked_out else found[0]

    return _START.sub("***", _MACRO.sub(filled, text))


def _picked(choices: str) -> str:
    several = [one.strip().replace("\\,", ",") for one in _CHOICE.split(choices.replace("::", ","))]
    return several[_number(choices) % len(several)]


def _rolled(dice: str) -> str:
    found = _DICE.fullmatch(dice.strip())
    return str(1 + _number(dice) % int(found[1])) if found and int(found[1]) else dice


def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


_WORKED_OUT: Final[dict[str, Callable[[str], str]]] = {
    "random": _picked,
    "pick": _picked,
    "roll": _rolled,
    "reverse": lambda text: text[::-1],
}
