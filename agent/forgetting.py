"""Forgetting by word: what somebody just said leaves the conversation and all that was made of it, and can come back."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass

from agent.memories import Memories
from managers.memory.forgotten import FORGOTTEN
from managers.memory.messages import Message
from managers.memory.words_forgotten import Forgotten, bring_back, choose, find_forgotten, forget_words, forgotten_words
from managers.sleep.desk import Stores
from managers.sleep.withdrawal import withdrawn
from managers.storage import locks
from managers.storage.clock import Clock
from managers.storage.errors import UndoConflictError
from managers.storage.history.entries import Entry

logger = logging.getLogger(__name__)

_LOOKED_AT = 300
"""So many changes of the memories are looked through for those that rest on what is forgotten."""


@dataclass(frozen=True, slots=True)
class LetGo:
    """What was forgotten.

    Attributes:
        messages: oldest first.
        left: files that still hold something of it, because they were changed since.
    """

    messages: tuple[Message, ...]
    left: tuple[str, ...] = ()


def let_go(memories: Memories, clock: Clock, asked_in: str, about: str = "") -> LetGo:
    """Forget what a message asks to have forgotten; asked again for the same message, nothing more goes.

    Args:
        memories: the persona's.
        clock: what time it is.
        asked_in: the message that asks.
        about: words that name what is meant; empty for what was said last.

    Raises:
        UnclearWhatToForgetError: nothing was forgotten.
        DiskFullError, UnwritableError, BusyError: it could not be written; what is forgotten already stays so.
    """
    with locks.writing(memories.paths):
        done = next((one for one in forgotten_words(memories.log) if one.id == asked_in), None)
        messages = done.messages if done else tuple(choose(memories.log, asked_in, about))
        if done is None:
            forget_words(memories.log, messages, asked_in)
        ids = {message.id for message in messages}
        left = _undo_notes(memories, ids)
        files = withdrawn(Stores.open(memories.paths, clock), ids, {message.time.date() for message in messages})
        if files:
            author = memories.paths.name
            memories.apply(files, author=author, reason=FORGOTTEN, evidence=sorted(ids))
    return LetGo(messages, left)


def remember_again(memories: Memories, wish: str) -> Forgotten:
    """Bring back what one wish took away, and the notes that had been made of it.

    Raises:
        MessageNotFoundError: nothing of it is gone now.
    """
    with locks.writing(memories.paths):
        found = find_forgotten(memories.log, wish)
        bring_back(memories.log, found)
        ids = {message.id for message in found.messages}
        entries = memories.history.entries(_LOOKED_AT)
        author = {entry.id: entry.author for entry in entries}
        for entry in entries:
            if entry.kind != "change" or not _rests_on(entry, ids):
                continue
            if entry.reason == FORGOTTEN and not entry.undone_by:
                _try(memories, entry, back=True)
            elif entry.reason != FORGOTTEN and entry.undone_by and author.get(entry.undone_by) == memories.paths.name:
                _try(memories, entry, back=False)
    return found


def _undo_notes(memories: Memories, ids: Collection[str]) -> tuple[str, ...]:
    """Take back what the persona wrote down because of some messages; return the files in which it could not."""
    left: list[str] = []
    for entry in memories.history.entries(_LOOKED_AT):
        is_ours = entry.kind == "change" and entry.author == memories.paths.name and entry.reason != FORGOTTEN
        if is_ours and not entry.undone_by and _rests_on(entry, ids) and not _try(memories, entry, back=True):
            left += entry.files
    return tuple(dict.fromkeys(left))


def _try(memories: Memories, entry: Entry, *, back: bool) -> bool:
    """Undo or redo an entry; what was changed since stays as it is."""
    act = memories.history.undo if back else memories.history.redo
    try:
        act(entry.id, author=memories.paths.name)
    except UndoConflictError:
        logger.info("entry %s stays: its files were changed since", entry.id[:8])
        return False
    return True


def _rests_on(entry: Entry, ids: Collection[str]) -> bool:
    return bool(entry.evidence) and set(entry.evidence) <= set(ids)
