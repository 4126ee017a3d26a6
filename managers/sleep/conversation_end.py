"""The end of a conversation: fifteen idle minutes, a new topic, or the app's closing.

Then the questions that the conversation answered are resolved. Each conversation is looked at once:
`memory/.conversation_end` holds the id of the last message that was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.storage.clock import Clock
from managers.storage.files import read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

LOOKED_AT = 200
"""A conversation's end looks back on at most this many messages; the night reads all."""


@dataclass(frozen=True)
class ConversationEnd:
    """Notices when a conversation has ended, and does what is to be done then, once.

    Attributes:
        idle_minutes: after how long a conversation has ended, as the settings say now.
        then: what to do with the messages of the conversation (resolve questions).
    """

    paths: PersonaPaths
    log: ConversationLog
    clock: Clock
    idle_minutes: Callable[[], float]
    then: Callable[[Sequence[Message]], object]

    @property
    def _mark(self) -> Path:
        return self.paths.memory / ".conversation_end"

    def check(self) -> bool:
        """End the conversation if nobody has spoken for long enough; return whether it was ended."""
        last = self.log.tail(1, roles=("user", "persona"))
        if not last or last[0].id == self._marked():
            return False
        idle = self.clock.now() - last[0].time
        # A clock that was set back leaves the last message in the future: that is no idle time, but
        # after a day's difference it is no conversation under way either.
        if idle < timedelta(minutes=self.idle_minutes()) and idle > -timedelta(days=1):
            return False
        return self.end()

    def end(self) -> bool:
        """End the conversation now: a new topic was begun, or the app closes."""
        messages = self.log.tail(LOOKED_AT, roles=("user", "persona"))
        marked = self._marked()
        if not messages or messages[-1].id == marked:
            return False
        self.then(self._since(marked, messages))
        with writing(self.paths):
            write_atomic(self._mark, messages[-1].id)
        return True

    def _since(self, marked: str, messages: Sequence[Message]) -> Sequence[Message]:
        """Return what was said after a message; one that stands aside by now, or is deleted, tells by its time."""
        ids = [message.id for message in messages]
        if marked in ids:
            return messages[ids.index(marked) + 1 :]
        known = self.log.originals([marked]).get(marked)
        return messages if known is None else [message for message in messages if message.time > known.time]

    def ended_at(self) -> datetime | None:
        """Return when the last message was that has been looked at; None if there is none."""
        message = self.log.get(self._marked())
        return message.time if message else None

    def _marked(self) -> str:
        return (read_bytes(self._mark) or b"").decode("utf-8", "replace").strip()
