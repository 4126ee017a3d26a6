"""What a Markdown file says in its comments, in JSON: invisible where it is rendered, one line in the file."""

import json
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_BEGIN: Final = "<!-- "
_END: Final = " -->"
_KIND: Final = re.compile(r"\w+")


class Commented(NamedTuple):
    """A line that ends with a comment: its words, whether a blank parts the two, what the comment says, blanks at the end."""

    words: str
    space: str
    kind: str
    about: str
    end: str


def comment(value: Mapping[str, object]) -> str:
    """Return JSON that may stand between `<!--` and `-->`, whatever is in it."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("--", "-\\u002d").replace("<", "\\u003c").replace(">", "\\u003e")


def commented(line: str) -> Commented | None:
    """Return a line that ends with `<!-- kind {...} -->` in its parts; None if it does not.

    It takes time in proportion to the line: a line may come from anybody, and a pattern that looks for where a comment
    may begin, and for the end from each of those places, takes minutes for a hundred kilobytes.
    """
    text = line.rstrip()
    begin = text.rfind(_BEGIN)
    if begin < 0 or not text.endswith("}" + _END):
        return None
    kind, _, about = text[begin + len(_BEGIN) : -len(_END)].partition(" ")
    if not _KIND.fullmatch(kind) or not about.startswith("{"):
        return None
    words = text[:begin]
    space = " " if words.endswith(" ") else ""
    return Commented(words.removesuffix(" "), space, kind, about, line[len(text) :])
