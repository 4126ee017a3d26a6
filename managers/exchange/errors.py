"""What cannot be brought in, taken out, or opened again."""

from managers.storage.errors import UtataneError


class DaysReversedError(UtataneError):
    """Of the days to be exported the last comes before the first."""


class NothingToExportError(UtataneError):
    """Of a conversation nothing is left to be exported: not in these days, or not with what is left out."""


class PassphraseNeededError(UtataneError):
    """A file is encrypted with a passphrase, and none was given, or an empty one. Facts: `path`."""


class PassphrasesDifferError(UtataneError):
    """A new passphrase was typed twice, and not the same."""


class WrongPassphraseError(UtataneError):
    """The passphrase does not open the file. Facts: `path`."""


class NotForPassphraseError(UtataneError):
    """A file is encrypted in the age format, but not with a passphrase (or with more work than is done). Facts: `path`."""


class DamagedEncryptionError(UtataneError):
    """An encrypted file was changed, or ends too early; nothing behind that place is believed. Facts: `path`."""


class NotAnArchiveError(UtataneError):
    """A file is no archive that a persona was exported into. Facts: `path`."""


class NewerArchiveError(UtataneError):
    """An archive was made by a newer version. Facts: `path`."""


class DamagedArchiveError(UtataneError):
    """A file in an archive is not what it was, or is missing. Facts: `path`, `name`."""


class UnsafeArchiveError(UtataneError):
    """An archive holds what nobody's archive holds: it was made to harm. Facts: `path`, `reason_ja`, `reason_en`."""


class ArchiveTooLargeError(UtataneError):
    """What is in an archive does not fit on the disk. Facts: `path`, `needed`, `free` (megabytes)."""


class NamesAlikeError(UtataneError):
    """An archive has two names that differ in case, say, and this disk takes them for one. Facts: `path`, `one`, `other`."""


class ImportSourceError(UtataneError):
    """A source cannot be imported; nothing was changed. Facts: `name`, `reason_ja`, `reason_en`."""


class SpeakersUnknownError(UtataneError):
    """Nothing tells who of those who speak in a source is the user; nothing was imported. Facts: `names`."""


class ImportCancelledError(UtataneError):
    """Somebody stopped an import; what is there already is skipped the next time."""


class ImportUnderWayError(UtataneError):
    """An import is under way already. Facts: `name` (of the persona)."""


class ImportGoneError(UtataneError):
    """The preview that was said yes to is gone; look at the source once more."""
