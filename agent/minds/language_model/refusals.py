"""Tell which feature a server refused, from what it said, so that the mind can do without it."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from agent.minds.language_model.provider import Feature

_SAYS: dict[Feature, re.Pattern[str]] = {
    "images": re.compile(r"image|vision|multimodal|multi-modal|mmproj|image_url", re.IGNORECASE),
    "thoughts": re.compile(r"thinking|include_?thoughts|thinking_?config", re.IGNORECASE),
    "usage": re.compile(r"stream_options|include_usage", re.IGNORECASE),
    "structured": re.compile(
        r"response_?format|json_schema|json mode|response_?mime_?type|response_?schema|grammar|structured output|"
        r"response_?json_?schema",
        re.IGNORECASE,
    ),
    "answer_limit": re.compile(r"max_(completion_)?tokens", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "system_role": re.compile(
        r"system (role|message|prompt|instruction)s?\b.{0,40}(not supported|unsupported|not enabled)|"
        r"developer instruction is not enabled|system role",
        re.IGNORECASE | re.DOTALL,
    ),
    "tools": re.compile(r"\btools?\b|tool[_ -](choice|call|use)|function[_ -]?call|--jinja", re.IGNORECASE),
}
"""In this order: a message about the schema of an answer may mention tools in passing."""


def refused_feature(said: str, wanted: AbstractSet[Feature]) -> Feature | None:
    """Return the feature that the server's words refuse, if it was asked for at all."""
    if not said:
        return None
    return next((feature for feature, pattern in _SAYS.items() if feature in wanted and pattern.search(said)), None)
