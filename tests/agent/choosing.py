"""A mind that says what it is told to, and a chooser with one mind."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from agent.minds.builtin import BuiltInMind
from agent.minds.choose import CAREFUL, Choice
from agent.minds.masking import Masking
from agent.minds.mind_status import MindStatus
from agent.minds.protocol import Mind
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece
from managers.storage.settings import MindSettings, Settings
from managers.usage.ledger import Purpose

Script = Sequence[ReplyPiece | Exception | Callable[[ReplyRequest], ReplyPiece]]


class ScriptedMind(BuiltInMind):
    """A mind that answers from a queue, and sleeps as the built-in one; what it was asked stands in `requests`."""

    name = "scripted"
    can_see = True

    def __init__(self, *answers: str | Script, context_tokens: int = 32_000) -> None:
        super().__init__()
        self.context_tokens = context_tokens
        self.requests: list[ReplyRequest] = []
        self._answers: deque[Script] = deque([TextPiece(a)] if isinstance(a, str) else a for a in answers)

    def enqueue(self, *answers: str | Script) -> None:
        """Add answers."""
        self._answers.extend([TextPiece(a)] if isinstance(a, str) else a for a in answers)

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        self.requests.append(request)
        for step in self._answers.popleft():
            if cancel.is_set():
                return
            if isinstance(step, Exception):
                raise step
            yield step(request) if callable(step) else step


class Always:
    """Chooses the same mind always; another one for inner work, if it is given one."""

    def __init__(self, mind: Mind, small: Mind | None = None) -> None:
        self.mind = mind
        self.small = small

    def choose(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        return _choice(self.mind)

    def choose_small(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
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
