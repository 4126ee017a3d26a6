"""Bringing in what another program, or another home, knows: for whom it is, and what follows when it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent.addressing import with_name
from managers.exchange.backups.keeping import snapshot
from managers.exchange.errors import SpeakersUnknownError
from managers.exchange.import_engine import ImportPreview, ImportReport, ImportTarget, SourceImport
from managers.exchange.items import BETWEEN, UNSURE, FoundPersona, NotTaken, ReadingWishes
from managers.language.words import detect_language
from managers.memory.messages import NAMELESS, is_unnamed
from managers.personas import Persona
from managers.personas.avatars import prepare_avatar
from managers.personas.errors import AvatarRefusedError, PersonaNotFoundError
from managers.storage.audit import Given, record
from managers.storage.errors import Lang, Notice, UtataneError
from managers.storage.files import read_bytes

if TYPE_CHECKING:
    from agent.services import Services
    from managers.sleep.cost import DreamCost

LISTENED_TO: Final = 100
"""So many messages tell a conversation's language."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, for whom, and what a person should know beside it.

    Attributes:
        is_indexed: the search knows of it, as far as `notices` say nothing else.
    """

    persona: str
    is_new: bool
    report: ImportReport
    notices: tuple[Notice, ...] = ()
    is_indexed: bool = False


def informed(services: Services, wishes: ReadingWishes) -> ReadingWishes:
    """Return what a person said of a source, with the names that this home knows: the user's, and who lives here."""
    users, names = {services.settings().user.name}, services.personas.list_names()
    for name in names:
        with suppress(UtataneError):  # who cannot be read knows nobody
            users.add(services.personas.get(name).user_name)
    known = () if wishes.persona else tuple(names)
    return replace(wishes, users=tuple(sorted(users - {""})), personas=known)


def check_speakers(work: SourceImport) -> None:
    """See that it is known who of those who speak in a source is the user.

    Raises:
        SpeakersUnknownError
    """
    if asked := asked_about(work.spool.left_out):
        raise SpeakersUnknownError(names=BETWEEN.join(asked))


def asked_about(left: Iterable[NotTaken]) -> tuple[str, ...]:
    """Return of whom a person has to say who they are, before a source can be taken over."""
    names = (name for one in left if one.code == UNSURE for name in one.facts["names"].split(BETWEEN))
    return tuple(dict.fromkeys(names))


def look(services: Services, work: SourceImport, name: str) -> ImportPreview:
    """Return what was found in a source that was read, and how much of it a persona has; nothing is changed."""
    try:
        services.personas.get(name)
    except PersonaNotFoundError:
        return work.preview()
    return work.preview(services.memories(name).log)


def bring_in(services: Services, work: SourceImport, name: str, *, is_let_in: bool = False) -> Imported:
    """Take over what was read of a source, into a persona of that name; one is made if there is none.

    What is not let in whole (`ImportTarget.is_let_in`) keeps the mark of foreign words.

    Raises:
        SpeakersUnknownError: who is who has to be said first; nothing was changed.
        UnsafeNameError, GuestError: there can be no such persona; nothing was changed.
        ImportCancelledError, DiskFullError, UnwritableError, BusyError: what is there by then stays.
    """
    check_speakers(work)
    persona, is_new = _persona_for(services, work, name, is_let_in=is_let_in)
    memories = services.companion(persona.name).memories
    sheet = memories.sheet()
    target = ImportTarget(
        paths=memories.paths,
        clock=memories.clock,
        log=memories.log,
        history=memories.history,
        emotions=memories.emotions,
        copy=memories.working_copy(),
        names=(sheet.user_name or NAMELESS[persona.language], persona.name),
        avatar=lambda data: _take_avatar(services, persona.name, data),
        is_let_in=is_let_in,
    )
    report = work.carry_out(target)
    counts: dict[str, int] = {"messages": report.added, **{str(kind): n for kind, n in report.memories.items()}}
    record(memories.paths, services.clock.now(), "import", Given(counts))
    return Imported(persona.name, is_new, report)


