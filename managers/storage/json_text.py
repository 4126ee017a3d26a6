"""JSON that others may have written: whatever is wrong with it is one error, and no text in it is half a character."""

import json
from typing import Any, Final

from managers.storage.paths import is_text
from managers.storage.spelling import decode

_NESTING: Final = (dict, list)
_DEEPEST: Final = 100
"""Levels. How many Python itself can follow depends on who asks: what one function reads another could not."""


class NotJsonError(ValueError):
    """It is no JSON, or none that can be read: not text, nested without end, numbers of thousands of digits."""


def load_json(data: bytes | str) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    """Return a JSON value. Escaped halves of characters are joined; a half that is alone becomes U+FFFD.

    Raises:
        NotJsonError: nothing else, whatever the data are.
    """
    try:
        text = data if isinstance(data, str) else decode(data)[0]
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from error
    if text.count("[") + text.count("{") > _DEEPEST and _is_deep(value):
        raise NotJsonError("nested too deeply")
    return mended(value) if "\\ud" in text or "\\uD" in text or not is_text(text) else value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        inside = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, _NESTING))
        level = [one for values in inside for one in values if isinstance(one, _NESTING)]
        if not level:
            return False
    return True


def mended(value: object) -> Any:  # noqa: ANN401  # as above
    """Return a JSON value with such halves joined or replaced in all its texts."""
    return json.loads(without_lone(json.dumps(value, ensure_ascii=False)))


def without_lone(text: str) -> str:
    """Return the text with halves that stand side by side joined, and lone ones replaced."""
    return text if is_text(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
