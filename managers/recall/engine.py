"""Recall: the one door through which memories are found."""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.cues import Cues, Speaker, read_cues
from managers.recall.days import asks_for_days_alone, hits_of_days
from managers.recall.embedders import Embedder, Vectors
from managers.recall.embedders.word_means import WordMeansEmbedder
from managers.recall.entity_names import names_entity
from managers.recall.events import event_span
from managers.recall.fusion import Ways, rank
from managers.recall.hits import Hit, MemoryType
from managers.recall.index import MemoryIndex
from managers.recall.kinds import (
    ALL_TYPES,
    KNOWLEDGE_TYPES,
    PAST_TYPES,
    PROMPT_TYPES,
    RELATED_TYPES,
    SUMMARY_TYPES,
)
from managers.recall.kit import DRIFT, Kit
from managers.recall.nearness import weigh_nearness
from managers.recall.past_conversations import search_past_conversations
from managers.recall.picking import Picker, Ranking
from managers.recall.planner import RecallPlan, plan_recall
from managers.recall.sources import IndexName, has_documents
from managers.recall.spans import without_counters
from managers.recall.status import IndexStatus, Progress
from managers.recall.topic import is_about
from managers.recall.upkeep import Upkeep
from managers.recall.wording import weigh_wording
from managers.storage.clock import Clock
from managers.storage.errors import EmbeddingError, Notice
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings, Secrets
from managers.usage.meter import Account

FOLDERS: Mapping[IndexName, str] = {
    "static": "faiss_index_static",
    "dynamic": "faiss_index_dynamic",
    "current": "current_log_index",
}
_EVENT_HITS = 5


BROKEN = Notice(
    "index-broken",
    ja="検索の索引が壊れているので、作り直します。記憶のファイルは無事です。",
    en="The search index is broken and is being made anew. The memories themselves are intact.",
)

_logger = logging.getLogger(__name__)