def follow_up(services: Services, name: str) -> tuple[Notice, ...]:
    """Let the search index learn of what came in; years take a while, and can be found when it is done.

    Whatever was indexed while the first months came in knew only those.
    """
    return tuple(services.memories(name).recall.keep_up(1))


def dream_cost(services: Services, done: Imported) -> DreamCost | None:
    """Return what a dream of the days that wait would cost the mind; None where nothing came in to dream of."""
    if not done.report.added:
        return None
    cost = services.sleeper(done.persona).cost()
    return cost if cost.days else None


def _persona_for(services: Services, work: SourceImport, name: str, *, is_let_in: bool) -> tuple[Persona, bool]:
    """Return whom it is for; of one that is there, all is backed up before anything comes in.

    Who a new one is comes from the source in any case; whom it talks to, and what one that is there has not, if that is let in.
    """
    found = work.spool.persona
    try:
        persona = services.personas.get(name)
    except PersonaNotFoundError:
        return _made(services, work, name, found.user_profile if is_let_in else ""), True
    coming = look(services, work, name)
    if coming.messages > coming.already_there or coming.memories:
        snapshot(services.home, "import", services.clock)
    if is_let_in:
        _fill(services, work, persona, found)
    return services.personas.get(name), False


def _made(services: Services, work: SourceImport, name: str, user_profile: str) -> Persona:
    found = work.spool.persona
    spoken = Counter({speaker: n for (role, speaker), n in work.spool.speakers.items() if role == "user"})
    users = [speaker for speaker, _ in spoken.most_common() if speaker and not is_unnamed(speaker)]
    made = services.personas.create(
        name,
        language=found.language or _language(work, found),
        system_prompt=found.system_prompt,
        greeting=found.greeting,
        user_name=found.user_name or (users[0] if users else ""),
        user_profile=user_profile,
    )
    return _fill_words(services, made, found)


def _language(work: SourceImport, found: FoundPersona) -> Lang:
    first = next(work.spool.batches(LISTENED_TO), [])
    return detect_language("\n".join([found.system_prompt, *(waiting.found.text for waiting in first)]))


def _fill(services: Services, work: SourceImport, persona: Persona, found: FoundPersona) -> None:
    """Give a persona that is there what it has not; what it has stays, and what would have come is told.

    It has a name for the user as soon as anybody gave one: in the settings, in its notes, or in the talk.
    """
    store = services.personas
    memories = services.memories(persona.name)
    called = with_name(memories.sheet(), memories, memories.window()).user_name
    fields = (
        ("prompt", found.system_prompt, persona.system_prompt),
        ("greeting", found.greeting, persona.greeting),
        ("user", found.user_name, called),
        ("user", found.user_profile, persona.user_profile),
    )
    for code, new, there in fields:
        if new.strip() and there.strip() and new.strip() != there.strip():
            work.spool.leave_out(NotTaken(f"engine.{code}"))
    if found.system_prompt.strip() and not persona.system_prompt.strip():
        store.write_system_prompt(persona.name, found.system_prompt, based_on=persona.system_prompt_digest)
    if found.greeting.strip() and not persona.greeting.strip():
        store.set_greeting(persona.name, found.greeting)
    _fill_words(services, persona, found)
    user_name = found.user_name if not called else ""
    profile = found.user_profile if not persona.user_profile else ""
    if user_name or profile:
        store.set_user(persona.name, user_name=user_name or None, profile=profile or None)


def _fill_words(services: Services, persona: Persona, found: FoundPersona) -> Persona:
    """Give a persona the other greetings and the nickname that it has not."""
    if found.greetings and not persona.alternate_greetings:
        persona = services.personas.set_alternate_greetings(persona.name, found.greetings)
    if found.nickname and not persona.nickname:
        persona = services.personas.set_nickname(persona.name, found.nickname)
    return persona


def _take_avatar(services: Services, name: str, data: bytes) -> str:
    """Take a picture, if there is none; return why not (`MemoryPlaces.avatar`)."""
    there = services.personas.get(name).avatar
    try:
        if there is not None:
            return "there" if read_bytes(there) == prepare_avatar(data) else "engine.picture"
        services.personas.set_avatar(name, data)
    except AvatarRefusedError:
        return "engine.bad-picture"
    return ""
