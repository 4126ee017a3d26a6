"""All that one persona remembers, opened together; what the turn, the tools and the page work with."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TypeVar

from agent.inner_life import InnerLife
from agent.lore import LoreTeller
from agent.minds.masking import Masking
from agent.persona_words import openings
from agent.prompts.quoting import one_line
from agent.shared_memory import SharedMemory, Threads, no_threads
from agent.strategy_advisor import StrategyAdvisor
from managers.domains.domain_knowledge import Domains
from managers.growth.kpi import Ended, KpiStore
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.setting_conflicts import own_conflicts
from managers.memory.audience import AudienceStore
from managers.memory.emotions import EmotionLog
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.file_validation import flaws
from managers.memory.goals import GoalStore
from managers.memory.held_writes import HeldWrites
from managers.memory.inner_state import InnerStateStore
from managers.memory.insights import InsightStore
from managers.memory.json_documents import Apply
from managers.memory.log import ConversationLog
from managers.memory.lorebook import LorebookStore
from managers.memory.messages import Message
from managers.memory.notes import Notes
from managers.memory.provenance import Provenance
from managers.memory.questions import QuestionStore
from managers.memory.strategies import StrategyStore
from managers.memory.working_copy import Stores, WorkingCopy
from managers.memory_map.atlas import MemoryMap
from managers.memory_map.ties import EntityNetwork
from managers.mind import Sheet
from managers.personas import Persona, PersonaStore
from managers.recall.engine import Recall
from managers.recall.knowledge import KnowledgeBase
from managers.recall.recall_log import RecallLog
from managers.recall.shared import SharedDocuments
from managers.sessions.users import UserStore
from managers.storage import audit
from managers.storage.clock import Clock
from managers.storage.edges import told
from managers.storage.errors import Notice, UtataneError, as_notice
from managers.storage.history import History
from managers.storage.notices import NoticeBoard
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings, Secrets, Settings, merged
from managers.usage.meter import Meter

Result = TypeVar("Result")


@dataclass(frozen=True)
class Memories:
    """One persona's memories. `persona()`, `sheet()` and `settings()` are as they stand on disk now."""

    paths: PersonaPaths
    clock: Clock
    persona: Callable[[], Persona]
    settings: Callable[[], Settings]
    notices: NoticeBoard
    history: History
    log: ConversationLog
    notes: Notes
    episodes: EpisodeStore
    entities: EntityStore
    insights: InsightStore
    goals: GoalStore
    questions: QuestionStore
    strategies: StrategyStore
    lore: LoreTeller
    inner_life: InnerLife
    recall: Recall
    held: HeldWrites
    audiences: AudienceStore
    map: MemoryMap
    network: EntityNetwork
    kpi: KpiStore
    shared: SharedMemory
    provenance: Provenance

    @property
    def emotions(self) -> EmotionLog:
        return self.inner_life.emotions

    @property
    def inner_state(self) -> InnerStateStore:
        return self.inner_life.state

    @property
    def advisor(self) -> StrategyAdvisor:
        return StrategyAdvisor(self.strategies, self.recall.likeness.of)

    @property
    def apply(self) -> Apply:
        return self.history.change

    @property
    def recall_log(self) -> RecallLog:
        return RecallLog(self.paths)

    @property
    def knowledge(self) -> KnowledgeBase:
        return KnowledgeBase(self.paths, self.settings().recall)

    def openings(self) -> list[str]:
        """Return what the persona may say where nothing was ever said, the usual greeting first."""
        persona = self.persona()
        return openings(persona, one_line(persona.user_name or self.settings().user.name))

    def sheet(self, settings: Settings | None = None) -> Sheet:
        """Return who the persona is and whom it talks to, by settings that were read just now."""
        persona, user = self.persona(), (settings or self.settings()).user
        return Sheet(
            persona=persona.name,
            language=persona.language,
            system_prompt=persona.system_prompt,
            user_name=one_line(persona.user_name or user.name),
            user_profile=persona.user_profile or user.profile,
            nickname=one_line(persona.nickname),
        )

    def masking(self, settings: Settings | None = None) -> Masking:
        """Return which minds are shown placeholders, and whose names are hidden, by settings that were read just now."""
        privacy = (settings or self.settings()).privacy
        if not privacy.mask_names:
            return Masking(privacy.mask_models)
        sheet = self.sheet()
        spared = frozenset({sheet.persona, sheet.nickname} - {""})
        people = {name for one in self.entities.all() if one.kind == "person" for name in one.names}
        known = frozenset({*people, sheet.user_name} - {*spared, ""})
        return Masking(privacy.mask_models, names=True, known=known, spared=spared)

    def working_copy(self) -> WorkingCopy:
        """Return the dreamt memories as they are now, to be looked at or changed together."""
        return WorkingCopy(Stores.open(self.paths, self.clock))

    def housekeeping(self, settings: MemorySettings | None = None) -> Housekeeping:
        """Return what keeps the dreamt memories within their limits, with the settings as they stand now, or with others."""
        return Housekeeping(self.paths, self.clock, self.apply, settings or self.settings().memory)

    def spare(self, source: str, work: Callable[[], Result], instead: Result) -> Result:
        """Do something that whoever looks can go without; what fails is put up as long as it does.

        Args:
            source: whose notice it is.
            work: what is done.
            instead: what is returned where it fails.
        """
        try:
            done, failed = work(), None
        except (UtataneError, OSError) as error:
            done, failed = instead, as_notice("gone-without", told(error))
        self.notices.replace(source, [failed] if failed else [])
        return done

    def gather_notices(self) -> list[Notice]:
        """Put up what the memories found wrong with their files since the last time; return all that is up."""
        kept = (self.notes, self.emotions, self.insights, self.goals, self.questions, self.inner_state, self.held)
        for memory in (*kept, self.strategies, self.lore.store):
            self.notices.post(*memory.take_notices())
        for folder in (self.episodes, self.entities):
            self.notices.post(*folder.notices)
            folder.notices.clear()
        self.notices.replace("persona", self.persona().notices)
        self.notices.replace("log", self.log.notices)
        self.notices.replace("history", self.history.notices)
        self.notices.replace("recall", self.recall.notices())
        self.notices.post(*self.recall.take_news())
        return self.notices.all

    def close(self) -> None:
        self.map.close()
        self.network.close()
        self.recall.close()
        self.shared.close()
        self.history.close()
        audit.settle()

    def window(self) -> list[Message]:
        """Return the last turns of the thread: what the next turn will have before its eyes."""
        return self.thread(2 * self.settings().conversation.window_turns)

    def thread(self, count: int, before: str | None = None) -> list[Message]:
        """Return the last messages of the thread whose talk is in use."""
        return self.in_use(self.log.thread(count, before))

    def in_use(self, messages: Iterable[Message]) -> list[Message]:
        """Return the messages without those that were said before the time for which talk stays in use."""
        since = self.recall.said_since()
        return [one for one in messages if since is None or one.time.date() >= since]


