"""One conversation of the user with several personas: what a person may do in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from agent.companion import Companion, check_message
from agent.errors import (
    GroupNotFoundError,
    GroupSizeError,
    NobodyLeftError,
    NothingToAnswerError,
    NotInGroupError,
    StillAnsweringError,
)
from agent.events import Noticed, TurnEvent
from agent.group.round_state import begun_with, gone_through, let_know, note_round
from agent.group.seats import called_now, marks_of
from agent.group.session import RunningSession
from agent.group.topics import Topics, told_to
from agent.group.turn import GroupTurn
from agent.group.who_speaks import SHORT_TERM
from agent.turn import Publish
from managers.groups import MOST_PRESENT, GroupStore, Standing
from managers.memory.messages import Message
from managers.mind import Cancel, Resumed
from managers.personas import PersonaStore
from managers.personas.errors import PersonaNotFoundError
from managers.recall.likeness import Likeness
from managers.sessions.records import ThreadRecord
from managers.sessions.threads import Move
from managers.storage.clock import Clock, new_id
from managers.storage.errors import Lang, UtataneError, as_notice
from managers.storage.settings import GroupSettings
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.group.nodes import Round, RoundSurroundings

_say = Texts("notices/group")
_LOOKED_AT = 400
"""So many messages of each log are looked through for those of the conversation."""
_NONCES = 128
_STOP_SECONDS = 10.0


@dataclass
class GroupConversation:
    """Several personas one can talk to together. Rounds run one after the other.

    Attributes:
        open_companion: returns a persona, awake.
    """

    id: str
    store: GroupStore
    personas: PersonaStore
    open_companion: Callable[[str], Companion]
    settings: Callable[[], GroupSettings]
    session: RunningSession
    clock: Clock
    rng: Random
    _turn: GroupTurn | None = None
    _begun: dict[str, GroupTurn] = field(default_factory=dict)
    _starting: threading.Lock = field(default_factory=threading.Lock)
    _aside: list[Message] = field(default_factory=list)
    _beside: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "topics"))

    def __post_init__(self) -> None:
        self.topics = Topics(self.id, lambda: self.session.topics(self._heard_all), self._keep_topic)

    @property
    def standing(self) -> Standing:
        """Where it stands; who has another name now is under that, and whoever has theirs is not there.

        Raises:
            GroupNotFoundError
        """
        found = self.store.get(self.id)
        if found is None:
            raise GroupNotFoundError
        now = called_now(found, self.personas)
        if changed := {old: new for old, new in now.items() if new and new != old}:
            self.session.rename(changed)
            found = self.store.change(self.id, partial(Standing.rename, names=changed)) or found
        for name in (old for old, new in now.items() if not new):
            found = self.store.change(self.id, partial(Standing.part, name=name)) or found
        return found

    @property
    def turn(self) -> GroupTurn | None:
        """The round under way, if any."""
        return self._turn if self._turn is not None and not self._turn.is_over else None

    @property
    def last_turn(self) -> GroupTurn | None:
        """The round that ended last, if none is under way."""
        return self._turn if self._turn is not None and self._turn.is_over else None

    def say(self, text: str, *, nonce: str = "", off_record: bool = False) -> GroupTurn:
        """Say something to all who are there; it is on the disk of each before the first event is yielded.

        Off the record nothing is written anywhere: the exchange lives in this object until `forget_off_record`, or until
        something is said on the record.

        Raises:
            EmptyMessageError, MessageTooLongError, StillAnsweringError, GroupNotFoundError: nothing was written.
        """
        check_message(text, ())
        with self._starting:
            if (begun := self._begun.get(nonce)) is not None:
                return begun
            work = self._live_aside if off_record else self._live
            turn = self._begin(partial(work, text), off_record=off_record)
            if nonce:
                self._begun[nonce] = turn
                for old in list(self._begun)[:-_NONCES]:
                    del self._begun[old]
            return turn

    def answer(self, message_id: str, name: str = "", *, built_in: bool = False) -> GroupTurn:
        """Let the user's last message be answered, by whoever has not answered it yet.

        Args:
            message_id: the message.
            name: who could not answer it, and is to do so now; empty: whoever would speak.
            built_in: let the built-in mind speak for them this once.

        Raises:
            NothingToAnswerError: it is not the user's last message.
            StillAnsweringError, GroupNotFoundError
        """
        with self._starting:
            said = [one for one in self.messages(_LOOKED_AT) if one.role != "system"]
            place = max((at for at, one in enumerate(said) if one.role == "user"), default=-1)
            if place < 0 or said[place].id != message_id:
                raise NothingToAnswerError
            others = self._turn.failures(but=name) if self._turn and name else []
            return self._begin(partial(self._live_again, said[: place + 1], said[place + 1 :], name, built_in, others))

    def forget_failure(self) -> None:
        """Leave what the last round failed of."""
        with self._starting:
            if self.turn is None:
                self._turn = None

    def _begin(self, work: Callable[[GroupTurn, Cancel, Publish], None], *, off_record: bool = False) -> GroupTurn:
        if self.turn is not None:
            raise StillAnsweringError(name=", ".join(self.standing.present))
        if not off_record:
            self._let_go_of_off_record()
        turn = GroupTurn(lambda cancel, publish: work(turn, cancel, publish), off_record=off_record)
        self._turn = turn
        turn.start()
        return turn

    @property
    def off_record(self) -> Sequence[Message]:
        """What was said off the record so far."""
        return tuple(self._aside)

    def forget_off_record(self) -> None:
        """Let go of what was said off the record, the round under way included."""
        with self._starting:
            if (turn := self.turn) is not None and turn.off_record:
                turn.stop()
                turn.wait(_STOP_SECONDS)
            self._let_go_of_off_record()
            if self.turn is None:
                self._turn = None

    def _let_go_of_off_record(self) -> None:
        self._aside = []  # a new one: whatever a round may still say goes into the old, which nobody reads
        for turn in [one for one in self._begun.values() if one.off_record]:
            turn.forget()

    def invite(self, name: str) -> Standing:
        """Let a persona join: it hears what is said from now on, and nothing that was said before.

        Raises:
            PersonaNotFoundError, GuestError: nobody of that name can be invited.
            GroupSizeError: there is no room.
        """
        own = self.personas.get(name).name
        if own not in (there := self.standing.present) and len(there) >= MOST_PRESENT:
            raise GroupSizeError(least=2, most=MOST_PRESENT)
        mark = marks_of([own], self.personas).get(own, "")
        return self._changed(partial(Standing.join, name=own, now=self.clock.now(), mark=mark))

    def leave(self, name: str) -> Standing:
        """Let a persona go: from now on it hears nothing.

        Raises:
            NotInGroupError: it is not there.
            GroupSizeError: nobody would be left.
        """
        there = self.standing.present
        own = next((one for one in there if one.casefold() == name.strip().casefold()), None)
        if own is None:
            raise NotInGroupError(name=name)
        if len(there) == 1:
            raise GroupSizeError(least=2, most=MOST_PRESENT)
        return self._changed(partial(Standing.part, name=own))

    def messages(self, count: int = 60) -> list[Message]:
        """Return the last messages, oldest first, put together from the logs of those who are or were there."""
        standing = self.standing
        found: dict[str, tuple[datetime, int, Message]] = {}
        for name in (*standing.present, *standing.former):
            for place, message in enumerate(self._heard_by(name)):
                found.setdefault(message.id, (message.time, place, message))
        return [message for _, _, message in sorted(found.values(), key=lambda one: one[:2])][-count:]

    def close(self) -> None:
        """Break off what is under way and wait for its end."""
        if (turn := self.turn) is not None:
            turn.break_off()
            turn.wait(_STOP_SECONDS)
        self._beside.shutdown()

    def _catch_up(self, companions: Mapping[str, Companion], standing: Standing) -> None:
        """Let each know what was said before it and a killed process wrote down for some of them only."""
        said = {one.id: one for name in companions for one in self._heard_by(name) if one.role != "system"}
        for name, companion in companions.items():
            joined = standing.joined.get(name, "")
            heard = [one for one in said.values() if name in one.present and one.time.isoformat() > joined]
            with suppress(UtataneError):  # whoever cannot be written to is told of when the next message is
                let_know(companion.memories.log, name, heard)

    def _heard_by(self, name: str) -> list[Message]:
        """Return the messages of the conversation in one persona's log."""
        try:
            tail = self.open_companion(name).memories.log.tail(_LOOKED_AT)
        except UtataneError:
            return []  # deleted, or not to be opened: the others know what was said
        return [message for message in tail if message.group == self.id]

    def _changed(self, change: Callable[[Standing], None]) -> Standing:
        changed = self.store.change(self.id, change)
        if changed is None:
            raise GroupNotFoundError
        return changed

    def _live(self, text: str, turn: GroupTurn, cancel: Cancel, publish: Publish) -> None:
        companions = self._those_there(publish)
        standing, now = self.standing, self.clock.now()
        self._catch_up(companions, standing)
        around = self._around(companions, standing, turn, cancel, publish)
        before, said = self._taken_up(publish), around.read(text, now)
        standing.thread_id = next((one.thread for one in reversed(before) if one.thread), standing.thread_id)
        first = next(iter(companions.values())).memories
        likeness, lang = first.recall.likeness, first.sheet().language
        move = self.topics.place(said, standing, before, likeness)
        domain = standing.domain if move.kind == "goes_on" else standing.thread(move.thread_id).domain
        domain = domain or next(iter(said.domains), "")
        around = replace(around, resumed=self._resumed(move, domain, standing, before, lang))
        message = self._message(text, companions, move.thread_id)
        state = begun_with(message, standing, domain, before)
        done = gone_through(state, around)
        now_at = self.store.change(
            self.id, partial(note_round, done=done, left=standing.thread_id, move=move, said=said)
        )
        self._keep(done, now_at or standing, publish)
        if move.thread_id != standing.thread_id:
            self._beside.submit(self._end_topic, standing.thread_id, standing.domain, before, likeness, lang)

    def _live_again(
        self, said: Sequence[Message], since: Sequence[Message], name: str, built_in: bool, others: Sequence[TurnEvent],
        turn: GroupTurn, cancel: Cancel, publish: Publish,
    ) -> None:  # fmt: skip
        """Live the rest of a round: `said` ends with the user's message, `since` answered it; that `others` could not stays told."""
        companions, standing = self._those_there(publish), self.standing
        self._catch_up(companions, standing)
        around = self._around(companions, standing, turn, cancel, publish)
        *before, message = said
        state = begun_with(message, standing, standing.domain, before, since)
        state["present"] = [one for one in state["present"] if one in companions]
        self._keep(gone_through(state, replace(around, again=name, built_in=built_in)), standing, publish)
        for event in others:
            publish(event)

    def _live_aside(self, text: str, turn: GroupTurn, cancel: Cancel, publish: Publish) -> None:
        """Live a round off the record: no topic is told, and nothing is noted of it."""
        companions, standing, aside = self._those_there(publish), self.standing, self._aside
        around = replace(self._around(companions, standing, turn, cancel, publish), aside=[*aside])
        message = self._message(text, companions, standing.thread_id)
        before = [*self.messages(SHORT_TERM), *aside]
        aside.append(message)
        done = gone_through(begun_with(message, standing, standing.domain, before), around)
        aside.extend(done["since"])

    def _around(
        self, companions: Mapping[str, Companion], standing: Standing, turn: GroupTurn, cancel: Cancel, emit: Publish
    ) -> RoundSurroundings:
        # Imported here: the graph's libraries take most of a second, and a page opens without them.
        from agent.group.nodes import RoundSurroundings  # noqa: PLC0415

        return RoundSurroundings(
            group=self.id,
            companions=companions,
            former=standing.former,
            present_now=lambda: self.standing.present,
            settings=self.settings(),
            emit=emit,
            cancel=cancel,
            turn=turn,
        )

    def _message(self, text: str, present: Iterable[str], thread: int) -> Message:
        """Return what the user says now."""
        made, now = new_id(self.clock, self.rng), self.clock.now()
        return Message(made, now, "user", "user", text, present=tuple(present), group=self.id, thread=thread)

    def _taken_up(self, publish: Publish) -> list[Message]:
        """Return what was said last; of a conversation that much else was said after, what its session names."""
        said = self.messages(_LOOKED_AT)
        try:
            return self.session.taken_up(said, self._read)
        except UtataneError as error:
            publish(Noticed(as_notice("group-session", error)))
            return said

    def _keep(self, done: Round, standing: Standing, publish: Publish) -> None:
        """Keep the session as it stands after a round."""
        is_open = [one.thread_id for one in standing.threads if one.is_open]
        try:
            self.session.keep(done, self.messages(), is_open)
        except UtataneError as error:
            publish(Noticed(as_notice("group-session", error)))

    def _keep_topic(self, record: ThreadRecord) -> None:
        self.session.keep_topic(record, is_open=self.standing.thread(record.thread_id).is_open)

    def _heard_all(self, name: str, message_ids: Sequence[str]) -> bool:
        """Tell whether a persona's own log has all of some messages: another one of its name was not there."""
        try:
            return self.open_companion(name).memories.log.known(message_ids).issuperset(message_ids)
        except UtataneError:
            return False

    def _read(self, message_id: str) -> Message | None:
        """Return a message of the conversation as the log of anybody who was there has it; None if nobody's does."""
        for name in (*self.standing.present, *self.standing.former):
            with suppress(UtataneError):
                if (message := self.open_companion(name).memories.log.get(message_id)) is not None:
                    return message
        return None

    def _resumed(
        self, move: Move, domain: str, standing: Standing, before: Sequence[Message], lang: Lang
    ) -> Callable[[str], Resumed | None]:
        """Return what tells each persona of a topic that is come back to."""
        record = self.topics.resumed(move, domain, before, lang)
        opened = self.topics.broken_off(standing, move.thread_id, before, lang) if record else []
        return partial(told_to, record=record, opened=opened, messages=before, heard=self._heard_all)

    def _end_topic(
        self, thread_id: int, domain: str, messages: Sequence[Message], likeness: Likeness, lang: Lang
    ) -> None:
        """Draw up the record of a topic that was left; nobody waits for it."""
        record = self.topics.record(thread_id, messages, domain, lang)
        if record is not None:
            self.topics.end(record, likeness)

    def _those_there(self, publish: Publish) -> dict[str, Companion]:
        """Return who is there and can be opened, by name; who is gone for good leaves the conversation.

        Raises:
            NobodyLeftError: nobody.
        """
        found, standing = dict[str, Companion](), self.standing
        if not (marks := marks_of(standing.present, self.personas)).keys() <= standing.marks.keys():
            self._changed(partial(Standing.note, marks=marks))
        for name in standing.present:
            try:
                found[name] = self.open_companion(name)
            except PersonaNotFoundError:
                self._changed(partial(Standing.part, name=name))
                publish(Noticed(_say.notice("group-gone", name=name)))
            except UtataneError as error:
                publish(Noticed(as_notice("group-without", error)))
        if not found:
            raise NobodyLeftError
        return found
