"""What keeps a backup from being made, found, or restored."""

from managers.storage.errors import UtataneError


class BackupPlaceMissingError(UtataneError):
    """The folder that was named for backups is not there: a disk that is not plugged in, say. Facts: `place`."""


class BackupPlaceEmptyError(UtataneError):
    """There were backups in that folder, and there are none now: another disk stands in its place. Facts: `place`."""


class BackupPlaceRefusedError(UtataneError):
    """Backups cannot lie among what they are made of. Facts: `place`."""


class NoSuchBackupError(UtataneError):
    """There is no backup of that name. Facts: `name`, `place`."""


class NotInBackupError(UtataneError):
    """A backup does not hold what was asked for. Facts: `name`, `wanted`."""


class BackupDamagedError(UtataneError):
    """Something of a backup is not as it was written. Facts: `file` (what it belongs to)."""


class BackupLockedError(UtataneError):
    """The backups are encrypted, and this computer does not know their key. Facts: `place`."""


class WrongBackupPassphraseError(UtataneError):
    """The passphrase does not open the backups."""


class RestoreTargetTakenError(UtataneError):
    """Something lies where a backup would be restored to; it was left alone. Facts: `path`."""


class RestoreInPlaceError(UtataneError):
    """A file that the program keeps for itself is put in nobody's place. Facts: `path`."""


class BackupStoppedError(UtataneError):
    """A backup was broken off; those before it are as they were."""
