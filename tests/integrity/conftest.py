"""A persona with years of talk, memories and a history, of which files can be damaged."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from random import Random

import pytest

from managers.integrity.inspection import examine, look
from managers.integrity.repair import Mender
from managers.integrity.trouble import Trouble, Words
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.recall.read_only_index import look_at_indexes
from managers.storage.history import Draft, History
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock

NOW = datetime(2026, 11, 21, 12, 0, 0)
CARD = "# Entity Memory: {}\nCreated: 2026-01-01 12:00:00\n\n- {}\n"


class Life:
    """One persona's files, and what looks at and mends them."""

    def __init__(self, paths: PersonaPaths) -> None:
        self.paths = paths
        self.clock = HandClock(NOW)
        self.log = ConversationLog(paths, self.clock, Random(3))
        self.history = History(paths, self.clock)

    def live(self) -> None:
        """Talk on ninety days, and remember some of it."""
        messages = [
            Message(f"m{n}", NOW - timedelta(days=90 - n), "user", "花", f"{n} 日目に猫のももが鳴いた")
            for n in range(91)
        ]
        self.log.append_many(messages)
        paths = self.paths
        files = {
            paths.core_memory: "わたしは花さんの友だち。\n猫のももを知っている。\n",
            paths.notepad: "ももの薬を買う\n",
            paths.main_memory: "静かな一日だった。\n",
            paths.entity_memory / "もも.md": CARD.format("もも", "猫"),
            paths.goals: json.dumps({"short_term": [{"id": "sh_1", "goal": "ももの話を聞く"}]}, ensure_ascii=False),
        }
        for day in (messages[5], messages[40]):
            value = {"date": f"{day.time:%Y-%m-%d}", "summary": day.text, "evidence": [day.id], "covered_messages": 1}
            files[paths.episodic_memory / f"{day.time:%Y-%m-%d}.json"] = json.dumps(value, ensure_ascii=False)
        self.history.apply({path: text.encode() for path, text in files.items()}, Draft("user", "lived"))

    def index(self) -> None:
        """Index all that is there now."""
        with closing(Recall(self.paths, self.log, RecallSettings(), self.clock)) as recall:
            recall.catch_up()

    def look(self) -> list[Trouble]:
        return look(self.paths, ConversationLog(self.paths, self.clock, Random(1)))

    def examine(self) -> list[Trouble]:
        log = ConversationLog(self.paths, self.clock, Random(1))
        return examine(self.paths, log, look_at_indexes(self.paths).messages)

    def mend(self) -> list[Words]:
        """Say yes to all that a yes can do something about."""
        self.clock.move(seconds=5)
        mender = Mender(self.paths, self.clock, ConversationLog(self.paths, self.clock, Random(2)), self.history)
        return [mender.mend(trouble) for trouble in self.examine() if trouble.remedy]

    def words(self) -> list[str]:
        return [message.text for message in ConversationLog(self.paths, self.clock, Random(1)).messages()]


@pytest.fixture
def life(paths: PersonaPaths) -> Iterator[Life]:
    made = Life(paths)
    made.live()
    yield made
    made.history.close()
