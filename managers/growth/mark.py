"""When a persona has grown enough for an adapter of its own to be trained."""

from __future__ import annotations

from typing import Protocol

from managers.growth.kpi import Kpi


class Marked(Protocol):
    """Settings that say where the mark is."""

    @property
    def mark(self) -> float:
        """So much must have come together since the last training; 0: none is ever due."""


def due_for_growth(kpi: Kpi, settings: Marked, *, trained_at: float = 0) -> bool:
    """Tell whether so much has come together since the last training that another one is worth it.

    Args:
        kpi: what there is now.
        settings: where the mark is.
        trained_at: the weighted sum at the last training.
    """
    return settings.mark > 0 and kpi.total - trained_at >= settings.mark
