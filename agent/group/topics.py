"""The topics of a conversation of several: which one a message belongs to, and what is told of one that is come back to.

What was said of a topic stands in the logs, each message under its number; a topic's record (summary, keywords,
embedding) is drawn from that, and made anew when the messages are not the same any more.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agent.group.who_speaks import SHORT_TERM, USER
from agent.minds.relevance import in_brief
from managers.groups import Standing
from managers.memory.messages import Message
from managers.mind import Resumed
from managers.recall.likeness import Likeness
from managers.sessions.records import SessionTurn, ThreadRecord, thread_of
from managers.sessions.threads import Move, Said, Topic, place
from managers.storage.errors import Lang, UtataneError

_logger = logging.getLogger(__name__)
_KNOWN: Final = 16
"""So many topics are looked through for the one that is come back to."""
_TEXTS: Final = 12
"""By so many of its last messages a topic is known again."""
_OPEN_TOLD: Final = 3
_TITLE: Final = 3
"""So many keywords name a topic."""


@dataclass
class Topics:
    """The topics of one conversation.

    Attributes:
        session_id: which conversation.
        earlier: returns the records of topics that ended, for those whose messages lie too far back.
        keep: is handed the record of a topic that was left.
    """

    session_id: str
    earlier: Callable[[], Sequence[ThreadRecord]] = lambda: ()
    keep: Callable[[ThreadRecord], None] = lambda _: None
    _drawn: dict[int, ThreadRecord] = field(default_factory=dict)

    def place(self, said: Said, standing: Standing, messages: Sequence[Message], likeness: Likeness) -> Move:
        """Return which topic a message belongs to; where that cannot be told, the present one goes on."""
        far = self._from_records() if said.wants_back else []
        topics = {one.thread_id: one for one in [*far, *_from_messages(messages, standing)]}
        current = topics.pop(standing.thread_id, None)
        past = sorted(topics.values(), key=lambda one: one.last)[-_KNOWN:]
        try:
            move = place(said, current, past, lambda text, others: [float(one) for one in likeness.of(text, others)])
        except UtataneError:
            _logger.warning("topics are told apart by words alone", exc_info=True)
            move = place(said, current, past, lambda _, others: [0.0] * len(others))
        if move.kind != "begins":
            return move
        highest = max(
            (*topics, standing.thread_id if current else 0, *(one.thread_id for one in standing.threads)), default=0
        )
        return replace(move, thread_id=highest + 1)

    def record(self, thread_id: int, messages: Sequence[Message], domain: str, lang: Lang) -> ThreadRecord | None:
        """Return a topic's record without its embedding, drawn from the messages that are left of it; None of none."""
        said = [one for one in messages if one.thread == thread_id]
        ids = [one.id for one in said]
        known = self._drawn.get(thread_id)
        texts = "\n".join(one.text for one in said)
        if known is not None and known.message_ids == ids and "\n".join(one.msg for one in known.turns) == texts:
            return known
        self._drawn.pop(thread_id, None)
        made = thread_of(self.session_id, [turn_of(one) for one in said], domain)
        if made is None:
            return next((one for one in self._from_store() if one.thread_id == thread_id), None)
        summary, keywords = in_brief(said, lang)
        made = self._drawn[thread_id] = made.model_copy(update={"summary": summary, "keywords": keywords})
        return made

    def end(self, record: ThreadRecord, likeness: Likeness) -> None:
        """Hand on the record of a topic that was left, with its embedding; what fails is made another time."""
        try:
            self.keep(embedded(record, likeness))
        except UtataneError:
            _logger.warning("a topic's record was not kept", exc_info=True)

    def resumed(self, move: Move, domain: str, messages: Sequence[Message], lang: Lang) -> ThreadRecord | None:
        """Return what was said of a topic before it was left and come back to; None where it was not, or long enough ago."""
        number = move.thread_id
        since = next((at for at in range(len(messages), 0, -1) if messages[at - 1].thread != number), 0)
        is_back = move.kind == "returns" or any(one.thread == number for one in messages[:since])
        if not is_back or len(messages) - since >= SHORT_TERM:
            return None
        return self.record(number, messages[:since], domain, lang)

    def broken_off(
        self, standing: Standing, thread_id: int, messages: Sequence[Message], lang: Lang
    ) -> list[ThreadRecord]:
        """Return the records of other topics that were broken off in the middle, the last ones."""
        left = [one for one in standing.threads if one.is_open and one.thread_id != thread_id][-_OPEN_TOLD:]
        found = (self.record(one.thread_id, messages, one.domain, lang) for one in left)
        return [one for one in found if one is not None and one.keywords]

    def _from_store(self) -> Sequence[ThreadRecord]:
        try:
            return self.earlier()
        except UtataneError:
            _logger.warning("topics of before are not known now", exc_info=True)
            return ()

    def _from_records(self) -> list[Topic]:
        return [
            Topic(one.thread_id, (one.summary, " ".join(one.keywords)), one.ts_end, one.domain)
            for one in self._from_store()
        ]


