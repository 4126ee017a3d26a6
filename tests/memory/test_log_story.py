"""Any story of a log, as a list of messages would tell it: the two must agree after every step."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from managers.memory.log import ConversationLog
from managers.memory.log.archive import repair
from managers.memory.log.ends import joint
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

START = datetime(2026, 1, 28, 20, 0, 0)
texts = st.sampled_from(["", "hello", "## USER:x\ny", "\n\n", "a\r\nb", "おやすみ\n"])


class Story(RuleBasedStateMachine):
    """The model: all messages in order, and what each reads now (None: deleted)."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.paths = PersonaPaths(Path(self.place.name) / "Mei")
        self.clock = HandClock(START)
        self.order: list[Message] = []
        self.now: dict[str, str | None] = {}
        self.topic = 0

    @initialize()
    def wake(self) -> None:
        self.log = ConversationLog(self.paths, self.clock, Random(1))

    def teardown(self) -> None:
        self.place.cleanup()

    @rule(text=texts)
    def say(self, text: str) -> None:
        message = self.log.append("user", "Sara", text)
        self.order.append(message)
        self.now[message.id] = text

    @rule(hours=st.integers(1, 24 * 12))
    def time_passes(self, hours: int) -> None:
        self.clock.move(hours=hours)

    @rule(days=st.integers(-400, 400))
    def the_clock_is_wrong_for_one_message(self, days: int) -> None:
        right = self.clock.now()
        self.clock.set(right + timedelta(days=days))
        self.say("what time is it?")
        self.clock.set(right)

    @precondition(lambda self: self.shown)
    @rule(data=st.data(), text=st.none() | texts)
    def change(self, data: st.DataObject, text: str | None) -> None:
        message_id = data.draw(st.sampled_from(self.shown)).id
        self.log.supersede(message_id, text)
        self.now[message_id] = text

    @rule()
    def new_topic(self) -> None:
        self.log.begin_topic()
        self.topic = len(self.order)

    @rule()
    def roll(self) -> None:
        self.log.roll()

    @rule()
    def another_process(self) -> None:
        self.log = ConversationLog(self.paths, self.clock, Random(1))

    @rule(cut=st.integers(1, 60))
    def a_crash_leaves_half_a_record(self, cut: int) -> None:
        whole = b"## AGENT:Mei\nso I said\n\n2026-01-28 (Wed) 20:00:00 | m | x1\n"
        repair(self.paths, self.clock.now())  # as the writer that crashes did before it wrote
        self.paths.folder.mkdir(exist_ok=True)
        with self.paths.log.open("ab") as file:
            file.write(joint(self.paths.log) + whole[: min(cut, len(whole) - 1)])

    @property
    def shown(self) -> list[Message]:
        return [replace(message, text=text) for message in self.order if (text := self.now[message.id]) is not None]

    @invariant()
    def the_log_tells_the_same(self) -> None:
        shown = self.shown
        fresh = ConversationLog(self.paths, self.clock, Random(1))
        assert list(self.log.messages()) == shown
        assert list(fresh.messages()) == shown
        assert fresh.tail(4) == shown[-4:]
        assert fresh.tail(len(shown) + 1) == shown
        assert self.log.count() == fresh.count() == len(shown)
        assert self.log.days() == fresh.days() == sorted({message.time.date() for message in shown})
        thread = [message for message in shown if message in self.order_since_topic()]
        assert self.log.thread(1000) == thread
        for day in (*fresh.days()[:2], self.clock.now().date()):
            assert list(fresh.messages(day, day)) == [m for m in shown if m.time.date() == day]
            assert list(self.log.messages(since=day)) == [m for m in shown if m.time.date() >= day]
        for message in shown[:2]:
            assert fresh.get(message.id) == message
            before = shown.index(message)
            assert self.log.tail(3, before=message.id) == shown[max(0, before - 3) : before]

    def order_since_topic(self) -> list[Message]:
        ids = {message.id for message in self.order[self.topic :]}
        return [message for message in self.shown if message.id in ids]


TestStory = Story.TestCase
TestStory.settings = settings(
    max_examples=30, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
