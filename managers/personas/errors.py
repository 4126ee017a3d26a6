"""What cannot be done with personas."""

from managers.storage.errors import UtataneError


class PersonaNotFoundError(UtataneError):
    """No persona of that name in the home folder."""


class PersonaExistsError(UtataneError):
    """A persona of that name is there already."""


class GuestError(UtataneError):
    """A folder is there that nobody let in on this computer; nothing in it was opened. Facts: `name`."""

    # No name in the command: a folder may be called anything, and people copy what they are told to type.


class NotAdmissibleError(UtataneError):
    """A guest cannot be let in as it is. Facts: `name`, `reason_ja`, `reason_en`."""


class ChangedSinceShownError(UtataneError):
    """A folder asks for other settings than those that were said yes to; nothing was changed. Facts: `name`."""


class ShrinkRefusedError(UtataneError):
    """A write would shrink a log or empty a memory without an explicit delete."""


class AvatarRefusedError(UtataneError):
    """A picture cannot be used as an avatar: the reason says why."""


class NotInTrashError(UtataneError):
    """Nothing of that name lies in the trash."""


class BrokenPersonaFileError(UtataneError):
    """A persona's `persona.json` has a mistake in it and was not changed because of that."""
