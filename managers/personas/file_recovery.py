"""Giving a persona with a broken file its last good version back."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from managers.personas import persona_file
from managers.personas.errors import BrokenPersonaFileError
from managers.storage.encodings import decode_foreign
from managers.storage.errors import Notice
from managers.storage.files import read_bytes, set_aside
from managers.storage.history import History
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.spelling import decode

_LOOK_BACK = 1_000
"""So many entries of the history are looked through for a good version."""


def mend(paths: PersonaPaths, history: History, now: datetime) -> list[Notice]:
    """Put broken files of who the persona is aside, and their newest good versions in their place.

    One that is only in another encoding is its own newest good version.

    Returns:
        Where the broken ones lie now; empty if nothing was broken.

    Raises:
        UnreadableError, UnwritableError, DiskFullError
    """
    kept: list[Notice] = []
    with writing(paths):
        for path, is_good in ((paths.persona_json, _is_persona_file), (paths.system_prompt, is_text)):
            data = read_bytes(path)
            if data is None or is_good(data):
                continue
            history.notice_outside([path])
            converted = (decode_foreign(data) or "").encode()
            good = converted if converted and is_good(converted) else newest_good(history, path, is_good)
            kept.append(set_aside(path, now))
            if good is not None:
                history.change({path: good}, author="user", reason="mended")
    return kept


def newest_good(history: History, path: Path, is_good: Callable[[bytes], bool]) -> bytes | None:
    """Return the newest version of a file in the history that is good; None if there is none."""
    versions = (history.at(entry.id, path) for entry in history.entries(_LOOK_BACK, path))
    return next((data for data in versions if data is not None and is_good(data)), None)


def _is_persona_file(data: bytes) -> bool:
    try:
        persona_file.parse("", data)
    except BrokenPersonaFileError:
        return False
    return True


def is_text(data: bytes) -> bool:
    """Whether a file's bytes are read as they are: UTF-8, or UTF-16 with a mark."""
    try:
        decode(data)
    except UnicodeDecodeError:
        return False
    return True
