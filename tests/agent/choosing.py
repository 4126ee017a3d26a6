"""A chooser with one mind, which says what it is told to. (`tests/fakes.py` is for all floors, and knows no agent.)"""

from __future__ import annotations

from agent.minds.choose import Choice
from agent.minds.status import MindStatus
from managers.mind import Mind
from managers.storage.errors import Lang
from managers.storage.settings import MindSettings, Settings
from managers.usage.ledger import Purpose


class Always:
    """Chooses the same mind always; another one for inner work, if it is given one."""

    def __init__(self, mind: Mind, small: Mind | None = None) -> None:
        self.mind = mind
        self.small = small

    def choose(
        self, settings: MindSettings, language: Lang, *, persona: str = "", purpose: Purpose = "other"
    ) -> Choice:
        return _choice(self.mind)

    def choose_small(
        self, settings: MindSettings, language: Lang, *, persona: str = "", purpose: Purpose = "other"
    ) -> Choice:
        return _choice(self.small or self.mind)

    def stand_in(self, settings: Settings) -> None:
        """Nobody: there is no cap."""

    def is_known(self, settings: MindSettings) -> bool:
        return True

    def is_stopped(self, persona: str) -> bool:
        return False


def _choice(mind: Mind) -> Choice:
    return Choice(mind, MindStatus(mind.name, "台本", "a script", is_language_model=True, leaves_machine=False))
