"""Models as files on this computer (GGUF): those of our table that were fetched, and any that a person has.

What is fetched lies in the home's `models/`, a folder each, by the one code that fetches models. A file from elsewhere
is read as it lies, and nothing is copied.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.minds.errors import ModelFileCutError
from agent.minds.gguf import Head, read_head
from agent.minds.known_models import GIGABYTE, SmallModel, fetchable_models
from managers.fetching.fetch import Fetch
from managers.fetching.fetched import Source, is_fetched, is_intact
from managers.storage.files import remove_tree

SUFFIX: Final = ".gguf"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model of our table as a file that is fetched, or was."""

    model: SmallModel
    models: Path

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def path(self) -> Path:
        """Where the file lies, once all of it has come; any system takes the folder's name."""
        return self.models / self.name.replace(":", "-") / self.model.file.rpartition("/")[2]

    @property
    def is_here(self) -> bool:
        """Whether all of it has come."""
        return is_fetched(self.path.parent.name, self.models)

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:
        """Have it come, or go on; yield how many bytes have, and of how many. Ends early when `cancel` is set.

        Raises:
            FetchError, DiskFullError, UnwritableError, BusyError
        """
        one, most = self.model, int(self.model.file_gigabytes * 1.25 * GIGABYTE)
        files = {self.path.name: one.file}
        source = Source(self.path.parent.name, one.name, one.repository, one.revision, files, most)
        return Fetch(source, self.models).fetch(cancel)

    def remove(self) -> None:
        """Remove it, or what has come of it."""
        remove_tree(self.path.parent)


def model_files(models: Path) -> list[ModelFile]:
    """Return all models of our table that are to be had as files, the most capable first."""
    return [ModelFile(one, models) for one in fetchable_models() if one.file]


def file_named(name: str, models: Path) -> ModelFile | None:
    """Return the model of our table of that name, fetched or not."""
    return next((one for one in model_files(models) if one.name == name), None)


def file_of(model: str, models: Path) -> Path | None:
    """Return the file that `mind.model` means: one of our table that was fetched, or any; None where it is not there."""
    known = file_named(model, models)
    path = known.path if known is not None else Path(model).expanduser()
    is_there = path.suffix == SUFFIX and path.is_absolute() and path.is_file()
    return path if is_there and (known is None or known.is_here) else None


def check_file(path: Path) -> Head:
    """Return what a model's file says of itself, after a look at whether it can be used.

    Raises:
        ModelFileError: it is no model that talks, not whole, or not what was fetched any more.
        UnreadableError: it cannot be read.
    """
    head = read_head(path)
    if not is_intact(path):
        raise ModelFileCutError(name=path.name)
    return head
