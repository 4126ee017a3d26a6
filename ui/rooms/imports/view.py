"""What is said of an import: what was found, how far it is, what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from agent.importing import Imported
from managers.exchange.archives.reading import Checked
from managers.exchange.import_engine import ImportPreview
from managers.exchange.import_words import told_of
from managers.exchange.items import Kind, MemoryKind, NotTaken
from managers.memory.messages import NAMELESS, Role
from managers.storage.errors import Lang
from managers.storage.texts import Texts as Words
from ui.locales import Texts

_words = Words("notices/imports")
KINDS: Final[tuple[Kind, ...]] = tuple(kind for kind in get_args(Kind) if kind != "archive")
"""What can be chosen where it is not recognised; an archive always is."""
_MEGABYTE: Final = 1_000_000
_GUESSED: Final = frozenset({"text"})
"""Kinds whose speakers are a guess that a person should look at."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks in a source."""

    name: str
    shown: str
    role: Role
    count: str


@dataclass(frozen=True, slots=True)
class Left:
    """Why something is left out, and where it stands."""

    place: str
    why: str


def kinds(t: Texts) -> list[tuple[Kind, str]]:
    """Return the kinds that can be chosen, each with its name."""
    return [(kind, _words(f"kinds.{kind}", t.lang)) for kind in KINDS]


def kind_name(kind: Kind, t: Texts) -> str:
    """Return what a kind of source is called."""
    return _words(f"kinds.{kind}", t.lang)


def facts(found: ImportPreview, t: Texts) -> list[str]:
    """Return what was found, sentence by sentence."""
    told: list[str] = []
    if found.messages:
        told.append(t("imports.messages", count=f"{found.messages:,}"))
    if found.first and found.last:
        told.append(t("imports.days", first=found.first.date(), last=found.last.date()))
    if found.threads > 1:
        told.append(t("imports.threads", count=f"{found.threads:,}"))
    if found.already_there:
        told.append(t("imports.there", count=f"{found.already_there:,}"))
    if found.repeated:
        told.append(t("imports.repeated", count=f"{found.repeated:,}"))
    if found.files:
        told.append(t("imports.files", count=f"{found.files:,}"))
    return [*told, *memories(found.memories.items(), t)]


def archived(found: Checked, t: Texts) -> list[str]:
    """Return what an archive says of itself, sentence by sentence."""
    told = [t("imports.archive_files", count=found.count, size=f"{found.size / _MEGABYTE:,.1f}")]
    if found.made_at:
        told.append(t("imports.archive_made", day=found.made_at[:10]))
    if found.forgotten:
        told.append(t("imports.archive_forgotten", count=found.forgotten))
    if found.is_masked:
        told.append(t("imports.archive_masked"))
    return told


def memories(counted: Iterable[tuple[MemoryKind, int]], t: Texts) -> list[str]:
    """Return how many memories of each kind there are."""
    return [t("imports.memory", kind=_words(f"memories.{kind}", t.lang), count=f"{count:,}") for kind, count in counted]


def speakers(found: ImportPreview, t: Texts) -> list[Speaker]:
    """Return who speaks, in words: whoever has no name in the source is the user, or the persona."""
    return [
        Speaker(name, name or _unnamed(role, found, t), role, f"{count:,}")
        for role, name, count in found.speakers
        if role != "system"
    ]


def is_guess(found: ImportPreview) -> bool:
    """Whether who is who is a guess that a person should look at."""
    return found.kind in _GUESSED and any(name for _, name, _ in found.speakers)


def _unnamed(role: Role, found: ImportPreview, t: Texts) -> str:
    if role == "user":
        return found.persona.user_name or NAMELESS[t.lang]
    return found.persona.name or t("imports.persona")


def left_out(left: Sequence[NotTaken], lang: Lang) -> list[Left]:
    """Return what is left out, and why."""
    return [Left(one.place, told_of(one)[lang]) for one in left]


def outcome(done: Imported, t: Texts) -> list[str]:
    """Return what an import did, sentence by sentence."""
    report = done.report
    told: list[str] = []
    if report.first is not None:
        told.append(t("imports.added", count=f"{report.added:,}", known=f"{report.already_there:,}"))
    if report.files:
        told.append(t("imports.files_kept", count=f"{report.files:,}"))
    told += memories(report.memories.items(), t)
    there = sum(report.memories_there.values())
    if there:
        told.append(t("imports.memories_there", count=f"{there:,}"))
    if report.kept:
        told.append(t("imports.kept", count=len(report.kept)))
    return told


def suggested_name(found: ImportPreview) -> str:
    """Return how a new persona could be called: as the source calls it."""
    if found.persona.name:
        return found.persona.name
    spoken = [name for role, name, _ in found.speakers if role == "persona" and name]
    return spoken[0] if spoken else ""
