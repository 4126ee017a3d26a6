"""An archive: the persona's folder as a ZIP file, with a manifest that says what every file is to be."""

import hashlib
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from typing import IO, Final

from managers.exchange.archives.manifest import MANIFEST, ArchivedFile, Manifest, entry_name
from managers.exchange.archives.snapshot import HeldFile, Moment

_BLOCK: Final = 1024 * 1024
_WORTH: Final = 0.95
"""What the beginning of a file does not shrink to is stored as it is: pictures, archives, whatever is packed already."""

Change = Callable[[str, bytes], bytes | None]
"""Takes a file's path in the persona's folder and what is in it; returns what the archive gets, None where that is nothing."""
Choice = Callable[[str], Change | None]
"""Tells what is to become of a file, by its path; None: it comes along as it is."""
Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1; what it raises ends the work."""


def nobody_asks(_done: float) -> None:
    """Tell nobody how far work has come."""


def write_archive(
    target: IO[bytes],
    moment: Moment,
    manifest: Manifest,
    choice: Choice | None = None,
    progress: Progress = nobody_asks,
) -> Manifest:
    """Write an archive; the manifest stands at its end.

    Args:
        target: where to; it need not be able to go back.
        moment: the files.
        manifest: what is known of the archive before; its files and folders are filled in here.
        choice: what becomes of each file on its way; not given: nothing. What is changed is read whole.
        progress: is told how far it is.

    Returns:
        the manifest as it stands there.
    """
    total = sum(held.size for held in moment.files) or 1
    files: dict[str, ArchivedFile] = {}
    done = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for held in moment.files:
            name = entry_name(held.name)
            told = partial(_tell, progress, done, total)
            archived = _add(archive, f"{manifest.persona}/{name}", held, choice and choice(held.name), told)
            if archived is not None:
                files[name] = archived
            done += held.size
            progress(done / total)
        folders = [entry_name(name) for name in moment.empty_folders]
        for name in folders:
            archive.mkdir(f"{manifest.persona}/{name}")
        written = manifest.model_copy(update={"files": files, "folders": folders})
        archive.writestr(MANIFEST, written.model_dump_json(indent=1))
    return written


def _tell(progress: Progress, done: int, total: int, size: int) -> None:
    progress((done + size) / total)


def _add(
    archive: zipfile.ZipFile, entry: str, held: HeldFile, change: Change | None, told: Callable[[int], None]
) -> ArchivedFile | None:
    """Put a file into the archive; return what the manifest says of it, None if nothing of it is to be there."""
    info = zipfile.ZipInfo.from_file(held.path, entry, strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    with held.open() as source:
        if change is not None:
            changed = change(held.name, source.read())
            if changed is None:
                return None
            archive.writestr(info, changed)
            return ArchivedFile(size=len(changed), sha256=hashlib.sha256(changed).hexdigest(), modified=held.modified)
        size, seal = 0, hashlib.sha256()
        block = source.read(_BLOCK)
        if len(zlib.compress(block, 1)) > _WORTH * len(block):
            info.compress_type = zipfile.ZIP_STORED
        with archive.open(info, "w", force_zip64=held.size >= zipfile.ZIP64_LIMIT // 2) as inside:
            while block:
                inside.write(block)
                seal.update(block)
                size += len(block)
                told(size)
                block = source.read(_BLOCK)
    return ArchivedFile(size=size, sha256=seal.hexdigest(), modified=held.modified)
