"""What a home folder knows of its backups: its own name among them, and what lay where (`.backups.json`).

It goes into the backups itself, so that a home that was restored goes on where it was.
"""

import json
import secrets
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from managers.storage.files import read_bytes, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding
from managers.storage.paths import Home


class Owed(BaseModel):
    """Backups that hold what was erased meanwhile, in a place that could not be reached. It holds no words.

    Attributes:
        place: where they lie.
        mark: of the persona (`.persona-id`).
        until: those made before this moment, UTC.
        paid: where the place of that id was reached under another path, and what was owed was done.
    """

    model_config = ConfigDict(frozen=True)

    place: str
    mark: str
    until: str
    paid: tuple[str, ...] = ()


class State(BaseModel):
    """What is known.

    Attributes:
        home: a random name, by which a home folder's own backups are known where several lie in one place.
        places: the id of the repository that was found in each place.
        owed: what is to be done as soon as a place can be reached.
    """

    model_config = ConfigDict(frozen=True)

    format: int = 1
    home: str = ""
    places: dict[str, str] = {}
    owed: tuple[Owed, ...] = ()


def read_state(home: Home) -> State:
    """Return what is known; what cannot be understood is as if it were not there."""
    try:
        return State.model_validate(load_json(read_bytes(home.backup_state) or b"{}"))
    except (NotJsonError, ValidationError):
        return State()


def change_state(home: Home, change: Callable[[State], State]) -> State:
    """Change what is known, and return it; a home that has no name yet is given one.

    Raises:
        DiskFullError, UnwritableError, BusyError
    """
    with holding(home.folder / ".backups.lock", home.folder.name):
        before = read_state(home)
        named = before if before.home else before.model_copy(update={"home": secrets.token_hex(8)})
        after = change(named)
        if after != before:
            write_atomic(home.backup_state, json.dumps(after.model_dump(mode="json"), indent=1) + "\n")
        return after


def same_disk(place: Path, home: Home) -> bool:
    """Tell whether a place lies on the disk of the home folder, as far as the system tells."""
    try:
        return place.stat().st_dev == home.folder.stat().st_dev
    except OSError:
        return False
