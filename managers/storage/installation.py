"""This installation: one home folder on one computer, and a seal by which it knows what it made itself.

The key lies in the home folder, outside of every persona's folder, readable by its owner alone, and a copy of it beside it:
each ends in what tells whether it is whole, and the first whole one counts. It counts
together with what the system calls this computer: neither a persona's folder nor a whole home folder that
comes from elsewhere can bring along a seal that holds here.
"""

import ctypes
import hashlib
import hmac
import secrets
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from managers.storage.files import read_bytes, write_atomic
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.unchanged import Unchanged

_KEY_BYTES: Final = 32
_ID_DIGITS: Final = 16
_LINUX_IDS: Final = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


class Installation:
    """The seal of one home folder on this computer. Safe to use from several threads and processes."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._named = Unchanged[str | None]()
        self._copies = (home.installation_key, home.installation_key_copy)

    @property
    def id(self) -> str | None:
        """A name for this installation, 16 hex digits, such as may stand in a file's name; None if there is no key yet."""
        return self._named.get(self._name, *self._copies)

    def _name(self) -> str | None:
        key = self._read()
        return None if key is None else _sealed(key, "id", b"")[:_ID_DIGITS]

    def seal(self, purpose: str, data: bytes) -> str:
        """Return the seal of some data, 64 hex digits; the installation's key is made if there is none.

        Args:
            purpose: what the data is, so that a seal made for one thing never holds for another.
            data: what is sealed.

        Raises:
            DiskFullError, UnwritableError, BusyError: there is no key, and none can be made.
        """
        return _sealed(self._read() or self._made(), purpose, data)

    def is_sealed(self, purpose: str, data: bytes, seal: str) -> bool:
        """Tell whether this installation sealed the data; writes nothing."""
        key = self._read()
        return key is not None and hmac.compare_digest(_sealed(key, purpose, data).encode(), seal.encode())

    def _read(self) -> bytes | None:
        """Return the key; None if there is none, or none that is whole: nothing was sealed then."""
        return next(filter(None, map(_key_in, map(read_bytes, self._copies))), None)

    def _made(self) -> bytes:
        with holding(self._home.lock.with_name(".installation.lock"), self._home.folder.name):
            key = self._read() or secrets.token_bytes(_KEY_BYTES)
            self._write(key)
            return key

    def mend(self) -> bool:
        """Write the key anew where it is not whole; return whether one was damaged, not only missing (raises as `seal`)."""
        key = self._read()
        return key is not None and self._write(key)

    def _write(self, key: bytes) -> bool:
        broken = [(path, was) for path in self._copies if _key_in(was := read_bytes(path)) != key]
        for path, _ in broken:
            write_atomic(path, f"{key.hex()} {_check(key)}\n")
        return any(was is not None for _, was in broken)


def _key_in(data: bytes | None) -> bytes | None:
    """Return the key that a file holds; None where it is none, or not whole."""
    try:
        told, check = (data or b"").decode("ascii").split()
        key = bytes.fromhex(told)
    except ValueError:
        return None
    return key if len(key) == _KEY_BYTES and check == _check(key) else None


def _check(key: bytes) -> str:
    return hashlib.sha256(b"whole" + key).hexdigest()[:_ID_DIGITS]


def _sealed(key: bytes, purpose: str, data: bytes) -> str:
    here = hmac.digest(key, _computer(), "sha256")
    return hmac.new(here, purpose.encode() + b"\0" + data, hashlib.sha256).hexdigest()


@cache
def _computer() -> bytes:
    """Return what the system calls this computer; nothing where it has no name: the key counts alone then.

    Not the network's names and addresses: they change with a cable, and what was sealed must hold tomorrow.
    """
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415  # only Windows has it

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
            return str(winreg.QueryValueEx(key, "MachineGuid")[0]).encode()
    elif sys.platform == "darwin":
        uuid, patience = ctypes.create_string_buffer(16), (ctypes.c_long * 2)(1, 0)  # uuid_t, struct timespec
        if ctypes.CDLL(None).gethostuuid(uuid, patience) == 0:
            return uuid.raw
    for path in _LINUX_IDS:
        with suppress(OSError):
            if name := path.read_bytes().strip():
                return name
    return b""
