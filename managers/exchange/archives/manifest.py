"""What an archive says of itself: which files it holds, how long each is, and its SHA-256."""

import os
import re
from typing import Final

from pydantic import BaseModel, Field

FORMAT: Final = 1
"""The version of archives that is written here; newer ones are refused."""
MANIFEST: Final = "utatane-archive.json"
LARGEST: Final = 256_000_000
"""Bytes of a manifest: a million files have one of that size."""

_ODD: Final = re.compile(r"[\x00-\x1f\x7f\\:\ud800-\udfff]|%(?=[0-9A-Fa-f]{2})")
_WRITTEN: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


class ArchivedFile(BaseModel):
    """One file: its bytes, their SHA-256 in hex, and when it was written (nanoseconds since 1970)."""

    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    modified: int = 0


class Manifest(BaseModel):
    """The manifest of an archive.

    Attributes:
        format: its version.
        persona: whose it is.
        made_at: when it was made, local time (ISO 8601).
        masked: whether what is private stands as placeholders in it.
        history: whether the history of changes is in it.
        forgotten: how many messages and changes are in it that were forgotten, deleted or put back; see `forgotten_in`.
        files: by their path in the persona's folder, as `entry_name` writes it.
        folders: those in which nothing is.
    """

    format: int = FORMAT
    persona: str
    made_at: str = ""
    masked: bool = False
    history: bool = True
    forgotten: int = 0
    files: dict[str, ArchivedFile] = Field(default_factory=dict)
    folders: list[str] = Field(default_factory=list)


class UnwrittenNameError(Exception):
    """A name is none that `entry_name` writes, or would lead elsewhere."""


def entry_name(path: str) -> str:
    """Return a file's path as any archive and any system can hold it: what is odd in it as in addresses (`%83`)."""
    return _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), path)


def path_of(name: str) -> str:
    """Return the path that `entry_name` was given; where a system cannot hold that, the name stays as it is written.

    Raises:
        UnwrittenNameError
    """
    plain = os.fsdecode(_WRITTEN.sub(lambda found: bytes([int(found[1], 16)]), os.fsencode(name)))
    if entry_name(plain) != name or {"", ".", ".."} & set(plain.split("/")) or "\0" in plain:
        raise UnwrittenNameError(name)
    return name if os.name == "nt" else plain
