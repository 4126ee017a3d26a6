"""The graphics card of this computer, where it has memory enough for a model of its own.

The engine that comes with the program computes on the processor (on a Mac on its graphics, too); Ollama uses such a card.
"""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_LEAST_GIGABYTES: Final = 5.5
"""A small model and its context fit; a card that is sold with 6 GB tells of somewhat less."""
_SECONDS: Final = 5.0
_QUERY: Final = ("--query-gpu=name,memory.total", "--format=csv,noheader,nounits")


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card: what its maker calls it, and its memory in gigabytes."""

    name: str
    gigabytes: float


@cache
def graphics_card() -> Card | None:
    """Return the card with the most memory, where that is enough; asking takes up to some seconds, once."""
    cards = [one for one in (*_nvidia(), *_amd(Path("/sys/class/drm"))) if one.gigabytes >= _LEAST_GIGABYTES]
    return max(cards, key=lambda one: one.gigabytes, default=None)


def _nvidia() -> Iterator[Card]:
    """Yield what the driver's own program tells; without a driver the card is of no use."""
    if not (program := shutil.which("nvidia-smi")):
        return
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        told = subprocess.run(  # noqa: S603  # the driver's own program, where the system looks for programs
            [program, *_QUERY], capture_output=True, text=True, timeout=_SECONDS, check=True, creationflags=hidden
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return
    for line in told.splitlines():
        name, _, mebibytes = line.rpartition(",")
        if mebibytes.strip().isdecimal():
            yield Card(name.strip(), int(mebibytes) / 1024)


def _amd(cards: Path) -> Iterator[Card]:
    """Yield what Linux tells of cards that have memory of their own."""
    for path in sorted(cards.glob("card?/device/mem_info_vram_total")):
        try:
            yield Card("AMD Radeon", int(path.read_text("ascii")) / 2**30)
        except (OSError, ValueError):
            continue
