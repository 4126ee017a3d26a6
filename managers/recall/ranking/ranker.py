"""Ranking what a question asks for, over all indexes that may hold it, and what was on the days that it names."""

from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np

from managers.language.reading.clauses import clauses
from managers.language.reading.overview import asks_for_overview, subject_of_overview
from managers.language.words import content_words
from managers.memory.log import ConversationLog
from managers.recall.embedders import Vectors
from managers.recall.embedders.embedder_choice import EmbedderChoice
from managers.recall.embedders.kept_here import stays_here
from managers.recall.embedders.word_means import WordMeansEmbedder
from managers.recall.errors import EmbeddingError
from managers.recall.hits import ALL_TYPES, LOG_TYPES, Hit, MemoryType
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName
from managers.recall.question.cues import Cues, Speaker, read_cues
from managers.recall.question.event_days import event_span
from managers.recall.ranking.asked import Asked
from managers.recall.ranking.bm25 import WordScoring
from managers.recall.ranking.candidates import Candidates, candidates_of, merged
from managers.recall.ranking.day_search import asks_for_days_alone, hits_of_days
from managers.recall.ranking.fusion import Ways, rank
from managers.recall.ranking.ngram_overlap import weigh_overlap
from managers.recall.ranking.picking import Picker, Ranking
from managers.recall.ranking.preferences import with_wishes
from managers.recall.ranking.proximity import weigh_proximity
from managers.recall.ranking.time_spread import behind, spread_over_time
from managers.storage.clock import Clock
from managers.storage.errors import Notice, as_notice
from managers.storage.settings import RecallSettings

_EVENT_HITS = 5


