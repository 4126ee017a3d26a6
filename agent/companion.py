"""A persona one can talk to: what a person may do in a conversation.

This is what the page and the command line hold. One `Companion` per persona and process; turns of
one persona run one after the other, those of different personas side by side.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agent import attachments as attached_files
from agent.answer_sources import Why, why
from agent.approval import Waiting, decide, waiting
from agent.attachments import Attached, Upload
from agent.errors import EmptyMessageError, MessageTooLongError
from agent.exchange import exchange_of, last_exchange
from agent.forgetting import let_sessions_go
from agent.minds.choose import built_in_mind
from agent.minds.mind_status import MindStatus
from agent.state import TurnState
from agent.strategy_learning import learn_from_edit
from agent.turn import Turn
from agent.turns import Turns
from managers.memory.errors import MessageNotFoundError
from managers.memory.log import Alternatives, Branch, ConversationLog
from managers.memory.messages import Message

__all__ = ["Alternatives", "Branch", "Companion", "MindStatus", "Why"]

MAX_MESSAGE_CHARACTERS = 4_000_000
"""Far beyond what a person types; a pasted book is kept whole, and the mind reads what fits."""

_NONCES = 128
"""So many forms are known again that were sent twice."""


class Companion(Turns):
    """One persona, awake."""

    def say(
        self,
        text: str,
        *,
        attachments: Sequence[Path | Upload] = (),
        off_record: bool = False,
        nonce: str = "",
        for_program: bool = False,
    ) -> Turn:
        """Say something; the message is on disk before the first event is yielded.

        Off the record nothing is written anywhere: the exchange lives in this object until
        `forget_off_record`, or until something is said on the record.

        Args:
            text: what is said; may be empty where files are sent.
            attachments: files, with their own names where they lie under others.
            off_record: write nothing.
            nonce: names the form that it was sent with. Sent a second time with the same one, whatever it says, it is not
                said again: the turn that it began is returned, under way or over. The last hundred or so are known.
            for_program: the answer is for another program: what is for this computer only is not told to any mind.

        Raises:
            EmptyMessageError, MessageTooLongError, AttachmentError, DocumentError, DocumentReaderError,
            StillAnsweringError: nothing was written, and the nonce may be used again.
        """
        if (begun := self._begun.get(nonce)) is not None:
            return begun
        check_message(text, attachments)
        self._refuse_while_answering()
        taken = attached_files.take(attachments, seconds=self._reading_seconds()) if attachments else []
        with self._starting:
            if (begun := self._begun.get(nonce)) is not None:
                return begun
            self._refuse_while_answering()
            attached = (
                attached_files.unkept(taken)
                if off_record
                else attached_files.keep(taken, self.memories.paths, self._clock, self._rng)
            )
            turn = self._begin(
                TurnState(text=text, opening=self.opening, for_program=for_program),
                attached,
                self._off_record if off_record else None,
            )
            if nonce:
                self._begun[nonce] = turn
                for old in list(self._begun)[:-_NONCES]:
                    del self._begun[old]
            return turn

    def choose_opening(self, index: int) -> None:
        """Let another of the persona's greetings stand, until something is said."""
        self.opening = max(0, min(index, len(self.memories.openings()) - 1))

    def regenerate(self, message_id: str = "", *, built_in: bool = False) -> Turn:
        """Make an answer anew, from the conversation as it stood before; it is shown in the place of the old one.

        The old one stays to be chosen again (`alternatives`, `choose`). If nothing can be said anew, it stands.

        Args:
            message_id: the persona's answer, or the message of the user that it answers; empty for the last exchange, also
                for a message that was never answered.
            built_in: let the built-in mind answer this once, whichever speaks otherwise.

        Raises:
            MessageNotFoundError: the message does not stand in the conversation.
            NothingToAnswerError: it answers nothing that the user said.
            StillAnsweringError
        """
        with self._deciding() as log:
            exchange = exchange_of(log, message_id) if message_id else last_exchange(log)
            state = TurnState(message=exchange.message, instead_of=exchange.answer)
            if built_in:
                state["speaker"] = built_in_mind(self.memories.settings().mind)
            return self._begin(state, self._attached_to(exchange.message))

    def edit(self, message_id: str, text: str, *, answer: bool = False) -> Turn | None:
        """Give any message another text; of one with several answers, the one that is shown gets it.

        Args:
            message_id: the message, the user's or the persona's.
            text: what it says from now on.
            answer: answer it anew, if it is the user's; the old answer stays to be chosen again.

        Returns:
            the turn that answers it; None if it is not answered.

        Raises:
            MessageNotFoundError: it does not stand in the conversation.
            EmptyMessageError, MessageTooLongError
            NothingToAnswerError: it is to be answered, was never, and more was said since.
            StillAnsweringError: nothing was changed, whichever it is.
        """
        with self._deciding() as log:
            message = self._said(message_id)
            check_message(text, message.attachments)
            exchange = exchange_of(log, message_id) if answer and message.role == "user" else None
            attached = self._attached_to(exchange.message) if exchange else None
            if text != message.text:
                log.supersede(message_id, text)
                if message.group:
                    self._afterwards.do(let_sessions_go, self.memories, [message_id])
                if message.role == "user":
                    self.memories.emotions.reword({message_id: text})
            if exchange is not None and attached is not None:
                state = TurnState(message=replace(message, text=text), instead_of=exchange.answer, reworded=True)
                return self._begin(state, attached)
            self._afterwards.do(self._catch_up)
            if message.role == "persona":
                self._afterwards.do(learn_from_edit, self.memories, message, text)
            return None

    def delete(self, message_id: str) -> None:
        """Take any message out of the conversation, the user's last one together with its answers; the log keeps it.

        Raises:
            MessageNotFoundError: it does not stand in the conversation.
            StillAnsweringError
        """
        with self._deciding() as log:
            gone = [self._said(message_id)]
            if gone[0].role == "user" and (last := last_exchange(log)).message.id == message_id:
                gone += last.after
            self._take_back(gone)

    def take_back(self, message_ids: Sequence[str]) -> None:
        """Take those of some messages out of the conversation that stand in it; the log keeps them.

        Raises:
            StillAnsweringError
        """
        with self._deciding() as log:
            if gone := [message for one in message_ids if (message := log.get(one)) is not None]:
                self._take_back(gone)

    def _take_back(self, gone: Sequence[Message]) -> None:
        spoken = [message.id for message in gone if message.role == "user"]
        self.memories.log.take_back([message.id for message in gone])
        self.memories.emotions.reword(dict.fromkeys(spoken, ""))
        self.memories.recall_log.drop({message.id for message in gone if message.role == "persona"})
        self.memories.held.drop_of(spoken)
        self._afterwards.do(let_sessions_go, self.memories, {message.id for message in gone if message.group})
        self._afterwards.do(self._catch_up)

    def alternatives(self, message_id: str) -> Alternatives:
        """Return all that was said in the place of a message, to be leafed through.

        Raises:
            MessageNotFoundError: it does not stand in the conversation.
        """
        return self.memories.log.alternatives(message_id)

    def choose(self, message_id: str, index: int) -> Message:
        """Show another one of the answers that were given in a place; return it.

        Args:
            message_id: the message in that place.
            index: which of `alternatives(message_id).messages`.

        Raises:
            MessageNotFoundError, AlternativeNotFoundError, StillAnsweringError: nothing was changed.
        """
        with self._deciding() as log:
            shown = log.choose(message_id, index)
            self._afterwards.do(self._catch_up)
            return shown

    def branch(self, message_id: str) -> Branch | None:
        """Let the conversation go on from any message: what came after it is set aside, to be gone back to.

        Returns:
            what was set aside; None if nothing was said after that message.

        Raises:
            MessageNotFoundError, StillAnsweringError: nothing was changed.
        """
        self.forget_off_record()
        with self._deciding() as log:
            left = log.branch(message_id)
            self._afterwards.do(self._catch_up)
            return left

    def branches(self) -> Sequence[Branch]:
        """Return what stands aside, what was set aside last first."""
        return self.memories.log.branches()

    def switch_branch(self, branch_id: str) -> None:
        """Go back to what was set aside (`Branch.id`); what stood since the branches part is set aside in turn.

        Raises:
            BranchNotFoundError, StillAnsweringError: nothing was changed.
        """
        self.forget_off_record()
        with self._deciding() as log:
            log.switch_branch(branch_id)
            self._afterwards.do(self._catch_up)

    def new_topic(self) -> None:
        """Begin a new thread: earlier turns leave the short-term memory, not the log.

        Raises:
            StillAnsweringError: the answer under way would stand in the new thread, apart from what it answers.
        """
        self.forget_off_record()
        with self._deciding() as log:
            self._afterwards.do(self._when_conversation_ends)
            log.begin_topic()

    def why(self, message_id: str) -> Why | None:
        """Return what was recalled for an answer, None if nothing was searched for it."""
        return why(self.memories, message_id)

    def waiting(self) -> list[Waiting]:
        """Return what the persona would write and a person must allow first, oldest first."""
        return waiting(self.memories)

    def decide(self, held: str, *, allow: bool, shown: str | None = None) -> None:
        """Write what waits for a yes, or leave it (see `agent.approval.decide`).

        Raises:
            NotHeldError, HeldChangedError, UtataneError: nothing was written.
        """
        decide(self.memories, held, allow=allow, shown=shown)
        self._afterwards.do(self._catch_up)

    @contextmanager
    def _deciding(self) -> Iterator[ConversationLog]:
        """Let nobody else begin anything in this conversation meanwhile.

        Raises:
            StillAnsweringError
        """
        with self._starting:
            self._refuse_while_answering()
            yield self.memories.log

    def _said(self, message_id: str) -> Message:
        """Return what somebody said, as it reads now.

        Raises:
            MessageNotFoundError: it does not stand in the conversation.
        """
        message = self.memories.log.get(message_id)
        if message is None or message.role == "system":
            raise MessageNotFoundError(message_id=message_id)
        return message

    def _attached_to(self, message: Message) -> Attached:
        return attached_files.again(self.memories.paths, message, seconds=self._reading_seconds())

    def _reading_seconds(self) -> float:
        return self.memories.settings().recall.document_seconds


def check_message(text: str, attachments: Sequence[object]) -> None:
    """Refuse what cannot be said.

    Raises:
        EmptyMessageError, MessageTooLongError
    """
    if not text.strip() and not attachments:
        raise EmptyMessageError
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise MessageTooLongError(limit=MAX_MESSAGE_CHARACTERS)
