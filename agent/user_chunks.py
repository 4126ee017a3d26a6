"""What one persona knows of a user, as chunks of the memory that personas share."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Final

from agent.addressing import facts_of_user, names_of_user
from managers.growth.kpi import WEIGHTS, Kpi, months
from managers.language.reading.preferences import is_standing_wish
from managers.memory.audience import NOTES, AudienceReader, Kept
from managers.memory.entities import Fact
from managers.memory.entity_store import EntityStore
from managers.mind import Sheet
from managers.personas import Persona
from managers.sessions.long_term import Chunk, Kind, chunk_id
from managers.sessions.users import Users
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes
from managers.storage.texts import Texts

_DATED: Final = "%Y%m%dT%H%M%S"
_say = Texts("prompts/shared_memory")


def names_under(names: Iterable[str], persona: Persona) -> list[str]:
    """Return the cards that may hold what a persona knows of the user."""
    sheets = (Sheet(persona.name, persona.language, "", name, "", "") for name in names)
    return list(dict.fromkeys(known for sheet in sheets for known in names_of_user(sheet)))


def known_to(persona: Persona, names: Iterable[str], users: Users, uid: str, clock: Clock) -> Iterator[Chunk]:
    """Yield what one persona knows of a user, as it stands in its files."""
    audiences = AudienceReader(persona.paths)
    try:
        kept, own = audiences.kept(), audiences.own()
    except UtataneError:
        return  # nobody can tell for whom it is
    entities, seen = EntityStore(persona.paths, clock), set[str]()
    for name in names:
        sheet = Sheet(persona.name, persona.language, "", name, "", "")
        open_ones = {fact.text for fact in facts_of_user(entities, sheet, kept)}
        for fact in facts_of_user(entities, sheet, own):
            if fact.text not in seen and _is_of(fact, users, uid):
                seen.add(fact.text)
                yield _of_fact(persona.name, fact, is_here_only=fact.text not in open_ones)
    if not users.spans and not own.holds_file(NOTES["core_memory"]):  # else nobody knows whose line of a note it is
        yield from _of_notes(persona, names, kept, seen)
    for month, kpi in months(persona.paths, clock, uid):
        yield _of_month(persona, month, kpi)


def _is_of(fact: Fact, users: Users, uid: str) -> bool:
    """Tell whether a fact rests on words of one user alone; where nobody can tell, it is nobody's."""
    if not users.spans:
        return True
    said = set[str]()
    day = fact.since.replace("-", "")
    for one in fact.evidence or (f"{day}T000000", f"{day}T235959"):
        try:
            said |= users.around(datetime.strptime(one[:15], _DATED))  # ids are in local time
        except ValueError:
            return False
    return said == {uid}


def _of_fact(origin: str, fact: Fact, *, is_here_only: bool) -> Chunk:
    time = None
    with suppress(ValueError):
        time = datetime.fromisoformat(fact.since)
    kind: Kind = "preference" if is_standing_wish(fact.text) else "profile"
    return Chunk(
        id=chunk_id(kind, origin, fact.text),
        kind=kind,
        text=fact.text,
        origin=origin,
        time=time,
        tags=[f"slot:{fact.slot}"] if fact.slot else [],
        evidence=list(fact.evidence),
        is_here_only=is_here_only,
    )


def _of_notes(persona: Persona, names: Iterable[str], kept: Kept, seen: set[str]) -> Iterator[Chunk]:
    """Yield the lines of the core memory that name the user, or tell what they like."""
    text = (read_bytes(persona.paths.core_memory) or b"").decode("utf-8", "replace")
    called = tuple(name for name in names if name)
    for line in filter(None, (line.strip(" \t-*・#") for line in text.splitlines())):
        if line not in seen and (any(name in line for name in called) or is_standing_wish(line)):
            seen.add(line)
            fact = Fact(line)
            yield _of_fact(persona.name, fact, is_here_only=kept.holds_file(NOTES["core_memory"]))


def _of_month(persona: Persona, month: str, kpi: Kpi) -> Chunk:
    counts = {name: getattr(kpi, name) for name in WEIGHTS}
    text = _say("month", persona.language, month=month, persona=persona.name, **counts)
    tags = [f"{name}:{count}" for name, count in counts.items() if count]
    time = datetime.strptime(month, "%Y-%m")  # a month, no moment
    return Chunk(
        id=chunk_id("kpi", persona.name, month), kind="kpi", text=text, origin=persona.name, time=time, tags=tags,
        kpi=kpi.total,
    )  # fmt: skip
