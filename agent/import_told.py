"""What is said of an import, on the page and on the command line: what was found, who speaks in it, what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from agent.importing import asked_about
from managers.exchange.import_words import told_of
from managers.exchange.items import Kind, MemoryKind, NotTaken
from managers.memory.messages import NAMELESS, Role
from managers.storage.errors import Lang
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.importing import Imported
    from managers.exchange.archives.reading import Checked
    from managers.exchange.import_engine import ImportPreview
    from managers.sleep.cost import DreamCost

_say = Texts("notices/imports")
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


def kind_name(kind: Kind, lang: Lang) -> str:
    """Return what a kind of source is called."""
    return _say(f"kinds.{kind}", lang)


def role_name(role: Role, lang: Lang) -> str:
    """Return what somebody who speaks is."""
    return _say(f"roles.{role}", lang)


def facts(found: ImportPreview, lang: Lang) -> list[str]:
    """Return what was found, sentence by sentence."""
    told: list[str] = []
    if found.first and found.last:
        told.append(_say("days", lang, first=found.first.date(), last=found.last.date()))
    counts = {
        "messages": found.messages,
        "threads": found.threads if found.threads > 1 else 0,
        "there": found.already_there,
        "repeated": found.repeated,
        "files": found.files,
    }
    told += [_say(key, lang, count=count) for key, count in counts.items() if count]
    return [*told, *_memories(found.memories.items(), lang)]


def archived(found: Checked, lang: Lang) -> list[str]:
    """Return what an archive says of itself, sentence by sentence."""
    told = [_say("archive.files", lang, count=found.count, size=found.size / _MEGABYTE)]
    if found.made_at:
        told.append(_say("archive.made", lang, day=found.made_at[:10]))
    if found.forgotten:
        told.append(_say("archive.forgotten", lang, count=found.forgotten))
    if found.is_masked:
        told.append(_say("archive.masked", lang))
    return told


def _memories(counted: Iterable[tuple[MemoryKind, int]], lang: Lang) -> list[str]:
    return [_say("memory", lang, kind=_say(f"memories.{kind}", lang), count=count) for kind, count in counted]


def speakers(found: ImportPreview, lang: Lang) -> list[Speaker]:
    """Return who speaks, in words: whoever has no name in the source is the user, or the persona."""
    return [
        Speaker(name, name or _unnamed(role, found, lang), role, f"{count:,}") for role, name, count in found.speakers
    ]


def people(found: ImportPreview, lang: Lang) -> list[Speaker]:
    """Return who speaks and is the user, the persona, or somebody of whom a person has to say who that is."""
    asked = asked_about(found.left_out)
    return [one for one in speakers(found, lang) if one.role != "system" or one.name in asked]


def is_asked(found: ImportPreview) -> bool:
    """Whether a person has to say who is who, before anything can be taken over."""
    return bool(asked_about(found.left_out))


def is_guess(found: ImportPreview) -> bool:
    """Whether who is who is a guess that a person should look at."""
    return found.kind in _GUESSED and any(name for _, name, _ in found.speakers)


def _unnamed(role: Role, found: ImportPreview, lang: Lang) -> str:
    if role == "user":
        return found.persona.user_name or NAMELESS[lang]
    return (role == "persona" and found.persona.name) or role_name(role, lang)


def left_out(left: Iterable[NotTaken], lang: Lang) -> list[Left]:
    """Return what is left out, and why."""
    return [Left(one.place, told_of(one)[lang]) for one in left]


def outcome(done: Imported, lang: Lang) -> list[str]:
    """Return what an import did, sentence by sentence."""
    report = done.report
    told: list[str] = []
    if report.first is not None:
        told.append(_say("added", lang, count=report.added, known=report.already_there))
    if report.files:
        told.append(_say("files-kept", lang, count=report.files))
    told += _memories(report.memories.items(), lang)
    if there := sum(report.memories_there.values()):
        told.append(_say("memories-there", lang, count=there))
    if report.kept:
        told.append(_say("kept", lang, count=len(report.kept)))
    return told


def dream_offer(cost: DreamCost, lang: Lang) -> list[str]:
    """Return what can be dreamt of, and what that would ask of a model, if one dreams."""
    told = [_say("dream.about", lang, days=cost.days)]
    if cost.calls:
        told.append(_say("dream.cost", lang, mind=cost.mind, calls=cost.calls, tokens=cost.tokens))
    return told


def suggested_name(found: ImportPreview) -> str:
    """Return how a new persona could be called: as the source calls it."""
    if found.persona.name:
        return found.persona.name
    spoken = [name for role, name, _ in found.speakers if role == "persona" and name]
    return spoken[0] if spoken else ""
