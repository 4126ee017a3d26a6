"""JSON documents that people may edit: read without losing anything, written whole, with room to grow.

A file that is no JSON is set aside with a notice. An entry in it that we do not understand stays in
the file as it is; keys that we do not know stay with their entry.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from managers.memory.confidence import Standing
from managers.memory.messages import origins_in
from managers.storage.clock import Clock
from managers.storage.errors import Notice, UnwritableError, as_notice
from managers.storage.files import dump_json, read_bytes, remove, set_aside, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

TIME = "%Y-%m-%d %H:%M:%S"
"""How memories write a moment: local wall-clock time."""

USER = "user"
"""The `mind` of a memory that the person wrote or corrected."""


PINNED = "pinned"
"""The key under which a memory keeps that a person pinned it."""


def pin_reason(*, on: bool) -> str:
    """Return why a memory was written, for the history, where it was pinned or its pin was taken off."""
    return "pinned" if on else "unpinned"


class Apply(Protocol):
    """Writes several files, all or none, with one entry in the history; returns the entry's id."""

    def __call__(
        self, changes: Mapping[Path, bytes | None], *, author: str, reason: str, evidence: Sequence[str] = ()
    ) -> str | None:
        """Write the files (None deletes one)."""


class Remembered(Standing):
    """What every memory carries: which messages it rests on, who made it, how it stands, and room for later.

    `origins` says whose foreign words (`Message.origins`) whoever made it had before their eyes, whatever it rests on.
    """

    model_config = ConfigDict(extra="allow")

    id: str = ""
    evidence: list[str] = Field(default_factory=list)
    mind: str = ""
    origins: Annotated[list[str], BeforeValidator(origins_in)] = Field(default=[], exclude_if=lambda one: not one)

    @property
    def is_pinned(self) -> bool:
        """Whether a person pinned it: it stands before the others."""
        return bool((self.model_extra or {}).get(PINNED))

    @property
    def is_kept(self) -> bool:
        """Whether a person decided that it stays: they pinned, wrote or changed it."""
        return self.is_pinned or self.mind == USER


Entry = TypeVar("Entry", bound=BaseModel)


def short_id(prefix: str, *parts: str) -> str:
    """Return an id such as `sh_4f0c2a91` that is the same for the same content, whoever runs when."""
    return prefix + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:8]


def entries_of(model: type[Entry], values: Iterable[Any]) -> tuple[list[Entry], list[Any]]:
    """Return the entries that fit the model, and those that do not, as they are."""
    good: list[Entry] = []
    odd: list[Any] = []
    for value in values:
        try:
            good.append(model.model_validate(value))
        except ValidationError:
            odd.append(value)
    return good, odd


def as_plain(entries: Iterable[BaseModel], odd: Iterable[Any] = ()) -> list[Any]:
    """Return what `entries_of` read as JSON values again, the odd ones last."""
    return [*(entry.model_dump(mode="json") for entry in entries), *odd]


def encode(value: object) -> bytes:
    """Return JSON as people would write it, in bytes."""
    return dump_json(value).encode()


@dataclass
class JsonFile:
    """One JSON file of a persona. What was wrong with it is named in `notices`."""

    paths: PersonaPaths
    path: Path
    clock: Clock
    expected: type[list[Any] | dict[str, Any]]
    notices: list[Notice] = field(default_factory=list, init=False)

    def read(self) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
        """Return the file's value; an empty one if there is no file or it had to be set aside."""
        return self.value_of(read_bytes(self.path))

    def value_of(self, data: bytes | None) -> Any:  # noqa: ANN401  # as above
        """Return the value of what was read of the file just now; the file is set aside if that is none."""
        value = self._parsed(data)
        if value is not None:
            return value
        with ExitStack() as stack:
            try:
                stack.enter_context(writing(self.paths))
            except UnwritableError as error:  # a folder that can only be read: nothing is written over the file either
                self.notices.append(as_notice("file-not-set-aside", error))
                return self.expected()
            data = read_bytes(self.path)  # somebody may have mended or written it meanwhile
            value = self._parsed(data)
            if value is None:
                self.notices.append(set_aside(self.path, self.clock.now()))
        return value if value is not None else self.expected()

    def _parsed(self, data: bytes | None) -> Any:  # noqa: ANN401  # as above; None: broken
        if data is None or not data.strip():
            return self.expected()
        try:
            value = load_json(data)
        except NotJsonError:
            return None
        return value if isinstance(value, self.expected) else None

    def read_as(self, model: type[Entry], **named: object) -> Entry | None:
        """Return the file's one record; None if there is none, or nothing that we understand: that is left alone.

        Args:
            model: what it is.
            named: values that the file's name says, whatever stands in it: it may be a copy of another one.
        """
        if not self.path.exists():
            return None
        value = self.read()
        try:
            return model.model_validate({**value, **named}) if value else None
        except ValidationError:
            return None

    def take_notices(self) -> list[Notice]:
        """Return what was found wrong since the last time."""
        taken, self.notices = self.notices, []
        return taken


class OfOneFile:
    """Whatever reads one JSON file, and hands on what was found wrong with it."""

    _file: JsonFile

    def take_notices(self) -> list[Notice]:
        """Return what was found wrong since the last time."""
        return self._file.take_notices()


def write_plainly(paths: PersonaPaths) -> Apply:
    """Return an `Apply` that writes each file atomically but keeps no history: for small tools and tests."""

    def apply(
        changes: Mapping[Path, bytes | None], *, author: str, reason: str, evidence: Sequence[str] = ()
    ) -> str | None:
        del author, reason, evidence
        with writing(paths):
            for path, data in changes.items():
                if data is None:
                    remove(path)
                else:
                    write_atomic(path, data)
        return None

    return apply
