"""The search index of what personas share: one file's passages, ranked as a persona's own memories are.

Its vectors are made on this computer, whatever the persona's own are made with: what is shared goes to no provider of
vectors, and a question costs no call.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from managers.memory.log import ConversationLog
from managers.recall.embedders.embedder_choice import EmbedderChoice
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.hits import Hit, MemoryType
from managers.recall.index.chunking import Chunk
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import sealed
from managers.recall.index.store import FileRecord
from managers.recall.ranking.fusion import Ways
from managers.recall.ranking.ranker import Ranker
from managers.storage.clock import Clock
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError
from managers.storage.locks import holding
from managers.storage.settings import RecallSettings

KINDS: Final[tuple[MemoryType, ...]] = ("entity_memory", "episodic_memory", "note")
_WAYS: Final = Ways(neighbour_share=0, trust_share=0, speakers=False, times=False, standing=False)
"""Facts and summaries have no neighbours and no speakers; a turn that looks for them here too must not wait for it."""
_POOL: Final = 8
"""So many are looked at: some are not for whoever asks."""


class SharedIndex:
    """The index of one namespace, in `rag_index/` beside the file that it is of."""

    def __init__(self, file: Path, settings: RecallSettings, clock: Clock, log: ConversationLog) -> None:
        """Remember where it is.

        Args:
            file: what is indexed; derived data lies beside it.
            settings: of the persona that searches.
            clock: what "yesterday" is reckoned from.
            log: of the persona that searches.
        """
        self._file = file
        self._index = MemoryIndex(file.with_name("rag_index"))
        local = settings.model_copy(update={"embedder": "builtin" if settings.embedder == "builtin" else "auto"})
        self._choice = EmbedderChoice(local, file.with_name("no-cache"), None, self._own)
        self._ranker = Ranker(file.parent, log, {"static": self._index}, local, clock, self._choice, {}, _WAYS)
        self._ranker.picker.aside = frozenset  # that is asked of what is given, message by message
        self._limit = settings.threshold

    def _own(self) -> NgramEmbedder:
        return self._choice.read_own(self._index.store)

    def follow(self, passages: Mapping[str, Chunk]) -> None:
        """Hold these passages, by their ids, and no others; only what differs is embedded.

        Raises:
            DiskFullError, UnwritableError, BusyError, DerivedDamagedError
        """
        with holding(self._file.with_name(".index.lock"), self._file.name), derived(self._index.folder):
            try:
                self._follow(passages)
            except DerivedDamagedError:
                self._index.discard()
                self._follow(passages)

    def _follow(self, passages: Mapping[str, Chunk]) -> None:
        index, choice = self._index, self._choice
        choice.follow(index.store.meta("embedder"))
        if index.fits(choice.name) or choice.has_outgrown(len(passages)) or not index.store.meta("embedder"):
            own = choice.weigh(chunk.text for chunk in passages.values())
            choice.replace_own(own)
            index.reset(choice.name, choice.kept(own))
        record = index.store.file(self._file.name)
        held = index.store_units(record) if record else {}
        wanted = {unit: sealed([replace(chunk, unit=unit)])[0] for unit, chunk in passages.items()}
        gone = [unit for unit, known in held.items() if unit not in wanted or wanted[unit].digest != known]
        new = [chunk for unit, chunk in wanted.items() if held.get(unit) != chunk.digest]
        if gone or new or record is None:
            file = FileRecord(record.id if record else 0, self._file.name, "entity_memory", "", 0, "", "")
            with index.store.transaction():
                index.writer.apply(record, file, gone, new, choice.own, choice.words)
        if gone:
            index.tidy()

    def search(self, query: str) -> list[Hit]:
        """Return what fits a question, best first."""
        with derived(self._index.folder):
            ranking = self._ranker.ranked(query, KINDS)
            return self._ranker.picker.pick(ranking, _POOL, KINDS, floor=self._limit)

    def close(self) -> None:
        self._index.store.close()
