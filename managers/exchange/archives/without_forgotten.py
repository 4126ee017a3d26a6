"""What an archive holds of forgotten words, and an archive without them.

Forgetting takes words out of the conversation and out of search, and erases nothing: the log has them still, and so has
the history. Whoever hands a persona to somebody is told how many there are, and may leave them out. Then the history does
not come along, and of forgotten and deleted messages only the place is left, as after an erasure. Where there are such,
the texts that were imported stay behind, too: they hold them word for word, and know nothing of ids.
"""

from dataclasses import dataclass
from typing import Final

from managers.hygiene.file_kinds import kind_of
from managers.hygiene.scrubbing import Scrubber
from managers.hygiene.traces import Traces
from managers.memory.forgotten import forgotten_entries
from managers.memory.log.reader import LogReader
from managers.storage.history.history import History

_LOOKED_AT: Final = 20_000
"""So many changes of the history are looked through."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What is in a persona's folder and no longer in what it remembers.

    Attributes:
        messages: those that were forgotten or deleted; erased ones are not there.
        attachments: the files that only those messages have, by their paths.
        memories: how many changes of the history took a memory out that has not come back.
        marked: those of the messages that held foreign words.
    """

    messages: frozenset[str] = frozenset()
    attachments: frozenset[str] = frozenset()
    memories: int = 0
    marked: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        return len(self.messages) + self.memories


def forgotten_in(log: LogReader, history: History) -> Forgotten:
    """Return what a folder holds of forgotten words.

    Raises:
        UtataneError: it cannot be read.
    """
    found = log.originals(log.deleted())
    gone = {one for one, message in found.items() if message.text or message.attachments}
    files = {file for one in gone for file in found[one].attachments}
    if files:
        files -= {file for message in log.messages() for file in message.attachments}
    taken = len(forgotten_entries(history, log.paths.folder, _LOOKED_AT))
    return Forgotten(frozenset(gone), frozenset(files), taken, frozenset(log.origins(gone)))


class WithoutForgotten:
    """Takes what was forgotten out of one file after the other; what is derived from it goes whole."""

    def __init__(self, forgotten: Forgotten) -> None:
        self._forgotten = forgotten
        self._scrubber = Scrubber(Traces(messages=forgotten.messages, marked=forgotten.marked))

    def keeps(self, name: str) -> bool:
        """Tell whether a file may come along."""
        kind = kind_of(name)
        if kind.how == "source" and kind.what == "import":
            return not self._forgotten.messages
        return kind.how not in {"history", "gone", "index"} and name not in self._forgotten.attachments

    def looks_into(self, name: str) -> bool:
        """Tell whether anything may be taken out of such a file."""
        return kind_of(name).how not in {"attachment", "yours", "wordless"}

    def __call__(self, name: str, data: bytes) -> bytes | None:
        """Return what is left of a file, None if nothing is."""
        return self._scrubber.scrub(name, data)
