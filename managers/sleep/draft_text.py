"""The texts of a mind's answer, as files and readers can hold them: one line, whole sentences, no control characters."""

import unicodedata
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from managers.language.words import sentences
from managers.memory.confidence import day_of
from managers.memory.log.format import clean_text

MAX_LINE = 400
Draft = TypeVar("Draft", bound=BaseModel)


def as_text(draft: Draft) -> Draft:
    """Return an answer with nothing in it that no file, or no reader, can hold: half characters, control characters."""
    return type(draft).model_validate(_cleaned(draft.model_dump()))


def _cleaned(value: Any) -> Any:  # noqa: ANN401  # whatever a model's fields hold
    if isinstance(value, str):
        kept = "".join(c for c in value if c in "\n\t" or unicodedata.category(c) != "Cc")
        return clean_text(kept)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return {key: _cleaned(one) for key, one in value.items()} if isinstance(value, dict) else value


def day_in(text: str) -> str:
    """Return a day as it is written in files; empty where the text names none."""
    day = day_of(text.strip())
    return day.isoformat() if day else ""


def line_of(text: str) -> str:
    """Return a text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"


def shortened(text: str, most: int) -> str:
    """Return the whole sentences of a text that fit into so many characters; of one that is longer, its beginning."""
    text = text.strip()
    if len(text) <= most:
        return text
    end = 0
    for sentence in sentences(text):
        found = text.find(sentence, end) + len(sentence)
        if found > most:
            break
        end = found
    return text[:end].strip() or f"{text[: most - 1]}…"


def once(evidence: Sequence[str]) -> list[str]:
    """Return ids in their order, each once."""
    return list(dict.fromkeys(evidence))
