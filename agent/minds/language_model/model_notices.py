"""The notices of a mind that takes a reduced way."""

from __future__ import annotations

from collections.abc import Sequence

from agent.minds.language_model.provider import Feature
from agent.prompts.texts import Texts, table
from managers.storage.errors import Notice

_say = Texts("minds")


def cannot_see(model: str) -> Notice:
    """Images were sent to a model that cannot see."""
    return _notice("mind-cannot-see", model=model)


def fewer_tools(model: str, tokens: int, missing: Sequence[str]) -> Notice:
    """The model reads too little for the descriptions of all tools."""
    known = table("tools")["tool"]
    deeds = [known[name]["short"] if name in known else {"ja": name, "en": name} for name in missing]
    listed = {"ja": "、".join(one["ja"] for one in deeds), "en": ", ".join(one["en"] for one in deeds)}
    return _notice("mind-fewer-tools", model=model, tokens=tokens, deeds=listed)


def cut_short(model: str) -> Notice:
    """The answer reached the limit of its length."""
    return _notice("mind-cut-short", model=model)


def does_without(model: str, feature: Feature) -> Notice | None:
    """The model or its server refused a feature; None where a person would not notice."""
    if feature == "images":
        return cannot_see(model)
    return _notice("mind-without-tools", model=model) if feature == "tools" else None


def _notice(code: str, **facts: object) -> Notice:
    told = _say.both(code, **facts)
    return Notice(code, told["ja"], told["en"], level="info")
