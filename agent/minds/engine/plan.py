"""How a model is loaded on this computer: how much of a talk it reads, with how many threads, in how much memory."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from agent.minds.engine.errors import EngineMemoryError, NoTemplateError
from agent.minds.gguf import read_head
from managers.storage.settings import EngineSettings

SLOTS: Final = 2
"""One for talks, one for nights and other inner work: neither has the other's prompt read anew."""
_CONTEXTS: Final = (32_768, 16_384, 8_192, 4_096)
_SHARE, _SPARED_BYTES = 0.6, 256 << 20
"""A model is planned to take that much of all memory at most; it is loaded where it leaves so many bytes free."""
_CACHE_MIB: Final = (64, 512)
"""Prompts of other talks are kept in so much memory, at least and at most."""
_SECONDS, _BYTES_A_SECOND = 60.0, 20_000_000
"""How long loading may take, beside what a slow disk takes to read the file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the engine is asked for, and by which two that are asked for the same are known.

    Attributes:
        version: when the file was changed, and its size.
        context: how much each slot reads, in tokens; `least` where memory has no room for it.
        cache: MiB for prompts of other talks.
    """

    path: str
    name: str
    version: tuple[int, int]
    context: int
    least: int
    cache: int
    threads: int
    gpu_layers: int
    slots: int = SLOTS

    @property
    def mark(self) -> str:
        """What tells it from every other plan."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()

    @property
    def seconds(self) -> float:
        """How long loading may take."""
        return _SECONDS + self.version[1] / _BYTES_A_SECOND

    def fitted(self) -> "Plan":
        """Return the plan with as much context as there is memory for now.

        Raises:
            EngineMemoryError: the system would end something, and not always the engine.
        """
        head, free = read_head(Path(self.path)), memory_bytes()[1]
        for context in (self.context, *(one for one in _CONTEXTS if self.least <= one < self.context)):
            if (needed := head.needs_bytes(self.slots * context)) <= free - _SPARED_BYTES:
                return replace(self, context=context)
        told = {"needed": f"{needed / 2**30:.1f}", "free": f"{free / 2**30:.1f}"}
        raise EngineMemoryError(model=self.name, **told)


def plan_for(path: Path, settings: EngineSettings) -> Plan:
    """Return how a file is to be loaded, by all the memory that there is: it is the same today and tomorrow.

    Raises:
        ModelFileError, UnreadableError: it is no model, or none that talks.
        NoTemplateError: it does not say how a talk is written down.
    """
    head, memory, found = read_head(path), memory_bytes()[0], path.stat()
    if not head.has_template:
        raise NoTemplateError(model=path.stem, name=path.name)
    fitting = next((one for one in _CONTEXTS if head.needs_bytes(SLOTS * one) <= memory * _SHARE), _CONTEXTS[-1])
    context = min(settings.context_tokens or fitting, head.context or _CONTEXTS[0])
    return Plan(
        path=str(path),
        name=path.stem,
        version=(found.st_mtime_ns, found.st_size),
        context=context,
        least=context if settings.context_tokens else min(context, _CONTEXTS[-1]),
        cache=max(_CACHE_MIB[0], min(_CACHE_MIB[1], memory // 32 >> 20)),
        threads=settings.threads or max(1, cores() - 1),
        gpu_layers=settings.gpu_layers,
    )


def memory_bytes() -> tuple[int, int]:
    """Return how much memory there is for this program, and how much of it is free; a container has less than its computer."""
    import psutil  # noqa: PLC0415  # only where a model is loaded

    memory = psutil.virtual_memory()
    group = Path("/sys/fs/cgroup")
    try:
        most, used = (int((group / name).read_text("ascii")) for name in ("memory.max", "memory.current"))
        pages = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):  # no limit, or no Linux
        return memory.total, memory.available
    return min(memory.total, most), min(memory.available, most - used + int(pages.get("file", 0)))


def cores() -> int:
    """Return how many cores this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
