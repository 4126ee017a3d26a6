"""Sleep over the years: what a night costs on day 30, on day 365, and with ten years behind it."""

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from agent.minds.builtin.mind import BuiltInDreamMind
from agent.minds.language_model.model_dreams import LanguageModelDreamMind
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.mind import Cancel, Sheet
from managers.sleep.dream import Dreamer, DreamReport
from managers.sleep.tasks import DreamMind
from managers.storage.history import History
from managers.storage.paths import PersonaPaths

Row = tuple[str, str, str]

MESSAGES_A_DAY = 200
DAYS = 365
YEARS = 10
MODEL_SECONDS = 0.5
START = date(2016, 1, 1)
SHEET = Sheet("ねむ", "ja", "", user_name="花")
_PEOPLE = ("姉", "母", "同僚の佐藤さん", "友達のゆうちゃん", "店長", "いとこの健太くん", "田中先生")
_PLACES = ("京都", "有馬温泉", "貴船神社", "大阪", "図書館", "スカイツリー", "沖縄", "札幌", "水族館", "金沢")
_THINGS = ("ピアノ", "日商簿記", "ラーメン", "昆布茶", "ワンピース", "陶芸", "編み物", "カレー", "自転車", "ギター")
_TELLING = (
    "{person}と{place}に行きました。{thing}の話をしてとても楽しかったです。",
    "今日は{thing}の練習を{n}分しました。少し疲れました。",
    "来週は{place}で{person}に会う予定です。",
    "{thing}を{n}回も失敗して、落ち込んでいます。",
    "{person}が{thing}を買ってくれました。うれしいです。",
    "次は{thing}の勉強を頑張ろうと思います。",
    "私は{thing}が好きで、毎週{place}に通っています。",
)
_CHAT = (
    "そうなんですね。",
    "いいですね！",
    "こんばんは。",
    "なるほど、それは大変でしたね。",
    "次はどうするの？",
    "うん、そうだね。",
)


