"""Recall: the one door through which memories are found."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from filelock import FileLock, Timeout

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.cues import Cues, Speaker, read_cues
from managers.recall.embedders import Embedder, Vectors
from managers.recall.embedders.ngrams import BUCKETS, NgramEmbedder, count_frequencies
from managers.recall.fusion import Candidate, Ways, rank, varied
from managers.recall.hits import Hit, Layer, MemoryType
from managers.recall.index import MemoryIndex, Passage
from managers.recall.indexing import Indexer
from managers.recall.past_conversations import search_past_conversations
from managers.recall.planner import RecallPlan, plan_recall
from managers.recall.sources import IndexName
from managers.recall.status import IndexStatus, Progress
from managers.storage.clock import Clock
from managers.storage.errors import BusyError, Notice
from managers.storage.files import make_folder
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

FOLDERS: Mapping[IndexName, str] = {
    "static": "faiss_index_static",
    "dynamic": "faiss_index_dynamic",
    "current": "current_log_index",
}
ALL_TYPES: tuple[MemoryType, ...] = (
    "log_archive",
    "current_log",
    "episodic_memory",
    "dream_insight",
    "diary",
    "entity_memory",
    "knowledge",
    "note",
)
PAST_TYPES: tuple[MemoryType, ...] = (
    "log_archive",
    "current_log",
    "episodic_memory",
    "dream_insight",
    "diary",
)
"""What `recall_memories` searches: diaries, conversations, episodes and dreams."""

KNOWLEDGE_TYPES: tuple[MemoryType, ...] = ("knowledge",)
SUMMARY_TYPES: tuple[MemoryType, ...] = ("episodic_memory", "dream_insight")
PROMPT_TYPES: tuple[MemoryType, ...] = ("log_archive", "current_log", "diary", "entity_memory")

_WAIT_SECONDS = 30.0
_WEIGHTS = "ngram_frequencies"
_DRIFT = 4
"""Corpus weights are made anew when there are so many times as many passages as they were made from."""


class Recall:
    """The memories of one persona, to be searched and kept up to date. Used from several threads."""

    def __init__(
        self,
        paths: PersonaPaths,
        log: ConversationLog,
        settings: RecallSettings,
        clock: Clock,
        *,
        embedder: Embedder | None = None,
        ways: Ways | None = None,
    ) -> None:
        """Remember where the memories are; nothing is opened before the first use.

        Args:
            paths: the persona's folder.
            log: its conversation log, for keyword searches.
            settings: every number of recall.
            clock: what "yesterday" is reckoned from.
            embedder: another one than the built-in.
            ways: which parts take part in the ranking; all, unless somebody measures them.
        """
        self.paths = paths
        self._log = log
        self._settings = settings
        self._clock = clock
        self._given = embedder
        self._ways = ways or Ways(neighbour_share=settings.neighbour_share)
        self._indexes: dict[IndexName, MemoryIndex] = {
            name: MemoryIndex(paths.rag_index / folder) for name, folder in FOLDERS.items()
        }
        self._indexer = Indexer(paths, self._indexes, settings)
        self._writing = threading.RLock()
        self._builtin: NgramEmbedder | None = None
        self._progress: Progress | None = None
        self._notices: dict[str, Notice] = {}

    # Searching

    def search(self, query: str, k: int = 10, *, types: Collection[MemoryType] | None = None) -> list[Hit]:
        """Return the plain ranking, best first: no threshold, no exclusion.

        Args:
            query: a question or some words.
            k: how many.
            types: only memories of these kinds.
        """
        return [hit for hit, _ in self._search(query, k, types)]

    def for_turn(self, query: str, *, window: Sequence[Message], threshold: float | None = None) -> list[Hit]:
        """Return what goes into a prompt: the recent, the related and the summed-up, no passage twice.

        Args:
            query: what `plan` made of the message.
            window: the messages that are in the prompt already; its newest serve the `recent` layer.
            threshold: the greatest distance; the persona's setting if not given.
        """
        settings = self._settings
        limit = settings.threshold if threshold is None else threshold
        in_window = {message.id for message in window}
        texts = {message.text.strip() for message in window}
        found = [
            hit
            for hit, _ in self._search(query, settings.max_hits * 3, (*PROMPT_TYPES, *SUMMARY_TYPES), in_window)
            if hit.score <= limit
            and not (set(hit.message_ids) & in_window and hit.type in ("log_archive", "current_log"))
        ]
        found = [hit for hit in found if hit.text not in texts]
        semantic = [hit for hit in found if hit.type not in SUMMARY_TYPES][: self._semantic_room(window)]
        summaries = [replace(hit, source="summary") for hit in found if hit.type in SUMMARY_TYPES]
        hits = [*semantic, *summaries[: settings.summary_hits]][: settings.max_hits]
        return hits + self._knowledge(query)

    def _semantic_room(self, window: Sequence[Message]) -> int:
        """Return how many related passages fit: what the window leaves of the recent layer's room is theirs."""
        settings = self._settings
        recent = min(settings.recent_hits, len(window))
        return max(settings.semantic_hits, settings.max_hits - settings.summary_hits - recent)

    def _knowledge(self, query: str) -> list[Hit]:
        settings = self._settings
        if not settings.knowledge_in_prompt or settings.knowledge_hits == 0:
            return []
        hits = self.search(query, settings.knowledge_hits, types=KNOWLEDGE_TYPES)
        return [hit for hit in hits if hit.score < settings.knowledge_threshold]

    def recall_memories(self, query: str) -> list[Hit]:
        """Return past experiences, conversations, diaries and dreams: the tool of that name."""
        settings = self._settings
        found = self.search(query, settings.max_hits, types=PAST_TYPES)
        close = [hit for hit in found if hit.score <= settings.recall_memories_threshold]
        return close[: settings.recall_memories_hits]

    def search_knowledge_base(self, query: str) -> list[Hit]:
        """Return passages of the user's documents: the tool of that name."""
        found = self.search(query, self._settings.max_hits, types=KNOWLEDGE_TYPES)
        return [hit for hit in found if hit.score <= self._settings.threshold]

    def search_past_conversations(self, query: str) -> list[Hit]:
        """Return messages that hold a phrase, the two newest and the two oldest: the tool of that name."""
        return search_past_conversations(
            self._log, self.paths, query, excluded=self._settings.last_api_history_limit_option
        )

    def plan(self, message: str, window: Sequence[Message]) -> RecallPlan:
        """Decide whether a message calls for the past and what to look for; no model, no waiting."""
        return plan_recall(message, window, self._clock.now(), self._is_entity)

    def _is_entity(self, words: Collection[str]) -> bool:
        names = self._entity_words()
        return any(word in names for word in words)

    def _entity_words(self) -> frozenset[str]:
        from managers.recall.terms import terms  # noqa: PLC0415

        if not self.paths.entity_memory.is_dir():
            return frozenset()
        return frozenset(word for path in self.paths.entity_memory.glob("*.md") for word in terms(path.stem))

    def _search(
        self,
        query: str,
        k: int,
        types: Collection[MemoryType] | None,
        excluded: Collection[str] = (),
    ) -> list[tuple[Hit, Candidate]]:
        if not query.strip() or k <= 0:
            return []
        now = self._clock.now()
        indexes = self._searched(types)
        for index in indexes:
            index.refresh()
        embedder = self._embedder()
        cues = read_cues(query, self._speakers(indexes), now)
        vector = self._query_vector(embedder, cues)
        candidates = rank(indexes, cues, vector, types, self._ways, now)
        return self._chosen(candidates, indexes, k, excluded, embedder.factor)

    def _searched(self, types: Collection[MemoryType] | None) -> list[MemoryIndex]:
        wanted: list[IndexName] = []
        kinds = set(types or ALL_TYPES)
        if kinds - {"knowledge", "current_log"}:
            wanted.append("static")
        if "current_log" in kinds:
            wanted.append("current")
        if "knowledge" in kinds:
            wanted.append("dynamic")
        return [self._indexes[name] for name in wanted]

    def _speakers(self, indexes: Sequence[MemoryIndex]) -> set[Speaker]:
        return {(name, role) for index in indexes for _, name, role in index.view.speakers}

    def _query_vector(self, embedder: Embedder, cues: Cues) -> Vectors | None:
        return embedder.query(cues.text)

    def _chosen(
        self,
        candidates: Sequence[Candidate],
        indexes: Sequence[MemoryIndex],
        k: int,
        excluded: Collection[str],
        factor: float,
    ) -> list[tuple[Hit, Candidate]]:
        settings = self._settings
        found: list[tuple[Hit, Candidate]] = []
        seen: set[tuple[str, str]] = set()
        pool = self._with_passages(candidates[: max(k * settings.mmr_pool, k + 20)], indexes)
        pool = [(one, passage) for one, passage in pool if not (excluded and set(passage.message_ids) & set(excluded))]
        vectors = self._vectors([one for one, _ in pool], indexes)
        order = varied([one for one, _ in pool], vectors, len(pool), settings.mmr_lambda, settings.duplicate_similarity)
        for place in order:
            one, passage = pool[place]
            key = (passage.unit, passage.text) if passage.role else ("", passage.text)
            if key in seen:
                continue  # on its way from the log to the archives a message may be in both
            seen.add(key)
            found.append((_hit(one, passage, factor), one))
            if len(found) == k:
                break
        return found

    def _with_passages(
        self, candidates: Sequence[Candidate], indexes: Sequence[MemoryIndex]
    ) -> list[tuple[Candidate, Passage]]:
        held = {
            place: index.passages([one.number for one in candidates if one.index == place])
            for place, index in enumerate(indexes)
        }
        return [(one, held[one.index][one.number]) for one in candidates if one.number in held[one.index]]

    def _vectors(self, candidates: Sequence[Candidate], indexes: Sequence[MemoryIndex]) -> Vectors:
        width = max((index.vectors.dimensions for index in indexes), default=1)
        vectors = np.zeros((len(candidates), max(width, 1)), np.float32)
        for place, index in enumerate(indexes):
            at = [row for row, one in enumerate(candidates) if one.index == place]
            if at and index.vectors.dimensions == width:
                vectors[at] = index.vectors.vectors_of(np.array([candidates[row].number for row in at]))
        return vectors

    # Keeping up

    def catch_up(self) -> None:
        """Index what is new or changed; cheap when there is little. Waits for another one at it."""
        with self._indexing():
            embedder = self._embedder()
            self._mend(embedder)
            outcome = self._indexer.run(dict.fromkeys(FOLDERS, embedder), self._note_progress)
            self._notices = {notice.ja: notice for notice in outcome.notices}
        self._progress = None
        if self._has_drifted():
            self.rebuild()

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all indexes anew from the files.

        Args:
            progress: is told (bytes done, bytes in all).
        """
        with self._indexing():
            self._prepare_weights()
            embedder = self._embedder()
            for index in self._indexes.values():
                index.reset(embedder.name, self._kept())
            told = progress or self._note_progress
            outcome = self._indexer.run(dict.fromkeys(FOLDERS, embedder), told)
            self._notices = {notice.ja: notice for notice in outcome.notices}
        self._progress = None

    def status(self) -> IndexStatus:
        """Say how the indexes are."""
        chunks, waiting = {}, 0
        for name, index in self._indexes.items():
            chunks[FOLDERS[name]] = index.store.count()
            waiting += index.unembedded_count()
        return IndexStatus(chunks, waiting, self._embedder().name, self._progress, tuple(self._notices.values()))

    def close(self) -> None:
        """Close the files."""
        for index in self._indexes.values():
            index.store.close()

    def _note_progress(self, done: int, total: int) -> None:
        self._progress = Progress(done, total)

    @contextlib.contextmanager
    def _indexing(self) -> Iterator[None]:
        make_folder(self.paths.rag_index)
        lock = FileLock(self.paths.rag_index / ".lock", is_singleton=True)
        with self._writing:
            try:
                lock.acquire(timeout=_WAIT_SECONDS)
            except Timeout as error:
                raise BusyError(name=self.paths.name) from error
            try:
                yield
            finally:
                lock.release()

    def _mend(self, embedder: Embedder) -> None:
        """Throw away indexes that are broken or made in another way: they are derived, and made anew."""
        for index in self._indexes.values():
            try:
                reason = index.fits(embedder.name)
            except sqlite3.DatabaseError:
                reason = "broken"
            if reason:
                index.reset(embedder.name, self._kept())

    # The embedder

    def _embedder(self) -> Embedder:
        if self._given is not None:
            return self._given
        if self._builtin is None:
            self._builtin = self._load_builtin()
        return self._builtin

    def _load_builtin(self) -> NgramEmbedder:
        try:
            data = self._indexes["static"].store.blob(_WEIGHTS)
            count = int(self._indexes["static"].store.blob("ngram_passages") or 0)
        except sqlite3.DatabaseError:
            return NgramEmbedder()
        if len(data) != 4 * BUCKETS:
            return NgramEmbedder()
        return NgramEmbedder(np.frombuffer(data, np.uint32), count)

    def _kept(self) -> dict[str, bytes]:
        builtin = self._builtin
        if builtin is None or builtin.frequencies is None:
            return {}
        return {_WEIGHTS: builtin.frequencies.tobytes(), "ngram_passages": str(builtin.counted).encode()}

    def _prepare_weights(self) -> None:
        """Count how rare each n-gram is in this persona's memories."""
        if self._given is None:
            self._builtin = NgramEmbedder(*count_frequencies(self._indexer.texts()))

    def _has_drifted(self) -> bool:
        if self._given is not None:
            return False
        counted = self._builtin.counted if self._builtin else 0
        return sum(index.store.count() for index in self._indexes.values()) > max(20, _DRIFT * counted)


def _hit(one: Candidate, passage: Passage, factor: float) -> Hit:
    source: Layer = "summary" if passage.type in SUMMARY_TYPES else "semantic"
    return Hit(
        text=passage.text,
        type=passage.type,
        source=source,
        path=passage.path,
        message_ids=passage.message_ids,
        score=_distance(one, factor),
        time=passage.time,
        speaker=passage.speaker,
        heading=passage.heading,
        why=tuple(one.why.items()),
    )


def _distance(one: Candidate, factor: float) -> float:
    """Return how far a passage is, by what speaks for it most: its vector or its words."""
    by_vector = (2 - 2 * one.cosine) * factor
    by_words = 2 * (1 - one.closeness)
    return round(max(0.0, min(by_vector, by_words, 2.0)), 4)
