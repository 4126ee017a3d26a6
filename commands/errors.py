"""What the command line cannot do."""

from managers.storage.errors import AlreadyRunningError, UtataneError


class BadQueriesError(UtataneError):
    """A line of a queries file is not what it should be. Facts: `path`, `line`."""


class NothingToSearchError(UtataneError):
    """Neither a query nor a file of queries was given."""


class UnknownLanguageError(UtataneError):
    """A persona cannot speak that language. Facts: `name`."""


class NobodyNamedError(UtataneError):
    """`personas admit --yes` without a name."""


class UnknownMemoryTypeError(UtataneError):
    """There is no such type of memory. Facts: `given`, `known`."""


class UnknownArchiveStepError(UtataneError):
    """`archive` with something else than `list` or `restore`. Facts: `given`."""


class UnknownGrowthStepError(UtataneError):
    """`growth` with something else than what it can do. Facts: `given`."""


class OnlyWithDayError(UtataneError):
    """Chosen tasks of a dream, and no day."""


class AlreadyServedError(AlreadyRunningError):
    """Another process serves the same home folder, and where is known. Facts: `home`, `address`."""


class PasswordsDifferError(UtataneError):
    """A new password was typed twice, and not the same."""


class UnknownAudienceError(UtataneError):
    """A memory cannot be for such minds, or nobody said for which. Facts: `given`, `known`."""


class EraseOneThingError(UtataneError):
    """`erase` with neither an id nor a name, or with both."""


class EraseNotConfirmedError(UtataneError):
    """`erase` without a yes."""


class EndNotConfirmedError(UtataneError):
    """`group --end` without a yes."""


class ImportMisuseError(UtataneError):
    """`import` with too many words, or a kind that nobody knows. Facts: `kinds`."""


class ImportForNobodyError(UtataneError):
    """`import` without the name of whom it is for."""


class ImportNotConfirmedError(UtataneError):
    """`import` without a yes."""


class RestoreWhereError(UtataneError):
    """`backup restore` without a persona, and without a place for what is brought back."""


class UnlistedModelError(UtataneError):
    """Our table has no such model, and no such file is there. Facts: `name`, `known`."""


class ModelInUseError(UtataneError):
    """A model that speaks is to be removed, without a yes. Facts: `name`, `users`."""
