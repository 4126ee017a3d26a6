"""The shelf of the lorebook: what the persona knows of its world, entry by entry, and when it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from managers.memory.json_documents import USER
from managers.memory.lore_scanning import unreadable_keys
from managers.memory.lorebook import SCAN_DEPTH, Lorebook, LoreEntry
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from ui.locales import Texts
from ui.rooms.memories.shelves import gone, page_of, past_of_path, shorten, show
from ui.server.visit import FormText, PersonaVisit, With

PAGE: Final = 20
_SHELF: Final = "lorebook"
_SHOWN: Final = 400
_MOST: Final = 9_999
_FLAGS: Final = ("enabled", "constant", "selective", "use_regex", "case_sensitive")
_NUMBERS: Final = ("insertion_order", "priority")
_MORE: Final = ("scan_depth", "sticky", "cooldown")

router = APIRouter(prefix="/p/{persona}/memories/lorebook")


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry as the shelf shows it."""

    place: int
    entry: LoreEntry
    digest: str
    at: str
    title: str
    text: str
    marks: Sequence[str]
    problems: Sequence[str]


@dataclass(frozen=True, slots=True)
class SentEntry:
    """The fields of an entry as a form sends them; of keys one a line, of a number nothing where there is none."""

    name: FormText = ""
    keys: FormText = ""
    secondary_keys: FormText = ""
    content: FormText = ""
    enabled: FormText = ""
    constant: FormText = ""
    selective: FormText = ""
    use_regex: FormText = ""
    case_sensitive: FormText = ""
    insertion_order: FormText = ""
    priority: FormText = ""
    scan_depth: FormText = ""
    sticky: FormText = ""
    cooldown: FormText = ""

    def values(self, known: LoreEntry) -> Mapping[str, object]:
        """Return what of an entry somebody has changed: what stands in the form as it was shown stays as it is written."""
        shown = shown_fields(known)
        now = {name: even(getattr(self, name)) for name in shown}
        changed = {name: text for name, text in now.items() if text != even(shown[name])}
        values: dict[str, object] = {name: _value_of(name, text) for name, text in changed.items() if name not in _MORE}
        if "name" in values and known.comment and not known.name:
            values["comment"] = values.pop("name")
        more: dict[str, object] = {name: _number(changed[name]) for name in _MORE if name in changed}
        if more:
            extensions = {**known.extensions, **more}
            values["extensions"] = {name: one for name, one in extensions.items() if one is not None}
        return values


def shown_fields(one: LoreEntry) -> Mapping[str, str]:
    """Return the fields of an entry as a form shows them."""
    flags = {name: "1" if getattr(one, name) else "" for name in _FLAGS}
    numbers: dict[str, float | None] = {"insertion_order": one.order, "priority": one.priority}
    numbers |= {name: getattr(one.more, name) for name in _MORE}
    texts = {"keys": "\n".join(one.keys), "secondary_keys": "\n".join(one.secondary_keys), "content": one.content}
    counted = {name: "" if number is None else str(int(number)) for name, number in numbers.items()}
    return {"name": one.name or one.comment, **texts, **flags, **counted}


