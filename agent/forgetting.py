"""Forgetting by word: what somebody just said leaves the conversation and all that was made of it, and can come back.

It takes many steps, and a process may be killed between any two of them. So what is to go is written down first
(`memory/.forgetting`); whoever comes next finishes it (`take_up`), and never chooses anew.
"""

import json
import logging
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime

from agent.memories import Memories
from managers.memory.forgotten import (
    FORGOTTEN,
    Forgotten,
    bring_back,
    choose,
    find_forgotten,
    forget_words,
    forgotten_words,
    wishes_left,
)
from managers.memory.messages import Message
from managers.memory.working_copy import Stores
from managers.sessions.records import Gone
from managers.sleep.withdrawal import dreamt_anew, withdrawn
from managers.storage import locks
from managers.storage.errors import UndoConflictError
from managers.storage.files import read_bytes, remove, write_atomic
from managers.storage.history.entries import Entry
from managers.storage.json_text import load_json

logger = logging.getLogger(__name__)

_LOOKED_AT = 300
"""So many changes of the memories are looked through first, and more as long as they are younger than the words."""
_MARK = ".forgetting"


@dataclass(frozen=True, slots=True)
class LetGo:
    """What was forgotten.

    Attributes:
        messages: oldest first.
        left: files that still hold something of it, because they were changed since.
    """

    messages: tuple[Message, ...]
    left: tuple[str, ...] = ()


def let_go(memories: Memories, asked_in: str, about: str = "") -> LetGo:
    """Forget what a message asks to have forgotten; asked again for the same message, nothing more goes.

    Args:
        memories: the persona's.
        asked_in: the message that asks.
        about: words that name what is meant; empty for what was said last.

    Raises:
        UnclearWhatToForgetError: nothing was forgotten.
        DiskFullError, UnwritableError, BusyError: it could not be written; `take_up` finishes what was begun.
    """
    with locks.writing(memories.paths):
        take_up(memories)
        done = next((one for one in forgotten_words(memories.log) if one.id == asked_in), None)
        if done is not None:
            return LetGo(done.messages)
        messages = tuple(choose(memories.log, asked_in, about))
        return LetGo(messages, _carry_out(memories, asked_in, messages))


def let_go_of_same(memories: Memories, asked_in: str, ids: Collection[str]) -> None:
    """Forget what another persona forgot because of a message that both heard.

    Raises:
        DiskFullError, UnwritableError, BusyError: `take_up` finishes what was begun.
    """
    with locks.writing(memories.paths):
        take_up(memories)
        there = memories.log.originals(ids)
        messages = sorted((one for one in there.values() if memories.log.get(one.id)), key=lambda one: one.time)
        if messages:
            _carry_out(memories, asked_in, messages)


def take_up(memories: Memories) -> None:
    """Finish what a killed process began to forget; costs one look at the disk where there is nothing."""
    mark = memories.paths.memory / _MARK
    if not mark.exists():
        return
    with locks.writing(memories.paths):
        begun = None
        with suppress(ValueError, TypeError, KeyError):
            value = load_json(read_bytes(mark) or b"{}")
            begun = str(value["wish"]), [str(one) for one in value["messages"]]
        if begun is None:
            logger.warning("%s cannot be read: nothing is known of what was to be forgotten", _MARK)
            remove(mark)
            return
        wish, ids = begun
        found = memories.log.originals(ids)
        _carry_out(memories, wish, [found[one] for one in ids if one in found])


def let_wishes_go(memories: Memories) -> None:
    """Let go of the wishes themselves, once the conversation is over: they name what nobody should remember."""
    with locks.writing(memories.paths):
        for wish, ids in wishes_left(memories.log).items():
            _let_go_of_words(memories, ids)
            forget_words(memories.log, [*ids[1:], wish], wish)  # itself last: killed before, it is found again


