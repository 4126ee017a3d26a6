"""What the shelves of the memories room show, and the documents and the history, handed out as CSV: whole, not by pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from agent.services import Services
from managers.memory.entities import Fact
from managers.memory.forgotten import FORGOTTEN
from managers.memory.words_forgotten import forgotten_words
from managers.storage.errors import Lang
from ui import entities, episodes, search
from ui.csv_files import Rows, csv_answer
from ui.history import author_name, reason_of
from ui.locales import Texts, texts
from ui.shelves import Place, View

Table = Literal[
    "found", "entities", "episodes", "insights", "main_memory", "secret_diary", "forgotten", "knowledge", "history"
]
_MOST_ENTRIES = 100_000


def memory_tables(services: Services) -> APIRouter:
    """Return the addresses of the tables."""
    router = APIRouter(prefix="/personas/{name}/tables/memories")

    @router.get("/{table}.csv")
    def table_of(
        name: str,
        table: Table,
        lang: Lang = "en",
        query: str = "",
        kinds: Annotated[tuple[str, ...], Query()] = (),
        since: str = "",
        until: str = "",
        item: str = "",
    ) -> Response:
        memories = services.companion(name).memories
        place = Place(shelf=table, item=item, query=query, kinds=kinds, since=since, until=until)
        view = View(memories, place, services.clock.now(), texts(lang))
        return csv_answer(ROWS[table](view), f"{name}-{table}.csv")

    return router


def _heads(t: Texts, *keys: str) -> list[str]:
    return [t(f"tables.{key}") for key in keys]


def _found(view: View) -> Rows:
    yield _heads(view.t, "rank", "kind", "when", "speaker", "text", "closeness", "file", "message_ids")
    for rank, hit in enumerate(search.find(view), 1):
        kind, moment = view.t(f"types.{hit.type}"), hit.time.isoformat(sep=" ") if hit.time else ""
        ids = " ".join(hit.message_ids)
        yield [rank, kind, moment, hit.speaker or hit.heading, hit.text, round(hit.score, 4), hit.path, ids]


def _entities(view: View) -> Rows:
    """Yield a row for each thing that is known: what a person wrote stands beside what dreams noted."""
    yield _heads(view.t, "name", "kind", "aliases", "fact", "since", "until", "made_by", "pinned", "message_ids")
    for entity in entities.listed(view):
        head = [entity.name, view.t(f"memories.kind_{entity.kind}"), ", ".join(entity.aliases)]
        pinned = _pinned(view.t, pinned=entity.is_pinned)
        lines = [line for line in entity.lines if isinstance(line, Fact) or line.strip()]
        for line in lines or [""]:
            if isinstance(line, Fact):
                ids = " ".join(line.evidence)
                yield [*head, line.text, line.since, line.until, _maker(line.mind, view.t), pinned, ids]
            else:
                yield [*head, line, "", "", _maker(entity.mind, view.t), pinned, ""]


def _episodes(view: View) -> Rows:
    yield _heads(view.t, "day", "summary", "key_events", "tone", "made_by", "pinned", "message_ids")
    store = view.memories.episodes
    for day in sorted(store.days()):
        if (episode := store.get(day)) is None:
            continue
        tone, maker = episodes.tone(episode.emotional_tone, view.t), _maker(episode.mind, view.t)
        pinned = _pinned(view.t, pinned=episode.is_pinned)
        events = "\n".join(episode.key_events)
        yield [day.isoformat(), episode.summary, events, tone, maker, pinned, " ".join(episode.evidence)]


def _insights(view: View) -> Rows:
    yield _heads(view.t, "when", "topic", "insight", "strategy", "log_entry", "level", "made_by", "message_ids")
    for one in view.memories.insights.entries(archived=True):
        told = [one.created_at, one.trigger_topic, one.insight, one.strategy, one.log_entry, one.level]
        yield [*told, _maker(one.mind, view.t), " ".join(one.evidence)]


def _diary(view: View) -> Rows:
    """Yield a diary's paragraphs, the oldest volume first."""
    kind: Literal["main_memory", "secret_diary"] = "main_memory"
    if view.place.shelf == "secret_diary":
        kind = "secret_diary"
    yield _heads(view.t, "file", "text")
    notes = view.memories.notes
    volumes = [(path, notes.read_archive(path)) for path in notes.archives(kind)]
    for path, text in [*volumes, (notes.path(kind), notes.read(kind).text)]:
        for paragraph in filter(None, map(str.strip, text.replace("\r\n", "\n").split("\n\n"))):
            yield [path.name, paragraph]


def _knowledge(view: View) -> Rows:
    yield _heads(view.t, "name", "bytes", "when")
    for document in view.memories.knowledge.list():
        yield [document.name, document.size, document.added.isoformat(sep=" ", timespec="seconds")]


def _changes(view: View, *, only: str = "") -> Rows:
    """Yield the history, newest first: of one file where one is named, or the changes with one reason."""
    yield _heads(view.t, "when", "author", "reason", "files", "made_by", "undone", "message_ids", "entry")
    for entry in view.memories.history.entries(_MOST_ENTRIES, _inside(view)):
        if only and (entry.reason != only or entry.kind != "change"):
            continue
        when, undone = entry.time.isoformat(sep=" "), view.t("history.undone") if entry.undone_by else ""
        told = [when, author_name(entry.author, view.t), reason_of(entry, view.t), "\n".join(entry.files)]
        yield [*told, _maker(entry.mind, view.t), undone, " ".join(entry.evidence), entry.id]


def _forgotten(view: View) -> Rows:
    """Yield what was forgotten: the changes of memories, then the words that somebody asked to have forgotten."""
    yield from _changes(view, only=FORGOTTEN)
    for one in forgotten_words(view.memories.log):
        told = [one.time.isoformat(sep=" "), author_name("user", view.t), view.t("history.reason_forgotten"), "log.txt"]
        yield [*told, "", "", " ".join(message.id for message in one.messages), one.id]


def _inside(view: View) -> Path | None:
    """Return the file that is asked about; nothing outside of the persona's folder is ever looked at."""
    folder = view.memories.paths.folder
    path = folder / view.place.item
    return path if view.place.item and path.resolve().is_relative_to(folder.resolve()) else None


def _maker(mind: str, t: Texts) -> str:
    return {"user": t("history.by_user"), "built-in": t("mind.builtin_name")}.get(mind, mind)


def _pinned(t: Texts, *, pinned: bool) -> str:
    return t("memories.pinned") if pinned else ""


ROWS: Mapping[Table, Callable[[View], Rows]] = {
    "found": _found,
    "entities": _entities,
    "episodes": _episodes,
    "insights": _insights,
    "main_memory": _diary,
    "secret_diary": _diary,
    "forgotten": _forgotten,
    "knowledge": _knowledge,
    "history": _changes,
}
