"""What a form has brought for an import: one file, several, or a folder, laid as they stood where they came from."""

import re
from collections.abc import Callable, Collection, Sequence
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from managers.storage.opening import PRIVATE_FOLDER
from managers.storage.paths import safe_name

Sent: TypeAlias = tuple[str, Callable[[Path], object]]
"""What a file is called, with the folders that it was in, and what lays it somewhere."""
_ODD: Final = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
"""What some system does not take in a name."""


def lay(folder: Path, files: Sequence[Sent]) -> Path:
    """Lay files into a folder in which nothing is; return what is to be read: the one file, or the folder that holds them.

    Several that were in no folder get one, called after the first of them. Hidden files stay out: they are the system's.

    Raises:
        UnsafeNameError: the one file cannot be called so.
        OSError
    """
    if len(files) == 1 and "/" not in files[0][0]:
        [(name, put)] = files
        put(file := folder / safe_name(name))
        return file
    found: dict[PurePosixPath, Callable[[Path], object]] = {}
    for name, put in files:
        if (place := _place_of(name)) is not None:
            found[_free(place, found)] = put
    tops = {place.parts[0] if len(place.parts) > 1 else "" for place in found}
    within = folder if len(tops) == 1 and "" not in tops else folder / _together(found)
    for place, put in found.items():
        (within / place).parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        put(within / place)
    return within / tops.pop() if within == folder else within


def _together(places: Collection[PurePosixPath]) -> str:
    return f"{min(places).parts[0]} +{len(places) - 1}" if places else "-"


def _free(place: PurePosixPath, taken: Collection[PurePosixPath]) -> PurePosixPath:
    """Return a place that no other file has: two names may be the same on the disk, and none is to be lost."""
    others = (place.with_name(f"{place.stem} {number}{place.suffix}") for number in count(2))
    return next(one for one in chain([place], others) if one not in taken)


def _place_of(name: str) -> PurePosixPath | None:
    """Return where a file of a folder belongs; None for a hidden one, or one that would lead out of the folder."""
    parts = [part for part in name.split("/") if part]
    if not parts or any(part.startswith(".") for part in parts):
        return None
    return PurePosixPath(*(_ODD.sub("_", part) for part in parts))
