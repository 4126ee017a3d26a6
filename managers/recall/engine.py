"""Recall: the one door through which memories are found."""

import logging
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import PurePosixPath

from managers.known_servers import KnownServers
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.embedders import Embedder
from managers.recall.embedders.embedder_choice import DRIFT, EmbedderChoice
from managers.recall.hits import (
    ALL_TYPES,
    KNOWLEDGE_TYPES,
    NOTED_TYPES,
    PAST_TYPES,
    PROMPT_TYPES,
    RELATED_TYPES,
    SUMMARY_TYPES,
    Hit,
    MemoryType,
)
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName, has_documents
from managers.recall.index.unread import unread_among
from managers.recall.index.upkeep import Upkeep
from managers.recall.likeness import Likeness
from managers.recall.long_answers import with_pieces
from managers.recall.past_conversations import search_past_conversations
from managers.recall.question.entity_names import names_entity
from managers.recall.question.planner import RecallPlan, plan_recall
from managers.recall.question.stop_phrases import without_counters
from managers.recall.question.topic import is_about
from managers.recall.ranking.fusion import Ways
from managers.recall.ranking.picking import Ranking, distinct
from managers.recall.ranking.ranker import Ranker
from managers.recall.rehearsal import Rehearsal
from managers.recall.shared import NothingShared, SharedDocuments, nearest
from managers.recall.status import LOADING, IndexStatus, making_notice
from managers.storage.clock import Clock
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, Notice, UtataneError, as_notice
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings, RecallSettings, Secrets
from managers.storage.texts import Texts
from managers.usage.meter import Account

_say = Texts("notices/recall")