def open_memories(
    personas: PersonaStore, name: str, base: Callable[[], Settings], clock: Clock, rng: Random, *,
    secrets: Secrets | None = None, meter: Meter | None = None, threads: Threads = no_threads, ended: Ended = tuple,
    domains: Domains | None = None,
) -> Memories:  # fmt: skip
    """Open a persona's memories, or raise what `PersonaStore.get` raises."""
    paths, only_look = personas.get(name).paths, personas.only_look
    history, notices = History(paths, clock, flaws, only_look=only_look), NoticeBoard()
    users = UserStore(paths.home, clock, only_look=only_look)
    now, follow = _followed(personas, name, partial(_noted, base, users), notices)
    log = ConversationLog(paths, clock, rng, log_days=now.conversation.log_days, keeps_indexes=not only_look)
    changes = (paths, clock, history.change)
    life = _inner_life(*changes, log, now)
    shared = SharedMemory(paths, personas, base, users.load, log, clock, threads, only_look=only_look)
    documents = domains.followed(lambda: now.group.domain) if domains else None
    recall = _recall(paths, log, now, clock, secrets, meter, documents, only_look=only_look)
    return Memories(
        paths=paths,
        clock=clock,
        persona=lambda: personas.get(name),
        settings=partial(_settings, follow, log),
        notices=notices,
        history=history,
        log=log,
        notes=Notes(paths, history, clock),
        episodes=life.episodes,
        entities=EntityStore(*changes),
        insights=life.insights,
        goals=life.goals,
        questions=life.questions,
        strategies=StrategyStore(*changes),
        lore=LoreTeller(LorebookStore(*changes)),
        inner_life=life,
        recall=recall,
        held=HeldWrites(paths, clock),
        audiences=AudienceStore(paths, history.change, log),
        map=MemoryMap(paths, recall, only_look=only_look),
        network=EntityNetwork(paths, recall, only_look=only_look),
        kpi=KpiStore(paths, clock, log, life.emotions, life.goals, users.load, ended, only_look=only_look),
        shared=shared,
        provenance=Provenance(log),
    )


