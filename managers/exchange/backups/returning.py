"""A whole home, a persona, or a file brought back from a backup: beside what is there, or in its place if that is asked."""

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

from managers.exchange.backups.errors import NotInBackupError, RestoreInPlaceError, RestoreTargetTakenError
from managers.exchange.backups.keeping import Backups, note_in_audits, snapshot
from managers.exchange.backups.listing import File, Head
from managers.exchange.backups.restoring import beneath, contents, restore_file
from managers.exchange.backups.state import read_state
from managers.personas import PersonaStore
from managers.personas.admissions import read_mark
from managers.personas.folders import arranging, building
from managers.personas.sensitive_settings import NOTHING
from managers.storage import opening
from managers.storage.audit import Given, record
from managers.storage.files import TEMPORARY_SUFFIX, explained, fsync_folder, make_folder, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths


def restore_home(backups: Backups, head: Head, target: Path) -> int:
    """Bring a whole home back into a folder that is not there yet, or empty; return how many files.

    Its personas wait before the door there, as in any home that comes from elsewhere.

    Raises:
        RestoreTargetTakenError, BackupDamagedError, BackupLockedError, DiskFullError, UnwritableError: nothing was made.
    """
    return _restored(backups, head, backups.files_in(head), "", target)


def restore_path(backups: Backups, head: Head, path: str, target: Path) -> int:
    """Bring one file, or a folder, of a home back under another path, where nothing is; return how many files.

    Raises:
        NotInBackupError, RestoreTargetTakenError, BackupDamagedError, BackupLockedError
        DiskFullError, UnwritableError: nothing was made.
    """
    files = backups.files_in(head, path)
    if [file.path for file in files] != [path]:
        return _restored(backups, head, beneath(files, path), path, target)
    if opening.look(target) is not None:
        raise RestoreTargetTakenError(path=target)
    file = files[0]
    named = File(target.name, file.size, file.mtime_ns, file.inode, file.sha256, file.chunks)
    try:
        make_folder(target.parent)
        restore_file(backups.repository(), named, target.parent)
        fsync_folder(target.parent)
    except OSError as error:
        raise explained(error, target) from error
    note_in_audits(backups.home, backups.clock, "from_backup", files)
    return 1


def restore_in_place(backups: Backups, head: Head, path: str) -> None:
    """Put a file of a home in the place of the one that is here, as an edit of it; all is backed up before.

    Raises:
        RestoreInPlaceError: it is a folder, or the program keeps it for itself (the history, what is hidden).
        NotInBackupError, BackupDamagedError, BackupLockedError, DiskFullError, UnwritableError, BusyError: nothing was
            changed.
    """
    home, parts = backups.home, path.split("/")
    if any(part.startswith(".") for part in parts) or [file.path for file in backups.files_in(head, path)] != [path]:
        raise RestoreInPlaceError(path=path)
    data = file_bytes(backups, head, path)
    snapshot(home, "restore", backups.clock)
    with ExitStack() as stack:
        if parts[0] == home.characters.name and len(parts) > len(("characters", "name")):
            stack.enter_context(writing(home.persona(parts[1])))
        target = opening.inside(home.folder, path)
        make_folder(target.parent)
        write_atomic(target, data)
    note_in_audits(backups.home, backups.clock, "from_backup", backups.files_in(head, path))


def restore_home_in_place(
    backups: Backups, personas: PersonaStore, head: Head, away: Callable[[str], AbstractContextManager[None]]
) -> list[str]:
    """Put each persona of a backup, and the settings, in the place of those that are here; return the names.

    Those that are here go to the trash, those that came since stay.

    Raises:
        UtataneError: as `restore_persona` raises it; those before are back.
    """
    names = backups.personas_in(head)
    back = [restore_persona(backups, personas, head, name, away=away) for name in names]
    with suppress(NotInBackupError):
        restore_in_place(backups, head, backups.home.settings.name)
    return back


def file_bytes(backups: Backups, head: Head, path: str) -> bytes:
    """Return one file of a backup.

    Raises:
        NotInBackupError, BackupDamagedError, BackupLockedError
    """
    found = next((file for file in backups.files_in(head, path) if file.path == path), None)
    if found is None:
        raise NotInBackupError(name=head.id, wanted=path)
    return b"".join(contents(backups.repository(), found))


def restore_persona(
    backups: Backups,
    personas: PersonaStore,
    head: Head,
    name: str,
    *,
    away: Callable[[str], AbstractContextManager[None]] | None = None,
) -> str:
    """Bring a persona back; return its name, a free one.

    Args:
        backups: where the backup lies.
        personas: of the home that it comes back to.
        head: the backup.
        name: of the persona's folder there.
        away: lets go of the persona of that name; given, the one that is here goes to the trash and the one from the
            backup takes its place. A snapshot is made before.

    Raises:
        NotInBackupError, BackupDamagedError, BackupLockedError, DiskFullError, UnwritableError, BusyError: nothing was
            changed.
        NotAdmissibleError: it is back, and waits before the door.
    """
    home, door = personas.home, personas.door
    files = beneath(backups.files_in(head, f"characters/{name}"), f"characters/{name}")
    repository = backups.repository()
    is_here = name in personas.list_names()
    if is_here and away is not None:
        snapshot(home, "restore", backups.clock)
    with arranging(home):
        admission = door.resident(name)[1] if is_here else None
        agreed = admission.agreed if admission else NOTHING
        free = personas.free_name(name)
        with building(home.characters, free) as folder:
            for file in files:
                restore_file(repository, file, folder)
        if is_here and away is not None:
            with away(name):
                personas.delete(name)
                (home.characters / free).rename(home.characters / name)
                fsync_folder(home.characters)
            free = name
        if head.home == read_state(home).home:
            paths = PersonaPaths(home.characters / free)
            mark = read_mark(paths)
            door.admit(free)
            door.admissions.note_former(paths, mark, backups.clock.utc())  # an erasure goes through those backups, too
            if agreed:
                door.admissions.agree(paths, agreed)
    record(home.persona(free), backups.clock.now(), "from_backup", Given({"files": len(files)}))
    return free


def _restored(backups: Backups, head: Head, files: list[File], path: str, target: Path) -> int:
    """Write what a backup holds under a path into a folder that is there once all of it is."""
    if opening.look(target) is not None and (not target.is_dir() or any(target.iterdir())):
        raise RestoreTargetTakenError(path=target)
    unfinished = target.with_name(f".{target.name}{TEMPORARY_SUFFIX}")
    repository = backups.repository()
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished)
        for file in files:
            restore_file(repository, file, unfinished)
        for folder, kind in opening.walk(unfinished):
            if kind == "folder":
                fsync_folder(folder)
        if opening.look(target) is not None:
            target.rmdir()
        os.replace(unfinished, target)  # noqa: PTH105  # an os call, which crash tests intercept
        fsync_folder(target.parent)
    except OSError as error:
        raise explained(error, target) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    note_in_audits(backups.home, backups.clock, "from_backup", backups.files_in(head, path))
    return len(files)
