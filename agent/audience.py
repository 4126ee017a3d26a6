"""What of the memories a mind may be given: a mind elsewhere nothing that is for this computer only."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from agent.memories import Memories
from agent.minds.protocol import Mind
from managers.hygiene.inventory import listed
from managers.hygiene.inventory import memories as active
from managers.memory.audience import NOTHING_KEPT, Audience, AudienceReader, Kept, days_of, file_named, with_answers
from managers.memory.errors import NoSuchMemoryError
from managers.memory.goals import Goals
from managers.memory.messages import Message
from managers.mind import Cancel, Company, Resumed
from managers.recall.embedders.kept_here import staying
from managers.recall.hits import Hit
from managers.sleep import tasks
from managers.storage.errors import UtataneError


def leaves(mind: Mind) -> bool:
    """Tell whether what a mind is given leaves this computer."""
    return mind.endpoint is not None and mind.endpoint.leaves_machine


def any_leaves(*minds: Mind | None) -> bool:
    """Tell whether what some minds are given leaves this computer with any of them."""
    return any(mind and leaves(mind) for mind in minds)


def kept_from(memories: Memories, *minds: Mind | None) -> Kept:
    """Return what some minds must not be given; nothing is looked at for minds on this computer.

    Raises:
        AudienceUnknownError, UnreadableError: nobody can tell.
    """
    return memories.audiences.kept() if any_leaves(*minds) else NOTHING_KEPT


def asking_of(memories: Memories, messages: Iterable[str], hits: Sequence[Hit] = ()) -> AbstractContextManager[None]:
    """Keep a question from embedders elsewhere, if it may repeat what is for this computer only.

    Args:
        memories: the persona's.
        messages: what it may be made of, by their ids.
        hits: the same, memories.
    """
    try:
        kept = memories.audiences.kept()
    except UtataneError:  # nobody can tell
        return staying()
    return staying(here=kept.holds(messages) or len(other_hits(kept, hits)) < len(hits))


def let_be_for(memories: Memories, memory_id: str, audience: Audience) -> None:
    """Say for whom a memory, a goal, a question, a way to help, a message or a whole file is, with all that tells the same.

    Raises:
        NoSuchMemoryError, AudienceUnknownError, UtataneError: nothing was changed.
    """
    copy, evidence, place = memories.working_copy(), [memory_id], ""
    memory = next((one for one in active(copy) if one.id == memory_id), None)
    if memory is not None:
        evidence, file = [*memory.evidence], memory.place if memory.kind == "fact" else "insights"
        place = memory.place if memory.kind in {"day", "event"} else "" if evidence else file
    elif (one := listed(copy, memory_id)) is not None:
        evidence = one.evidence
    elif file_named(memories.paths, memory_id) is not None:
        evidence = []
    elif memories.log.get(memory_id) is None:
        raise NoSuchMemoryError(id=memory_id)
    messages = with_answers(memories.log, evidence)
    memories.audiences.mark(memory_id, audience, messages, place, days_of(memories.log, messages))


def other_messages(kept: Kept, messages: Iterable[Message]) -> list[Message]:
    """Return the messages that are not kept."""
    return [message for message in messages if message.id not in kept.messages]


def other_company(kept: Kept, company: Company) -> Company:
    """Return what a conversation of several is told with, without what is kept: a summary falls whole."""
    resumed = company.resumed
    if resumed is not None:
        is_kept = any(one in kept.messages for one in resumed.message_ids)
        turns = tuple(other_messages(kept, resumed.turns))
        resumed = Resumed("", turns) if is_kept else replace(resumed, turns=turns)
    return replace(company, since=tuple(other_messages(kept, company.since)), resumed=resumed)


def other_hits(kept: Kept, hits: Sequence[Hit]) -> list[Hit]:
    """Return the passages that are not kept."""
    return [hit for hit in hits if not kept.holds_passage(hit.message_ids, hit.path)]


@dataclass(frozen=True)
class DiscreetDreams:
    """A mind elsewhere, asleep: it is given no memory that is for this computer only.

    Of a day of which nothing else was said, the mind of this computer dreams in its place. What is so marked is looked up
    for each task: a night of years takes hours.
    """

    mind: tasks.DreamMind
    here: tasks.DreamMind
    reader: AudienceReader

    @property
    def name(self) -> str:
        return self.mind.name

    def summarise_day(self, material: tasks.DayMaterial, cancel: Cancel) -> tasks.DayDraft:
        kept = self.reader.kept()
        return self._for(kept, material.messages).summarise_day(_day(kept, material), cancel)

    def describe_entities(self, material: tasks.EntityMaterial, cancel: Cancel) -> tasks.EntitiesDraft:
        kept = self.reader.kept()
        mind = self._for(kept, material.day.new_messages)
        if mind is self.here:
            return mind.describe_entities(material, cancel)
        return mind.describe_entities(
            tasks.EntityMaterial(_day(kept, material.day), tuple(kept.cards(material.known))), cancel
        )

    def find_questions(self, material: tasks.QuestionMaterial, cancel: Cancel) -> tasks.QuestionsDraft:
        kept = self.reader.kept()
        request = tasks.QuestionMaterial(_day(kept, material.day), tuple(kept.others(material.open)))
        return self._for(kept, material.day.new_messages).find_questions(request, cancel)

    def resolve_questions(self, material: tasks.AnswerMaterial, cancel: Cancel) -> tasks.ResolutionsDraft:
        kept = self.reader.kept()
        request = tasks.AnswerMaterial(_day(kept, material.day), tuple(kept.others(material.open)))
        return self._for(kept, material.day.new_messages).resolve_questions(request, cancel)

    def reflect(self, material: tasks.ReflectionMaterial, cancel: Cancel) -> tasks.ReflectionDraft | None:
        kept, goals = self.reader.kept(), material.goals.lists
        days = tuple(_day(kept, day) for day in material.days if other_messages(kept, day.messages))
        shown = replace(
            material,
            days=days,
            episodes=tuple(kept.other_days(material.episodes)),
            insights=tuple(kept.others(material.insights)),
            outdated=tuple(kept.others(material.outdated)),
            goals=Goals(kept.others(goals["short_term"]), kept.others(goals["long_term"])),
            questions=tuple(kept.others(material.questions)),
            past=tuple(other_hits(kept, material.past)),
        )
        return self.mind.reflect(shown, cancel) if shown.days or shown.episodes else self.here.reflect(material, cancel)

    def summarise_period(self, material: tasks.PeriodMaterial, cancel: Cancel) -> tasks.PeriodDraft | None:
        shown = self.reader.kept().other_days(material.episodes)
        mind = self.mind if len(shown) == len(material.episodes) else self.here
        return mind.summarise_period(material, cancel)

    def tokens_of(self, material: tasks.DayMaterial) -> int:
        kept = self.reader.kept()
        return self._for(kept, material.messages).tokens_of(_day(kept, material))

    def _for(self, kept: Kept, messages: Sequence[Message]) -> tasks.DreamMind:
        return self.mind if other_messages(kept, messages) else self.here


def _day(kept: Kept, day: tasks.DayMaterial) -> tasks.DayMaterial:
    shown = other_messages(kept, day.messages)
    before = day.before and next(iter(kept.other_days([day.before])), None)
    return replace(day, messages=tuple(shown), before=before) if shown else day
