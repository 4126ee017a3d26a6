"""Making an archive of a persona: of one moment, noted in the audit, with or without what is private or forgotten."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from managers.exchange.archives.manifest import Manifest
from managers.exchange.archives.snapshot import Moment, moment_of
from managers.exchange.archives.without_forgotten import WithoutForgotten, forgotten_in
from managers.exchange.archives.writing import Choice, Progress, nobody_asks, write_archive
from managers.exchange.exports.new_file import new_file
from managers.language.masking.file_masking import FileMask, is_plain_name
from managers.memory.log.reader import LogReader
from managers.storage.audit import Given, record
from managers.storage.history.history import History
from managers.storage.paths import PersonaPaths


@dataclass(frozen=True, slots=True)
class ArchiveWishes:
    """How an archive is to be.

    Attributes:
        is_masked: addresses, numbers and keys stand as placeholders, and files in which none can stand are left out.
        without_forgotten: what was forgotten or deleted, and the history, are left out.
        passphrase: it is encrypted with; None: it is not.
    """

    is_masked: bool = False
    without_forgotten: bool = False
    passphrase: str | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What was exported.

    Attributes:
        count: files of an archive, messages of a conversation, otherwise 1.
        left_out: the files that are not in an archive, because nothing can be hidden in them or because they hold what was
            forgotten.
        forgotten: how many forgotten and deleted messages and memories are in it; only an archive has any.
    """

    count: int
    left_out: tuple[str, ...] = ()
    forgotten: int = 0


def make_archive(
    paths: PersonaPaths,
    log: LogReader,
    history: History,
    file: Path,
    now: datetime,
    wishes: ArchiveWishes,
    progress: Progress = nobody_asks,
) -> Exported:
    """Write a persona into a new archive. Nobody who talks meanwhile has to wait.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError, DiskFullError: it cannot be written there; nothing is left of it.
        BusyError: somebody else has been writing, or exporting, for long.
        PassphraseNeededError: the passphrase is empty.
    """

    def note(count: int) -> None:
        """What goes out is noted before it goes, so that the copy has the note as well."""
        record(paths, now, "export", Given({"files": count}, is_masked=wishes.is_masked), at_once=True)

    forgotten = forgotten_in(log, history)
    with new_file(file, wishes.passphrase) as target, moment_of(paths, note) as moment:
        kept = WithoutForgotten(forgotten) if wishes.without_forgotten else None
        mask = FileMask() if wishes.is_masked else None
        files = tuple(one for one in moment.files if kept is None or kept.keeps(one.name))
        folders = moment.empty_folders
        if kept or mask:
            folders = tuple(one for one in folders if not one.startswith(paths.history.name))
        if mask:
            folders = tuple(filter(is_plain_name, folders))
        left = len(forgotten.messages) if mask else forgotten.count  # one that is masked has no history
        manifest = write_archive(
            target,
            Moment(files, folders),
            Manifest(
                persona=paths.name,
                made_at=now.isoformat(timespec="seconds"),
                masked=wishes.is_masked,
                history=kept is None and mask is None,
                forgotten=0 if kept else left,
            ),
            _both(kept, mask),
            progress,
        )
    left_out = [one.name for one in moment.files if one not in files]
    return Exported(len(manifest.files), (*left_out, *(mask.left_out if mask else ())), manifest.forgotten)


def _both(first: WithoutForgotten | None, second: FileMask | None) -> Choice | None:
    if first is None and second is None:
        return None

    def change(name: str, data: bytes) -> bytes | None:
        left = data if first is None else first(name, data)
        return left if second is None or left is None else second(name, left)

    return lambda name: change if second is not None or (first is not None and first.looks_into(name)) else None
