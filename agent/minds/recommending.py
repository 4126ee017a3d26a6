"""Which model to recommend to whom: by what this computer has before the first one is fetched, and by what was measured after."""

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.minds.engine.plan import cores, memory_bytes
from agent.minds.known_models import GIGABYTE, SmallModel, fetchable_models
from managers.fetching.fetch import SPARE_BYTES
from managers.storage.errors import Lang

SLOW: Final = 4.0
"""Tokens a second: whoever reads along waits for the words."""
_BILLIONS_A_CORE: Final = 1.05
"""Of parameters: with more a prompt is read for longer than anybody waits."""
_ABOUT_AS_MUCH: Final = 1.3


@dataclass(frozen=True, slots=True)
class Computer:
    """What decides which model it can carry.

    Attributes:
        memory: gigabytes, as memory is sold: 2**30 bytes each.
        free_bytes: on the disk where models go.
    """

    memory: float
    cores: int
    free_bytes: int


def this_computer(folder: Path) -> Computer:
    """Return what this one has."""
    import psutil  # noqa: PLC0415  # only where a model may be fetched

    place = next(one for one in (folder, *folder.parents) if one.is_dir())
    whole = min(psutil.cpu_count(logical=False) or cores(), cores())
    return Computer(memory_bytes()[0] / 2**30, whole, shutil.disk_usage(place).free)


def recommended(
    computer: Computer, lang: Lang, speeds: Mapping[str, float] | None = None, here: Collection[str] = ()
) -> list[SmallModel]:
    """Return the models for the engine that this computer can carry; the first is the one to recommend.

    `speeds` were measured here, in tokens a second, by name; those that are `here` need no room on the disk any more.
    """
    room = computer.free_bytes - SPARE_BYTES
    models = [
        model
        for model in fetchable_models()
        if model.file and lang in model.languages and model.fits(computer.memory)
        and (model.name in here or model.file_gigabytes * GIGABYTE < room)
    ]  # fmt: skip
    slow = [model for model in models if 0 < (speeds or {}).get(model.name, 0.0) < SLOW]

    def rank(model: SmallModel) -> tuple[bool, float]:
        is_quick = model.active <= computer.cores * _BILLIONS_A_CORE and all(_is_lighter(model, one) for one in slow)
        is_comfortable = model.is_comfortable(computer.memory)
        return (False, 0.0) if is_quick and is_comfortable else (True, model.active + 1000 * (not is_comfortable))

    return sorted(models, key=rank)


def _is_lighter(model: SmallModel, slow: SmallModel) -> bool:
    return 2 * model.file_gigabytes <= slow.file_gigabytes and model.active < _ABOUT_AS_MUCH * slow.active
