"""The sample personas that ship with the program, copied to the home folder once each."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path

from managers.personas.folders import building, copy_durably, name_key, persona_folders
from managers.storage.files import dump_json, read_bytes, write_atomic
from managers.storage.paths import Home


def remembered(home: Home) -> list[str]:
    """Return the samples that were ever copied: one that the user deleted or renamed stays away."""
    data = read_bytes(_record(home))
    if data is None:
        return []
    try:
        names = json.loads(data).get("copied", [])
    except (ValueError, AttributeError):  # broken: at worst a deleted sample comes once more
        return []
    return [name for name in names if isinstance(name, str)]


def copy_samples(home: Home, source: Path) -> list[Path]:
    """Copy the samples that were never copied before; return the new folders."""
    known = remembered(home)
    taken = {name_key(path.name) for path in persona_folders(home.characters)}
    new = []
    for sample in persona_folders(source):
        if sample.name in known or not (sample / "persona.json").exists():
            continue
        if name_key(sample.name) not in taken:
            with building(home.characters, sample.name) as folder:
                copy_durably(sample, folder, ())
                for path in folder.rglob("*"):  # the program's own files may be read-only; the copy is the user's
                    path.chmod(path.stat().st_mode | stat.S_IWUSR)
            new.append(home.characters / sample.name)
        known.append(sample.name)
        _remember(home, known)
    return new


def _remember(home: Home, names: Sequence[str]) -> None:
    write_atomic(_record(home), dump_json({"copied": list(names)}))


def _record(home: Home) -> Path:
    return home.folder / ".samples.json"