def _recall(
    paths: PersonaPaths, log: ConversationLog, now: Settings, clock: Clock,
    secrets: Secrets | None, meter: Meter | None, documents: SharedDocuments | None, *, only_look: bool,
) -> Recall:  # fmt: skip
    account = meter.account(paths.name, "embedding") if meter else None
    return Recall(
        paths,
        log,
        now.recall,
        clock,
        secrets=secrets,
        account=account,
        only_look=only_look,
        limits=now.memory,
        shared=documents,
    )


def _inner_life(paths: PersonaPaths, clock: Clock, apply: Apply, log: ConversationLog, now: Settings) -> InnerLife:
    emotions = EmotionLog(paths, clock, set_aside=log.set_aside)
    questions, goals = QuestionStore(paths, clock, apply), GoalStore(paths, clock, apply)
    state = InnerStateStore(paths, clock, now.sleep, questions=questions, goals=goals, emotions=emotions)
    insights, episodes = InsightStore(paths, clock, apply), EpisodeStore(paths, clock, apply)
    return InnerLife(emotions, state, questions, goals, insights, episodes)


def _noted(base: Callable[[], Settings], users: UserStore) -> Settings:
    """Return everybody's settings; from when on another user is there is noted, before anything they say is written."""
    now = base()
    with suppress(UtataneError):  # settings are asked for again before the next words
        users.is_now(now.user.uid)
    return now


def _followed(
    personas: PersonaStore, name: str, base: Callable[[], Settings], notices: NoticeBoard
) -> tuple[Settings, Callable[[], Settings]]:
    """Return a persona's settings and what reads them again: those follow the files then, so no change needs a restart."""
    now, _ = merged(base(), personas.get(name).settings)

    def follow() -> Settings:
        common = base()
        own, wrong = merged(common, personas.get(name).settings)
        notices.replace("settings", [*wrong, *own_conflicts(own, common)])
        _follow(now, own)
        return own

    return now, follow


def _settings(follow: Callable[[], Settings], log: ConversationLog) -> Settings:
    """Return a persona's settings as they stand now; its log keeps so many days from then on."""
    own = follow()
    log.log_days = own.conversation.log_days
    return own


def _follow(held: Settings, now: Settings) -> None:
    """Let the sections that others hold say what the files say now."""
    sections = ((held.recall, now.recall), (held.sleep, now.sleep), (held.memory, now.memory), (held.group, now.group))
    for mine, theirs in sections:
        for key in type(mine).model_fields:
            if getattr(mine, key) != getattr(theirs, key):
                setattr(mine, key, getattr(theirs, key))
