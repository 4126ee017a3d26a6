"""What the talks come to: counted from the files, by what is new, without a word."""

from datetime import datetime, timedelta
from random import Random

import pytest

from managers.growth.kpi import Kpi, KpiStore, level_of
from managers.memory.emotions import EmotionLog
from managers.memory.goals import Goal, Goals, GoalStore
from managers.memory.json_documents import Apply
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.sessions.users import Users
from managers.storage.clock import new_id
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

DAY = datetime(2026, 11, 1, 20, 0)


class Life:
    """A persona's files, and the counts of them."""

    def __init__(self, paths: PersonaPaths, clock: HandClock, rng: Random) -> None:
        self.paths, self.clock, self.rng = paths, clock, rng
        apply: Apply = History(paths, clock).change
        self.log = ConversationLog(paths, clock, rng)
        self.emotions = EmotionLog(paths, clock)
        self.goals = GoalStore(paths, clock, apply)
        self.users = Users()
        self.ended: list[tuple[datetime, list[str]]] = []

    @property
    def kpi(self) -> KpiStore:
        return KpiStore(
            self.paths, self.clock, self.log, self.emotions, self.goals, lambda: self.users, lambda: self.ended
        )

    def talk(self, begin: datetime, turns: int, group: str = "") -> list[str]:
        """Talk for some turns, a minute each."""
        ids = []
        for turn in range(turns):
            self.clock.set(begin + timedelta(minutes=turn))
            for role, speaker in (("user", "ユーザー"), ("persona", self.paths.name)):
                one = new_id(self.clock, self.rng)
                said = Message(one, self.clock.now(), role, speaker, "うん", group=group)  # type: ignore[arg-type]
                self.log.append_shared(said)
                ids.append(one)
        return ids


@pytest.fixture
def life(paths: PersonaPaths, clock: HandClock, rng: Random) -> Life:
    return Life(paths, clock, rng)


def test_counts_what_is_in_the_files(life: Life) -> None:
    ids = life.talk(DAY, 4)
    life.talk(DAY + timedelta(hours=1), 2)
    among = life.talk(DAY + timedelta(days=2), 3, group="g1")
    life.emotions.append("やった", "joy", message_id=ids[0], time=DAY)
    life.emotions.append("つらい", "sadness", message_id=ids[2], time=DAY)
    life.goals.change(
        lambda _: Goals([Goal(id="sh_1", goal="歌う", status="completed", updated_at="2026-11-02 09:00:00")]),
        author="user", reason="",
    )  # fmt: skip
    life.ended = [(DAY + timedelta(days=2), among), (DAY, [*among, "what was said where it was absent"])]
    life.clock.move(hours=1)
    life.kpi.update()
    found = life.kpi.all_of("me")
    assert found == Kpi(turns=9, returns=1, minutes=3 + 1 + 2, positive=1, threads=2, goals=1)
    assert found.total == pytest.approx(9 + 5 + 0.6 + 0.5 + 4 + 10)
    course = life.kpi.course("me")
    assert [f"{day:%m-%d}" for day in course["day"]] == ["11-01", "11-02", "11-03"]
    assert course["total"].iloc[-1] == pytest.approx(found.total)
    assert "うん".encode() not in (life.paths.rag_index / "kpi.duckdb").read_bytes()
    kpi = life.kpi
    assert kpi.counted() is kpi.counted()  # where nothing changed, nobody counts
    life.talk(DAY + timedelta(days=4), 1)
    assert kpi.counted()["turns"].sum() == 10


def test_follows_what_goes_and_comes_back_for_each_user(life: Life) -> None:
    first = life.talk(DAY, 4)
    life.users = Users(((DAY + timedelta(hours=12), "a"),))
    life.talk(DAY + timedelta(days=1), 3)
    life.kpi.update()
    assert [life.kpi.all_of(user).turns for user in ("me", "a", "b")] == [4, 3, 0]
    life.log.supersede(first[1], None)
    life.kpi.update()
    assert life.kpi.all_of("me").turns == 3
    (life.paths.rag_index / "kpi.duckdb").write_bytes(b"no database")  # derived: made anew, and says the same
    life.kpi.update()
    assert life.kpi.all_of("me").turns == 3
    assert [level_of(total) for total in (0, 9.9, 10, 39, 40, 1000)] == [0, 0, 1, 1, 2, 10]
