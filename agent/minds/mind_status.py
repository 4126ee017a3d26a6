"""Which mind speaks, as people are told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent.minds.protocol import Mind
from managers.storage.errors import Lang


@dataclass(frozen=True, slots=True)
class MindStatus:
    """Which mind speaks, and why: shown on the page at all times.

    Attributes:
        name: as in the trailers, such as `built-in` or `gemini-2.5-flash`.
        ja, en: one sentence for people, such as "Ollama on this computer (llama3.2)".
        is_language_model: the built-in mind is none, and the page says so.
        leaves_machine: what is said goes over the network.
        is_answering: as far as is known; False from a call that found nobody until one succeeds.
    """

    name: str
    ja: str
    en: str
    is_language_model: bool
    leaves_machine: bool
    is_answering: bool = True

    def sentence(self, lang: Lang) -> str:
        """Return the sentence for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


def capped_status() -> MindStatus:
    """Return what people are told when the built-in mind speaks because a cap has been reached."""
    return replace(
        built_in_status(),
        ja="内蔵のこころ(使う量が上限に達したので、モデルの代わりに話しています)",
        en="The built-in mind (a cap has been reached, so it speaks in place of the model)",
    )


def built_in_status() -> MindStatus:
    """Return what people are told when the built-in mind speaks."""
    return MindStatus(
        name="built-in",
        ja="内蔵のこころ(言語モデルではありません)",
        en="The built-in mind (not a language model)",
        is_language_model=False,
        leaves_machine=False,
    )


def status_of(mind: Mind) -> MindStatus:
    """Return what people are told when a mind speaks."""
    endpoint, name = mind.endpoint, mind.name
    if endpoint is None:
        return built_in_status()
    if endpoint.service == "Gemini":
        ja, en = f"Gemini({name}): 話した内容はGoogleに送られます", f"Gemini ({name}): what you say is sent to Google"
    elif endpoint.leaves_machine:
        ja = f"{endpoint.service} の {name}: 話した内容はこのコンピューターの外に送られます"
        en = f"{name} at {endpoint.service}: what you say leaves this computer"
    else:
        ja, en = f"このコンピューターの {endpoint.service}({name})", f"{endpoint.service} on this computer ({name})"
    return MindStatus(name, ja, en, is_language_model=True, leaves_machine=endpoint.leaves_machine)
