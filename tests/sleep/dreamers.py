"""What the tests of sleep share: a small conversation, a mind that dreams what it is told to."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, TypeVar

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.memory.entities import Entity
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.json_documents import Apply
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.questions import QuestionStore
from managers.mind import Cancel, Sheet
from managers.sleep import tasks
from managers.sleep.dream import Dreamer
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

SHEET = Sheet("ねむ", "ja", "", user_name="花")
DAY_ONE = (
    ("user", "こんばんは！"),
    ("persona", "こんばんは。今日はどうだった？"),
    ("user", "昨日、姉と有馬温泉に行きました。岩盤浴がとても気持ちよかったです。"),
    ("persona", "いいね！次はどこに行くの？"),
    ("user", "来週は京都の貴船神社に行く予定です。"),
    ("user", "うちの猫のモモちゃんが昨日から入院していて、とても心配です。"),
)
DAY_TWO = (
    ("user", "猫のモモちゃんが今日退院しました！入院中は心配でしたが、もう元気です。"),
    ("persona", "よかった！"),
    ("user", "日商簿記の資格を取るために勉強を頑張ろうと思います。"),
    ("user", "私は大阪に住んでいます。仕事は本屋で働いています。"),
)

Material = TypeVar("Material")
Draft = TypeVar("Draft")


class TroubledError(UtataneError):
    ja = "壊れた"
    en = "broken"


class ScriptedDreamMind:
    """A mind that dreams like the built-in one, but for the tasks that a test replaces."""

    def __init__(self, name: str = "model", **tasks: Callable[[Any], Any]) -> None:
        self.name = name
        self.calls: list[str] = []
        self._tasks = tasks
        self._rest = BuiltInDreamMind()

    def _think(self, usual: Callable[[Material, Cancel], Draft], material: Material, cancel: Cancel) -> Draft:
        self.calls.append(usual.__name__)
        own = self._tasks.get(usual.__name__)
        draft: Draft = own(material) if own else usual(material, cancel)
        return draft

    def summarise_day(self, material: tasks.DayMaterial, cancel: Cancel) -> tasks.DayDraft:
        return self._think(self._rest.summarise_day, material, cancel)

    def describe_entities(self, material: tasks.EntityMaterial, cancel: Cancel) -> tasks.EntitiesDraft:
        return self._think(self._rest.describe_entities, material, cancel)

    def find_questions(self, material: tasks.QuestionMaterial, cancel: Cancel) -> tasks.QuestionsDraft:
        return self._think(self._rest.find_questions, material, cancel)

    def resolve_questions(self, material: tasks.AnswerMaterial, cancel: Cancel) -> tasks.ResolutionsDraft:
        return self._think(self._rest.resolve_questions, material, cancel)

    def reflect(self, material: tasks.ReflectionMaterial, cancel: Cancel) -> tasks.ReflectionDraft | None:
        return self._think(self._rest.reflect, material, cancel)

    def summarise_period(self, material: tasks.PeriodMaterial, cancel: Cancel) -> tasks.PeriodDraft | None:
        return self._think(self._rest.summarise_period, material, cancel)

    def tokens_of(self, material: tasks.DayMaterial) -> int:
        return 10 * len(material.messages)


def failing(_material: object) -> Any:
    raise TroubledError


def messages(day: datetime, lines: tuple[tuple[str, str], ...], prefix: str) -> list[Message]:
    return [
        Message(
            f"{prefix}{number}", day + timedelta(minutes=number), "user" if role == "user" else "persona",
            "花" if role == "user" else "ねむ", text, "" if role == "user" else "built-in"
        )
        for number, (role, text) in enumerate(lines)
    ]  # fmt: skip


def two_days(paths: PersonaPaths, clock: Clock) -> ConversationLog:
    """Two evenings' conversation, two and one days ago."""
    log = ConversationLog(paths, clock, Random(1))
    evening = clock.now().replace(hour=20, minute=0, second=0, microsecond=0)
    log.append_many(messages(evening - timedelta(days=2), DAY_ONE, "a"))
    log.append_many(messages(evening - timedelta(days=1), DAY_TWO, "b"))
    return log


def make_dreamer(
    paths: PersonaPaths, clock: Clock, log: ConversationLog | None = None, mind: tasks.DreamMind | None = None, *,
    apply: Apply | None = None, **others: Any
) -> Dreamer:  # fmt: skip
    fallback = BuiltInDreamMind()
    usual: dict[str, Any] = {"sheet": SHEET, "recall": lambda _words, _messages: ()}
    there = log or ConversationLog(paths, clock, Random(2))
    write = apply or History(paths, clock).change
    return Dreamer(paths, there, clock, mind=mind or fallback, fallback=fallback, apply=write, **usual | others)


def memory_files(paths: PersonaPaths) -> dict[str, bytes]:
    """All memories, as a dream leaves them; what is derived or internal aside, and the audit, which undo adds to."""
    kept = [paths.goals, *paths.episodic_memory.glob("*"), *paths.entity_memory.glob("*"), *paths.memory.glob("*")]
    return {
        str(path.relative_to(paths.folder)): path.read_bytes()
        for path in kept
        if path.is_file() and not path.name.startswith((".", "audit_")) and path != paths.internal_state
    }


class Life:
    """A persona whose nights are dreamt: its log, its clock, its memories."""

    def __init__(self, paths: PersonaPaths, clock: HandClock, log: ConversationLog | None = None) -> None:
        self.paths = paths
        self.clock = clock
        self.log = log or ConversationLog(paths, clock, Random(1))
        self.episodes, self.entities = EpisodeStore(paths, clock), EntityStore(paths, clock)
        self.questions, self.goals = QuestionStore(paths, clock), GoalStore(paths, clock)
        self.insights, self.history = InsightStore(paths, clock), History(paths, clock)

    def say(self, text: str, *, before: timedelta = timedelta(), **named: Any) -> Message:
        """Let the user say something, a minute after the last or some time ago."""
        if not before:
            self.clock.move(minutes=1)
        return self.log.append("user", "花", text, **{"time": self.clock.now() - before, **named})

    def tell(self, *lines: str, days: int = 1, prefix: str = "d") -> list[Message]:
        """Let the user have said something in an evening some days ago."""
        evening = self.clock.now().replace(hour=20, minute=0) - timedelta(days=days)
        said = messages(evening, tuple(("user", line) for line in lines), prefix)
        self.log.append_many(said)
        return said

    def dreamer(self, mind: tasks.DreamMind | None = None, **others: Any) -> Dreamer:
        return make_dreamer(self.paths, self.clock, self.log, mind, **others)

    def episode(self, day: date) -> Episode:
        found = self.episodes.get(day)
        assert found is not None
        return found

    def entity(self, name: str) -> Entity:
        found = self.entities.find(name)
        assert found is not None
        return found

    def known(self) -> str:
        """Return all that is known of anybody."""
        return "".join(entity.text() for entity in self.entities.all())

    def files(self) -> dict[str, bytes]:
        return memory_files(self.paths)

    def text(self) -> str:
        """Return what the memories say; what a past dream recorded of itself aside."""
        return "".join(data.decode() for name, data in self.files().items() if not name.startswith("memory/dream_"))


def reflection(**values: object) -> tasks.ReflectionDraft:
    """A sound reflection on a hot spring, but for the values that a test gives."""
    words = {"trigger_topic": "温泉", "insight": "花さんは温泉で元気になる。", "strategy": "ゆっくり話を聞く。"}
    whole: dict[str, object] = {**words, "log_entry": "夢の中で歩いていた。", "evidence": ["m1"], **values}
    return tasks.ReflectionDraft.model_validate(whole)
