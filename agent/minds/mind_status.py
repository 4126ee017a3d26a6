"""Which mind speaks, as people are told."""

from dataclasses import dataclass, replace

from agent.minds.engine.engine import SERVICE as ENGINE
from agent.minds.protocol import Mind
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("prompts/minds")


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
        return self.ja if lang == "ja" else self.en


def capped_status() -> MindStatus:
    """Return what people are told when the built-in mind speaks because a cap has been reached."""
    told = _say.both("status.capped")
    return replace(built_in_status(), ja=told["ja"], en=told["en"])


def built_in_status() -> MindStatus:
    """Return what people are told when the built-in mind speaks."""
    told = _say.both("status.built_in")
    return MindStatus("built-in", told["ja"], told["en"], is_language_model=False, leaves_machine=False)


def status_of(mind: Mind) -> MindStatus:
    """Return what people are told when a mind speaks."""
    endpoint, name = mind.endpoint, mind.name
    if endpoint is None:
        return built_in_status()
    way = (
        "engine"
        if endpoint.service == ENGINE
        else "gemini"
        if endpoint.service == "Gemini"
        else "elsewhere"
        if endpoint.leaves_machine
        else "here"
    )
    told = _say.both(f"status.{way}", service=endpoint.service, name=name)
    return MindStatus(name, told["ja"], told["en"], is_language_model=True, leaves_machine=endpoint.leaves_machine)
