"""A persona one can talk to: its memories, its mind, and the turn that joins them.

This is what the page and the command line hold. One `Companion` per persona and process; turns of
one persona run one after the other, those of different personas side by side.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random

from agent import attachments as attached_files
from agent.attachments import Attached
from agent.errors import (
    EmptyMessageError,
    MessageTooLongError,
    NothingToAnswerError,
    StillAnsweringError,
    UnexpectedError,
)
from agent.events import Noticed, Received, Replied, TurnEvent
from agent.forgetting import take_up
from agent.memories import Memories
from agent.minds.choose import Minds, built_in_mind, capped_status
from agent.minds.status import MindStatus
from agent.state import Surroundings, TurnState
from agent.tools import all_tools
from agent.turn import Publish, Turn
from managers.memory.messages import Message
from managers.mind import Cancel, Mind
from managers.recall.hits import Hit
from managers.recall.recall_log import Recollection
from managers.storage.clock import Clock
from managers.storage.errors import Lang, UtataneError
from managers.storage.settings import Settings

__all__ = ["Companion", "MindStatus", "Why"]

logger = logging.getLogger(__name__)

MAX_MESSAGE_CHARACTERS = 4_000_000
"""Far beyond what a person types; a pasted book is kept whole, and the mind reads what fits."""

_STOP_SECONDS = 10.0
"""Within this time every turn ends that was told to: minds look many times a second."""


@dataclass(frozen=True, slots=True)
class Why:
    """What was recalled for an answer: the query, and the memories as far as they still exist."""

    query: str
    hits: Sequence[Hit]


class Companion:
    """One persona, awake."""

    def __init__(
        self,
        memories: Memories,
        minds: Minds,
        clock: Clock,
        rng: Random,
        *,
        when_conversation_ends: Callable[[], None] = lambda: None,
    ) -> None:
        self.memories = memories
        self._when_conversation_ends = when_conversation_ends
        self._minds = minds
        self._clock = clock
        self._rng = rng
        self._turn: Turn | None = None
        self._starting = threading.Lock()
        self._off_record: list[Message] = []
        self._window: tuple[str, int, list[Message]] | None = None
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside")
        self._afterwards = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterwards")
        self._awake = False

    def wake(self) -> None:
        """Notice what was edited elsewhere and index it, off the user's path; once."""
        if not self._awake:
            self._awake = True
            self._later(self._wake)

    def say(self, text: str, *, attachments: Sequence[Path] = (), off_record: bool = False) -> Turn:
        """Say something; the message is on disk before the first event is yielded.

        Off the record nothing is written anywhere: the exchange lives in this object until
        `forget_off_record`, or until something is said on the record.

        Raises:
            EmptyMessageError, MessageTooLongError, AttachmentTooLargeError, AttachmentUnreadableError,
            StillAnsweringError: nothing was written.
        """
        check_message(text, attachments)
        paths = self.memories.paths
        with self._starting:
            self._refuse_while_answering()
            attached = attached_files.take(attachments, paths, self._clock, self._rng, keep=not off_record)
            return self._begin(TurnState(text=text), attached, off_record=off_record)

    def regenerate(self, *, built_in: bool = False) -> Turn:
        """Answer the user's last message anew; the old reply is superseded, not erased.

        Args:
            built_in: let the built-in mind answer this once, whichever speaks otherwise.
        """
        with self._starting:
            self._refuse_while_answering()
            message, answers = self._last_exchange()
            state = TurnState(message=message, replaces=tuple(m.id for m in answers))
            if built_in:
                state["speaker"] = built_in_mind(self.memories.settings().mind)
            return self._begin(state, attached_files.again(self.memories.paths, message.attachments))

    def edit_last(self, text: str) -> Turn:
        """Replace the user's last message and answer it; the old message and reply are superseded."""
        check_message(text, ())
        with self._starting:
            self._refuse_while_answering()
            message, answers = self._last_exchange()
            self.memories.log.supersede(message.id, text)
            self.memories.emotions.reword({message.id: text})
            state = TurnState(message=replace(message, text=text), replaces=tuple(m.id for m in answers))
            return self._begin(state, attached_files.again(self.memories.paths, message.attachments))

    def delete_last(self) -> None:
        """Take back the user's last message and its answer (superseded, not erased)."""
        with self._starting:
            self._refuse_while_answering()
            message, answers = self._last_exchange()
            for taken_back in (*reversed(answers), message):
                self.memories.log.supersede(taken_back.id, None)
            self.memories.emotions.reword({message.id: ""})
            self.memories.recall_log.drop({answer.id for answer in answers})
            self._later(self._catch_up)

    def new_topic(self) -> None:
        """Begin a new thread: earlier turns leave the short-term memory, not the log.

        Raises:
            StillAnsweringError: the answer under way would stand in the new thread, apart from what it answers.
        """
        self.forget_off_record()
        with self._starting:
            self._refuse_while_answering()
            self._later(self._end_conversation)
            self.memories.log.begin_topic()

    def forget_off_record(self) -> None:
        """Let go of what was said off the record, the answer under way included, and of how the last turn went."""
        with self._starting:
            if self._turn is not None and self._turn.off_record:
                self._turn.stop()
                self._turn.wait(_STOP_SECONDS)
            self._off_record = []  # a new one: whatever that turn may still say goes into the old, which nobody reads
            if self.turn is None:
                self._turn = None

    @property
    def off_record(self) -> Sequence[Message]:
        """What was said off the record so far, for the page that shows it."""
        return tuple(self._off_record)

    def last_aside(self) -> datetime | None:
        """Return when something was last said off the record; no file knows of it."""
        return max((message.time for message in self._off_record), default=None)

    @property
    def turn(self) -> Turn | None:
        """The turn under way, if any (another window may have started it)."""
        return self._turn if self._turn is not None and not self._turn.is_over else None

    @property
    def last_turn(self) -> Turn | None:
        """The turn that ended last, if none is under way: what it failed of stays to be read."""
        return self._turn if self._turn is not None and self._turn.is_over else None

    def mind_status(self) -> MindStatus:
        """Say which mind would speak now."""
        settings, name = self.memories.settings(), self.memories.paths.name
        choice = self._minds.choose(settings.mind, self.memories.sheet().language, persona=name, purpose="talk")
        if choice.status.is_language_model and self._minds.stand_in(settings) and self._minds.is_stopped(name):
            return capped_status()
        return choice.status

    def why(self, message_id: str) -> Why | None:
        """Return what was recalled for an answer, None if nothing was searched for it."""
        found = self.memories.recall_log.find(message_id)
        if found is None:
            return None
        query, recollections = found
        return Why(query, [hit for r in recollections if (hit := self._again(r)) is not None])

    def _again(self, recalled: Recollection) -> Hit | None:
        """Return a memory that was recalled as it is now; None if it is gone."""
        messages = [m for m in map(self.memories.log.get, recalled.message_ids) if m is not None]
        if recalled.message_ids and not messages:
            return None
        first = messages[0] if messages else None
        return Hit(
            text="\n".join(m.text for m in messages),
            type=recalled.type,
            source=recalled.source,
            path=recalled.path,
            message_ids=recalled.message_ids,
            score=recalled.score,
            time=first.time if first else None,
            speaker=first.speaker if first else "",
            why=recalled.why,
        )

    def close(self) -> None:
        """End the conversation and wait for what is being remembered; the object must not be used after."""
        if self._turn is not None:
            self._turn.stop()
            self._turn.wait(_STOP_SECONDS)
            if not self.mind_status().is_language_model:
                # A model would keep the person waiting; the next start does it when the time is up.
                self._later(self._end_conversation)
        self._beside.shutdown(wait=True)
        self._afterwards.shutdown(wait=True)
        self.memories.close()

    def settle(self) -> None:
        """Wait until the work after the last turn (index, archives) is done."""
        self._later(lambda: None).result()

    def _refuse_while_answering(self) -> None:
        if self.turn is not None:
            raise StillAnsweringError(name=self.memories.paths.name)

    def _begin(self, state: TurnState, attached: Attached, *, off_record: bool = False) -> Turn:
        if not off_record:
            self._off_record = []
        state["attached"] = attached
        aside = self._off_record if off_record else None
        answers = given.id if (given := state.get("message")) else ""
        self._turn = Turn(partial(self._live, state, aside), answers=answers, off_record=off_record).start()
        return self._turn

    def _live(self, state: TurnState, aside: list[Message] | None, cancel: Cancel, publish: Publish) -> None:
        """Live a turn; off the record, what is said is kept `aside`, after what was said there before."""
        # Imported here: the graph's libraries take most of a second, and a page opens without them.
        from agent.graph import compiled_graph  # noqa: PLC0415

        around = self._surroundings(cancel, publish, aside)
        given = state.get("message")
        window = self._short_term(2 * around.settings.conversation.window_turns)
        hidden = {given.id, *state.get("replaces", ())} if given else set()
        state["window"] = [m for m in window if m.id not in hidden] + (aside or [])
        reply: Message | None = None
        try:
            reply = compiled_graph().invoke(state, context=around)["reply"]
        finally:
            if aside is None:
                self._later(self._catch_up, reply)

    def _surroundings(self, cancel: Cancel, publish: Publish, aside: list[Message] | None) -> Surroundings:
        started = self._clock.monotonic()
        memories = self.memories
        settings, sheet = memories.settings(), memories.sheet()
        name = memories.paths.name
        choice = self._minds.choose(settings.mind, sheet.language, persona=name, purpose="talk")
        for notice in choice.notices:
            publish(Noticed(notice))

        def emit_and_keep(event: TurnEvent) -> None:
            if aside is not None and isinstance(event, Received | Replied):
                aside.append(event.message)
            publish(event)

        return Surroundings(
            sheet=sheet,
            mind=choice.mind,
            settings=settings,
            memories=memories,
            tools=all_tools(),
            clock=self._clock,
            rng=self._rng,
            cancel=cancel,
            started=started,
            emit=emit_and_keep,
            beside=self._beside.submit,
            small_mind=self._small_mind(settings, sheet.language),
            stand_in=self._minds.stand_in(settings),
            off_record=aside is not None,
        )

    def _small_mind(self, settings: Settings, language: Lang) -> Mind | None:
        if not settings.recall.plan_with_model:
            return None
        name = self.memories.paths.name
        return self._minds.choose_small(settings.mind, language, persona=name, purpose="recall").mind

    def _last_exchange(self) -> tuple[Message, list[Message]]:
        """Return the user's last message of this topic and all that came after it."""
        thread = self.memories.log.thread(2 * self.memories.settings().conversation.window_turns + 20)
        for position in range(len(thread) - 1, -1, -1):
            if thread[position].role == "user":
                return thread[position], thread[position + 1 :]
        raise NothingToAnswerError

    def _later(self, work: Callable[..., None], *arguments: object) -> Future[None]:
        """Do something off the user's path, one after the other; what fails is said, never swallowed."""
        done = self._afterwards.submit(work, *arguments)
        done.add_done_callback(self._say_failure)
        return done

    def _say_failure(self, done: Future[None]) -> None:
        error = done.exception() if not done.cancelled() else None
        if error is not None:  # nobody above would see it: the edge of a thread
            logger.error("work after a turn failed", exc_info=error)
            cause = f"{type(error).__name__}: {error}"
            self.memories.notices.post_error("afterwards", UnexpectedError(cause=cause))

    def _wake(self) -> None:
        """After opening, off the user's path: cards are read, what was edited elsewhere is noticed and indexed."""
        try:
            self.memories.entities.all()  # kept in memory: thousands of files take long beside other work, a room's say
            self.memories.history.notice_outside()
            take_up(self.memories)
        except UtataneError as error:
            self.memories.notices.post_error("wake", error)
        self._catch_up()

    def _end_conversation(self) -> None:
        try:
            self._when_conversation_ends()
        except UtataneError as error:
            self.memories.notices.post_error("conversation-end", error)

    def _short_term(self, count: int) -> list[Message]:
        """Return the last messages of the thread; read anew only when the log has changed."""
        revision = self.memories.log.revision()
        known = self._window
        if known is not None and known[:2] == (revision, count):
            return known[2]
        window = self.memories.log.thread(count)
        self._window = (revision, count, window)
        return window

    def _catch_up(self, reply: Message | None = None) -> None:
        """After a turn, off the user's path: archives, index, and the window for the next turn."""
        try:
            if reply is not None:
                self.memories.inner_life.note_reply(reply)
                self._settle_inner_life()
            self.memories.log.roll()
            self._short_term(2 * self.memories.settings().conversation.window_turns)
            self.memories.recall.catch_up()
        except UtataneError as error:
            self.memories.notices.post_error("after-turn", error)

    def _settle_inner_life(self) -> None:
        """Let `emotion_log.json` and `internal_state.json` say what this turn has changed, for whoever opens them."""
        self.memories.emotions.settle()
        self.memories.inner_state.refresh(lang=self.memories.sheet().language)


def check_message(text: str, attachments: Sequence[Path]) -> None:
    """Refuse what cannot be said.

    Raises:
        EmptyMessageError, MessageTooLongError
    """
    if not text.strip() and not attachments:
        raise EmptyMessageError
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise MessageTooLongError(limit=MAX_MESSAGE_CHARACTERS)