def told_to(
    name: str,
    record: ThreadRecord | None,
    opened: Sequence[ThreadRecord],
    messages: Sequence[Message],
    heard: Callable[[str, Sequence[str]], bool],
) -> Resumed | None:
    """Return what a persona may be told of a topic that is come back to: nothing, unless its own log has all of it.

    Args:
        name: the persona's.
        record: the topic's, if one is come back to.
        opened: other topics that were broken off.
        messages: the last ones of the conversation.
        heard: tells whether a persona's own log has all of some messages: another one of its name may have been there.
    """
    if record is None or not heard(name, record.message_ids):
        return None
    ids = set(record.message_ids)
    said = [one for one in messages if one.id in ids]
    turns = [
        replace(one, role="persona" if one.speaker == name else "user" if one.role == "user" else "other")
        for one in said[-SHORT_TERM:]
    ]
    known = [one for one in opened if heard(name, one.message_ids)]
    rests_on = [one for record in (record, *known) for one in record.message_ids]
    titles = [", ".join(one.keywords[:_TITLE]) for one in known]
    return Resumed(record.summary, tuple(turns), tuple(rests_on), tuple(titles))


def embedded(record: ThreadRecord, likeness: Likeness) -> ThreadRecord:
    """Return a record with its embedding."""
    name, row = likeness.vector("\n".join([record.summary, " ".join(record.keywords)]))
    return record.model_copy(update={"embedding": [float(one) for one in row], "embedder": name, "dimension": len(row)})


def note(standing: Standing, move: Move, said: Said, domain: str) -> None:
    """Note which topic a message belongs to, and how the one before it was left."""
    if move.thread_id != standing.thread_id:
        left = standing.thread(standing.thread_id)
        left.is_open = move.leaves_open and not left.is_over
    now = standing.thread(move.thread_id)
    now.domain, now.last, now.is_open = domain, said.time.isoformat(timespec="seconds"), False
    now.is_over = said.ends
    standing.thread_id, standing.domain = move.thread_id, domain


def _from_messages(messages: Sequence[Message], standing: Standing) -> list[Topic]:
    said: dict[int, list[Message]] = {}
    for one in messages:
        if one.thread:
            said.setdefault(one.thread, []).append(one)
    known = {one.thread_id: one for one in standing.threads}
    return [
        Topic(
            number,
            tuple(one.text for one in ones[-_TEXTS:]),
            ones[-1].time,
            known[number].domain if number in known else "",
            number in known and known[number].is_open,
        )
        for number, ones in said.items()
    ]


def turn_of(message: Message, thread_id: int = 0) -> SessionTurn:
    """Return a message as a session keeps it; `thread_id` is of the thread of one that says none."""
    return SessionTurn(
        message_id=message.id,
        speaker=USER if message.role == "user" else message.speaker,
        msg=message.text,
        time=message.time,
        thread_id=message.thread or thread_id,
        present=list(message.present),
    )
