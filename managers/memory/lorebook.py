"""The lorebook: what a persona knows of its world, each entry told to a mind when its keys come up in the conversation.

`lorebook.json` has the form that character cards give it (`character_book`, versions 2 and 3 of their specification).
Entries and fields that nobody here understands stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Final, TypeGuard

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from managers.memory.errors import LoreEntryGoneError
from managers.memory.json_documents import Apply, JsonFile, OfOneFile, encode, write_plainly
from managers.storage.clock import Clock
from managers.storage.errors import ExternallyChangedError
from managers.storage.files import digest
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged

SCAN_DEPTH: Final = 4
"""So many of the newest messages are looked through for keys, where the book does not say."""
_DEEPEST: Final = 200
_BEYOND: Final = 10**9


def _as_keys(value: object) -> object:
    if value is None:
        return []
    several = [value] if isinstance(value, str) else value
    return (
        [str(one) if isinstance(one, int | float) else one for one in several] if isinstance(several, list) else value
    )


def _as_text(value: object) -> object:
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _as_count(value: object) -> object:
    """Return a number of messages; what is none, or beyond all reason, is no number at all."""
    return min(max(int(value), 0), _DEEPEST) if _is_number(value) else None


def _as_weight(value: object) -> object:
    return value if _is_number(value) else None


def _as_tokens(value: object) -> object:
    return int(value) if _is_number(value) and value > 0 else None


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _BEYOND


def _as_object(value: object) -> object:
    return value if isinstance(value, dict) else {}


Keys = Annotated[list[str], BeforeValidator(_as_keys)]
Words = Annotated[str, BeforeValidator(_as_text)]
Count = Annotated[int | None, BeforeValidator(_as_count)]
Weight = Annotated[float | None, BeforeValidator(_as_weight)]
Flag = Annotated[bool, BeforeValidator(bool)]
Object = Annotated[dict[str, Any], BeforeValidator(_as_object)]


class Extensions(BaseModel):
    """What SillyTavern knows of an entry beyond the specification, as far as it is heeded here."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    scan_depth: Count = None
    sticky: Count = None
    cooldown: Count = None
    delay: Count = None
    group: Words = ""
    group_weight: Count = None
    group_override: Flag = False
    probability: Count = None
    use_probability: Flag = Field(default=True, alias="useProbability")
    selective_logic: Count = Field(default=None, alias="selectiveLogic")
    exclude_recursion: Flag = False
    prevent_recursion: Flag = False
    match_whole_words: Annotated[bool | None, BeforeValidator(lambda one: one if isinstance(one, bool) else None)] = (
        None
    )


class LoreEntry(BaseModel):
    """One entry.

    Attributes:
        keys: words or patterns; one of them must come up.
        secondary_keys: with `selective` one of these must come up as well.
        content: what is told then.
        constant: it is told always, whatever comes up.
        use_regex: the keys are patterns; one between slashes (`/…/i`) is in any case.
        insertion_order: of the entries that are told the lowest stands first.
        priority: where not all fit, the highest are told.
        position: where the card would have it stand; `before_char` or `after_char`.
        origins: the file it came with, where nobody let that in whole (`managers.memory.provenance`).
    """

    model_config = ConfigDict(extra="ignore")

    keys: Keys = []
    secondary_keys: Keys = []
    content: Words = ""
    enabled: Flag = True
    constant: Flag = False
    selective: Flag = False
    use_regex: Flag = False
    case_sensitive: Flag = False
    insertion_order: Weight = None
    priority: Weight = None
    position: Words = ""
    name: Words = ""
    comment: Words = ""
    origins: Keys = []
    extensions: Object = {}

    @cached_property
    def more(self) -> Extensions:
        return Extensions.model_validate(self.extensions)

    @property
    def order(self) -> float:
        return 100 if self.insertion_order is None else self.insertion_order

    @property
    def title(self) -> str:
        """What people call it."""
        return self.name or self.comment or ", ".join(self.keys[:3])


class BookSettings(BaseModel):
    """What holds for all entries of a book."""

    model_config = ConfigDict(extra="ignore")

    name: Words = ""
    description: Words = ""
    scan_depth: Count = None
    token_budget: Annotated[int | None, BeforeValidator(_as_tokens)] = None
    recursive_scanning: Flag = False


