"""What a persona wished to write with foreign text before its eyes, or another program: held, until a person says yes or no.

`memory/held_writes.json` keeps each wish with the message that it was made for, so that it survives a restart; nothing of
it stands in a memory yet. What it would change is worked out anew whenever it is shown, never read from here.
"""

from collections.abc import Callable, Collection, Container, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from managers.memory.errors import NotHeldError, TooManyHeldError
from managers.memory.json_documents import TIME, JsonFile, OfOneFile, as_plain, encode, entries_of, short_id
from managers.storage.clock import Clock
from managers.storage.files import remove, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

KEPT = timedelta(days=7)
"""So long a wish waits for an answer; then it is dropped, and nothing was written."""
MOST = 20
"""So many wait at a time; a document that makes a model write without end is not asked about without end."""

LARGEST = 50_000
"""So many characters a wish may have, and what it would change: a person is to read it before saying yes."""


class HeldWrite(BaseModel):
    """One wish.

    Attributes:
        id: as `held_id` gives it; one with other signs is none of ours, and stays unread.
        time: when it was made (local time).
        message_id: the message that was being answered.
        mind: whose wish it is.
        carried: the documents and files that were before its eyes, relative to the persona's folder.
        tool: the tool that was called.
        write: the change, as `agent.tools` reads it.
        asked_by: whether the persona's mind wished for it, or another program.
        base: a digest of what it was made for; empty where there was nothing yet.
        is_begun: the yes was given, and it was being written.
    """

    model_config = ConfigDict(extra="allow")

    id: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    time: str
    message_id: str
    mind: str = ""
    carried: list[str] = Field(default_factory=list)
    tool: str
    write: dict[str, Any]
    asked_by: Literal["mind", "program"] = "mind"
    base: str = ""
    is_begun: bool = False

    @property
    def expires(self) -> datetime:
        """Until when it waits."""
        return datetime.strptime(self.time, TIME) + KEPT  # local time


def held_id(message_id: str, tool: str, write: dict[str, Any]) -> str:
    """Return an id such as `h_4f0c2a91`, the same for the same wish."""
    return short_id("h_", message_id, tool, encode(write).decode())


class HeldWrites(OfOneFile):
    """The wishes of one persona that wait."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._file = JsonFile(paths, paths.held_writes, clock, list)

    def all(self) -> list[HeldWrite]:
        """Return those that wait, oldest first."""
        return self._waiting(entries_of(HeldWrite, self._file.read())[0])

    def find(self, held: str) -> HeldWrite:
        """Return one that waits.

        Raises:
            NotHeldError: it does not.
        """
        found = next((one for one in self.all() if one.id == held), None)
        if found is None:
            raise NotHeldError(held=held[:40], days=KEPT.days)
        return found

    def hold(self, wish: HeldWrite, aside: Container[str] = ()) -> HeldWrite:
        """Keep a wish and return it; one that waits already to write the same, if there is one.

        Args:
            wish: what would be written.
            aside: messages that stand aside: nobody is asked about what was wished for there.

        Raises:
            TooManyHeldError: nothing was kept.
        """
        with writing(self._paths):
            if (same := self.same(wish.tool, wish.write, aside)) is not None:
                return same
            self._change(lambda held: [*held, wish])
            return wish

    def same(self, tool: str, write: dict[str, Any], aside: Container[str] = ()) -> HeldWrite | None:
        """Return the wish to write the same that waits already and is asked about; None where there is room for another.

        Raises:
            TooManyHeldError: there is no room.
        """
        waiting = self.all()
        asked = [one for one in waiting if one.message_id not in aside]
        found = next((one for one in asked if (one.tool, one.write) == (tool, write)), None)
        if found is None and len(waiting) >= MOST:
            raise TooManyHeldError
        return found

    def put(self, wish: HeldWrite) -> None:
        """Keep a wish as it is now, in the place of what was known of it."""
        self._change(lambda held: [wish if one.id == wish.id else one for one in held])

    def drop(self, held: Collection[str]) -> None:
        self._change(lambda kept: [one for one in kept if one.id not in held])

    def drop_of(self, message_ids: Collection[str], but: Collection[str] = ()) -> None:
        """Let go of what was wished for some messages: their words are no longer there, or are answered anew."""
        self._change(lambda kept: [one for one in kept if one.message_id not in message_ids or one.id in but])

    def _waiting(self, held: Sequence[HeldWrite]) -> list[HeldWrite]:
        now = self._clock.now()
        return [one for one in held if _is_sound(one) and now < one.expires]

    def _change(self, change: Callable[[Sequence[HeldWrite]], list[HeldWrite]]) -> None:
        """Write what a change leaves of those that wait; what has expired goes as well, an empty file too."""
        if not self._file.path.exists() and not change([]):
            return
        with writing(self._paths):
            before, odd = entries_of(HeldWrite, self._file.read())
            changed = change(self._waiting(before))
            if changed == before:
                return
            if changed or odd:
                write_atomic(self._file.path, encode(as_plain(changed, odd)))
            else:
                remove(self._file.path)


def _is_sound(held: HeldWrite) -> bool:
    try:
        return bool(held.expires)
    except ValueError:
        return False
