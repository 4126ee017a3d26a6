"""The session of a conversation of several: kept after every round, and taken up where it stood.

What was said is read from the logs; the session adds what they do not tell at a glance: the records of topics, the agenda,
and which were the last turns of a conversation that much else was said after.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from agent.group.topics import embedded, turn_of
from agent.group.who_speaks import SHORT_TERM, USER, GroupState
from agent.minds.relevance import in_brief
from managers.language.words import detect_language
from managers.memory.messages import Message
from managers.recall.likeness import Likeness
from managers.sessions.records import AgendaItem, SessionRecord, ThreadRecord, thread_of
from managers.sessions.tiers import Sessions
from managers.storage.errors import UtataneError

logger = logging.getLogger(__name__)
_TITLE: Final = 3
"""So many keywords name a topic on the agenda."""


@dataclass(frozen=True)
class RunningSession:
    """One conversation's session. What cannot be read or written now raises a UtataneError, and the talk goes on."""

    sessions: Sessions
    id: str

    def taken_up(self, said: Sequence[Message], reads: Callable[[str], Message | None]) -> list[Message]:
        """Return the last messages: those that the logs have at hand, and those of long ago that the session names."""
        known = {one.id for one in said}
        ids = self._last_ids() if len(said) < SHORT_TERM else []
        found = (reads(one) for one in ids[-SHORT_TERM:] if one not in known)
        return [*(one for one in found if one is not None), *said]

    def _last_ids(self) -> list[str]:
        """Return the messages that the session ends with, also where the words of its last thread are kept no more."""
        record = self.sessions.get(self.id)
        if record is None or record.history:
            return [turn.message_id for turn in record.history] if record else []
        last = (one for one in self.sessions.threads(self.id) if one.thread_id == record.last_thread_id)
        return [one for thread in last for one in thread.message_ids]

    def keep(self, state: GroupState, said: Sequence[Message], is_open: Collection[int]) -> None:
        """Keep a session after a round.

        Args:
            state: the round's, at its end.
            said: the last messages, as the logs have them.
            is_open: the topics that were broken off, and are on the agenda.
        """
        self.sessions.change(self.id, partial(_after, state=state, said=said, is_open=is_open))

    def keep_topic(self, record: ThreadRecord, *, is_open: bool) -> None:
        """Keep the record of a topic that was left; one that was broken off is put on the agenda."""

        def change(session: SessionRecord) -> None:
            _add(session, record)
            item = AgendaItem(
                thread_id=record.thread_id,
                text=", ".join(record.keywords[:_TITLE]),
                present=record.present,
                message_ids=record.message_ids,
            )
            others = [one for one in session.agenda if one.thread_id != record.thread_id]
            session.agenda = [*others, item] if is_open and item.text else others

        self.sessions.change(self.id, change)

    def rename(self, names: Mapping[str, str]) -> None:
        """Let personas stand under their new names; where that cannot be written, what they heard is shown to nobody."""
        try:
            self.sessions.rename(self.id, names)
        except UtataneError:
            logger.warning("the session %s has personas under the names that they had before", self.id, exc_info=True)

    def topics(self, heard: Callable[[str, Sequence[str]], bool]) -> list[ThreadRecord]:
        """Return the records of topics that were left, each with those present whose own log has all of its messages."""
        return [
            thread.model_copy(update={"present": [name for name in thread.present if heard(name, thread.message_ids)]})
            for thread in self.sessions.threads(self.id)
        ]


def finished(thread: ThreadRecord, likeness: Callable[[Sequence[str]], Likeness | None]) -> ThreadRecord:
    """Return a topic with summary, keywords and embedding, where nobody had the time to make them.

    Args:
        thread: the topic.
        likeness: returns what makes embeddings for those who were present; None if they cannot be opened.
    """
    messages = [
        Message(one.message_id, one.time, "user" if one.speaker == USER else "other", one.speaker, one.msg)
        for one in thread.turns
    ]
    if not messages:
        return thread
    summary, keywords = in_brief(messages, detect_language("\n".join(one.text for one in messages), "en"))
    made = thread.model_copy(update={"summary": summary, "keywords": keywords})
    try:
        found = likeness(thread.present)
        return embedded(made, found) if found is not None else made
    except UtataneError:
        logger.warning("a topic of %s has no embedding", thread.session_id, exc_info=True)
        return made


def _after(record: SessionRecord, state: GroupState, said: Sequence[Message], is_open: Collection[int]) -> None:
    ended = {one for thread in record.threads for one in thread.message_ids}
    kept = {turn.message_id: turn for turn in record.history}
    begun = min((turn.time for turn in record.history), default=None)
    for message in said:
        if message.id in kept or (message.id not in ended and (begun is None or message.time >= begun)):
            kept[message.id] = turn_of(message, state["thread_id"])
    turns = sorted(kept.values(), key=lambda turn: turn.time)
    running = state["thread_id"]
    for number in {turn.thread_id for turn in turns} - {running}:
        left = thread_of(record.session_id, [turn for turn in turns if turn.thread_id == number])
        if left is not None:
            _add(record, left)
    recent = {turn.message_id for turn in turns[-SHORT_TERM:]}
    record.history = [turn for turn in turns if turn.thread_id == running or turn.message_id in recent]
    record.last_thread_id, record.domain = running, state["domain"]
    record.targets, record.present = state["targets"], state["present"]
    record.agenda = [one for one in record.agenda if one.thread_id in is_open]


def _add(record: SessionRecord, thread: ThreadRecord) -> None:
    """Put a topic among those that were left, each message of it once."""
    earlier = next((one for one in record.threads if one.thread_id == thread.thread_id), None)
    others = [one for one in record.threads if one.thread_id != thread.thread_id]
    record.threads = [*others, thread.joined_with(earlier) if earlier else thread]
