"""A cap that stops a call. Not a failure of the model: it was not asked."""

from managers.storage.errors import Notice, UtataneError
from managers.storage.settings import UsageSettings
from managers.storage.texts import Texts
from managers.usage.caps import Cap
from managers.usage.prices import NANO

_say = Texts("notices/usage")


class CapReachedError(UtataneError):
    """The call might pass a cap, and was not made. Facts: `cap`, and what it is in words: `cap_ja`, `cap_en`."""


class PriceUnknownError(CapReachedError):
    """There is a cap in money, and nobody here knows what the model costs. Facts: `model` besides."""


def cap_reached(cap: Cap, limits: UsageSettings, *, unpriced: str = "") -> CapReachedError:
    """Return the error that says which cap it was; `unpriced`: the model whose price nobody knows."""
    ja, en = cap_in_words(cap, limits)
    until_ja, until_en = {"day": ("あした", "tomorrow"), "month": ("来月", "next month")}[cap.span]
    facts = {"cap": cap, "cap_ja": ja, "cap_en": en, "until_ja": until_ja, "until_en": until_en}
    return PriceUnknownError(model=unpriced, **facts) if unpriced else CapReachedError(**facts)


def cap_in_words(cap: Cap, limits: UsageSettings) -> tuple[str, str]:
    """Return what a cap is called, in Japanese and in English."""
    span_ja, span_en = {"day": ("今日", "today"), "month": ("今月", "this month")}[cap.span]
    whose_ja, whose_en = (f"{cap.persona}の", f"{cap.persona}'s") if cap.persona else ("", "the")
    if cap.unit == "tokens":
        amount_ja, amount_en = f"{cap.limit:,} トークン", f"{cap.limit:,} tokens"
    else:
        amount_ja = amount_en = f"{cap.limit / NANO * limits.per_dollar:,.2f} {limits.currency}"
    return f"{whose_ja}{span_ja}の上限({amount_ja})", f"{whose_en} cap for {span_en} ({amount_en})"


def stands_in(error: CapReachedError) -> Notice:
    """Say that the built-in mind speaks in place of the model."""
    return _say.notice("usage-stand-in", "info", cap={"ja": error.facts["cap_ja"], "en": error.facts["cap_en"]})
