"""What a turn carries: which memories, for the audit, and which foreign text.

Foreign are documents that were quoted to the mind, and files that came with messages; not what was said in the
conversation, nor what a person brought along and let in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from agent.attachments import Attached, name_of
from agent.file_contents import is_picture
from agent.prompt_parts import Composed
from agent.prompts.system_prompt import PartName
from managers.memory.messages import Message
from managers.mind import talk_given
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog
from managers.storage.audit import Given

_TOLD: Final[frozenset[PartName]] = frozenset(
    {
        "world_before",
        "world",
        "lore",
        "user",
        "core_memory",
        "notepad",
        "episodes",
        "strategy",
        "advice",
        "goals",
        "questions",
    }
)
"""The parts of a prompt that hold memories; they are counted by the line."""


def documents_of(hits: Iterable[Hit]) -> tuple[str, ...]:
    """Return the documents that passages are from, relative to the persona's folder."""
    return tuple(dict.fromkeys(hit.path for hit in hits if hit.type == "knowledge"))


def files_of(attached: Attached, *, sees: bool) -> tuple[str, ...]:
    """Return the files of a message that reach the mind: a picture says nothing to one that cannot see."""
    read = [file.path or f"attachments/{file.name}" for file in attached.texts]
    own = attached.paths if any(not file.is_earlier for file in attached.texts) or (attached.images and sees) else ()
    return tuple(dict.fromkeys([*own, *read]))


def still_standing(window: Sequence[Message], log: RecallLog, *, sees: bool) -> tuple[str, ...]:
    """Return what earlier turns carried that still stand before the mind's eyes: their files, what was answered with them, and other personas.

    A document that cannot write at once must not come to it a turn later, by way of an answer that it has worded.
    """
    sent = [path for message in window for path in message.attachments if sees or not is_picture(path)]
    answers = [message for message in window if message.role == "persona"]
    others = [message.speaker for message in window if message.role == "other"]  # nobody here knows what they have read
    return tuple(dict.fromkeys([*sent, *log.carried(answers), *others]))


def given_in(
    made: Iterable[Composed], shown: Sequence[Message], days: Sequence[str], attached: Attached, *, sees: bool
) -> Given:
    """Return, for the audit, what a prompt gives of the memories; what it recalls is told by `with_recalled`.

    Args:
        made: the parts of the prompt.
        shown: the messages that stand in it, the newest among them.
        days: whose summaries stand in it.
        attached: the files that it holds.
        sees: whether the mind can see.
    """
    kept: dict[str, int] = {name: count for one in made for name, count in one.kept.items() if name in _TOLD}
    talk = talk_given(shown)
    files = {"files": len(attached.texts), "images": len(attached.images) if sees else 0}
    return Given(talk.counts | kept | files, days=(*talk.days, *days))


def with_recalled(given: Given, hits: Sequence[Hit]) -> Given:
    """Return the same with what was recalled, by itself or by a tool."""
    ids = tuple(one for hit in hits for one in hit.message_ids)
    return replace(given, ids=ids, counts={**given.counts, "recalled": len(hits)})


def names_of(carried: Iterable[str]) -> list[str]:
    """Return the names of documents and files as people know them."""
    return list(dict.fromkeys(name_of(path) for path in carried))
