"""Trying a mind before one talks to it: what it answers, or what is wrong."""

from dataclasses import dataclass

from agent.minds.trial import try_mind
from agent.services import Services
from managers.storage.errors import UtataneError
from managers.storage.settings import MindSettings
from ui.locales import Texts
from ui.rooms.mind.choice import REMOTE


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of trying a mind.

    Attributes:
        sentence: which mind it is and how fast, or what is wrong.
    """

    works: bool
    sentence: str
    answer: str = ""


def trial(services: Services, mind: MindSettings, t: Texts, persona: str = "") -> list[Tried]:
    """Say hello to a mind, and to its small model where that is another one; nothing after a failure is tried.

    Args:
        services: which keys and servers there are.
        mind: the choice; it need not be kept yet, its key must be.
        t: the visitor's texts.
        persona: for whom it is counted.
    """
    ways = [(services.minds.choose, "mind.works")]
    if mind.internal_processing_model not in {"", mind.model} and mind.provider in REMOTE:
        ways.append((services.minds.choose_small, "mind.small_works"))
    tried: list[Tried] = []
    for choose, key in ways:
        try:
            choice = choose(mind, persona=persona, purpose="trial")
            said = try_mind(choice.mind, t("mind.trial_greeting"), t.lang, services.clock)
        except UtataneError as error:
            return [*tried, Tried(False, error.sentence(t.lang))]
        seconds = f"{said.first_words_ms / 1000:.1f}"
        sentence = t(key, sentence=choice.status.sentence(t.lang), seconds=seconds)
        tried.append(Tried(True, sentence, said.answer))
    return tried
