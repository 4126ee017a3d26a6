"""The file that an export goes into: there whole or not at all, encrypted where a passphrase is given."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import psutil

from managers.exchange.encryption import encrypting
from managers.storage.errors import ExportExistsError
from managers.storage.files import explained, fsync_folder
from managers.storage.opening import open_descriptor

_TEMPORARY: Final = ".utatane-tmp"


@contextmanager
def new_file(file: Path, passphrase: str | None = None) -> Iterator[IO[bytes]]:
    """Give a file to write into; it bears its name once the block has ended without an error.

    What a killed process left behind under another name is removed by the next export of that name.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError, DiskFullError: it cannot be written there; nothing is left.
        PassphraseNeededError: the passphrase is empty.
    """
    if file.exists():
        raise ExportExistsError(path=file)
    temporary = file.with_name(f".{file.name}.{os.getpid()}{_TEMPORARY}")
    try:
        _remove_left_over(file)
        descriptor = open_descriptor(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as written:
            if passphrase is None:
                yield written
            else:
                with encrypting(written, passphrase, file) as encrypted:
                    yield encrypted
            written.flush()
            os.fsync(written.fileno())
        temporary.replace(file)
        fsync_folder(file.parent)
    except OSError as error:
        raise explained(error, file) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _remove_left_over(file: Path) -> None:
    begin = f".{file.name}."
    for entry in os.scandir(file.parent):
        process = entry.name.removeprefix(begin).removesuffix(_TEMPORARY)
        if (
            entry.name == f"{begin}{process}{_TEMPORARY}"
            and process.isdecimal()
            and not psutil.pid_exists(int(process))
        ):
            Path(entry.path).unlink(missing_ok=True)
