"""The sample personas that ship with the program, copied to the home folder once each."""

import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from managers.personas.folders import building, copy_durably, name_key, persona_folders
from managers.storage.errors import UnreadableError
from managers.storage.files import dump_json, read_bytes, write_atomic
from managers.storage.json_text import load_json
from managers.storage.paths import Home

logger = logging.getLogger(__name__)

FOR_GROUPS: Final = ("Lumina", "Claris", "Nox")
"""Samples for conversations of several: copied when they are asked for, so that nobody else sees them."""


def remembered(home: Home) -> list[str]:
    """Return the samples that were ever copied: one that the user deleted or renamed stays away."""
    data = read_bytes(_record(home))
    if data is None:
        return []
    try:
        names = load_json(data).get("copied", [])
    except (ValueError, AttributeError):  # broken: at worst a deleted sample comes once more
        return []
    return [name for name in names if isinstance(name, str)]


def copy_samples(
    home: Home, source: Path, let_in: Callable[[Path, str], None], wanted: Collection[str] = ()
) -> list[Path]:
    """Copy the samples that were never copied before; return the new folders.

    Args:
        home: where to.
        source: where the samples are.
        let_in: called with each new folder, and its name, before it stands under it.
        wanted: which of those for conversations of several; the others are copied only where none are.
    """
    try:
        known = remembered(home)
    except UnreadableError as error:  # nobody knows then which ones were copied, and deleted since
        logger.warning("no samples are copied: %s", error)
        return []
    keys = {name_key(name) for name in wanted}

    def is_due(name: str) -> bool:
        return (name_key(name) in keys) if keys else (name not in FOR_GROUPS)

    taken = {name_key(path.name) for path in persona_folders(home.characters)}
    new = []
    for sample in persona_folders(source):
        if sample.name in known or not (sample / "persona.json").exists() or not is_due(sample.name):
            continue
        if name_key(sample.name) not in taken:
            with building(home.characters, sample.name) as folder:
                copy_durably(sample, folder, ())
                let_in(folder, sample.name)
            new.append(home.characters / sample.name)
        known.append(sample.name)
        write_atomic(_record(home), dump_json({"copied": known}))
    return new


def _record(home: Home) -> Path:
    return home.folder / ".samples.json"
