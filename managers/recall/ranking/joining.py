"""Pieces of one message that were found side by side, put together again: a prompt and a tool are told them as one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from managers.memory.log.reader import LogReader
from managers.recall.hits import LOG_TYPES, Hit
from managers.recall.index.chunking import spans
from managers.recall.index.memory_index import Passage
from managers.storage.settings import RecallSettings


@dataclass
class Pieces:
    """The pieces of messages that a search has looked at, by their message.

    Attributes:
        log: the conversation, for the messages as they read now.
        settings: how messages are cut.
    """

    log: LogReader
    settings: RecallSettings
    _found: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def noting(self, found: Iterable[tuple[int, Passage]]) -> Iterator[tuple[int, Passage]]:
        """Hand on what is looked at, and note it."""
        for place, passage in found:
            if passage.type in LOG_TYPES and len(passage.message_ids) == 1:
                self._found[passage.message_ids[0]].add(passage.text)
            yield place, passage

    def joined(self, hit: Hit) -> Hit:
        """Return a piece with the one before and the one after, as far as they were found too.

        What was reworded since it was indexed stays the piece that it is.
        """
        there = self._found.get(hit.message_ids[0], set()) if hit.type in LOG_TYPES and hit.message_ids else set()
        message = self.log.get(hit.message_ids[0]) if len(there) > 1 and hit.text in there else None
        if message is None:
            return hit
        text, size = message.text.strip(), self.settings.chunk_size
        cuts = list(spans(text, size, min(self.settings.chunk_overlap, size // 2)))
        pieces = [text[start:end].strip() for start, end in cuts]
        if hit.text not in pieces:
            return hit
        at = first = last = pieces.index(hit.text)
        first -= at > 0 and pieces[at - 1] in there
        last += at + 1 < len(pieces) and pieces[at + 1] in there
        return replace(hit, text=text[cuts[first][0] : cuts[last][1]].strip())
