"""Which foreign text a turn carried: documents that were quoted to the mind, and files that came with messages.

What was said in the conversation is not foreign, nor what a person brought along and let in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agent.attachments import Attached, name_of
from agent.file_contents import is_picture
from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog


def documents_of(hits: Iterable[Hit]) -> tuple[str, ...]:
    """Return the documents that passages are from, relative to the persona's folder."""
    return tuple(dict.fromkeys(hit.path for hit in hits if hit.type == "knowledge"))


def files_of(attached: Attached, *, sees: bool) -> tuple[str, ...]:
    """Return the files of a message that reach the mind: a picture says nothing to one that cannot see."""
    read = [file.path or f"attachments/{file.name}" for file in attached.texts]
    own = attached.paths if any(not file.is_earlier for file in attached.texts) or (attached.images and sees) else ()
    return tuple(dict.fromkeys([*own, *read]))


def still_standing(window: Sequence[Message], log: RecallLog, *, sees: bool) -> tuple[str, ...]:
    """Return what earlier turns carried that still stand before the mind's eyes: their files, and what was answered with them.

    A document that cannot write at once must not come to it a turn later, by way of an answer that it has worded.
    """
    sent = [path for message in window for path in message.attachments if sees or not is_picture(path)]
    answers = [message for message in window if message.role == "persona"]
    return tuple(dict.fromkeys([*sent, *log.carried(answers)]))


def names_of(carried: Iterable[str]) -> list[str]:
    """Return the names of documents and files as people know them."""
    return list(dict.fromkeys(name_of(path) for path in carried))
