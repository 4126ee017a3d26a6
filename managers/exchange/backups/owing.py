"""What was erased while the backups could not be reached: they lose the whole persona, as soon as they can be.

What the erased words were is forgotten by then, as it must be; so nothing smaller than the persona's folder can go. The
backups that are made from then on hold it again, without those words.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from managers.exchange.backups.listing import File, Head, Proof
from managers.exchange.backups.repository import Repository
from managers.exchange.backups.restoring import contents
from managers.exchange.backups.state import Owed, State, change_state, read_state
from managers.storage.errors import UtataneError
from managers.storage.paths import Home

_MARK_FILE: Final = "/.persona-id"
_LONGEST_MARK: Final = 100


def owe(home: Home, place: Path, mark: str, until: datetime, paid: Iterable[Path] = ()) -> None:
    """Note that backups in a place hold what was erased, but for where it was reached under another path (`paid`).

    Raises:
        DiskFullError, UnwritableError, BusyError
    """
    owed = Owed(
        place=str(place), mark=mark, until=until.isoformat(timespec="seconds"), paid=tuple(sorted(map(str, paid)))
    )

    def note(state: State) -> State:
        others = (one for one in state.owed if (one.place, one.mark) != (owed.place, mark))
        return state.model_copy(update={"owed": (*others, owed)})

    change_state(home, note)


def pay(home: Home, repository: Repository, place: Path) -> None:
    """Take out of a place's backups what they should no longer hold; the repository is being worked in.

    A disk may have come back under another path, or a copy of it: so what is owed to the former path stays noted.
    """
    here, state = str(place), read_state(home)
    due = [
        one
        for one in state.owed
        if one.place == here or (state.places.get(one.place) == repository.id and here not in one.paid)
    ]
    if not due:
        return
    for head in repository.heads():
        marks = {one.mark for one in due if head.utc <= datetime.fromisoformat(one.until)}
        if marks:
            without_personas(repository, head, marks)
    repository.collect(at_once=True)

    def note(state: State) -> State:
        left = (one for one in state.owed if one not in due or one.place != here)
        paid = (one.model_copy(update={"paid": (*one.paid, here)}) if one in due else one for one in left)
        return state.model_copy(update={"owed": tuple(paid)})

    change_state(home, note)


def without_personas(repository: Repository, head: Head, marks: set[str]) -> None:
    """Take personas out of a backup; one that nobody can look into goes whole."""
    try:
        files = repository.files_of(head)
        folders = folders_of(repository, files, marks)
    except UtataneError:
        repository.remove(head)
        return
    if folders:
        names = {folder.split("/")[-2] for folder in folders}
        away = (*folders, *(one for name in names for one in beside(name)))
        rewrite(repository, head, [file for file in files if not file.path.startswith(away)])


def beside(name: str) -> tuple[str, str]:
    """Return where a backup holds words of a persona outside its folder, to go whole.

    That is what was set aside of it, and what conversations of several left in the middle term: the next backup has
    both as the home has them by then.
    """
    return f"characters/.set-aside/{name}-", "sessions/"


def folders_of(repository: Repository, files: list[File], marks: set[str]) -> tuple[str, ...]:
    """Return the folders (`characters/Mei/`) in a backup that bear one of these marks, wherever they lay.

    Raises:
        BackupDamagedError: nobody can tell.
    """
    found = []
    for file in files:
        if file.path.endswith(_MARK_FILE) and file.size <= _LONGEST_MARK:
            mark = b"".join(contents(repository, file)).decode("ascii", "replace").strip()
            if mark in marks:
                found.append(file.path.removesuffix(_MARK_FILE[1:]))
    return tuple(found)


def rewrite(repository: Repository, head: Head, files: list[File]) -> Head:
    """Let a backup hold other files than before; it has to be proved anew.

    Raises:
        DiskFullError, UnwritableError: it is as it was.
    """
    changed = replace(head, files=len(files), bytes=sum(file.size for file in files), proof=Proof())
    return repository.save(changed, files)
