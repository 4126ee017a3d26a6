"""A password that stood in `secrets.toml` in clear text: its hash is kept instead, and the words go everywhere.

Before there was a hash, `page_password` stood under `[keys]`; whoever writes it there again is understood likewise.
"""

import re
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from managers.storage.access import LEAST_PASSWORD, Access
from managers.storage.errors import Notice
from managers.storage.files import TEMPORARY_SUFFIX, read_bytes, write_atomic
from managers.storage.settings import Secrets
from managers.storage.texts import Texts

_say = Texts("notices/storage")

NAME = "page_password"
_LARGEST_LOOKED_AT = 1_000_000


def hash_clear_password(secrets: Secrets, access: Access, now: datetime) -> list[Notice]:
    """Keep the hash of a password in clear text, if there is one, then take the words out of the home folder's files.

    A process that dies in between leaves both; the next start does it again.

    Returns:
        what a person should know.

    Raises:
        MistakeInFileError, DiskFullError, UnwritableError, BusyError
    """
    clear = secrets.get(NAME)
    if not clear:
        return []
    access.adopt(clear, now)
    secrets.set(NAME, "")
    folder = secrets.path.parent
    for path in (secrets.path, folder / "settings.toml"):
        _take_out_of_comments(path, clear)
    notices = [_SHORT] if len(clear) < LEAST_PASSWORD else []
    if others := [path.name for path in _beside(folder) if _is_said(_text(path), clear)]:
        notices.append(_say.notice("password-elsewhere", names=", ".join(others)))
    return notices


def _take_out_of_comments(path: Path, clear: str) -> None:
    text = _text(path)
    without = without_comments_on(text, clear)
    if without != text:
        write_atomic(path, without.encode("utf-8", "surrogateescape"))


def without_comments_on(text: str, clear: str) -> str:
    """Return a TOML text without its comments that say the words or name their setting; its meaning stays."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        for sign in re.finditer("#", line):
            rest = line[sign.start() :]
            cut = [*lines[:number], line[: sign.start()].rstrip() + "\n", *lines[number + 1 :]]
            if (NAME in rest or _is_said(rest, clear)) and _means("".join(cut)) == _means(text):
                lines = cut
                break
    return "".join(lines)


def _text(path: Path) -> str:
    return (read_bytes(path) or b"").decode("utf-8", "surrogateescape")


def _means(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return text


def _is_said(text: str, clear: str) -> bool:
    """Tell whether a text says the words, by themselves; a short password is a part of many a word."""
    return re.search(rf"(?<!\w){re.escape(clear)}(?!\w)", text) is not None


def _beside(folder: Path) -> Iterator[Path]:
    """Yield the copies that editors and people make of the settings; what our own killed writers left is deleted."""
    for path in [*folder.glob("*s.toml*"), *folder.glob(".*s.toml*")]:
        if path.name.endswith(TEMPORARY_SUFFIX):
            path.unlink(missing_ok=True)
        elif path.is_file() and path.stat().st_size < _LARGEST_LOOKED_AT:
            yield path


_SHORT = _say.notice("password-short", least_password=LEAST_PASSWORD)