def remember_again(memories: Memories, wish: str) -> Forgotten:
    """Bring back what one wish took away, and the notes and memories that had been made of it.

    The words come last: killed before, they are still on the shelf, and all of this is done again.

    Raises:
        MessageNotFoundError: nothing of it is gone now.
    """
    with locks.writing(memories.paths):
        take_up(memories)
        found = find_forgotten(memories.log, wish)
        ids = {message.id for message in found.messages}
        entries = _entries_since(memories, found.messages[0].time)
        author = {entry.id: entry.author for entry in entries}
        torn: set[date] = set()
        for entry in entries:
            if entry.kind != "change" or not _rests_on(entry, ids):
                continue
            if entry.reason == FORGOTTEN and not entry.undone_by:
                _try(memories, entry, back=True, leave_changed=True)
                torn |= _days_left(memories, entry)
            elif entry.reason != FORGOTTEN and entry.undone_by and author.get(entry.undone_by) == memories.paths.name:
                _try(memories, entry, back=False)
        files = dreamt_anew(Stores.open(memories.paths, memories.clock), torn)
        if files:
            memories.apply(files, author=memories.paths.name, reason="remembered", evidence=sorted(ids))
        memories.emotions.reword({message.id: message.text for message in found.messages})
        bring_back(memories.log, found)
        memories.inner_state.refresh(lang=memories.sheet().language)
    return found


def _carry_out(memories: Memories, wish: str, messages: Sequence[Message]) -> tuple[str, ...]:
    """Forget messages and what was made of them; return the files that still hold something. Done twice, it is done once."""
    mark = memories.paths.memory / _MARK
    ids = [message.id for message in messages]
    write_atomic(mark, json.dumps({"wish": wish, "messages": ids}, ensure_ascii=False))
    forget_words(memories.log, ids, wish)
    left: tuple[str, ...] = ()
    if messages:
        left = _undo_notes(memories, set(ids), messages[0].time)
        stores, days = Stores.open(memories.paths, memories.clock), {message.time.date() for message in messages}
        files = withdrawn(stores, ids, days, memories.log.origins)
        if files:
            memories.apply(files, author=memories.paths.name, reason=FORGOTTEN, evidence=sorted(ids))
        _let_go_of_words(memories, ids)
        memories.inner_state.refresh(lang=memories.sheet().language)
        memories.shared.renew()
    remove(mark)
    return left


def _let_go_of_words(memories: Memories, ids: Sequence[str]) -> None:
    """Keep no words of some messages with what the persona felt in them, searched and wished to write for them."""
    memories.held.drop_of(ids)
    memories.emotions.reword(dict.fromkeys(ids, ""))
    memories.recall_log.drop(set(ids))
    let_sessions_go(memories, ids)


def let_sessions_go(memories: Memories, ids: Collection[str]) -> None:
    """Keep no words of some messages with the conversation of several that they were said in."""
    from managers.sessions.tiers import sessions_of  # noqa: PLC0415  # only who talked with several needs it

    with closing(sessions_of(memories.paths.home, memories.clock)) as sessions:
        for group in {one.group for one in memories.log.originals(ids).values()} - {""}:
            sessions.let_go(Gone(ids), group)


def _undo_notes(memories: Memories, ids: Collection[str], since: datetime) -> tuple[str, ...]:
    """Take back what the persona wrote down because of some messages; return the files in which it could not."""
    left: list[str] = []
    for entry in _entries_since(memories, since):
        is_ours = entry.kind == "change" and entry.author == memories.paths.name and entry.reason != FORGOTTEN
        if is_ours and not entry.undone_by and _rests_on(entry, ids) and not _try(memories, entry, back=True):
            left += entry.files
    return tuple(dict.fromkeys(left))


def _entries_since(memories: Memories, moment: datetime) -> list[Entry]:
    """Return the changes of the memories since some moment, and always the newest ones, newest first."""
    limit = _LOOKED_AT
    while True:
        entries = memories.history.entries(limit)
        if len(entries) < limit or entries[-1].time < moment:
            return entries
        limit *= 4


def _days_left(memories: Memories, entry: Entry) -> set[date]:
    """Return the days whose episode did not come back as it was: a night has made another one since."""
    left: set[date] = set()
    for diff in memories.history.diff(entry.id):
        path = memories.paths.folder / diff.path
        if path.parent == memories.paths.episodic_memory and read_bytes(path) != diff.before:
            with suppress(ValueError):  # a file of somebody's own
                left.add(date.fromisoformat(path.stem))
    return left


def _try(memories: Memories, entry: Entry, *, back: bool, leave_changed: bool = False) -> bool:
    """Undo or redo an entry; what was changed since stays as it is."""
    act = memories.history.undo if back else memories.history.redo
    try:
        act(entry.id, author=memories.paths.name, leave_changed=leave_changed)
    except UndoConflictError:
        logger.info("entry %s stays: its files were changed since", entry.id[:8])
        return False
    return True


def _rests_on(entry: Entry, ids: Collection[str]) -> bool:
    return bool(entry.evidence) and set(entry.evidence) <= set(ids)