class Lorebook:
    """A lorebook as it stands in its file, and pure changes of it. An entry is named by its place in the list."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        """Hold the file's value; it is never changed."""
        self.value = value
        found = value.get("entries")
        self._raw: Sequence[Any] = found if isinstance(found, list) else []
        self.settings = BookSettings.model_validate(_readable(BookSettings, value))

    @cached_property
    def entries(self) -> Mapping[int, LoreEntry]:
        """The entries that can be read, by their place."""
        found = ((place, _entry(raw)) for place, raw in enumerate(self._raw))
        return {place: entry for place, entry in found if entry is not None}

    @property
    def odd(self) -> int:
        """How many entries cannot be read."""
        return len(self._raw) - len(self.entries)

    def digest(self, place: int) -> str:
        """Return the digest of an entry, to base an edit on."""
        return digest(encode(self._raw[place]))

    def place_of(self, place: int, based_on: str) -> int:
        """Return where an entry stands now that stood at a place and has the digest that was read.

        Raises:
            ExternallyChangedError: it is another one now, `facts["theirs"]`.
            LoreEntryGoneError: it is not there any more.
        """
        if place in self.entries and self.digest(place) == based_on:
            return place
        moved = next((other for other in self.entries if self.digest(other) == based_on), None)
        if moved is not None:
            return moved
        if place not in self.entries:
            raise LoreEntryGoneError
        raise ExternallyChangedError(path="lorebook.json", theirs=_told(self.entries[place]))

    def edited(self, place: int, values: Mapping[str, object]) -> Lorebook:
        """Return it with some fields of an entry changed; what was so already stays as it is written."""
        known = self.entries[place]
        new = {key: value for key, value in values.items() if getattr(known, key) != value}
        return self._with([*self._raw[:place], {**self._raw[place], **new}, *self._raw[place + 1 :]])

    def without(self, place: int) -> Lorebook:
        return self._with([*self._raw[:place], *self._raw[place + 1 :]])

    def joined(self, value: Mapping[str, Any]) -> Lorebook:
        """Return it with the entries of another book that are not in it; an empty one becomes that book."""
        other = Lorebook(value)
        if not self._raw:
            return Lorebook({**value, **self.value, "entries": other._raw})
        known = {_core(raw) for raw in self._raw}
        new = [raw for raw in other._raw if _core(raw) not in known]
        return self._with([*self._raw, *new]) if new else self

    def added(self, values: Mapping[str, object]) -> Lorebook:
        """Return it with a new entry at its end; unchanged where it has one with the same keys and content."""
        if _core(values) in {_core(raw) for raw in self._raw}:
            return self
        ids = [raw.get("id") for raw in self._raw if isinstance(raw, dict)]
        number = 1 + max((one for one in ids if isinstance(one, int)), default=0)
        plain = {
            "keys": [],
            "content": "",
            "extensions": {},
            "enabled": True,
            "insertion_order": 100,
            "use_regex": False,
        }
        return self._with([*self._raw, {**plain, **values, "id": number}])

    def set(self, values: Mapping[str, object]) -> Lorebook:
        """Return it with other settings; None takes one out."""
        kept = {key: value for key, value in {**self.value, **values}.items() if value is not None}
        return Lorebook(kept)

    def _with(self, raw: Sequence[Any]) -> Lorebook:
        return Lorebook({"extensions": {}, **self.value, "entries": [*raw]})


def marked(value: Mapping[str, Any], origins: Sequence[str]) -> Mapping[str, Any]:
    """Return a book whose entries tell where they came from; nothing of that, where nobody need be told."""
    entries = value.get("entries")
    if not isinstance(entries, list):
        return value
    told = {"origins": [*origins]} if origins else {}
    plain = (
        {key: kept for key, kept in one.items() if key != "origins"} if isinstance(one, dict) else one
        for one in entries
    )
    return {**value, "entries": [{**one, **told} if isinstance(one, dict) else one for one in plain]}


class LorebookStore(OfOneFile):
    """The lorebook of a persona; each change is written with an entry in the history."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        self.path = paths.lorebook
        self._paths = paths
        self._apply = apply or write_plainly(paths)
        self._file = JsonFile(paths, paths.lorebook, clock, dict)
        self._known = Unchanged[Lorebook]()

    def current(self) -> Lorebook:
        """Return the book; the file is read only when it is another one than the last time."""
        return self._known.get(self.load, self.path)

    def load(self) -> Lorebook:
        """Return the book as it is on disk."""
        return Lorebook(self._file.read())

    def change(self, change: Callable[[Lorebook], Lorebook], *, author: str, reason: str) -> Lorebook:
        """Apply a pure change to what the file holds now, and write it."""
        with writing(self._paths):
            before = self.load()
            book = change(before)
            if book.value != before.value:
                self._apply({self.path: encode(book.value)}, author=author, reason=reason)
            return book

    def edit(self, place: int, values: Mapping[str, object], *, based_on: str, author: str) -> None:
        """Write what a person made of an entry.

        Raises:
            ExternallyChangedError, LoreEntryGoneError: nothing was changed.
        """
        self.change(lambda book: book.edited(book.place_of(place, based_on), values), author=author, reason="edited")

    def delete(self, place: int, *, based_on: str, author: str, reason: str) -> None:
        """Take an entry out (the history keeps it).

        Raises:
            ExternallyChangedError, LoreEntryGoneError: nothing was changed.
        """
        self.change(lambda book: book.without(book.place_of(place, based_on)), author=author, reason=reason)


def _entry(raw: object) -> LoreEntry | None:
    try:
        return LoreEntry.model_validate(raw)
    except (ValidationError, ValueError, OverflowError):
        return None


def _readable(model: type[BaseModel], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a value that a model takes; one that it does not take is as if it were not there."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        wrong = {one["loc"][0] for one in error.errors(include_url=False)}
        return {key: one for key, one in value.items() if key not in wrong}
    except (ValueError, OverflowError):
        return {}
    return value


def _core(raw: object) -> bytes:
    """Return what makes an entry the same as another: its keys and its content."""
    entry = _entry(raw)
    return encode(raw) if entry is None else encode([entry.keys, entry.secondary_keys, entry.content])


def _told(entry: LoreEntry) -> str:
    return "\n".join([", ".join(entry.keys), entry.content])
