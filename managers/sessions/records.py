"""What is kept of conversations of several: the running state of a session, and its threads."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_PIECES: Final = 8
"""So many lines a summary has at most, one for each time that a thread was come back to after a week."""
_KEYWORDS: Final = 16


@dataclass(frozen=True)
class Gone:
    """What is forgotten or erased.

    Attributes:
        message_ids: of the messages.
        touches: tells whether a text holds any of it.
    """

    message_ids: Collection[str] = frozenset()
    touches: Callable[[str], bool] = lambda _: False

    def takes(self, turn: SessionTurn) -> bool:
        """Tell whether a turn goes."""
        return turn.message_id in self.message_ids or self.touches(turn.msg)

    def takes_unread(self, line: str) -> bool:
        """Tell whether a damaged line of a full log goes: it holds any of that, or the id of such a message."""
        return self.touches(line) or any(one in line for one in self.message_ids)

    def is_under(self, message_ids: Iterable[str]) -> bool:
        """Tell whether any of some messages goes."""
        return any(one in self.message_ids for one in message_ids)


class SessionTurn(BaseModel):
    """One turn as a session keeps it. What was said stands in the log under its id; `msg` is a copy of that.

    Attributes:
        message_id: the message's in the logs of those who heard it.
        speaker: `user`, or the persona's name.
        time: local wall-clock time, naive.
        thread_id: the topic that it belongs to.
        present: the personas who heard it.
    """

    model_config = ConfigDict(extra="allow")

    message_id: str
    speaker: str
    msg: str
    time: datetime
    thread_id: int = 1
    present: list[str] = Field(default_factory=list)

    def renamed(self, names: Mapping[str, str]) -> SessionTurn:
        """Return the turn with personas under the names that they have now."""
        present = [names.get(one, one) for one in self.present]
        return self.model_copy(update={"speaker": names.get(self.speaker, self.speaker), "present": present})


class AgendaItem(BaseModel):
    """A topic that was left open and may be come back to.

    Attributes:
        thread_id: the thread that it was.
        text: the topic in a few words.
        present: the personas who were there for all of it; nobody else may be shown it.
        message_ids: the messages that it rests on.
    """

    model_config = ConfigDict(extra="allow")

    thread_id: int
    text: str
    present: list[str] = Field(default_factory=list)
    message_ids: list[str] = Field(default_factory=list)


class ThreadRecord(BaseModel):
    """One topic of a session: a row of the table `session_thread`.

    Attributes:
        thread_id: counts within the session.
        session_id: the conversation's id.
        ts_start, ts_end: the times of its first and last message.
        domain: what it was about; may be empty.
        summary, keywords, embedding: made when it ended; empty until then. Of a thread that was come back to when its
            words were kept no more, the summary has a line for each time.
        full_log: its turns, a JSON object a line; empty once only the summary is kept.
        embedder, dimension: what made the embedding.
        present: the personas who were there for all of it; nobody else may be shown anything of it.
        message_ids: the messages that it rests on.
    """

    thread_id: int
    session_id: str
    ts_start: datetime
    ts_end: datetime
    domain: str = ""
    summary: str = ""
    keywords: list[str] = Field(default_factory=list)
    embedding: list[float] = Field(default_factory=list)
    full_log: str = ""
    embedder: str = ""
    dimension: int = 0
    present: list[str] = Field(default_factory=list)
    message_ids: list[str] = Field(default_factory=list)

    @property
    def turns(self) -> list[SessionTurn]:
        """The turns of the full log, without lines that cannot be read."""
        return _read(self.full_log)[0]

    @property
    def unread(self) -> int:
        """How many lines of the full log cannot be read; they stay in it."""
        return len(_read(self.full_log)[1])

    def without(self, gone: Gone) -> ThreadRecord | None:
        """Return the thread without what goes; what was drawn from that has to be made anew.

        Returns:
            None where nothing is left of it.
        """
        turns, unread = _read(self.full_log)
        left = [turn for turn in turns if not gone.takes(turn)]
        is_unread_under = gone.is_under(set(self.message_ids).difference(turn.message_id for turn in turns))
        unread_left = [line for line in unread if not is_unread_under and not gone.takes_unread(line)]
        drawn = "\n".join([self.summary, *self.keywords])
        is_whole = (len(left), len(unread_left)) == (len(turns), len(unread))
        if is_whole and not gone.is_under(self.message_ids) and not gone.touches(drawn):
            return self
        rest = thread_of(self.session_id, left, self.domain)
        return rest and rest.model_copy(update={"full_log": _written(left, unread_left)})

    def joined_with(self, earlier: ThreadRecord) -> ThreadRecord:
        """Return one record of what two records of the same thread hold: each message once."""
        (before, unread_before), (after, unread_after) = _read(earlier.full_log), _read(self.full_log)
        turns = {turn.message_id: turn for turn in (*before, *after)}
        unread = dict.fromkeys([*unread_before, *unread_after])
        drawn = self if self.summary else earlier
        told = {"summary": drawn.summary, "keywords": drawn.keywords}
        if self.summary and not turns.keys() >= set(
            earlier.message_ids
        ):  # words went: only their summary tells of them
            is_told = bool(before) and {one.message_id for one in after} >= {one.message_id for one in before}
            known = earlier.summary.split("\n")[: -1 if is_told else None]
            fresh = [one for one in self.summary.split("\n") if one not in known]
            words = dict.fromkeys([*self.keywords, *earlier.keywords])
            told = {"summary": "\n".join([*known, *fresh][-_PIECES:]), "keywords": [*words][:_KEYWORDS]}
        return self.model_copy(
            update={
                "ts_start": min(self.ts_start, earlier.ts_start),
                "ts_end": max(self.ts_end, earlier.ts_end),
                "full_log": _written(sorted(turns.values(), key=lambda turn: turn.time), unread),
                "present": [name for name in earlier.present if name in self.present],
                "message_ids": list(dict.fromkeys([*earlier.message_ids, *self.message_ids])),
                "domain": self.domain or earlier.domain,
                **told,
                **{name: getattr(drawn, name) for name in ("embedding", "embedder", "dimension")},
            }
        )

    def renamed(self, names: Mapping[str, str]) -> ThreadRecord:
        """Return the thread with personas under the names that they have now."""
        turns, unread = _read(self.full_log)
        present = [names.get(one, one) for one in self.present]
        full_log = _written([turn.renamed(names) for turn in turns], unread)
        return self.model_copy(update={"present": present, "full_log": full_log})


class SessionRecord(BaseModel):
    """The running state of a session, under `sess:<session_id>`.

    Attributes:
        session_id: the conversation's id.
        history: its last turns, oldest first: all of the running thread.
        threads: those that ended and are not in the database yet.
        agenda: topics that were left open.
        targets: whom the user addressed last.
        last_thread_id: the running thread.
        present: the personas who are there.
        domain: what the running thread is about.
        updated: when it last changed, local wall-clock time, naive.
        revision: counts the changes; of two copies the higher one holds, whatever the clock says.
    """

    model_config = ConfigDict(extra="allow")

    session_id: str
    history: list[SessionTurn] = Field(default_factory=list)
    threads: list[ThreadRecord] = Field(default_factory=list)
    agenda: list[AgendaItem] = Field(default_factory=list)
    targets: list[str] = Field(default_factory=list)
    last_thread_id: int = 1
    present: list[str] = Field(default_factory=list)
    domain: str = ""
    updated: datetime
    revision: int = 0

    def thread(self, thread_id: int) -> list[SessionTurn]:
        """Return the turns of a thread that are in the history."""
        return [turn for turn in self.history if turn.thread_id == thread_id]

    def without(self, gone: Gone) -> SessionRecord:
        """Return the session without what goes, and without what was drawn from that."""
        threads = (thread.without(gone) for thread in self.threads)
        kept = [one for one in self.agenda if not gone.is_under(one.message_ids) and not gone.touches(one.text)]
        return self.model_copy(
            update={
                "history": [turn for turn in self.history if not gone.takes(turn)],
                "threads": [thread for thread in threads if thread is not None],
                "agenda": kept,
            }
        )

    def renamed(self, names: Mapping[str, str]) -> SessionRecord:
        """Return the session with personas under the names that they have now."""
        agenda = [one.model_copy(update={"present": [names.get(n, n) for n in one.present]}) for one in self.agenda]
        return self.model_copy(
            update={
                "history": [turn.renamed(names) for turn in self.history],
                "threads": [thread.renamed(names) for thread in self.threads],
                "agenda": agenda,
                "targets": [names.get(one, one) for one in self.targets],
                "present": [names.get(one, one) for one in self.present],
            }
        )


def thread_of(session_id: str, turns: Sequence[SessionTurn], domain: str = "") -> ThreadRecord | None:
    """Return the thread that some turns of one topic are, without what is drawn from them; None of no turns."""
    if not turns:
        return None
    return ThreadRecord(
        thread_id=turns[0].thread_id,
        session_id=session_id,
        ts_start=turns[0].time,
        ts_end=turns[-1].time,
        domain=domain,
        full_log=_written(turns),
        present=present_throughout(turns),
        message_ids=[turn.message_id for turn in turns],
    )


def present_throughout(turns: Iterable[SessionTurn]) -> list[str]:
    """Return the personas who heard every one of some turns, in the order of the first."""
    heard = [turn.present for turn in turns]
    return [name for name in heard[0] if all(name in one for one in heard)] if heard else []


def _written(turns: Iterable[SessionTurn], unread: Iterable[str] = ()) -> str:
    """Return turns as a full log holds them: a JSON object a line; lines that cannot be read stay behind them."""
    return "\n".join([*(json.dumps(turn.model_dump(mode="json"), ensure_ascii=False) for turn in turns), *unread])


def _read(full_log: str) -> tuple[list[SessionTurn], list[str]]:
    """Return the turns of a full log, and the lines that cannot be read.

    Only a line feed ends a line: other characters that do so elsewhere, U+2028 say, stand in what was said.
    """
    turns, unread = list[SessionTurn](), list[str]()
    for line in full_log.split("\n"):
        try:
            turns += [SessionTurn.model_validate_json(line)] if line.strip() else []
        except ValidationError:
            unread.append(line)
    return turns, unread