FOLDERS: Mapping[IndexName, str] = {
    "static": "faiss_index_static",
    "dynamic": "faiss_index_dynamic",
    "current": "current_log_index",
}

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
        only_look: bool = False,
        limits: MemorySettings | None = None,
        shared: SharedDocuments | None = None,
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
            only_look: search the indexes as they lie there; nothing is indexed.
            limits: for how long talk stays in use.
            shared: documents beside the persona's own.
        """
        self._shared = shared or NothingShared()
        self.paths = paths
        self._log = log
        self._settings, self._clock = settings, clock
        self._limits = limits or MemorySettings()
        self.indexes: dict[IndexName, MemoryIndex] = {
            name: MemoryIndex(paths.rag_index / folder, only_look=only_look) for name, folder in FOLDERS.items()
        }
        upkeep = self._upkeep = Upkeep(paths, self.indexes, settings, log, clock, wait, only_look=only_look)
        cache, models = paths.rag_index / "embeddings.sqlite", paths.home.models
        servers = KnownServers(paths.home, clock)
        choice = EmbedderChoice(settings, cache, secrets, upkeep.load_own, embedder, account, models, servers)
        self._choice = upkeep.choice = choice
        self.likeness = Likeness(choice)
        self._ranker = Ranker(
            paths.folder, log, self.indexes, settings, clock, choice, upkeep.notices, ways, said_since=self.said_since
        )
        self._picker = self._ranker.picker
        self.rehearse = Rehearsal(log, lambda text: self._for_turn(text, (), (), settings.threshold), self._searching)

    def said_since(self) -> date | None:
        """Return the first day whose talk is in use; None where all of it is."""
        return self._limits.said_since(self._clock.now().date())

    # Searching

    def search(
        self, query: str, k: int = 10, *, types: Collection[MemoryType] | None = None, fitting: bool = False
    ) -> list[Hit]:
        """Return the plain ranking, best first: no threshold, no exclusion; near duplicates once.

        Args:
            query: a question or some words.
            k: how many.
            types: only memories of these kinds.
            fitting: end where nothing fits any more: only what is as close as `recall_memories` asks for, by words or a
                vector of its own; of a question for nothing but days, what was on them.
        """
        with self._searching():
            if not fitting:
                return self._picker.pick(self._ranker.ranked(query, types), k, types)
            if days := self._ranker.of_days_alone(query, k, types or ALL_TYPES):
                return days
            floor = self._settings.recall_memories_threshold
            return self._picker.pick(self._ranker.ranked(query, types), k, types, floor=floor)
        return []

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
        limit = self._settings.threshold if threshold is None else threshold
        shown = {message.id for message in window}
        self._freshen(shown)
        with self._searching():
            return self._for_turn(query, window, shown, limit, unasked=unasked)
        return []

    def _for_turn(
        self, query: str, window: Sequence[Message], shown: Collection[str], limit: float, *, unasked: bool = False
    ) -> list[Hit]:
        settings = self._settings
        days = self._ranker.of_days_alone(query, settings.max_hits, RELATED_TYPES, shown)
        if days := days + self._ranker.of_days_alone(query, settings.summary_hits, SUMMARY_TYPES):
            return days
        ranking = self._ranker.ranked(without_counters(query) if unasked else query, (*PROMPT_TYPES, *KNOWLEDGE_TYPES))
        related = self._picker.pick(
            ranking, settings.max_hits, RELATED_TYPES, limit=limit, excluded=shown, mmr=True, telling=True
        )
        texts = {message.text.strip() for message in window}
        related = [hit for hit in related if hit.text not in texts]
        if unasked and not self._is_plain(query, related):
            return self._documents(query, ranking)
        summaries = self._picker.pick(ranking, settings.summary_hits, SUMMARY_TYPES, limit=limit, mmr=True)
        room = max(settings.semantic_hits, settings.max_hits - len(summaries) - min(settings.recent_hits, len(window)))
        hits = [hit for hit, _ in distinct((hit, hit) for hit in [*related[:room], *summaries])]
        return ranking.told(hits[: settings.max_hits]) + self._documents(query, ranking)

    def _is_plain(self, query: str, hits: Sequence[Hit]) -> bool:
        """Tell whether memories are what a question is about that does not say that it asks for any."""
        nearest = min((hit.score for hit in hits), default=math.inf)
        return nearest < self._settings.knowledge_threshold and is_about(query, hits)

    def _documents(self, query: str, ranking: Ranking) -> list[Hit]:
        """Return the passages of documents, shared ones too, that are so close that they enter a prompt unasked."""
        settings = self._settings
        if not settings.knowledge_in_prompt:
            return []
        below, most = math.nextafter(settings.knowledge_threshold, 0), settings.knowledge_hits
        own = self._picker.pick(ranking, most, KNOWLEDGE_TYPES, limit=below, mmr=True)
        return nearest(own, self._shared.near(query, most, below), most)

    def recall_memories(self, query: str, shown: Collection[str] = ()) -> list[Hit]:
        """Return past experiences, conversations, diaries, notes and dreams: the tool of that name."""
        settings = self._settings
        self._freshen()
        with self._searching():
            if days := self._ranker.of_days_alone(query, settings.recall_memories_hits, PAST_TYPES, shown):
                return days
            kinds = (*PAST_TYPES, *NOTED_TYPES)
            ranking = self._ranker.ranked(query, kinds)
            limit = settings.recall_memories_threshold
            found = self._picker.pick(
                ranking, settings.max_hits, kinds, limit=limit, excluded=shown, mmr=True, telling=True
            )
            return ranking.told(found[: settings.recall_memories_hits])
        return []

    def search_knowledge_base(self, query: str) -> list[Hit]:
        """Return passages of the user's documents: the tool of that name."""
        most, limit = self._settings.max_hits, self._settings.threshold
        return nearest(self.documents_near(query, most, limit), self._shared.near(query, most, limit), most)

    def documents_near(self, query: str, count: int, limit: float) -> list[Hit]:
        """Return the nearest passages of the documents in this folder, best first."""
        self._freshen()
        with self._searching():
            ranking = self._ranker.ranked(query, KNOWLEDGE_TYPES)
            return self._picker.pick(ranking, count, KNOWLEDGE_TYPES, limit=limit, mmr=True)
        return []

    def search_past_conversations(
        self, query: str, shown: Collection[str] = (), *, with_recent: bool = False
    ) -> list[Hit]:
        """Return messages that hold a phrase, the two newest and the two oldest: the tool of that name.

        Args:
            query: the phrase.
            shown: the messages that stand in the prompt already.
            with_recent: also those that a turn's prompt holds anyway; whoever asks from elsewhere has not seen them.
        """
        excluded = 0 if with_recent else self._settings.last_api_history_limit_option
        return search_past_conversations(
            self._log, self.paths, query, excluded=excluded, shown=shown, since=self.said_since()
        )

    def with_pieces(self, hits: Sequence[Hit], *, whole: bool = False) -> list[Hit]:
        """Return hits, those of answers with which piece they are, or with the whole answer instead of the piece."""
        return with_pieces(hits, self._log, self._settings, whole=whole)

    def plan(self, message: str, window: Sequence[Message]) -> RecallPlan:
        """Decide whether a message calls for the past and what to look for; no model, no waiting."""
        return plan_recall(
            message,
            window,
            self._clock.now(),
            lambda text: names_entity(self.paths, text),
            has_documents=self._settings.knowledge_in_prompt and (has_documents(self.paths) or self._shared.has_any()),
        )

    def _freshen(self, shown: Collection[str] = ()) -> None:
        """Take in what an editor, or the last seconds, have changed; what cannot be now waits for `catch_up`."""
        with self._searching():
            self._upkeep.freshen(shown)

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Leave the rest undone where an index is damaged or the disk refuses, and say so: nothing waits for a search.

        What is damaged is derived data: the next round makes it anew.
        """
        try:
            with derived(self.paths.rag_index):
                yield
        except DerivedDamagedError:
            _logger.warning("the index of %s is damaged", self.paths.name, exc_info=True)
            self._upkeep.suspect()
        except UtataneError as error:
            _logger.warning("%s cannot be searched", self.paths.name, exc_info=True)
            self._upkeep.notices["search"] = (as_notice("search-failed", error),)
        else:
            self._upkeep.notices.pop("search", None)

    # Keeping up

    def catch_up(self, *, again: bool = True) -> None:
        """Index what is new or changed; waits for another one at it.

        Args:
            again: look at each file now; otherwise what was noticed by itself will do (see `watching`).
        """
        self._upkeep.catch_up(again=again)

    def warm_up(self) -> None:
        self._upkeep.vectors.make_in_background()

    def get_ready(self) -> None:
        """Load what makes vectors, and wait for it: for whoever searches once and goes."""
        self._upkeep.vectors.get_ready()
        self.rehearse()

    def keep_up(self, times: float | None = None, *, again: bool = True) -> list[Notice]:
        """Do what `catch_up` does, after something that is done already and must not seem to have failed.

        Args:
            times: look also whether the weights have been outgrown, as `refresh_weights` does.
            again: as `catch_up` has it.

        Returns:
            what a person should know, where it could not be done: it is made up for at the next opportunity.
        """
        behind: tuple[Notice, ...] = ()
        try:
            self.catch_up(again=again)
            if times is not None:
                self.refresh_weights(times)
        except UtataneError as error:
            _logger.warning("the index of %s is behind", self.paths.name, exc_info=True)
            behind = (_say.notice("index-behind", why=error.sentences),)
        self._upkeep.notices["behind"] = behind
        return [*behind]

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all indexes anew from the files; `progress` is told (bytes done, bytes in all)."""
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

    def take_news(self) -> list[Notice]:
        """Return what has happened to the indexes since the last time that a person should know."""
        return self._upkeep.take_news()

    def tell(self, notice: Notice) -> None:
        """Note that something that is derived from the indexes was damaged, and what has been done about it."""
        self._upkeep.news.append(notice)

    def suspect(self) -> None:
        """Let the indexes be made anew: whoever read them has stumbled over damage."""
        self._upkeep.suspect()

    @property
    def making(self) -> str:
        """How far an index is that takes a while, in tenths, for whoever shows it; empty where none is made."""
        if not self._upkeep.is_making:
            return ""
        progress = self._upkeep.progress
        return str(10 * progress.done // max(progress.total, 1)) if progress else "?"

    def unread_documents(self) -> Mapping[str, Notice]:
        """Return which documents could not be read, by name, and why: as far as they have been looked at."""
        found: dict[str, Notice] = {}
        with self._searching():
            for one, why in unread_among(self.indexes["dynamic"].store.files(KNOWLEDGE_TYPES).values()):
                found[PurePosixPath(one.path).name] = why.notice(one.type)
        return found

    def status(self) -> IndexStatus:
        """Return what there is in the indexes, how it is searched, and what is to be known of it."""
        chunks = {}
        for name, index in self.indexes.items():
            chunks[FOLDERS[name]] = 0
            with self._searching():
                chunks[FOLDERS[name]] = index.store.count()
        return IndexStatus(chunks, sum(self._without_vectors()), self._choice.name, tuple(self.notices()))

    def notices(self) -> list[Notice]:
        """Return what is to be known of the indexes and of what makes vectors."""
        waiting, put_off = self._without_vectors()
        notices = [*self._choice.notices, *(one for some in self._upkeep.notices.values() for one in some)]
        if self._upkeep.is_making:
            notices.append(making_notice(self._upkeep.progress))
        elif self._upkeep.vectors.is_loading:
            notices.append(LOADING)
        elif waiting and not notices:
            notices.append(_say.notice("embedding-under-way", "passing", count=waiting))
        if put_off:
            notices.append(_say.notice("embedding-put-off", "info", count=put_off))
        return notices

    def _without_vectors(self) -> tuple[int, int]:
        """Return how many passages wait for their vectors, and how many of those for another day."""
        with self._searching():
            return self._upkeep.vectors.waiting, self._upkeep.vectors.put_off
        return 0, 0

    def close(self) -> None:
        self._upkeep.stop()
        for index in self.indexes.values():
            index.store.close()
