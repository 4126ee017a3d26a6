"""Try a mind out, for the settings page: what is wrong with the key, the model or the address."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from agent.errors import MindError, NoModelError, UnknownModelError
from agent.minds.language_model import LanguageModelMind
from agent.minds.servers import list_models
from managers.mind import Cancel, Mind
from managers.storage.errors import Lang

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """How a trial ended, in one sentence."""

    ok: bool
    ja: str
    en: str

    def sentence(self, lang: Lang) -> str:
        """Return the sentence for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


def test_mind(  # the settings page's button has this name
    mind: Mind,
    *,
    cancel: Cancel | None = None,  # noqa: PT028  # no pytest test
    monotonic: Callable[[], float] = time.monotonic,  # noqa: PT028  # no pytest test
) -> Finding:
    """Ask the mind for a word and say how it went. A language model is really called, once."""
    if not isinstance(mind, LanguageModelMind):
        return Finding(ok=True, ja="内蔵のこころは、いつでも使えます。", en="The built-in mind is always there.")
    started = monotonic()
    try:
        mind.say_a_word(cancel or Cancel())
    except MindError as error:
        return _wrong(mind, error)
    seconds = f"{monotonic() - started:.1f}"
    return Finding(
        ok=True,
        ja=f"モデル「{mind.name}」は{seconds}秒で答えました。一度に{mind.context_tokens:,}トークンまで読みます。",
        en=f'The model "{mind.name}" answered in {seconds} s. It reads up to {mind.context_tokens:,} tokens at once.',
    )


test_mind.__test__ = False  # type: ignore[attr-defined]  # its name is the page's word, not pytest's


def _wrong(mind: LanguageModelMind, error: MindError) -> Finding:
    ja, en = error.sentence("ja"), error.sentence("en")
    if isinstance(error, UnknownModelError | NoModelError):
        endpoint = mind.endpoint
        names = list_models(endpoint.address, endpoint.key)[:_SHOWN]
        if names:
            ja += f"使えるのは {'、'.join(names)} などです。"
            en += f" It has: {', '.join(names)}."
    return Finding(ok=False, ja=ja, en=en)
