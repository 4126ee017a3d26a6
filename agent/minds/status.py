"""Which mind speaks, as people are told."""

from __future__ import annotations

from dataclasses import dataclass

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
