"""What the rooms show as lists, tables and curves, handed out as CSV: whole, not page by page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import Response

from agent.memories import Memories
from managers.growth.kpi import WEIGHTS
from managers.language.masking.placeholders import Mask
from managers.memory.confidence import day_of
from managers.memory.drives import DRIVES
from managers.memory.emotion_curve import EmotionCurve
from managers.memory.emotion_names import feeling_name
from managers.memory.entities import Fact
from managers.memory.forgotten import FORGOTTEN, forgotten_words
from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.memory_map.scene import Scope, scene_of
from managers.sleep.diary import DreamDiary
from managers.storage.audit import Given, record
from ui.components.csv_files import Rows, csv_answer
from ui.locales import Texts
from ui.rooms.history.view import author_name, change_name, reason_of
from ui.rooms.map.names import place_name
from ui.rooms.memories import inner
from ui.rooms.memories.days import tone
from ui.rooms.memories.people import listed
from ui.rooms.memories.search import Wanted, find, wanted_of
from ui.rooms.memories.shelves import maker_name
from ui.server.visit import PersonaVisit, With

_MOST_ENTRIES: Final = 100_000
_MOST_DAYS: Final = 400
_LONG_AGO, _FAR_AHEAD = date(1970, 1, 1), date(9998, 12, 31)

router = APIRouter(prefix="/p/{persona}/tables")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a table is asked for.

    Attributes:
        visit: the request: whose, and in which language its headings are.
        wanted: what is looked for; its kinds narrow the entities too, its days the feelings.
        item: the file whose history it is, by its path in the persona's folder; empty: the whole history.
        scope: which part of the map.
        days: how many of the drives.
    """

    visit: PersonaVisit
    wanted: Wanted
    item: str
    scope: Scope
    days: int

    @property
    def memories(self) -> Memories:
        return self.visit.memories

    @property
    def t(self) -> Texts:
        return self.visit.t