def even(text: str) -> str:
    """Return a text with its line ends as a form shows them, whichever it has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _value_of(name: str, text: str) -> object:
    if name in _FLAGS:
        return bool(text)
    if name in _NUMBERS:
        return _number(text)
    return _lines(text) if name in {"keys", "secondary_keys"} else text


@router.get("")
def shelf(visit: With, page: int = 0) -> Response:
    """Show the entries in the order in which they stand."""
    store, t = visit.memories.lore.store, visit.t
    book = store.load()
    slow = visit.memories.lore.scanner.slow
    pages = page_of(visit, [*book.entries.items()], page, PAGE)
    return show(
        visit,
        "memories/lorebook.html",
        _SHELF,
        pages=pages,
        shown=[_shown(visit, book, place, entry, slow, t) for place, entry in pages.items],
        book=book,
        at=visit.at("memories/lorebook"),
        usual_depth=SCAN_DEPTH,
        past=past_of_path(visit, file_part(visit.memories.paths.folder, store.path)) if book.value else "",
    )


@router.post("")
def add(visit: With, keys: FormText = "", content: FormText = "") -> Response:
    """Add an entry; one with the same keys and words is not added twice."""
    values = {"keys": _lines(keys), "content": content}
    if not content.strip():
        return visit.lead(visit.at("memories/lorebook"), problem=visit.t("lorebook.nothing"))
    visit.memories.lore.store.change(lambda book: book.added(values), author=USER, reason="edited")
    return visit.lead(visit.at("memories/lorebook"), visit.t("lorebook.added"))


@router.post("/settings")
def keep_settings(
    visit: With, name: FormText = "", scan_depth: FormText = "", token_budget: FormText = "", recursive: FormText = ""
) -> Response:
    """Set what holds for the whole book."""
    values = {
        "name": " ".join(name.split()),
        "scan_depth": _number(scan_depth),
        "token_budget": _number(token_budget),
        "recursive_scanning": bool(recursive),
    }
    visit.memories.lore.store.change(lambda book: book.set(values), author=USER, reason="edited")
    return visit.lead(visit.at("memories/lorebook"), visit.t("notes.saved"))


@router.get("/{place}")
def edit(visit: With, place: int) -> Response:
    """Show the fields to edit an entry in."""
    book = visit.memories.lore.store.load()
    entry = book.entries.get(place)
    return gone(visit, _SHELF) if entry is None else _editor(visit, place, entry, book.digest(place))


@router.post("/{place}")
def save(visit: With, place: int, sent: Annotated[SentEntry, Depends()], based_on: FormText = "") -> Response:
    """Write what a person made of an entry; where it has changed meanwhile, both versions are shown instead."""
    store = visit.memories.lore.store
    known = store.load().entries.get(place, LoreEntry())
    values = sent.values(known)
    try:
        store.edit(place, values, based_on=based_on, author=USER)
    except ExternallyChangedError as error:
        mine = LoreEntry.model_validate({**known.model_dump(), **values})
        return _editor(visit, place, mine, store.load().digest(place), theirs=str(error.facts["theirs"]))
    return visit.lead(f"{visit.at('memories/lorebook')}#entry-{place}", visit.t("notes.saved"))


@router.post("/{place}/switch")
def switch(visit: With, place: int, on: FormText = "", based_on: FormText = "") -> Response:
    """Switch an entry on or off."""
    visit.memories.lore.store.edit(place, {"enabled": bool(on)}, based_on=based_on, author=USER)
    return visit.lead(f"{visit.at('memories/lorebook')}#entry-{place}")


@router.post("/{place}/remove")
def remove(visit: With, place: int, based_on: FormText = "") -> Response:
    """Take an entry out; the history brings it back."""
    visit.memories.lore.store.delete(place, based_on=based_on, author=USER, reason="lore_removed")
    return visit.lead(visit.at("memories/lorebook"), visit.t("lorebook.removed"))


def _editor(visit: PersonaVisit, place: int, entry: LoreEntry, digest: str, *, theirs: str | None = None) -> Response:
    return show(
        visit,
        "memories/lorebook_edit.html",
        _SHELF,
        name=shorten(entry.title) or visit.t("lorebook.unnamed"),
        shown=shown_fields(entry),
        theirs=theirs,
        digest=digest,
        at=visit.at(f"memories/lorebook/{place}"),
        back=visit.at("memories/lorebook"),
    )


def _shown(visit: PersonaVisit, book: Lorebook, place: int, entry: LoreEntry, slow: set[str], t: Texts) -> ShownEntry:
    problems = [t("lorebook.unreadable", word=shorten(key)) for key in unreadable_keys(entry)]
    problems += [t("lorebook.slow", word=shorten(key)) for key in (*entry.keys, *entry.secondary_keys) if key in slow]
    if not entry.constant and not any(key.strip() for key in entry.keys):
        problems.append(t("lorebook.keyless"))
    at = visit.at(f"memories/lorebook/{place}")
    title = entry.title or t("lorebook.unnamed")
    return ShownEntry(
        place, entry, book.digest(place), at, shorten(title), shorten(entry.content, _SHOWN), _marks(entry, t), problems
    )


def _marks(entry: LoreEntry, t: Texts) -> list[str]:
    told = {"off": not entry.enabled, "constant": entry.constant, "pattern": entry.use_regex}
    return [t(f"lorebook.is_{name}") for name, is_so in told.items() if is_so]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _number(text: str) -> int | None:
    """Return a whole number that somebody wrote; None where there is none."""
    try:
        return max(-_MOST, min(int(text.strip()), _MOST))
    except ValueError:
        return None
