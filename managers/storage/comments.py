"""What a Markdown file says in its comments, in JSON: invisible where it is rendered, one line in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping


def comment(value: Mapping[str, object]) -> str:
    """Return JSON that may stand between `<!--` and `-->`, whatever is in it."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("--", "-\\u002d").replace("<", "\\u003c").replace(">", "\\u003e")
