"""How chunks are named and written: as they are, or encrypted with a key that a passphrase opens.

The key is an age identity (X25519). In the place of the backups it lies encrypted with the passphrase (`key.age`); on
this computer it lies in `secrets.toml`, so that daily backups are made, and proved, without asking. That is no less
safe: whoever reads this home folder has all that the backups hold. Deriving a key from the passphrase takes a second,
so it is done once, and not for each chunk.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from managers.exchange.backups.chunks import MOST
from managers.exchange.backups.errors import BackupDamagedError, WrongBackupPassphraseError
from managers.exchange.encryption import encrypting, open_encrypted
from managers.exchange.errors import DamagedEncryptionError, NotForPassphraseError, WrongPassphraseError
from managers.storage.files import digest, read_bytes, write_atomic

if TYPE_CHECKING:
    from pyrage.x25519 import Identity

_LEVEL: Final = 4
"""Of zlib: half the time of its default, and texts are hardly larger."""


class Sealing(Protocol):
    """Between the bytes of a chunk and those in a pack."""

    is_encrypted: bool

    def name(self, data: bytes) -> str:
        """Return what a chunk is known by: the same for the same bytes, another one for any others."""

    def close(self, data: bytes) -> bytes:
        """Return the bytes as they are written."""

    def open(self, data: bytes, name: str = "", most: int = MOST) -> bytes:
        """Return what was written, no more than `most` bytes of it.

        Raises:
            BackupDamagedError: it is not what the name says.
        """


class Plain:
    """Compressed, and named by their SHA-256."""

    is_encrypted = False

    def name(self, data: bytes) -> str:
        return digest(data)

    def close(self, data: bytes) -> bytes:
        return zlib.compress(data, _LEVEL)

    def open(self, data: bytes, name: str = "", most: int = MOST) -> bytes:
        return _checked(self, _unpacked(data, most), name)


class Encrypted:
    """Compressed and encrypted in the age format; the names tell nobody without the key what a chunk holds."""

    is_encrypted = True

    def __init__(self, key: str) -> None:
        """Take the key, an age identity (`AGE-SECRET-KEY-1…`).

        Raises:
            WrongBackupPassphraseError: it is none.
        """
        from pyrage import IdentityError  # noqa: PLC0415  # only who encrypts loads it
        from pyrage.x25519 import Identity  # noqa: PLC0415  # as above

        try:
            self._identity: Identity = Identity.from_str(key)
        except IdentityError as error:
            raise WrongBackupPassphraseError from error
        self._naming = hashlib.sha256(b"names of chunks\0" + key.encode()).digest()

    @property
    def recipient(self) -> str:
        """The public half of the key: what tells two keys apart."""
        return str(self._identity.to_public())

    def name(self, data: bytes) -> str:
        return hmac.digest(self._naming, hashlib.sha256(data).digest(), "sha256").hex()

    def close(self, data: bytes) -> bytes:
        import pyrage  # noqa: PLC0415  # as above

        written: bytes = pyrage.encrypt(zlib.compress(data, _LEVEL), [self._identity.to_public()])
        return written

    def open(self, data: bytes, name: str = "", most: int = MOST) -> bytes:
        import pyrage  # noqa: PLC0415  # as above

        try:
            plain = pyrage.decrypt(data, [self._identity])
        except pyrage.DecryptError as error:
            raise BackupDamagedError(file=name[:12]) from error
        return _checked(self, _unpacked(plain, most), name)


def _unpacked(data: bytes, most: int) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(data, most + 1)
    except zlib.error as error:
        raise BackupDamagedError(file="zlib") from error
    if len(found) > most or not unpacking.eof:
        raise BackupDamagedError(file="zlib")
    return found


def _checked(sealing: Sealing, data: bytes, name: str) -> bytes:
    if name and sealing.name(data) != name:
        raise BackupDamagedError(file=name[:12])
    return data


def new_key() -> str:
    """Return a new key."""
    from pyrage.x25519 import Identity  # noqa: PLC0415  # as above

    return str(Identity.generate())


def write_key(path: Path, key: str, passphrase: str) -> None:
    """Write the key, encrypted with a passphrase.

    Raises:
        PassphraseNeededError, DiskFullError, UnwritableError
    """
    written = io.BytesIO()
    with encrypting(written, passphrase, path) as file:
        file.write(key.encode())
    write_atomic(path, written.getvalue())


def read_key(path: Path, passphrase: str) -> str:
    """Return the key that a passphrase opens.

    Raises:
        WrongBackupPassphraseError, PassphraseNeededError
        BackupDamagedError: no passphrase opens it any more.
    """
    data = read_bytes(path)
    if data is None:
        raise BackupDamagedError(file=path.name)
    try:
        return open_encrypted(io.BytesIO(data), passphrase, path).read().decode("ascii")
    except WrongPassphraseError as error:
        raise WrongBackupPassphraseError from error
    except (DamagedEncryptionError, NotForPassphraseError, UnicodeDecodeError) as error:
        raise BackupDamagedError(file=path.name) from error
