"""The files of a domain, in `domains/<name>/`.

`sources.json` is what the person named, `documents.json` where each document is from, `knowledge/` holds the documents;
beside them are the index and the record of what left this computer, which are as a persona's are.

`documents.json` is what counts: a document that it does not name is not found, and goes at the next fetch.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.domains import PREFIX, Every
from managers.domains.errors import DomainNotFoundError
from managers.storage.clock import Clock
from managers.storage.errors import Lang, Notice
from managers.storage.files import dump_json, entries, files, read_bytes, remove, remove_tree, set_aside, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import writing
from managers.storage.paths import Home, PersonaPaths, is_text, safe_name

Kind = Literal["web", "file", "folder"]
PERIODS: Final[dict[Every, timedelta]] = {
    "daily": timedelta(days=1),
    "weekly": timedelta(days=7),
    "monthly": timedelta(days=30),
}
_USUAL: Final[dict[str, Every]] = {"movie": "weekly", "history": "monthly", "gossip": "daily"}
_KEPT_DAYS: Final[dict[Every, int]] = {"daily": 30, "weekly": 365, "monthly": 0}
"""For how many days a document stays after its source has shown it last; 0: for good."""
MOST_DOCUMENTS: Final = 5000
_TITLE_CHARACTERS: Final = 48
_NAMELESS: Final = re.compile(r'[\x00-\x1f/\\:*?"<>|\s]+')


class Source(BaseModel):
    """A place that the person named.

    Attributes:
        agreed: the person has said yes to asking it; files on this computer need no yes.
        etag, modified: what its server said of the version that is here.
        checked: when it was last read, or found to be as it was (UTC).
        tried: when that was last begun.
        failed: why not, the last time, in both languages; empty where it went well.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    address: str
    kind: Kind
    agreed: bool = False
    etag: str = ""
    modified: str = ""
    checked: datetime | None = None
    tried: datetime | None = None
    failed: dict[Lang, str] = Field(default_factory=dict)


class Plan(BaseModel):
    """`sources.json`.

    Attributes:
        every: how often it is fetched.
        keep_days: for how many days documents stay after their source has shown them last; None: as usual for `every`.
        allowed: hosts in private networks that may be asked.
    """

    model_config = ConfigDict(extra="allow")

    every: Every = "weekly"
    keep_days: int | None = Field(None, ge=0, le=36_500)
    allowed: list[str] = Field(default_factory=list)
    sources: list[Source] = Field(default_factory=list)

    @property
    def kept_for(self) -> timedelta | None:
        """How long a document stays; None: for good."""
        days = _KEPT_DAYS[self.every] if self.keep_days is None else self.keep_days
        return timedelta(days=days) if days else None

    def due(self, source: Source, now: datetime) -> datetime:
        """Return when a source is to be fetched next; one that failed sooner, a clock that was set back: now."""
        if source.tried is None or source.tried > now:
            return now
        return source.tried + (min(_AGAIN, PERIODS[self.every]) if source.failed else PERIODS[self.every])


_AGAIN: Final = timedelta(hours=6)


class Provenance(BaseModel):
    """Where a document is from.

    Attributes:
        file: its name in `knowledge/`.
        source: the id of its source.
        key: what the source calls it: an entry's id, a file's path in the folder.
        address: where it can be read: a link, or a file.
        origin: the same in short, for a person: the host, or the folder or file.
        published: when, as the source says (UTC); may be missing.
        fetched: when it came; seen: when the source showed it last.
        digest: of its text, for exact duplicates.
    """

    model_config = ConfigDict(extra="allow")

    file: str
    source: str
    key: str
    title: str = ""
    address: str = ""
    origin: str = ""
    published: datetime | None = None
    fetched: datetime
    seen: datetime
    digest: str = ""


class _Documents(BaseModel):
    documents: list[Provenance] = Field(default_factory=list)


Model = TypeVar("Model", bound=BaseModel)


def domain_name(name: str) -> str:
    """Return what a domain is called, however it is written.

    Raises:
        UnsafeNameError, NoNameError
    """
    return safe_name(unicodedata.normalize("NFKC", name).strip().removeprefix(PREFIX).casefold())


def domain_paths(home: Home, name: str) -> PersonaPaths:
    """Return the folder of a domain; documents, index, locks and audit lie in it as in a persona's."""
    return PersonaPaths(home.domains / safe_name(name))


