"""Ten simulated years with the built-in mind: what is active, what it weighs, and what a turn, a night and a start take.

    make bench ARGS=ten_years                                          on every tenth day, with 40 messages
    python -m benchmarks.ten_years --messages 200 --every 1            all of it: hours

Every day somebody tells of their day, says the same things again, and now and then the opposite of what they said. Some
of what is told is planted: a birthday each, which is later pinned, told again every half a year, or asked for every half
a year. None of those may be lost, whatever is put away.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random
from statistics import median

from agent.companion import Companion
from agent.memories import Memories, open_memories
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from benchmarks.__main__ import Row, show
from benchmarks.sleep import START, day_of_talk
from managers.hygiene.inventory import memories as active_memories
from managers.memory.messages import Message
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import MemorySettings, Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

YEARS = 10
MESSAGES_A_DAY = 40
EVERY = 10
"""A day of so many: what `make bench` lives through in some twenty minutes."""
PLANTED = 500
SHOWN_YEARS = (1, 2, 5, 10)
LOW = MemorySettings(
    max_episodes=300, prune_interval=50, merge_interval=10, split_threshold=0.5, max_generations=2
)  # so low that pruning, merging, splitting and collecting all happen
_AGAIN_DAYS = 180
_ASKED, _TRIES = 20, 3
"""Questions of each look, about what was told first; the quickest try of each counts, as others use the machine too."""
_FAMILY = "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 木村 林 清水 森 池田 橋本 石川 前田 藤田 岡田 後藤 近藤 村上"
_GIVEN = "健一 花子 太郎 美咲 翔太 由美 大輔 恵子 拓也 直美 誠 久美子 浩二 真理 和也 裕子 隆 智子 学 幸子"
_GROWING = ("log", "rag_index")
"""Kinds of files that grow with what is said."""
_DAILY = "今日も朝の散歩に行きました。"
_OPPOSITES = (
    "私は{thing}が好きです。",
    "私は{thing}が好きではありません。",
    "私はもう{thing}が好きではないです。",
    "私は{thing}があまり好きではありません。",
)
_THINGS = ("コーヒー", "昼寝")


@dataclass
class Planted:
    """One fact that must not be lost: what was said when, and how it is held on to."""

    text: str
    name: str
    how: str
    told: date
    said: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Stand:
    """How a life stands after some time. Times are seconds of this process, sizes bytes, the prompt characters."""

    years: float
    active: Counter[str]
    sizes: dict[str, int]
    prompt: int
    recall: float
    night: float
    start: float


def measure(years: int = YEARS, messages: int = MESSAGES_A_DAY, every: int = EVERY) -> Iterator[Row]:
    """Yield what was measured: with the limits as they come, with hygiene off, and with limits so low that all happens."""
    kinds = {"as it comes": MemorySettings(), "hygiene off": MemorySettings(hygiene=False), "very low limits": LOW}
    for name, limits in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            yield from _rows(name, Home(Path(folder)), limits, years, messages, every)


def _rows(name: str, home: Home, limits: MemorySettings, years: int, messages: int, every: int) -> Iterator[Row]:
    life = Life(home, limits, messages=messages, planted=PLANTED * years // YEARS, days=365 * years)
    stands, begun = dict[int, Stand](), 0
    for year in (*(one for one in SHOWN_YEARS if one < years), years):
        life.live(range(begun, 365 * year), every)
        begun = 365 * year
        stand = stands[year] = life.stand(begun)
        active = ", ".join(f"{count:,} {kind}" for kind, count in sorted(stand.active.items()))
        yield f"{name}, year {year}: active memories", f"{sum(stand.active.values()):,} ({active})", ""
        sizes = ", ".join(f"{kind} {size / 1e6:.1f}" for kind, size in sorted(stand.sizes.items()))
        yield f"{name}, year {year}: MB on disk", sizes, ""
        yield f"{name}, year {year}: a prompt", f"{stand.prompt:,} characters", ""
        times = f"{1000 * stand.recall:.1f} ms / {stand.night:.2f} s / {stand.start:.2f} s"
        yield f"{name}, year {year}: a recall, a night, a start (processor time)", times, ""
    kept, moves = life.kept(), life.moves()
    life.close()
    if (early := stands.get(2)) and years > 2:
        late = stands[years]
        for what in ("prompt", "recall", "night", "start"):
            yield f"{name}: {what}, year {years} to year 2", f"{getattr(late, what) / getattr(early, what):.2f}", "1.2"
        grown = sum(late.active.values()) / max(sum(early.active.values()), 1)
        yield f"{name}: active memories, year {years} to year 2", f"{grown:.2f}", "1.2"
        for kind in sorted(early.sizes):  # all but the logs, and what is cut from them, should stay flat
            ratio = late.sizes.get(kind, 0) / max(early.sizes[kind], 1)
            yield f"{name}: MB of {kind}, year {years} to year 2", f"{ratio:.2f}", "" if kind in _GROWING else "1.2"
    yield f"{name}: planted facts that are active / archived / lost", _three(kept), "0 lost"
    yield f"{name}: what housekeeping did", ", ".join(f"{count} {why}" for why, count in sorted(moves.items())), ""


def _three(kept: Counter[str]) -> str:
    return f"{kept['active']} / {kept['archived']} / {kept['lost']}"


class Reader(BuiltInMind):
    """A mind that notes how much it was given to read."""

    name = "reader"
    context_tokens = 32_000
    read = 0

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        del cancel
        self.read = len(request.system) + sum(len(turn.text) for turn in request.turns)
        yield TextPiece("うん。")


class Life:
    """A persona that is talked with day by day."""

    def __init__(self, home: Home, limits: MemorySettings, *, messages: int, planted: int, days: int) -> None:
        """Begin a life.

        Args:
            home: where it lies.
            limits: of its memories.
            messages: how many are said a day.
            planted: how many facts are planted, evenly over the first nine tenths of the time.
            days: how many days there will be.
        """
        self.clock, self.rng = HandClock(datetime.combine(START, datetime.min.time())), Random(days)
        self._settings = Settings(memory=limits)
        self._personas = PersonaStore(home, self.clock, self.rng)
        self._personas.create("ねむ", language="ja")
        self._messages, self._days = messages, days
        names = [f"{family}{given}" for family, given in product(_FAMILY.split(), _GIVEN.split())][:planted]
        self.planted = [
            Planted(
                f"{name}さんの誕生日は{number % 12 + 1}月{number % 28 + 1}日です。",
                name,
                ("pinned", "repeated", "recalled")[number % 3],
                START + timedelta(days=int(0.9 * days * number / planted)),
            )
            for number, name in enumerate(names)
        ]
        self.memories = self._open()
        self.nights: list[float] = []

    def live(self, days: range, every: int = 1) -> None:
        """Talk and dream on every day of a time, or on every n-th."""
        sleeper = CompanionSleeper(self.memories, Always(BuiltInMind()), self.clock)
        for number in days[::every]:
            today = START + timedelta(days=number)
            self.clock.set(datetime.combine(today, datetime.min.time()) + timedelta(hours=23, minutes=30))
            self.memories.log.append_many(self._said_on(today, every))
            self._ask_again(today, every)
            self.clock.move(hours=4)
            started = time.process_time()
            report = sleeper.dream(Cancel(), today=False)
            self.nights.append(time.process_time() - started)
            assert not report.failures, report.failures
            self._pin(today, every)

    def stand(self, days: int) -> Stand:
        """Look at everything, with the program started anew. The questions are the same ones in every year."""
        start = min(self._started() for _ in range(_TRIES))
        mind = Reader()
        companion = Companion(self.memories, Always(mind), self.clock, self.rng)
        for _ in companion.say("最近、何の話をしたか覚えてる？").events():
            pass
        companion.settle()
        kinds = Counter[str](memory.kind for memory in active_memories(self.memories.working_copy()))
        searched = median(min(self._searched(fact) for _ in range(_TRIES)) for fact in self.planted[:_ASKED])
        return Stand(days / 365, kinds, self._sizes(), mind.read, searched, median(self.nights[-20:]), start)

    def _started(self) -> float:
        self.close()
        started = time.process_time()
        self.memories = self._open()
        self.memories.recall.search("誕生日", 10)
        return time.process_time() - started

    def kept(self) -> Counter[str]:
        """Count what became of the planted facts that a memory was made of: `active`, `archived`, or `lost`.

        One is active while a memory rests on what was said, or on the same said again.
        """
        copy = self.memories.working_copy()
        active = {one for memory in active_memories(copy) for one in memory.evidence}
        archive = {entry.text for entry in self.memories.housekeeping().archive.entries(copy)}
        found: Counter[str] = Counter()
        for fact in self.planted:
            if fact.said & active:
                found["active"] += 1
            else:
                found["archived" if any(fact.name in text for text in archive) else "lost"] += 1
        return found

    def moves(self) -> Counter[str]:
        """Count what housekeeping did: what it put away, by reason, what was split, and the highest generation."""
        copy = self.memories.working_copy()
        away = list(self.memories.housekeeping().archive.entries(copy))
        done = Counter[str](entry.why for entry in away)
        stood = [(one.standing.splits, one.standing.generation) for one in active_memories(copy)]
        stood += [(entry.value.get("splits") or 0, entry.value.get("generation") or 0) for entry in away]
        done["split"] = sum(splits > 0 for splits, _ in stood)
        done["generations"] = max((generation for _, generation in stood), default=0)
        return done

    def close(self) -> None:
        self.memories.close()

    def _open(self) -> Memories:
        return open_memories(self._personas, "ねむ", lambda: self._settings, self.clock, self.rng)

    def _due(self, today: date, every: int, *hows: str) -> list[Planted]:
        """Return what was planted in earlier talks and is due again."""
        return [
            fact
            for fact in self.planted
            if fact.how in hows and fact.told < today and (today - fact.told).days % _AGAIN_DAYS < every
        ]

    def _said_on(self, today: date, every: int) -> list[Message]:
        talk = day_of_talk(today, self._messages, self.rng)
        new = [fact for fact in self.planted if today <= fact.told < today + timedelta(days=every)]
        texts = [(fact.text, fact) for fact in (*new, *self._due(today, every, "repeated"))]
        thing = self.rng.choice(_THINGS)
        said = [*texts, (_DAILY, None), (self.rng.choice(_OPPOSITES).format(thing=thing), None)]
        for number, (text, fact) in zip(range(0, len(talk), 2), said, strict=False):
            old = talk[number]
            talk[number] = replace(old, text=text)
            if fact:
                fact.said.add(old.id)
        return talk

    def _ask_again(self, today: date, every: int) -> None:
        for fact in self._due(today, every, "recalled"):
            question = f"{fact.name}さんの誕生日はいつだっけ？"
            reply = Message(f"{today:%Y%m%d}-{fact.name}", self.clock.now(), "persona", "ねむ", "ええと。", "built-in")
            hits = [hit for hit in self.memories.recall.search(question, 5) if fact.name in hit.text]
            self.memories.recall_log.append(reply, question, hits)

    def _pin(self, today: date, every: int) -> None:
        for fact in self.planted:
            if fact.how == "pinned" and today <= fact.told < today + timedelta(days=every):
                self.memories.entities.pin(f"{fact.name}さん", on=True, author="user")

    def _searched(self, fact: Planted) -> float:
        started = time.process_time()
        self.memories.recall.search(f"{fact.name}さんの誕生日はいつだっけ？", 10)
        return time.process_time() - started

    def _sizes(self) -> dict[str, int]:
        """Return what the kinds of files weigh, in bytes."""
        kinds: Counter[str] = Counter()
        folder = self.memories.paths.folder
        for path in folder.rglob("*"):
            if path.is_file():
                kinds[_kind(path.relative_to(folder))] += path.stat().st_size
        return kinds


def _kind(path: Path) -> str:
    top = path.parts[0]
    if top in {"log.txt", "log_archives", ".history", "rag_index"}:
        return top.removesuffix(".txt").removesuffix("_archives")
    return "archive" if path.name.startswith("archive_") else "memory"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option, value in (("years", YEARS), ("messages", MESSAGES_A_DAY), ("every", EVERY)):
        parser.add_argument(f"--{option}", type=int, default=value)
    show(measure(**vars(parser.parse_args())))
