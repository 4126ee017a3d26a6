"""Why a model could not be fetched."""

from managers.storage.errors import UtataneError


class FetchError(UtataneError):
    """A model could not be fetched. Facts: `title`, `kind` and `why` (both from `assets/notices/fetching.toml`)."""