class Ranker:
    """Ranks the memories of one persona.

    Attributes:
        picker: what chooses from a ranking what is shown.
    """

    def __init__(
        self,
        folder: Path,
        log: ConversationLog,
        indexes: Mapping[IndexName, MemoryIndex],
        settings: RecallSettings,
        clock: Clock,
        choice: EmbedderChoice,
        notices: MutableMapping[str, tuple[Notice, ...]],
        ways: Ways | None = None,
        *,
        said_since: Callable[[], date | None] = lambda: None,
    ) -> None:
        self._log = log
        self._said_since = said_since
        self._indexes = indexes
        self._settings = settings
        self._clock = clock
        self._choice = choice
        self._notices = notices
        self._given_ways = ways
        self.picker = Picker(
            folder, settings, log, lambda old: self.ranked(old.query, old.types), log.set_aside, said_since
        )

    @property
    def ways(self) -> Ways:
        """Which parts take part, by the settings as they are now."""
        return self._given_ways or Ways(
            neighbour_share=self._settings.neighbour_share, trust_share=self._settings.confidence_share
        )

    def ranked(self, query: str, types: Collection[MemoryType] | None) -> Ranking:
        """Rank what a query asks for; of several questions in one the best of each stand first."""
        searched = self._searched(types)
        epoch_of = self._refreshed(searched)
        indexes = [index for index in searched if len(index.view)]
        if not query.strip() or not indexes:
            return Ranking(query, types, candidates_of(0), indexes)
        for index in indexes:
            self._choice.follow(index.embedder)
        words = WordScoring(indexes, self._choice.words)
        found, is_spread = self._ranked_once(query, types, words)
        parts = [one for one in clauses(query) if one != query and content_words(one)]
        if len(parts) > 1 and not is_spread:
            found = merged(found, [self._ranked_once(one, types, words)[0] for one in parts])
        factor = self._choice.embedder.factor if self._choice.embedder else 1.0
        epochs = tuple(epoch_of[index] for index in indexes)
        return Ranking(query, types, found, indexes, epochs, factor, self._choice.uses_own, is_spread)

    def _ranked_once(
        self, query: str, types: Collection[MemoryType] | None, words: WordScoring
    ) -> tuple[Candidates, bool]:
        """Return the candidates for one question, best first, and whether they are spread over time."""
        indexes, now = words.indexes, self._clock.now()
        cues = self._with_event(read_cues(query, self._speakers(indexes), now), query, types)
        fitting = all(index.embedder in ("", self._choice.name) for index in indexes)
        vector = self._query_vector(cues) if fitting else None  # they are being made anew
        queries = self._asked(cues, vector, indexes)
        is_meant = any(asked is not None and asked.sentence is not None for asked in queries)
        found = rank(words, cues, queries, types, self.ways, now, self._choice.vector_share(query, is_meant=is_meant))
        if self.ways.lexical:
            found = weigh_proximity(cues, weigh_overlap(cues.text, found, indexes), indexes)
        if cues.asks_help:
            found = with_wishes(found, indexes, types)
        spread = self._spread(query, types, words, now)
        if len(spread):
            found = np.concatenate([spread, behind(spread, found)])
        return found, len(spread) > 0

    def _spread(
        self, query: str, types: Collection[MemoryType] | None, words: WordScoring, now: datetime
    ) -> Candidates:
        """Return what was said of a subject over time, where a question asks for an order of events or the sum of it."""
        if not asks_for_overview(query) or not {*(types or ALL_TYPES)}.issuperset(LOG_TYPES):
            return candidates_of(0)
        cues = read_cues(subject_of_overview(query), (), now)
        return candidates_of(0) if cues.spans else spread_over_time(words, cues)

    def of_days_alone(
        self, query: str, k: int, types: Collection[MemoryType], shown: Collection[str] = ()
    ) -> list[Hit]:
        """Return what was on the days that a question names, if it asks for nothing else."""
        indexes = self._searched(types)
        self._refreshed(indexes)
        cues = read_cues(query, self._speakers(indexes), self._clock.now())
        if not asks_for_days_alone(cues):
            return []
        return hits_of_days(indexes, cues, types, k, {*shown, *self._log.set_aside()}, self._said_since())

    @staticmethod
    def _refreshed(indexes: Sequence[MemoryIndex]) -> dict[MemoryIndex, str]:
        """Take in what is new, and return the epochs; the archives come after the log, out of which old days move there."""
        return {index: index.refresh() for index in reversed(indexes)}

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

    def _with_event(self, cues: Cues, query: str, types: Collection[MemoryType] | None) -> Cues:
        """Add the day of an event that the question names, where a memory tells it."""
        if cues.spans or not self.ways.times:
            return cues
        limit = self._settings.threshold
        span = event_span(
            query,
            self._clock.now(),
            lambda event: self.picker.pick(self.ranked(event, types), _EVENT_HITS, None, limit=limit),
        )
        return replace(cues, spans=(span,)) if span else cues

    def _query_vector(self, cues: Cues) -> Vectors | None:
        """Return the question's vector; None where there is none to be had (yet): that stands in `status`."""
        embedder = self._choice.embedder
        if embedder is None or (embedder.is_slow and not embedder.is_ready) or (embedder.is_remote and stays_here()):
            return None
        try:
            vector = embedder.query(cues.text)
        except EmbeddingError as error:
            self._notices["query"] = (as_notice("embedder-failed", error),)
            return None
        self._notices.pop("query", None)
        return vector

    def _asked(self, cues: Cues, vector: Vectors | None, indexes: Sequence[MemoryIndex]) -> list[Asked | None]:
        """Return a question as it is asked of each index; of documents by spelling alone."""
        if vector is None:
            return [None] * len(indexes)
        asked, of_documents, encoder = Asked(vector), Asked(vector), self._choice.sentences
        if isinstance(embedder := self._choice.embedder, WordMeansEmbedder):
            of_documents = Asked(embedder.spelling(vector))
        documents = self._indexes.get("dynamic")
        if encoder is not None and encoder.is_ready:
            asked = asked.meaning(encoder.query(cues.text), [index for index in indexes if index is not documents])
        return [of_documents if index is documents else asked for index in indexes]
