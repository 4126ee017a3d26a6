"""The turns of one persona: what begins them, what is done beside and after them, and what is said off the record."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from agent.addressing import called, facts_of_user, with_name
from agent.after_turn import Afterwards
from agent.attachments import Attached
from agent.audience import any_leaves, kept_from, other_company, other_messages
from agent.emotion_reading import reread_emotion
from agent.errors import StillAnsweringError
from agent.events import Received, Replied, TurnEvent
from agent.forgetting import take_up
from agent.health import look
from agent.memories import Memories
from agent.minds.choose import Choice, Minds, built_in_mind
from agent.minds.mind_status import MindStatus, capped_status
from agent.minds.protocol import Mind
from agent.prompts.system_prompt import known_facts
from agent.provenance import ForeignWords
from agent.state import Surroundings, TurnState, is_first_answer
from agent.strategy_learning import learn_from_message, learn_from_regeneration
from agent.tools import all_tools
from agent.turn import Publish, Turn
from managers.language.emotion import read_emotion
from managers.language.reading.concern import find_concern
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.messages import Message
from managers.mind import Cancel, Company, EmotionReading
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.settings import Settings
from managers.usage.ledger import Purpose

if TYPE_CHECKING:
    import pandas as pd

_NAME_SAID_IN = 40
"""So many messages are looked through for what the user is called."""
_STOP_SECONDS = 10.0
"""Within this time every turn ends that was told to: minds look many times a second."""


class Turns:
    """One persona, awake: its turns run one after the other."""

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
        self.opening = 0
        """Which of the greetings stands on the page while nothing was ever said."""
        self._turn: Turn | None = None
        self._starting = threading.Lock()
        self._off_record: list[Message] = []
        self._in_sight: tuple[str, int] | None = None
        self._window: tuple[str, int, list[Message]] | None = None
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside")
        self._afterwards = Afterwards(memories.notices)
        self._begun: dict[str, Turn] = {}
        self._awake = False
        self._closing = Cancel()

    def wake(self, *, only_look: bool = False) -> None:
        """Notice what was edited elsewhere and index it, off the user's path; once. Where nothing may be written, look alone."""
        if not self._awake:
            self._awake = True
            self._afterwards.do(self._look_on if only_look else self._wake)

    def forget_off_record(self) -> None:
        """Let go of what was said off the record, the answer under way included, and of how the last turn went."""
        with self._starting:
            if self._turn is not None and self._turn.off_record:
                self._turn.stop()
                self._turn.wait(_STOP_SECONDS)
            self._let_go_of_off_record()
            if self.turn is None:
                self._turn = None

    def forget_failure(self) -> None:
        """Let go of how the last turn went, if none is under way."""
        with self._starting:
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

    def choice(self) -> Choice:
        """Return which mind would speak now, and what people are told and offered about it."""
        return self._choice(self.memories.settings())

    def known_choice(self) -> Choice | None:
        """Return the same, as far as it is known without asking any server; None if it is not."""
        settings = self.memories.settings()
        return self._choice(settings) if self._minds.is_known(settings.mind) else None

    def is_mind_known(self) -> bool:
        """Tell whether it is known which mind would speak now, without asking any server."""
        return self._minds.is_known(self.memories.settings().mind)

    def _choice(self, settings: Settings) -> Choice:
        name = self.memories.paths.name
        choice = self._minds.choose(settings.mind, persona=name, purpose="talk", masking=self.memories.masking())
        is_stopped = choice.status.is_language_model and self._minds.is_stopped(name)
        return replace(choice, status=capped_status()) if is_stopped and self._minds.stand_in(settings) else choice

    def mind_status(self) -> MindStatus:
        return self.choice().status

    def close(self) -> None:
        """End the conversation and wait for what is being remembered; the object must not be used after."""
        if self._turn is not None:
            self._turn.break_off()
            self._turn.wait(_STOP_SECONDS)
            if not self.mind_status().is_language_model:
                # A model would keep the person waiting; the next start does it when the time is up.
                self._afterwards.do(self._when_conversation_ends)
        self._closing.set()
        self._beside.shutdown(wait=True)
        self._afterwards.close()
        self.memories.close()

    def settle(self) -> None:
        """Wait until the work after the last turn (index, archives) is done."""
        self._afterwards.do(lambda: None).result()

    def course(self) -> Future[pd.DataFrame]:
        """Count what the talks come to, off the user's path; the result is how that came about, day by day."""
        return self._afterwards.do(self.memories.kpi.counted)

    def _refuse_while_answering(self) -> None:
        if self.turn is not None:
            raise StillAnsweringError(name=self.memories.paths.name)

    def _let_go_of_off_record(self) -> None:
        self._off_record = []  # a new one: whatever a turn may still say goes into the old, which nobody reads
        for turn in [one for one in self._begun.values() if one.off_record]:
            turn.forget()

    def _begin(self, state: TurnState, attached: Attached, aside: list[Message] | None = None) -> Turn:
        """Begin a turn; off the record where what was said there before stands `aside`."""
        if aside is None:
            self._let_go_of_off_record()
        state["attached"] = attached
        given, old = state.get("message"), state.get("instead_of")
        self._turn = Turn(
            partial(self._live, state, aside),
            answers=given.id if given else "",
            replaces=old.id if old else "",
            off_record=aside is not None,
        ).start()
        return self._turn

    def answer_among(
        self,
        message: Message,
        company: Company,
        listeners: Sequence[Mind] = (),
        aside: Sequence[Message] | None = None,
        *,
        built_in: bool = False,
    ) -> Turn:
        """Answer a message of a conversation of several, which stands in the log already, unless it is off the record.

        Args:
            message: the user's.
            company: who is there, and what they said since.
            listeners: the minds of the others, who will hear the answer.
            aside: what was said before it off the record, which it is then; None: it is on the record.
            built_in: let the built-in mind answer this once, whichever speaks otherwise.

        Raises:
            StillAnsweringError
        """
        with self._starting:
            self._refuse_while_answering()
            state = TurnState(message=message, company=company, listeners=listeners)
            if built_in:
                state["speaker"] = built_in_mind(self.memories.settings().mind)
            return self._begin(state, Attached(), None if aside is None else [*aside])

    def overhear(self, message: Message) -> Message:
        """Put on disk what was said in a conversation of several, under the id that it has with the others.

        Raises:
            MessageIdTakenError, DiskFullError, UnwritableError, BusyError: nothing was written.
        """
        if message.role == "user":
            sheet = with_name(self.memories.sheet(), self.memories, self._short_term(_NAME_SAID_IN))
            message = replace(message, speaker=called(sheet))
        return self.memories.log.append_shared(message)

    def after_listening(self, unanswered: Message | None) -> None:
        """Index what was heard; let a message that the persona did not answer move it all the same. Nobody waits for it."""
        if unanswered is not None:
            read = read_emotion(unanswered.text, [self.memories.paths.name])
            feeling = EmotionReading(read.emotion, read.confidence)
            self._afterwards.do(self.memories.inner_life.perceive, unanswered, feeling, self._clock.now())
        self._afterwards.do(self._catch_up)

    def _live(self, state: TurnState, aside: list[Message] | None, cancel: Cancel, publish: Publish) -> None:
        """Live a turn; off the record, what is said is kept `aside`, after what was said there before."""
        # Imported here: the graph's libraries take most of a second, and a page opens without them.
        from agent.graph import compiled_graph  # noqa: PLC0415

        settings = self.memories.settings()
        given, count = state.get("message"), 2 * settings.conversation.window_turns
        written = given if aside is None else None
        before = self.memories.thread(count, written.id) if written else self.memories.in_use(self._short_term(count))
        state["window"] = [*before, *(aside or [])]
        around = self._surroundings(settings, cancel, publish, aside, state)
        state["window"] = other_messages(around.kept, state["window"])
        if (company := state.get("company")) is not None:
            voices = (*company.voices, called(around.sheet))
            state["company"] = replace(other_company(around.kept, company), voices=voices)
        reply: Message | None = None
        try:
            done = compiled_graph().invoke(state, context=around)
            reply = done["reply"]
            self._in_sight = (around.mind.name, done.get("in_sight", 0))
        finally:
            if aside is None:
                self._afterwards.do(self._catch_up, reply)
        if aside is None and is_first_answer(state):
            self._learn(done)
        if aside is None and is_first_answer(state) and (not done.get("instead_of") or done.get("reworded")):
            self._read_emotion(around, done)

    def _surroundings(
        self, settings: Settings, cancel: Cancel, publish: Publish, aside: list[Message] | None, state: TurnState
    ) -> Surroundings:
        started = self._clock.monotonic()
        memories = self.memories
        name, masking = memories.paths.name, memories.masking(settings)
        choice = self._minds.choose(settings.mind, persona=name, purpose="talk", masking=masking)
        small = self._small_mind(settings, "recall") if settings.recall.plan_with_model else None
        minds = state.get("speaker", choice.mind), small, *state.get("listeners", ())
        leaves = state.get("for_program", False) or any_leaves(*minds)
        kept, unknown = self._kept(state["message"] if "company" in state else None, leaves=leaves)
        sheet = with_name(memories.sheet(settings), memories, other_messages(kept, state["window"]))

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
            small_mind=small,
            stand_in=self._minds.stand_in(settings),
            in_sight=self._in_sight[1] if self._in_sight and self._in_sight[0] == choice.mind.name else None,
            off_record=aside is not None,
            kept=kept,
            leaves=leaves,
            unknown=unknown,
        )

    def _kept(self, among: Message | None, *, leaves: bool) -> tuple[Kept, UtataneError | None]:
        """Return what the mind is not given, or why nobody knows: the message is taken in all the same.

        That is what is for this computer only where something leaves it, and what is for this persona alone where others
        listen (`among`: what was said to all of them, which they know).
        """
        audiences = self.memories.audiences
        try:
            kept = audiences.kept() if leaves else NOTHING_KEPT
            return (kept.joined_with(audiences.own(), among.id) if among else kept), None
        except UtataneError as error:
            return NOTHING_KEPT, error

    def _read_emotion(self, around: Surroundings, done: Mapping[str, Any]) -> None:
        """Let the small model read the message's emotion, where a person wants that; nobody waits for it."""
        settings, message, read = around.settings, done["message"], done["emotion"].emotion
        if not settings.conversation.read_emotion_with_model or find_concern(message.text):
            return  # of danger no model makes less
        mind = self._small_mind(settings, "emotion")
        try:
            kept = kept_from(self.memories, mind)
        except UtataneError:  # it was said in the turn: nothing is sent
            return
        window = other_messages(kept, done["window"])
        if message.id not in kept.messages:
            self._afterwards.do(reread_emotion, self.memories, mind, around.sheet, message, window, read, self._closing)

    def _learn(self, done: Mapping[str, Any]) -> None:
        """Learn from how the answer before was taken; nobody waits for it."""
        old, message = done.get("instead_of"), done["message"]
        if old is None:
            self._afterwards.do(learn_from_message, self.memories, message)
        elif done["reply"] is not None and not done.get("reworded"):
            self._afterwards.do(learn_from_regeneration, self.memories, message, old)

    def _small_mind(self, settings: Settings, purpose: Purpose) -> Mind:
        name = self.memories.paths.name
        masking = self.memories.masking()
        return self._minds.choose_small(settings.mind, persona=name, purpose=purpose, masking=masking).mind

    def _wake(self) -> None:
        """After opening, off the user's path: cards are read, what was edited elsewhere is noticed and indexed."""
        memories = self.memories
        # The cards are kept in memory: thousands of files take long beside other work, a room's say.
        self._afterwards.each(
            memories.entities.all,
            memories.history.notice_outside,
            memories.audiences.take_over,
            partial(take_up, memories),
            self._look_up_origins,
        )
        self._catch_up()
        self._look()  # the indexes have caught up, and know what is missing
        self._afterwards.each(memories.recall.rehearse)

    def _look_up_origins(self) -> None:
        """Work out whose words it rests on what is known of the user, so that no turn waits for it."""
        sheet = with_name(self.memories.sheet(), self.memories)
        foreign = ForeignWords(self.memories.provenance, sheet)
        for one in known_facts(sheet.language, facts_of_user(self.memories.entities, sheet)):
            foreign.item(*one)

    def _look_on(self) -> None:
        """After opening where nothing may be written."""
        self._afterwards.each(self.memories.recall.warm_up, self.memories.recall.rehearse)
        self._look()

    def _look(self) -> None:
        self._afterwards.each(partial(look, self.memories))

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
        memories = self.memories
        if (
            reply is not None
        ):  # `emotion_log.json` and `internal_state.json` say what it has changed, for whoever opens them
            self._afterwards.each(
                partial(memories.inner_life.note_reply, reply),
                memories.emotions.settle,
                lambda: memories.inner_state.refresh(lang=memories.sheet().language),
            )
        self._afterwards.each(
            memories.log.roll,
            lambda: self._short_term(2 * memories.settings().conversation.window_turns),
            partial(memories.recall.keep_up, again=False),
            memories.advisor.warm_up,
            memories.shared.keep_up,
        )
