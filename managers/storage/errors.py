"""What every error is, and those of files, settings and the history.

An error is part of the interface: its sentence says what happened and what to do. It is raised
where it is noticed, caught where something can be done, and shown at one edge (page or terminal)
in the reader's language. One class per failure; the facts go in as keyword arguments. The
sentences stand under the class's name in `assets/errors/<package>.toml`.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

Lang = Literal["ja", "en"]
Level = Literal["info", "warning", "passing"]

_SENTENCES = Path(__file__).parents[2] / "assets" / "errors"


@cache
def _sentences_of(package: str) -> dict[str, Any]:
    file = _SENTENCES / f"{package}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


class UtataneError(Exception):
    """Base of all errors that are meant to be read by a person.

    `ja` and `en` are templates for `str.format` over the keyword arguments. They are read when the class is made: an
    error is often that no file can be read.
    """

    ja: ClassVar[str] = "問題が起きました。"
    en: ClassVar[str] = "Something went wrong."
    status: ClassVar[int] = 1
    """What a command that ends with it leaves as its exit status."""

    def __init_subclass__(cls) -> None:
        """Take the class's sentences from its package's file; a class that has none there says its base's."""
        if words := _sentences_of(cls.__module__.rpartition(".")[0]).get(cls.__name__):
            cls.ja, cls.en = words["ja"], words["en"]

    def __init__(self, **facts: object) -> None:
        """Keep the facts and render the English sentence as the exception's own text."""
        self.facts = facts
        super().__init__(self.sentence("en"))

    def sentence(self, lang: Lang) -> str:
        """Return the one sentence for a reader of `lang`."""
        return (self.ja if lang == "ja" else self.en).format(**self.facts)

    @property
    def sentences(self) -> dict[Lang, str]:
        """The sentence in both languages, as a part of what another one says (`Texts.both`)."""
        return {"ja": self.sentence("ja"), "en": self.sentence("en")}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know though the operation went on (a file set aside, a reduced way).

    `code` names the kind (stable, for dismissing and for tests); `level` is `info`, `warning`, or `passing` for what
    moves on and ends by itself: it is one and the same notice, however its words change.
    """

    code: str
    ja: str
    en: str
    level: Level = "warning"

    def sentence(self, lang: Lang) -> str:
        """Return the one sentence for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


def as_notice(code: str, error: UtataneError) -> Notice:
    """Return an error as what a person should know though the operation went on."""
    return Notice(code, error.sentence("ja"), error.sentence("en"))


class UnsafeNameError(UtataneError):
    """A persona's or file's name cannot be used as a folder name."""


class NoNameError(UnsafeNameError):
    """A name was left empty."""


class ExternallyChangedError(UtataneError):
    """A file changed on disk after it was read; both versions are offered to the person.

    Facts: `path`, `theirs` (text on disk now).
    """


class DiskFullError(UtataneError):
    """The disk is full: nothing was written, nothing was lost."""


class UnwritableError(UtataneError):
    """A file or folder cannot be written (permissions, read-only media)."""


class MovedAwayError(UnwritableError):
    """A persona's folder is not there any more: it was renamed or removed meanwhile. Facts: `name`."""


class DiskTroubleError(UtataneError):
    """The system refused to read or write something, and nobody was prepared for that. Facts: `path`, `cause`."""


class UnexpectedError(UtataneError):
    """A failure that nobody foresaw; the traceback is in the program's own log. Facts: `cause`."""


class UnreadableError(UtataneError):
    """A file exists but cannot be read (permissions, I/O error)."""


class DerivedDamagedError(UtataneError):
    """An index, a map or a cache is damaged; it is derived data and is made anew. Facts: `path`."""


class NotPlainFileError(UnreadableError, UnwritableError):
    """A link or a special file (a pipe, a device) stands where a file should. Facts: `path`."""


class FileTooLargeError(UnreadableError):
    """A file is larger than anything of its kind could be; it was not read. Facts: `path`, `megabytes` (the most)."""


class BusyError(UtataneError):
    """Another process or thread holds the persona's lock for longer than we wait."""


class AlreadyRunningError(UtataneError):
    """Another process serves the same home folder. Facts: `home`."""

    status = 3


class PasswordTooShortError(UtataneError):
    """A password for the page that is soon guessed. Facts: `least` (characters)."""


class ExportExistsError(UtataneError):
    """The file to export into is there already. Facts: `path`."""


class InvalidSettingError(UtataneError):
    """A setting has a value that cannot be used."""


class EntryNotFoundError(UtataneError):
    """No entry of that id in a persona's history (or the beginning of an id fits several)."""


class HistoryDamagedError(UtataneError):
    """A part of the history cannot be read; the memories themselves are not touched by that."""


class UndoConflictError(UtataneError):
    """Something later changed the same records or lines as the entry; nothing was changed.

    Facts: `path` and `part` (of the first), `conflicts` (of `managers.storage.history.UndoConflict`, with both
    versions), `is_all` (nothing but conflicts is left).
    """


class NotUndoableError(UtataneError):
    """There is nothing to take back or to do again: the reason says why."""


class MistakeInFileError(UnreadableError):
    """A file that people write has a mistake in it; nothing was written to it."""