@router.get("/{table}.csv")
def table_of(
    visit: With,
    table: str,
    wanted: Annotated[Wanted, Depends(wanted_of)],
    item: str = "",
    region: int | None = None,
    quarter: int | None = None,
    days: int = 7,
) -> Response:
    """Answer with a table."""
    if table not in ROWS:
        raise HTTPException(400)
    asked = Asked(visit, wanted, item, Scope(region, quarter), min(max(days, 0), _MOST_DAYS))
    rows, is_masked = ROWS[table](asked), visit.memories.settings().privacy.mask_exports
    record(visit.memories.paths, visit.now, "export", Given({"tables": 1}, is_masked=is_masked))
    if is_masked:
        hide = Mask().hide
        rows = ([hide(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return csv_answer(rows, f"{visit.name}-{table}.csv")


def _heads(t: Texts, *keys: str) -> list[str]:
    return [t(key if "." in key else f"tables.{key}") for key in keys]


def _found(asked: Asked) -> Rows:
    yield _heads(asked.t, "rank", "kind", "when", "speaker", "text", "closeness", "file", "message_ids")
    for rank, hit in enumerate(find(asked.memories, asked.wanted), 1):
        kind, moment = asked.t(f"types.{hit.type}"), hit.time.isoformat(sep=" ") if hit.time else ""
        ids = " ".join(hit.message_ids)
        yield [rank, kind, moment, hit.speaker or hit.heading, hit.text, round(hit.score, 4), hit.path, ids]


def _entities(asked: Asked) -> Rows:
    """Yield a row for each thing that is known: what a person wrote stands beside what dreams noted."""
    t = asked.t
    yield _heads(t, "name", "kind", "aliases", "fact", "since", "until", "made_by", "pinned", "message_ids")
    for entity in listed(asked.memories, asked.wanted.query, asked.wanted.kinds):
        head = [entity.name, t(f"memories.kind_{entity.kind}"), ", ".join(entity.aliases)]
        pinned = _pinned(t, is_pinned=entity.is_pinned)
        for line in [line for line in entity.lines if isinstance(line, Fact) or line.strip()] or [""]:
            if isinstance(line, Fact):
                told = [line.text, line.since, line.until, maker_name(line.mind, t), pinned, " ".join(line.evidence)]
            else:
                told = [line, "", "", maker_name(entity.mind, t), pinned, ""]
            yield [*head, *told]


def _episodes(asked: Asked) -> Rows:
    t, store = asked.t, asked.memories.episodes
    yield _heads(t, "day", "summary", "key_events", "tone", "made_by", "pinned", "message_ids")
    for day in store.days():
        if (episode := store.get(day)) is not None:
            told = [episode.summary, "\n".join(episode.key_events), tone(episode.emotional_tone, t)]
            made = [maker_name(episode.mind, t), _pinned(t, is_pinned=episode.is_pinned), " ".join(episode.evidence)]
            yield [day.isoformat(), *told, *made]


def _insights(asked: Asked) -> Rows:
    t = asked.t
    yield _heads(t, "when", "topic", "insight", "strategy", "log_entry", "level", "made_by", "message_ids")
    for one in asked.memories.insights.entries(archived=True):
        told = [one.created_at, one.trigger_topic, one.insight, one.strategy, one.log_entry, one.level]
        yield [*told, maker_name(one.mind, t), " ".join(one.evidence)]


def _goals(asked: Asked) -> Rows:
    t, fields = asked.t, ("goal", "status", "reason", "progress_notes", "priority", "related_values")
    yield _heads(t, "when", *(f"taking_back.field_{one}" for one in fields), "made_by", "pinned", "message_ids")
    for one in _all_of(inner.goals_in(asked.memories)):
        assert isinstance(one, Goal)
        notes, values = "\n".join(one.progress_notes), ", ".join(one.related_values)
        yield [one.created_at, one.goal, _status(one, t), one.reason, notes, one.priority, values, *_made(one, t)]


def _questions(asked: Asked) -> Rows:
    t, fields = asked.t, ("topic", "status", "context", "priority", "answer")
    yield _heads(t, "when", *(f"taking_back.field_{one}" for one in fields), "made_by", "pinned", "message_ids")
    for one in _all_of(inner.questions_in(asked.memories)):
        assert isinstance(one, Question)
        yield [one.created_at, one.topic, _status(one, t), one.context, one.priority, one.answer, *_made(one, t)]


def _diary(kind: Literal["main_memory", "secret_diary"]) -> Callable[[Asked], Rows]:
    def rows(asked: Asked) -> Rows:
        """Yield a diary's paragraphs, the oldest volume first."""
        yield _heads(asked.t, "file", "text")
        notes = asked.memories.notes
        volumes = [(path, notes.read_archive(path)) for path in notes.archives(kind)]
        for path, text in [*volumes, (notes.path(kind), notes.read(kind).text)]:
            for paragraph in filter(None, map(str.strip, text.replace("\r\n", "\n").split("\n\n"))):
                yield [path.name, paragraph]

    return rows


def _knowledge(asked: Asked) -> Rows:
    yield _heads(asked.t, "name", "bytes", "when")
    for document in asked.memories.knowledge.list():
        yield [document.name, document.size, document.added.isoformat(sep=" ", timespec="seconds")]


def _changes(asked: Asked, *, only: str = "") -> Rows:
    """Yield the history, newest first: of one file where one is named, or the changes with one reason."""
    t = asked.t
    yield _heads(t, "when", "author", "reason", "files", "made_by", "undone", "message_ids", "entry")
    for entry in asked.memories.history.entries(_MOST_ENTRIES, _inside(asked)):
        if only and (entry.reason != only or entry.kind != "change"):
            continue
        moment, undone = entry.time.isoformat(sep=" "), t("history.undone") if entry.undone_by else ""
        told = [moment, author_name(entry.author, t), reason_of(entry, t), "\n".join(entry.files)]
        yield [*told, maker_name(entry.mind, t), undone, " ".join(entry.evidence), entry.id]


def _forgotten(asked: Asked) -> Rows:
    """Yield what was forgotten: the changes of memories, then the words that somebody asked to have forgotten."""
    yield from _changes(asked, only=FORGOTTEN)
    t = asked.t
    for one in forgotten_words(asked.memories.log):
        told = [one.time.isoformat(sep=" "), author_name("user", t), t("history.reason_forgotten"), "log.txt"]
        yield [*told, "", "", " ".join(message.id for message in one.messages), one.id]


def _map(asked: Asked) -> Rows:
    """Yield every memory on a part of the map, with where it lies and the words that say best what it is about."""
    t, memory_map = asked.t, asked.memories.map
    yield [t(f"map.column_{key}") for key in ("day", "kind", "region", "quarter", "count", "across", "down", "text")]
    atlas = memory_map.look()
    if atlas is None:
        return
    scene = scene_of(atlas, asked.scope, len(atlas.pieces) + 1)
    faces = memory_map.read([dot.piece.face for dot in scene.dots])
    names = {
        (level, number): place_name([word.surface for word in words], t)
        for level, found in atlas.names.items()
        for number, words in found.items()
    }
    unnamed = place_name((), t)
    for piece in (dot.piece for dot in scene.dots if dot.piece.face in faces):
        region = names.get(("region", int(atlas.regions[piece.anchor])), unnamed)
        quarter = names.get(("quarter", int(atlas.quarters[piece.anchor])), unnamed)
        day = date.fromordinal(piece.day).isoformat() if piece.day else ""
        where = [region, quarter, piece.count, round(piece.x, 4), round(piece.y, 4)]
        yield [day, t(f"map.kind_{piece.kind}"), *where, faces[piece.face].text]


def _ties(asked: Asked) -> Rows:
    yield [asked.t(f"network.{key}") for key in ("one", "other", "messages")]
    for tie in asked.memories.network.all_ties():
        yield [tie.one, tie.other, tie.count]


def _drives(asked: Asked) -> Rows:
    inner_state, now, t = asked.memories.inner_state, asked.visit.now, asked.t
    yield [t("heart.when"), *(t(f"heart.{drive}") for drive in DRIVES)]
    for point in inner_state.course.points(now - timedelta(days=asked.days), now):
        yield [point.time.isoformat(sep=" "), *(point.levels[drive] for drive in DRIVES)]
    levels = inner_state.levels(now)
    yield [now.isoformat(sep=" ", timespec="seconds"), *(round(levels.of(drive), 4) for drive in DRIVES)]


def _feelings(asked: Asked) -> Rows:
    yield [asked.t(f"heart.{key}") for key in ("when", "emotion", "value", "message", "message_id")]
    curve = EmotionCurve(asked.memories.paths, asked.visit.services.clock)
    since, until = day_of(asked.wanted.since) or _LONG_AGO, day_of(asked.wanted.until) or _FAR_AHEAD
    for one in curve.readings(datetime.combine(since, time(0)), datetime.combine(until, time(0))):
        yield [
            one.time.isoformat(sep=" "),
            feeling_name(one.emotion, asked.t.lang),
            one.value,
            one.text,
            one.message_id,
        ]


def _dreams(asked: Asked) -> Rows:
    memories, t = asked.memories, asked.t
    heads = ("night", "level", "messages", "concluded", "strategy", "what_changed")
    yield [t(f"dreams.{key}") for key in heads]
    for night in DreamDiary(memories.paths, memories.history, memories.insights, memories.log).all():
        changed = "\n".join(
            f"{change_name(change.what, t)}: {change.text or t('dreams.taken_away')}"
            for change in (*night.told.stories, *night.told.changed)
        )
        told = [night.insight.insight, night.insight.strategy] if night.insight else ["", ""]
        yield [night.time.isoformat(sep=" "), night.level or "", night.messages, *told, changed]


def _growth(asked: Asked) -> Rows:
    """Yield a row a day: what was counted, its weighted sum until then, and the level."""
    course, t = asked.visit.companion.course().result(), asked.t
    yield [t("heart.when"), *(t(f"heart.kpi_{name}") for name in WEIGHTS), t("heart.total"), t("heart.level_name")]
    for row in course.itertuples(index=False):
        counts = [int(getattr(row, name)) for name in WEIGHTS]
        yield [row.day.isoformat(), *counts, round(float(row.total), 1), int(row.level)]


def _all_of(contents: inner.Contents) -> list[inner.Memory]:
    return [*(one for _, some in contents.first for one in some), *contents.rest]


def _status(one: Goal | Question, t: Texts) -> str:
    return t(f"taking_back.value_{one.status}")


def _made(one: Goal | Question, t: Texts) -> list[str]:
    return [maker_name(one.mind, t), _pinned(t, is_pinned=one.is_pinned), " ".join(one.evidence)]


def _inside(asked: Asked) -> Path | None:
    """Return the file that is asked about; nothing outside of the persona's folder is ever looked at."""
    folder = asked.memories.paths.folder
    path = folder / asked.item
    return path if asked.item and path.resolve().is_relative_to(folder.resolve()) else None


def _pinned(t: Texts, *, is_pinned: bool) -> str:
    return t("memories.pinned") if is_pinned else ""


ROWS: Final[Mapping[str, Callable[[Asked], Rows]]] = {
    "found": _found,
    "entities": _entities,
    "episodes": _episodes,
    "insights": _insights,
    "goals": _goals,
    "questions": _questions,
    "main_memory": _diary("main_memory"),
    "secret_diary": _diary("secret_diary"),
    "forgotten": _forgotten,
    "knowledge": _knowledge,
    "history": _changes,
    "map": _map,
    "ties": _ties,
    "drives": _drives,
    "feelings": _feelings,
    "dreams": _dreams,
    "growth": _growth,
}