@dataclass
class DomainStore:
    """The files of one domain. Safe to use from several threads and processes."""

    home: Home
    name: str
    clock: Clock
    notices: list[Notice] = field(default_factory=list)

    @property
    def paths(self) -> PersonaPaths:
        """The domain's folder."""
        return domain_paths(self.home, self.name)

    @property
    def exists(self) -> bool:
        return self._plan_file.exists()

    def plan(self) -> Plan:
        """Return what the person named."""
        return self._read(self._plan_file, Plan, Plan(every=_USUAL.get(self.name, "weekly")))

    def change(self, change: Callable[[Plan], None]) -> Plan:
        """Change what the person named, or what became of it.

        Raises:
            DiskFullError, UnwritableError, BusyError
        """
        with writing(self.paths):
            plan = self._read(self._plan_file, Plan, Plan(every=_USUAL.get(self.name, "weekly")), mends=True)
            change(plan)
            write_atomic(self._plan_file, dump_json(plan.model_dump(mode="json")))
        return plan

    def documents(self) -> list[Provenance]:
        """Return where each document is from."""
        return self._read(self._documents_file, _Documents, _Documents()).documents

    def stamp(self) -> tuple[int, int]:
        """Return what changes when `documents` does."""
        try:
            found = self._documents_file.stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_ino)

    def text(self, document: Provenance) -> str:
        """Return the text of a document, title first."""
        return (read_bytes(self.paths.knowledge / document.file) or b"").decode("utf-8", "replace")

    def put(self, documents: Iterable[Provenance], texts: dict[str, str]) -> None:
        """Let these be all documents there are; `texts` has those that are new, by file.

        The new files are written first, then the list, then what is not listed goes: a crash leaves the old list or the
        new one, and what it leaves besides nobody finds.

        Raises:
            DiskFullError, UnwritableError, BusyError
        """
        kept = list(documents)
        with writing(self.paths):
            for name, text in texts.items():
                write_atomic(self.paths.knowledge / name, text)
            if self._documents_file.exists():
                self._read(self._documents_file, _Documents, _Documents(), mends=True)
            write_atomic(self._documents_file, dump_json(_Documents(documents=kept).model_dump(mode="json")))
            listed = {one.file for one in kept}
            for path in files(self.paths.knowledge):
                if path.name not in listed:
                    remove(path)

    def remove(self) -> None:
        """Remove the domain with all that came of it; what its sources hold stays where it is."""
        with writing(self.paths):
            remove(self._plan_file)  # from here on there is no such domain
        remove_tree(self.paths.folder)

    @property
    def _plan_file(self) -> Path:
        return self.paths.folder / "sources.json"

    @property
    def _documents_file(self) -> Path:
        return self.paths.folder / "documents.json"

    def _read(self, path: Path, model: type[Model], otherwise: Model, *, mends: bool = False) -> Model:
        """Return what a file holds; one that cannot be understood is moved aside by whoever writes it."""
        data = read_bytes(path)
        if data is None:
            return otherwise
        try:
            return model.model_validate(load_json(data))
        except (NotJsonError, ValidationError):
            if mends:
                self.notices.append(set_aside(path, self.clock.now()))
            return otherwise


def domains_of(home: Home, clock: Clock) -> list[DomainStore]:
    """Return all domains, by name."""
    names = sorted(entry.name for entry in entries(home.domains, {"folder"}) if is_text(entry.name))
    stores = (DomainStore(home, name, clock) for name in names if not name.startswith("."))
    return [store for store in stores if store.exists]


def domain_of(home: Home, clock: Clock, name: str) -> DomainStore:
    """Return one domain.

    Raises:
        DomainNotFoundError, UnsafeNameError, NoNameError
    """
    store = DomainStore(home, domain_name(name), clock)
    if not store.exists:
        raise DomainNotFoundError(name=name)
    return store


def file_name(title: str, digest: str) -> str:
    """Return what a document's file is called: its title, as far as a file may have it, and a part of its digest."""
    words = _NAMELESS.sub(" ", unicodedata.normalize("NFC", title))
    words = "".join(one for one in words if one.isprintable()).strip(" .~-")[:_TITLE_CHARACTERS]
    while len(words.encode()) > 3 * _TITLE_CHARACTERS // 2:
        words = words[:-1]
    return f"{words.strip()} {digest[:10]}.md".strip()
