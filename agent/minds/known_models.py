"""What is known of models where no server can be asked, from `assets/models.toml`.

Families, by a pattern of a model's name; and the models that can be fetched and that speak well for their size: which of
those that Ollama has suits this computer and a language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from managers.storage.errors import Lang
from managers.storage.texts import table

GIGABYTE = 1_000_000_000
_TOLD_AS = 0.9
"""A computer with 8 GB tells of somewhat less: graphics and firmware take theirs before."""
_GROWS_BY, _BESIDE = 1.3, 1.5
"""What a model takes in memory: its size and the context it reads, and gigabytes for what else has to run."""


@dataclass(frozen=True, slots=True)
class Family:
    """What a model's name tells: 0 or None where it tells nothing."""

    context_tokens: int = 0
    can_see: bool | None = None
    thinks: bool = False
    """It can be asked for summaries of its thoughts."""


def family_of(model: str) -> Family:
    """Return what the table knows about a model; of a file, by its name alone."""
    model = PurePath(model).stem if model.endswith(".gguf") else model
    for entry in _table()["family"]:
        if re.search(entry["pattern"], model, re.IGNORECASE):
            thinks = entry.get("thinks")
            return Family(
                entry.get("context", 0),
                entry.get("sees"),
                bool(thinks and re.search(thinks, model, re.IGNORECASE)),
            )
    return Family()


def default_context(*, loopback: bool) -> int:
    """Return what to assume of a server that does not say how much its model reads."""
    return int(_table()["defaults"]["loopback" if loopback else "cloud"])


@dataclass(frozen=True, slots=True)
class SmallModel:
    """A model that can be fetched (`assets/models.toml`): by Ollama, as a file for the engine, or either way.

    Attributes:
        name: what Ollama calls it, and we.
        gigabytes, file_gigabytes: about how much is fetched by Ollama, and as a file; 0: it is not to be had so.
        active: billions of parameters that a token takes: how long reading and writing take a processor.
        memory: with so many gigabytes of memory it is comfortable.
        context: how much it could read at most, in tokens.
        sees: pictures.
        tools: it can use tools, such as noting something down.
        thinks: it thinks before it speaks, so its first words come later.
        languages: those of ours that it speaks.
        licence: under which it may be used.
        as_of: the day on which all of this was looked up.
        repository, revision, file: where the file lies (at huggingface.co); empty: Ollama alone has it.
        source: where that was looked up.
        thinks_as_file: so in the engine, too, which tells it not to.
        tried: somebody has fetched and heard it through this program.
        ja, en: what it is good for, in plain words.
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
    file_gigabytes: float = 0.0
    active: float = 0.0
    repository: str = ""
    revision: str = "main"
    file: str = ""
    source: str = ""
    tried: bool = False
    thinks_as_file: bool = False
    ja: str = ""
    en: str = ""

    def words(self, lang: Lang) -> str:
        """Return what it is good for."""
        return self.ja if lang == "ja" else self.en

    def fits(self, memory: float) -> bool:
        """Tell whether so many gigabytes of memory hold it at all."""
        return (self.gigabytes or self.file_gigabytes) * _GROWS_BY + _BESIDE <= memory

    def is_comfortable(self, memory: float) -> bool:
        """Tell whether so many gigabytes of memory leave room beside it."""
        return self.memory * _TOLD_AS <= memory


def memory_gigabytes() -> float:
    """Return how much memory this computer has, as memory is sold: 2**30 bytes each."""
    import psutil  # noqa: PLC0415  # only where a model may be fetched

    return psutil.virtual_memory().total / 2**30


def fetchable_models() -> list[SmallModel]:
    """Return all of the table, the most capable first."""
    return [SmallModel(**{"gigabytes": 0.0} | entry) for entry in _table()["model"]]


def known_models() -> list[SmallModel]:
    """Return those that Ollama can fetch."""
    return [model for model in fetchable_models() if model.gigabytes]


def suitable(language: Lang, memory: float) -> list[SmallModel]:
    """Return the models for a language and so many gigabytes of memory; the first is the one to recommend."""
    fitting = [model for model in known_models() if language in model.languages and model.fits(memory)]
    return sorted(fitting, key=lambda model: not model.is_comfortable(memory))


def _table() -> dict[str, Any]:
    return table("models")