class _SimulatedClock:
    """A clock that the simulation moves."""

    def __init__(self, now: datetime) -> None:
        self.moment = now

    def now(self) -> datetime:
        return self.moment

    def utc(self) -> datetime:
        return self.moment.replace(tzinfo=UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def measure(days: int = DAYS, years: int = YEARS, messages: int = MESSAGES_A_DAY) -> Iterator[Row]:
    """Yield what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _year(PersonaPaths(Path(folder) / "ねむ"), days, messages)
    with tempfile.TemporaryDirectory() as folder:
        yield from _decade(PersonaPaths(Path(folder) / "ねむ"), years, messages)
    with tempfile.TemporaryDirectory() as folder:
        yield from _with_model(PersonaPaths(Path(folder) / "ねむ"), messages)


def day_of_talk(day: date, count: int, rng: Random) -> list[Message]:
    """Return a day's conversation: someone tells of their day, the persona answers."""
    start = datetime.combine(day, datetime.min.time()) + timedelta(hours=18)
    talk = []
    for number in range(count):
        is_user = number % 2 == 0
        text = rng.choice(_TELLING) if is_user and rng.random() < 0.6 else rng.choice(_CHAT)
        said = text.format(
            person=rng.choice(_PEOPLE), place=rng.choice(_PLACES), thing=rng.choice(_THINGS), n=rng.randint(2, 90)
        )
        talk.append(
            Message(
                f"{day:%Y%m%d}-{number}",
                start + timedelta(seconds=80 * number),
                "user" if is_user else "persona",
                "花" if is_user else "ねむ",
                said,
                "" if is_user else "built-in",
            )
        )
    return talk


def _year(paths: PersonaPaths, days: int, messages: int) -> Iterator[Row]:
    rng = Random(11)
    clock = _SimulatedClock(datetime.combine(START, datetime.min.time()))
    log = ConversationLog(paths, clock, rng)
    nights: list[float] = []
    prompts: list[int] = []
    levels: dict[int, int] = {1: 0, 2: 0, 3: 0}
    dreamer = _dreamer(paths, log, clock, BuiltInDreamMind())
    for number in range(days):
        day = START + timedelta(days=number)
        clock.moment = datetime.combine(day, datetime.min.time()) + timedelta(hours=23, minutes=30)
        log.append_many(day_of_talk(day, messages, rng))
        clock.moment += timedelta(hours=4)
        seconds, report = _timed(dreamer)
        nights.append(seconds)
        levels[report.level or 1] += 1
        prompts.append(_prompt_size(paths, clock))
        log.roll()
    early = statistics.median(nights[25:35])
    late = statistics.median(nights[-10:])
    yield f"a night on day 30 of {messages} messages a day", f"{early:.2f} s", ""
    yield f"a night on day {days}", f"{late:.2f} s", ""
    yield f"day {days} to day 30", f"{late / early:.2f} times", "1.5 times"
    yield "the slowest night of the year", f"{max(nights):.2f} s", "5 s"
    yield "nights of level 1 / 2 / 3", f"{levels[1]} / {levels[2]} / {levels[3]}", ""
    yield "prompt parts made by sleep, day 30", f"{max(prompts[25:35])} characters", ""
    yield f"prompt parts made by sleep, day {days}", f"{max(prompts[-10:])} characters", "flat"
    size = sum(
        path.stat().st_size for path in paths.folder.rglob("*") if path.is_file() and ".history" not in path.parts
    )
    yield f"memories and logs of {days} days", f"{size / 1e6:.1f} MB", ""


def _decade(paths: PersonaPaths, years: int, messages: int) -> Iterator[Row]:
    """Measure one night of a persona whose past was written without dreaming it."""
    rng = Random(12)
    total = 365 * years
    tonight = START + timedelta(days=total)
    clock = _SimulatedClock(datetime.combine(tonight, datetime.min.time()) + timedelta(hours=23))
    log = ConversationLog(paths, clock, rng)
    for first in range(0, total, 73):
        span = range(first, min(first + 73, total))
        log.append_many(m for n in span for m in day_of_talk(START + timedelta(days=n), messages, rng))
        log.roll()
    _write_past(paths, clock, total)
    log.append_many(day_of_talk(tonight, messages, rng))
    log.roll()
    clock.moment += timedelta(hours=4)
    history = History(paths, clock)
    history.begin(author="user", reason="a past of ten years")
    seconds, report = _timed(_dreamer(paths, log, clock, BuiltInDreamMind()))
    yield (
        f"a night after {years} years ({log.count():,} messages, {len(report.changes)} changes)",
        f"{seconds:.2f} s",
        "5 s",
    )


def _write_past(paths: PersonaPaths, clock: _SimulatedClock, days: int) -> None:
    episodes = EpisodeStore(paths, clock)
    paths.episodic_memory.mkdir(parents=True)
    paths.entity_memory.mkdir()
    paths.memory.mkdir(exist_ok=True)
    for number in range(days):
        day = START + timedelta(days=number)
        episode = Episode(
            date=day,
            summary=f"花さんと{_THINGS[number % 10]}の話をした。",
            key_events=["花さん: 楽しかった"],
            covered_messages=0,
        )
        episodes.path(day).write_bytes(episode.sealed().dump())
    entities = EntityStore(paths, clock)
    for number in range(2000):
        fact = Fact(
            f"花さん「知り合い{number}のことを話した」", (f"m{number}",), "built-in", f"f_{number}", since="2018-01-01"
        )
        entity = Entity(f"知り合い{number}", "person", "2018-01-01 03:00:00", mind="built-in", lines=(fact,))
        entities.path(entity.name).write_text(format_entity(entity), "utf-8")


def _with_model(paths: PersonaPaths, messages: int) -> Iterator[Row]:
    clock = _SimulatedClock(datetime(2026, 1, 2, 3))
    log = ConversationLog(paths, clock, Random(13))
    log.append_many(day_of_talk(date(2026, 1, 1), messages, Random(14)))
    model = _SlowModel()
    seconds, report = _timed(_dreamer(paths, log, clock, LanguageModelDreamMind(model)))
    yield f"a night with a model that takes {MODEL_SECONDS} s a call", f"{seconds:.2f} s", ""
    yield "model calls that night", f"{model.calls}", "5"
    yield "failures that night", f"{len(report.failures)}", "0"


class _SlowModel:
    """A model with a fixed delay whose answers are sound."""

    name = "slow"
    context_tokens = 32_000

    def __init__(self) -> None:
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        return len(text) // 2 + 1

    def ask(self, instructions: str, material: str, answer: type[Any], **_: object) -> Any:  # noqa: ANN401  # any form
        del instructions, material
        self.calls += 1
        time.sleep(MODEL_SECONDS)
        claim = {"text": "花さんが今日のことを話してくれた。", "evidence": ["m1"]}
        answers: dict[str, object] = {
            "DayDraft": {"summary": "花さんが今日のことを話してくれた。", "evidence": ["m1"], "key_events": [claim]},
            "EntitiesDraft": {"entities": [{"name": "花", "kind": "person", "facts": [claim]}]},
            "QuestionsDraft": {"questions": [{"topic": "旅", "context": "どうだったか知りたい。", "evidence": ["m1"]}]},
            "ResolutionsDraft": {"resolutions": []},
            "ReflectionDraft": {
                "trigger_topic": "旅",
                "insight": "花さんは話すと元気になる。",
                "strategy": "旅の話を聞く。",
                "log_entry": "夢の中で駅にいた。",
                "evidence": ["m1"],
            },
        }
        return answer.model_validate(json.loads(json.dumps(answers[answer.__name__])))


def _dreamer(paths: PersonaPaths, log: ConversationLog, clock: _SimulatedClock, mind: DreamMind) -> Dreamer:
    paths.folder.mkdir(parents=True, exist_ok=True)
    apply = History(paths, clock).change
    return Dreamer(paths, log, clock, sheet=SHEET, mind=mind, fallback=BuiltInDreamMind(), apply=apply)


def _timed(dreamer: Dreamer) -> tuple[float, DreamReport]:
    started = time.perf_counter()
    report = dreamer.dream(cancel=Cancel())
    return time.perf_counter() - started, report


def _prompt_size(paths: PersonaPaths, clock: _SimulatedClock) -> int:
    today = clock.now().date()
    episodes = EpisodeStore(paths, clock).for_prompt(today, 14)
    goals = [goal.goal for _, goal in GoalStore(paths, clock).for_prompt()]
    parts = [
        *(episode.summary for episode in episodes),
        *goals,
        getattr(InsightStore(paths, clock).with_strategy(), "strategy", ""),
    ]
    return sum(map(len, parts)) + len(InnerStateStore(paths, clock).light_text("ja"))
