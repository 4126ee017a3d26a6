"""The training that the page asked for: one at a time in this process, while all else goes on."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.growing import Growth
from agent.memories import Memories
from managers.growth.adapters import Card
from managers.growth.errors import TrainingUnderWayError
from managers.mind import Cancel
from managers.storage.edges import said
from managers.storage.errors import UtataneError


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a training is, or how the last one ended.

    Attributes:
        persona: whose; empty before the first one.
        step, of: steps that are done, and all; 0 until that is known.
        is_running, is_stopping: whether it goes on, and whether it was asked to end.
        card: what came of it; None where it was stopped or failed.
        error: why it failed.
    """

    persona: str = ""
    step: int = 0
    of: int = 0
    is_running: bool = False
    is_stopping: bool = False
    card: Card | None = None
    error: UtataneError | None = None


class GrowthJobs:
    """Trains in the background. Safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._lock = threading.Lock()
        self._cancel = Cancel()
        self._thread: threading.Thread | None = None
        self._progress = TrainingProgress()

    @property
    def mark(self) -> str:
        """What changes whenever a page would show it in another way."""
        one = self._progress
        return f"{one.persona}-{one.step}-{one.is_running}-{one.is_stopping}"

    def of(self, persona: str) -> TrainingProgress:
        """Return how far a persona's training is; of one that never began, that nothing is there."""
        found = self._progress
        return found if found.persona == persona else TrainingProgress(persona)

    def begin(self, memories: Memories) -> None:
        """Begin to train a persona's next version.

        Raises:
            TrainingUnderWayError: one goes on, this persona's or another's.
        """
        with self._lock:
            if self._progress.is_running:
                raise TrainingUnderWayError(persona=self._progress.persona)
            self._cancel = Cancel()
            self._progress = TrainingProgress(memories.paths.name, is_running=True)
            self._thread = threading.Thread(target=self._train, args=(Growth(memories), self._cancel), name="growth")
            self._thread.start()

    def stop(self, persona: str) -> None:
        """Let a persona's training end; what was done is kept, and the next one goes on from there."""
        with self._lock:
            if self._progress.is_running and self._progress.persona == persona:
                self._cancel.set()
                self._progress = replace(self._progress, is_stopping=True)

    def settle(self, persona: str = "") -> None:
        """Wait for the training that goes on, or for a persona's."""
        thread = self._thread
        if thread is not None and persona in {"", self._progress.persona}:
            thread.join()

    def let_go(self, persona: str) -> None:
        """Stop a persona's training, and wait for that: its folder is to be moved."""
        self.stop(persona)
        self.settle(persona)

    def close(self) -> None:
        """End with the program."""
        self.let_go(self._progress.persona)

    def _train(self, growth: Growth, cancel: Cancel) -> None:
        card, error = None, None
        try:
            card = growth.train(self._told, cancel)
        except Exception as failure:  # noqa: BLE001  # the edge of a thread: it is shown on the page
            error = said(failure, "a training")
        with self._lock:
            self._progress = replace(self._progress, is_running=False, is_stopping=False, card=card, error=error)

    def _told(self, facts: Mapping[str, Any]) -> None:
        if "step" in facts:
            with self._lock:
                self._progress = replace(self._progress, step=int(facts["step"]), of=int(facts["of"]))
