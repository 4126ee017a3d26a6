"""Models that Ollama can fetch and that speak well for their size: which of them suits this computer and a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import psutil

from agent.minds.language_model.families import table
from managers.storage.errors import Lang

GIGABYTE = 1_000_000_000
_TOLD_AS = 0.9
"""A computer with 8 GB tells of somewhat less: graphics and firmware take theirs before."""
_GROWS_BY, _BESIDE = 1.3, 1.5
"""What a model takes in memory: its size and the context it reads, and gigabytes for what else has to run."""


@dataclass(frozen=True, slots=True)
class SmallModel:
    """A model in Ollama's library (`assets/models.toml`).

    Attributes:
        name: what Ollama calls it.
        gigabytes: how much is fetched.
        memory: with so many gigabytes of memory it is comfortable.
        context: how much it could read at most, in tokens.
        sees: pictures.
        tools: it can use tools, such as noting something down.
        thinks: it thinks before it speaks, so its first words come later.
        languages: those of ours that it speaks.
        licence: under which it may be used.
        as_of: the day on which all of this was looked up.
    """

    name: str
    gigabytes: float
    memory: int
    context: int
    sees: bool
    tools: bool
    thinks: bool
    languages: Sequence[Lang]
    licence: str
    as_of: date

    def fits(self, memory: float) -> bool:
        """Tell whether so many gigabytes of memory hold it at all."""
        return self.gigabytes * _GROWS_BY + _BESIDE <= memory


def memory_gigabytes() -> float:
    """Return how much memory this computer has, as memory is sold: 2**30 bytes each."""
    return psutil.virtual_memory().total / 2**30


def known_models() -> list[SmallModel]:
    """Return all of the table, the most capable first."""
    return [SmallModel(**entry) for entry in table()["pull"]]


def suitable(language: Lang, memory: float) -> list[SmallModel]:
    """Return the models for a language and so many gigabytes of memory; the first is the one to recommend."""
    fitting = [model for model in known_models() if language in model.languages and model.fits(memory)]
    return sorted(fitting, key=lambda model: model.memory * _TOLD_AS > memory)
