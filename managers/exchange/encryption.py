"""Files encrypted with a passphrase in the age format (https://age-encryption.org/v1), which `age -d` opens too.

They are written and read piece by piece, so their size costs no memory, and whoever reads may leap: a ZIP inside is
read without ever lying on the disk in plain. The ciphers are a library's. What is done here is the format around
them, because the library that has the format (pyrage) needs a file encrypted with a passphrase in memory whole.
"""

from __future__ import annotations

import base64
import io
import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from managers.exchange.errors import (
    DamagedEncryptionError,
    NotForPassphraseError,
    PassphraseNeededError,
    WrongPassphraseError,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_INTRO: Final = b"age-encryption.org/v1\n"
_HEADER: Final = re.compile(
    rb"age-encryption\.org/v1\n-> scrypt (?P<salt>[A-Za-z0-9+/]{22}) (?P<work>[1-9][0-9]?)\n"
    rb"(?P<key>[A-Za-z0-9+/]{43})\n---(?P<end> (?P<mac>[A-Za-z0-9+/]{43})\n)"
)
_LONGEST_HEADER: Final = 256
_SALT_LABEL: Final = b"age-encryption.org/v1/scrypt"
_NO_NONCE: Final = bytes(12)
WORK: Final = 17
"""Two to this power is scrypt's cost, at r = 8 and p = 1: 128 MB and some tenths of a second (OWASP's choice)."""
_MOST_WORK: Final = 20
"""More than this (1 GB) is not done for a file from elsewhere."""
_PIECE: Final = 64 * 1024
_TAG: Final = 16


def is_encrypted(file: IO[bytes]) -> bool:
    """Tell whether a file is in the age format; it is where it was afterwards."""
    begin = file.tell()
    file.seek(0)
    found = file.read(len(_INTRO))
    file.seek(begin)
    return found == _INTRO


def is_encrypted_file(path: Path) -> bool:
    """Tell whether a file is there, can be read, and is in the age format."""
    try:
        with path.open("rb") as file:
            return is_encrypted(file)
    except OSError:
        return False


@contextmanager
def encrypting(target: IO[bytes], passphrase: str, path: Path, work: int = WORK) -> Iterator[IO[bytes]]:
    """Give a file that encrypts what is written to it; it is whole when the block ends without an error.

    Args:
        target: where the encrypted bytes go; it is left open.
        passphrase: opens it again; taken in Unicode's NFC.
        path: what the file is called, for whoever is told of a mistake.
        work: two to this power is what a try costs.

    Raises:
        PassphraseNeededError: it is empty.
    """
    file_key, salt = os.urandom(16), os.urandom(16)
    key = _cipher(_wrapping_key(passphrase, salt, work, path)).encrypt(_NO_NONCE, file_key, None)
    header = b"%s-> scrypt %s %d\n%s\n---" % (_INTRO, _encoded(salt), work, _encoded(key))
    nonce = os.urandom(16)
    target.write(header + b" " + _encoded(_mac(file_key, header)) + b"\n" + nonce)
    writer = _Writer(target, _cipher(_derived(file_key, nonce, b"payload")))
    with io.BufferedWriter(writer, _PIECE) as buffered:
        yield buffered
        buffered.flush()
        writer.finish()


def open_encrypted(source: IO[bytes], passphrase: str, path: Path) -> io.BufferedReader:
    """Return what is in an encrypted file, to be read from any place; `source` can leap, and is left open.

    That it is whole is known once this returns: the last piece says that it is the last.

    Raises:
        PassphraseNeededError, WrongPassphraseError, NotForPassphraseError, DamagedEncryptionError: the last one also
            while it is read.
    """
    source.seek(0)
    found = _HEADER.match(source.read(_LONGEST_HEADER))
    if found is None or int(found["work"]) > _MOST_WORK:
        raise NotForPassphraseError(path=path)
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # 50 ms, which no start of the program pays for

    wrapping = _wrapping_key(passphrase, _decoded(found["salt"]), int(found["work"]), path)
    try:
        file_key = _cipher(wrapping).decrypt(_NO_NONCE, _decoded(found["key"]), None)
    except InvalidTag as error:
        raise WrongPassphraseError(path=path) from error
    if _encoded(_mac(file_key, found[0].removesuffix(found["end"]))) != found["mac"]:
        raise DamagedEncryptionError(path=path)
    source.seek(found.end())
    nonce = source.read(16)
    reader = _Reader(source, _cipher(_derived(file_key, nonce, b"payload")), found.end() + len(nonce), path)
    return io.BufferedReader(reader, _PIECE)


class _Writer(io.RawIOBase):
    """Encrypts in pieces; one is held back, because the last piece is marked as such."""

    def __init__(self, target: IO[bytes], cipher: ChaCha20Poly1305) -> None:
        self._target, self._cipher = target, cipher
        self._held = bytearray()
        self._number = 0

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        given = memoryview(data).cast("B")
        self._held += given
        while len(self._held) > _PIECE:
            self._put(bytes(self._held[:_PIECE]), last=False)
            del self._held[:_PIECE]
        return len(given)

    def finish(self) -> None:
        self._put(bytes(self._held), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        self._target.write(self._cipher.encrypt(_nonce(self._number, last=last), piece, None))
        self._number += 1


class _Reader(io.RawIOBase):
    """Decrypts the piece that is asked for."""

    def __init__(self, source: IO[bytes], cipher: ChaCha20Poly1305, begin: int, path: Path) -> None:
        self._source, self._cipher, self._begin, self._path = source, cipher, begin, path
        size = source.seek(0, os.SEEK_END) - begin
        self._pieces = max(1, -(-size // (_PIECE + _TAG)))
        self._size = size - self._pieces * _TAG
        self._place = 0
        self._number, self._piece = -1, b""
        if not self._of(self._pieces - 1) and self._pieces > 1:
            raise DamagedEncryptionError(path=path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        if begin + offset < 0:
            raise ValueError("a place before the beginning")
        self._place = begin + offset
        return self._place

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        if self._place >= self._size:
            return 0
        number, within = divmod(self._place, _PIECE)
        found = self._of(number)[within : within + len(room)]
        room[: len(found)] = found
        self._place += len(found)
        return len(found)

    def _of(self, number: int) -> bytes:
        if number != self._number:
            from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # as above

            self._source.seek(self._begin + number * (_PIECE + _TAG))
            data = self._source.read(_PIECE + _TAG)
            try:
                self._piece = self._cipher.decrypt(_nonce(number, last=number == self._pieces - 1), data, None)
            except InvalidTag as error:
                raise DamagedEncryptionError(path=self._path) from error
            self._number = number
        return self._piece


def _wrapping_key(passphrase: str, salt: bytes, work: int, path: Path) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # noqa: PLC0415  # as above

    if not passphrase:
        raise PassphraseNeededError(path=path)
    words = unicodedata.normalize("NFC", passphrase).encode()
    return Scrypt(salt=_SALT_LABEL + salt, length=32, n=1 << work, r=8, p=1).derive(words)


def _derived(file_key: bytes, salt: bytes, purpose: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # as above
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  # as above

    return HKDF(SHA256(), 32, salt, purpose).derive(file_key)


def _mac(file_key: bytes, header: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # as above
    from cryptography.hazmat.primitives.hmac import HMAC  # noqa: PLC0415  # as above

    made = HMAC(_derived(file_key, b"", b"header"), SHA256())
    made.update(header)
    return made.finalize()


def _cipher(key: bytes) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415  # as above

    return ChaCha20Poly1305(key)


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _encoded(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _decoded(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4))
