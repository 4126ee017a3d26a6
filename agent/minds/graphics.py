"""The graphics card of this computer: Ollama uses it, the engine that comes with the program does only on a Mac."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_LEAST_GIGABYTES: Final = 5.5
"""A small model and its context fit; a card that is sold with 6 GB tells of somewhat less."""
_QUIET: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_QUERY: Final = ("--query-gpu=name,memory.total", "--format=csv,noheader,nounits")


@cache
def graphics_card() -> str:
    """Return what the largest card is called; empty where none has memory enough for a model. It may take seconds, once."""
    gigabytes, name = max((*_nvidia(), *_amd()), default=(0.0, ""))
    return name if gigabytes >= _LEAST_GIGABYTES else ""


def _nvidia() -> Iterator[tuple[float, str]]:
    """Yield what the driver's own program tells; without a driver the card is of no use."""
    if not (program := shutil.which("nvidia-smi")):
        return
    try:  # the driver's own program, where the system looks for programs
        told = subprocess.check_output([program, *_QUERY], text=True, timeout=5, creationflags=_QUIET)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return
    for line in told.splitlines():
        name, _, mebibytes = line.rpartition(",")
        if mebibytes.strip().isdecimal():
            yield int(mebibytes) / 1024, name.strip()


def _amd() -> Iterator[tuple[float, str]]:
    """Yield what Linux tells of cards that have memory of their own."""
    for path in Path("/sys/class/drm").glob("card?/device/mem_info_vram_total"):
        with suppress(OSError, ValueError):
            yield int(path.read_text("ascii")) / 2**30, "AMD Radeon"
