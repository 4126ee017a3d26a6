"""What the command line cannot do."""

from managers.storage.errors import AlreadyRunningError, Lang, UtataneError
from managers.storage.texts import Texts

_say = Texts("errors/commands")


class CommandError(UtataneError):
    """A command was given what it cannot do; nobody tells one such misuse from another, so its words alone do."""

    def __init__(self, said: str, **facts: object) -> None:
        """Name the sentence, as it stands in `assets/errors/commands.toml`, and its facts."""
        self._said = said
        super().__init__(**facts)

    def sentence(self, lang: Lang) -> str:
        """Return the one sentence for a reader of `lang`."""
        return _say(self._said, lang, **self.facts)


class AlreadyServedError(AlreadyRunningError):
    """Another process serves the same home folder, and where is known. Facts: `home`, `address`."""


class UnlistedModelError(UtataneError):
    """Our table has no such model, and no such file is there. Facts: `name`, `known`."""


class ModelInUseError(UtataneError):
    """A model that speaks is to be removed, without a yes. Facts: `name`, `users`."""