class Recall:
    """The memories of one persona, to be searched and kept up to date. Used from several threads."""

    def __init__(
        self,
        paths: PersonaPaths,
        log: ConversationLog,
        settings: RecallSettings,
        clock: Clock,
        *,
        secrets: Secrets | None = None,
        embedder: Embedder | None = None,
        ways: Ways | None = None,
        wait: Callable[[float], object] | None = None,
        account: Account | None = None,
    ) -> None:
        """Remember where the memories are; nothing is opened before the first use.

        Args:
            paths: the persona's folder.
            log: its conversation log, for keyword searches.
            settings: every number of recall.
            clock: what "yesterday" is reckoned from.
            secrets: where the key of a remote embedder is.
            embedder: one to be used whatever the settings say.
            ways: which parts take part in the ranking; all, unless somebody measures them.
            wait: how to wait between the batches of a remote embedder.
            account: what a remote embedder's calls are counted on.
        """
        self.paths = paths
        self._log = log
        self._settings = settings
        self._clock = clock
        self._given_ways = ways
        self._indexes: dict[IndexName, MemoryIndex] = {
            name: MemoryIndex(paths.rag_index / folder) for name, folder in FOLDERS.items()
        }
        self._upkeep = Upkeep(paths, self._indexes, settings, wait)
        cache = paths.rag_index / "embeddings.sqlite"
        self._kit = Kit(settings, cache, secrets, self._upkeep.load_own, embedder, account)
        self._upkeep.kit = self._kit
        self._picker = Picker(paths.folder, settings, lambda old: self._ranked(old.query, old.types))

    @property
    def indexes(self) -> Mapping[IndexName, MemoryIndex]:
        """The indexes themselves, for whoever draws a picture of them instead of searching."""
        return self._indexes

    @property
    def _ways(self) -> Ways:
        return self._given_ways or Ways(neighbour_share=self._settings.neighbour_share)

    # Searching

    def search(self, query: str, k: int = 10, *, types: Collection[MemoryType] | None = None) -> list[Hit]:
        """Return the plain ranking, best first: no threshold, no exclusion; near duplicates once.

        Args:
            query: a question or some words.
            k: how many.
            types: only memories of these kinds.
        """
        return self._picker.pick(self._ranked(query, types), k, types)

    def for_turn(
        self, query: str, *, window: Sequence[Message], threshold: float | None = None, unasked: bool = False
    ) -> list[Hit]:
        """Return what goes into a prompt: the recent, the related and the summed-up, nothing twice.

        The recent layer is the window itself, which is in the prompt already; none of it is returned.
        What it leaves of the room for ten goes to the related.

        Args:
            query: what `plan` made of the message.
            window: the messages that are in the prompt already.
            threshold: the greatest distance; the persona's setting if not given.
            unasked: it may be about the world as well: nothing, if the best is not as close as documents must be,
                or if what is found holds too little of what is asked.
        """
        settings = self._settings
        limit = settings.threshold if threshold is None else threshold
        shown = {message.id for message in window}
        self._freshen(shown)
        days = self._of_days_alone(query, settings.max_hits, RELATED_TYPES, shown)
        if days := days + self._of_days_alone(query, settings.summary_hits, SUMMARY_TYPES):
            return days
        ranking = self._ranked(without_counters(query) if unasked else query, (*PROMPT_TYPES, *KNOWLEDGE_TYPES))
        related = self._picker.pick(
            ranking, settings.max_hits, RELATED_TYPES, limit=limit, excluded=shown, mmr=True, telling=True
        )
        texts = {message.text.strip() for message in window}
        related = [hit for hit in related if hit.text not in texts]
        if unasked and not self._is_plain(query, related):
            return self._documents(ranking)
        summaries = self._picker.pick(ranking, settings.summary_hits, SUMMARY_TYPES, limit=limit, mmr=True)
        room = max(settings.semantic_hits, settings.max_hits - len(summaries) - min(settings.recent_hits, len(window)))
        hits = [*related[:room], *summaries][: settings.max_hits]
        return hits + self._documents(ranking)

    def _is_plain(self, query: str, hits: Sequence[Hit]) -> bool:
        """Tell whether memories are what a question is about that does not say that it asks for any."""
        nearest = min((hit.score for hit in hits), default=math.inf)
        return nearest < self._settings.knowledge_threshold and is_about(query, hits)

    def _documents(self, ranking: Ranking) -> list[Hit]:
        """Return the passages of documents that are so close that they enter a prompt unasked."""
        settings = self._settings
        if not settings.knowledge_in_prompt:
            return []
        below = math.nextafter(settings.knowledge_threshold, 0)
        return self._picker.pick(ranking, settings.knowledge_hits, KNOWLEDGE_TYPES, limit=below, mmr=True)

    def recall_memories(self, query: str) -> list[Hit]:
        """Return past experiences, conversations, diaries and dreams: the tool of that name."""
        settings = self._settings
        self._freshen()
        if days := self._of_days_alone(query, settings.recall_memories_hits, PAST_TYPES):
            return days
        ranking = self._ranked(query, PAST_TYPES)
        limit = settings.recall_memories_threshold
        found = self._picker.pick(ranking, settings.max_hits, PAST_TYPES, limit=limit, mmr=True, telling=True)
        return found[: settings.recall_memories_hits]

    def search_knowledge_base(self, query: str) -> list[Hit]:
        """Return passages of the user's documents: the tool of that name."""
        settings = self._settings
        self._freshen()
        ranking = self._ranked(query, KNOWLEDGE_TYPES)
        return self._picker.pick(ranking, settings.max_hits, KNOWLEDGE_TYPES, limit=settings.threshold, mmr=True)

    def search_past_conversations(self, query: str) -> list[Hit]:
        """Return messages that hold a phrase, the two newest and the two oldest: the tool of that name."""
        return search_past_conversations(
            self._log, self.paths, query, excluded=self._settings.last_api_history_limit_option
        )

    def plan(self, message: str, window: Sequence[Message]) -> RecallPlan:
        """Decide whether a message calls for the past and what to look for; no model, no waiting."""
        return plan_recall(
            message,
            window,
            self._clock.now(),
            lambda text: names_entity(self.paths, text),
            has_documents=self._settings.knowledge_in_prompt and has_documents(self.paths),
        )

    def _freshen(self, shown: Collection[str] = ()) -> None:
        """Take in what an editor, or the last seconds, have changed; a broken index waits for `catch_up`."""
        try:
            self._upkeep.freshen(shown)
        except sqlite3.DatabaseError:
            self._note_broken()

    def _note_broken(self) -> None:
        _logger.warning("the index of %s is broken", self.paths.name)
        self._upkeep.notices["broken"] = (BROKEN,)

    def _ranked(self, query: str, types: Collection[MemoryType] | None) -> Ranking:
        indexes = self._searched(types)
        if not query.strip():
            return Ranking(query, types, [], indexes)
        try:
            return self._rank(query, types, indexes)
        except sqlite3.DatabaseError:
            # It is derived data: the next round makes it anew, and says so; the turn goes on without.
            self._note_broken()
            return Ranking(query, types, [], indexes)

    def _rank(self, query: str, types: Collection[MemoryType] | None, indexes: Sequence[MemoryIndex]) -> Ranking:
        now = self._clock.now()
        epochs = tuple(index.refresh() for index in indexes)
        for index in indexes:
            self._kit.follow(index.embedder)
        cues = self._with_event(read_cues(query, self._speakers(indexes), now), query, types)
        fitting = all(index.embedder in ("", self._kit.name) for index in indexes)
        vector = self._query_vector(cues) if fitting else None  # they are being made anew
        queries = [vector if vector is None else self._asked_of(index, vector) for index in indexes]
        candidates = rank(
            indexes, cues, queries, types, self._ways, now, self._kit.words, self._kit.vector_share(query)
        )
        if self._ways.lexical:
            candidates = weigh_nearness(cues, weigh_wording(cues.text, candidates, indexes), indexes)
        factor = self._kit.embedder.factor if self._kit.embedder else 1.0
        return Ranking(query, types, candidates, indexes, epochs, factor, self._kit.uses_own)

    def _of_days_alone(
        self, query: str, k: int, types: Collection[MemoryType], shown: Collection[str] = ()
    ) -> list[Hit]:
        """Return what was on the days that a question names, if it asks for nothing else."""
        indexes = self._searched(types)
        try:
            for index in indexes:
                index.refresh()
            cues = read_cues(query, self._speakers(indexes), self._clock.now())
            return hits_of_days(indexes, cues, types, k, shown) if asks_for_days_alone(cues) else []
        except sqlite3.DatabaseError:
            self._note_broken()
            return []

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
        if cues.spans or not self._ways.times:
            return cues
        limit = self._settings.threshold
        span = event_span(
            query,
            self._clock.now(),
            lambda event: self._picker.pick(self._ranked(event, types), _EVENT_HITS, None, limit=limit),
        )
        return replace(cues, spans=(span,)) if span else cues

    def _query_vector(self, cues: Cues) -> Vectors | None:
        """Return the question's vector; None, with a notice, where there is none to be had."""
        embedder = self._kit.embedder
        if embedder is None:
            return None
        try:
            vector = embedder.query(cues.text)
        except EmbeddingError as error:
            self._upkeep.notices["query"] = (Notice("embedder-failed", error.sentence("ja"), error.sentence("en")),)
            return None
        self._upkeep.notices.pop("query", None)
        return vector

    def _asked_of(self, index: MemoryIndex, vector: Vectors) -> Vectors:
        embedder = self._kit.embedder
        is_of_documents = index is self._indexes["dynamic"]
        return embedder.spelling(vector) if is_of_documents and isinstance(embedder, WordMeansEmbedder) else vector

    # Keeping up

    def catch_up(self) -> None:
        """Index what is new or changed; cheap when there is little. Waits for another one at it."""
        self._upkeep.catch_up()

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all indexes anew from the files.

        Args:
            progress: is told (bytes done, bytes in all).
        """
        self._upkeep.rebuild(progress)

    def refresh_weights(self, times: float = DRIFT) -> bool:
        """Make the built-in embedder's weights anew if the memories have outgrown them: for the night, or an import.

        Args:
            times: how many times as many memories there must be as the weights were made from.
        """
        return self._upkeep.refresh_weights(times)

    def tidy(self) -> None:
        """Leave nothing of what was forgotten in any derived file (searches are rid of it already): for the night.

        Raises:
            BusyError: somebody else has been indexing for a minute.
        """
        self._upkeep.tidy()

    @property
    def making(self) -> str:
        """How far an index is that takes a while, in tenths, for whoever shows it; empty where none is made."""
        if not self._upkeep.is_making:
            return ""
        progress = self._upkeep.progress
        return str(10 * progress.done // max(progress.total, 1)) if progress else "?"

    def status(self) -> IndexStatus:
        """Say how the indexes are."""
        chunks, waiting = {}, 0
        for name, index in self._indexes.items():
            try:
                chunks[FOLDERS[name]] = index.store.count()
                waiting += index.unembedded_count()
            except sqlite3.DatabaseError:
                chunks[FOLDERS[name]] = 0
                self._upkeep.notices["broken"] = (BROKEN,)
        kit = self._kit
        notices = [*kit.notices, *(one for some in self._upkeep.notices.values() for one in some)]
        if self._upkeep.is_making:
            notices.append(making_notice(self._upkeep.progress))
        elif waiting and not notices:
            notices.append(waiting_notice(waiting))
        return IndexStatus(chunks, waiting, kit.name, tuple(notices))

    def close(self) -> None:
        """End background work and close the files."""
        self._upkeep.stop()
        for index in self._indexes.values():
            index.store.close()


def making_notice(progress: Progress | None) -> Notice:
    """Say that an index is being made, and how far it is where this process makes it."""
    share = f"{100 * progress.done // max(progress.total, 1)}%" if progress else ""
    return Notice(
        "index-under-way",
        ja=f"検索の索引を作っています{f'({share})' if share else ''}。そのあいだも、できている索引で探せます。",
        en=f"The search index is being made{f' ({share})' if share else ''}. What is there already is searched meanwhile.",
        level="passing",
    )


def waiting_notice(count: int) -> Notice:
    """Say that vectors are still being made."""
    return Notice(
        "embedding-under-way",
        ja=f"意味検索の準備が進んでいます(残り{count}件)。言葉による検索はもう使えます。",
        en=f"Search by meaning is being prepared ({count} passages to go). Search by words works already.",
        level="passing",
    )
