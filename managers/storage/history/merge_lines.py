"""Three versions of a text made one, line by line.

Lines of an entity's file say in a comment which fact they are: such a line is the same one though its
words or its evidence changed, and what two sides changed of its comment is made one as in any JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from managers.storage.comments import Commented, comment, commented
from managers.storage.history.merge_json import merge_values
from managers.storage.history.merge_sequences import Region, merge_sequences
from managers.storage.json_text import NotJsonError, load_json

_HEADING = re.compile(r"# |Created: |<!-- entity ")


@dataclass(frozen=True, slots=True)
class LineClash:
    """Lines that both sides changed; `at` counts from 1."""

    at: int
    ours: str
    theirs: str


def merge_lines(base: str, ours: str, theirs: str) -> tuple[str, list[LineClash]]:
    """Return the merged text (ours where both sides changed the same lines), and those lines."""
    texts = (base.split("\n"), ours.split("\n"), theirs.split("\n"))
    merged, regions = merge_sequences(*texts, key=_key, settle=_settled)
    clashes = [LineClash(region.at + 1, "\n".join(region.ours), "\n".join(region.theirs)) for region in regions]
    return "\n".join(merged), clashes


def heading_of(text: str) -> str:
    """Return the lines with which an entity's file begins: what a file that keeps anything needs."""
    lines = text.split("\n")
    count = next((n for n, line in enumerate(lines) if not _HEADING.match(line)), len(lines))
    return "\n".join([*lines[:count], "", ""]) if count else ""


def _key(line: str) -> object:
    noted = commented(line)
    about = _about(noted) if noted else None
    name = (about or {}).get("id", "")
    is_known = isinstance(name, str) and bool(name or (noted and noted.kind == "entity"))
    return (noted.kind, name) if noted and about is not None and is_known else line


def _settled(region: Region[str]) -> Sequence[str] | None:
    """Make one line of what two sides did to the words and to the comment of the same line."""
    versions = (region.base, region.ours, region.theirs)
    lines = [items[0] for items in versions if len(items) == 1]
    noted = [found for line in lines if (found := commented(line)) is not None]
    abouts = [_about(one) for one in noted]
    if len(noted) != len(versions) or len({_key(line) for line in lines}) > 1 or None in abouts:
        return None
    (words, worn), (about, torn) = merge_values(*(one.words for one in noted)), merge_values(*abouts)
    if worn or torn:
        return None
    mine = noted[1]
    return [f"{words}{mine.space}<!-- {mine.kind} {comment(about)} -->{mine.end}"]


def _about(noted: Commented) -> dict[str, object] | None:
    try:
        value = load_json(noted.about)
    except NotJsonError:
        return None
    return value if isinstance(value, dict) else None
