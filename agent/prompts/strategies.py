"""What a prompt says of how help was taken before: a way that was welcome, and what to do instead of what was not."""

from collections.abc import Iterable
from typing import Final

from agent.prompts.quoting import one_line
from managers.language.reading.help_given import TRAITS
from managers.mind import Advice
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("prompts/strategies")
_JOINT: Final[dict[Lang, str]] = {"ja": "、", "en": ", "}


def mitigation(lang: Lang, fault: str) -> str:
    """Return what to do instead of what somebody complained of."""
    return _say(f"mitigations.{fault}", lang)


def manner(lang: Lang, strategy: Iterable[str]) -> str:
    """Say what answers are like, by their traits; those that nobody knows are left out."""
    return _JOINT[lang].join(_say(f"traits.{one}", lang) for one in strategy if one in TRAITS)


def advice(lang: Lang, given: Advice) -> list[str]:
    """Return the lines: warnings first, then what was welcome."""
    lines = [_say("warning", lang, mitigation=one_line(one)) for one in given.mitigations]
    if like := manner(lang, given.strategy):
        lines.append(_say("suggestion", lang, manner=like))
    if given.steps:
        steps = " → ".join(_say("step", lang, step=one_line(step)) for step in given.steps)
        lines.append(_say("steps", lang, steps=steps))
    return lines
