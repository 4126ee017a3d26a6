"""Any story of a log, as a list of messages would tell it: the two must agree after every step."""

import tempfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.log.ends import joint
from managers.memory.log.log_archive import repair
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

START = datetime(2026, 1, 28, 20, 0, 0)
texts = st.sampled_from(["", "hello", "## USER:x\ny", "\n\n", "a\r\nb", "おやすみ\n"])


TOPIC = "topic"


class Story(RuleBasedStateMachine):
    """The model: each branch whole, as a list, and the answers given in the place of each message.

    A branch is the ids that it has in common with the one that it parted from, and its own; `TOPIC` stands for a new one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.paths = PersonaPaths(Path(self.place.name) / "Mei")
        self.clock = HandClock(START)
        self.said: dict[str, Message] = {}
        self.answers: dict[str, list[str]] = {}
        self.chosen: dict[str, int] = {}
        self.gone: set[str] = set()
        self.shared: dict[str, list[str]] = {FIRST: []}
        self.own: dict[str, list[str]] = {FIRST: []}
        self.current = FIRST

    @initialize()
    def wake(self) -> None:
        self.log = ConversationLog(self.paths, self.clock, Random(1))

    def teardown(self) -> None:
        self.place.cleanup()

    @rule(text=texts)
    def say(self, text: str) -> None:
        message = self.log.append("user", "Sara", text)
        self.said[message.id] = message
        self.answers[message.id], self.chosen[message.id] = [text], 0
        self.own[self.current].append(message.id)

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
        if text is None:
            self.gone.add(message_id)
        else:
            self.answers[message_id][self.chosen[message_id]] = text

    @precondition(lambda self: self.shown)
    @rule(data=st.data(), text=texts)
    def answer_anew(self, data: st.DataObject, text: str) -> None:
        message_id = data.draw(st.sampled_from(self.shown)).id
        assert self.log.answer_anew(message_id, text, mind="m").text == text
        self.answers[message_id].append(text)
        self.chosen[message_id] = len(self.answers[message_id]) - 1

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def choose(self, data: st.DataObject) -> None:
        message_id = data.draw(st.sampled_from(self.shown)).id
        self.chosen[message_id] = data.draw(st.integers(0, len(self.answers[message_id]) - 1))
        self.log.choose(message_id, self.chosen[message_id])

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def branch(self, data: st.DataObject) -> None:
        message_id = data.draw(st.sampled_from(self.shown)).id
        there = [*self.shared[self.current], *self.own[self.current]]
        before = {branch.id for branch in self.log.branches()}
        left = self.log.branch(message_id)
        standing = [one for one in there if one not in self.gone]
        if standing[-1] == message_id:
            assert left is None
            return
        assert left is None or left.id == self.current
        begun = self.log.current_branch()
        assert begun not in before
        self.shared[begun], self.own[begun] = there[: there.index(message_id) + 1], []
        self.current = begun

    @rule(data=st.data())
    def switch(self, data: st.DataObject) -> None:
        self.current = data.draw(st.sampled_from(list(self.own)))
        self.log.switch_branch(self.current)

    @rule()
    def new_topic(self) -> None:
        self.log.begin_topic()
        self.own[self.current].append(TOPIC)

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
        return self.read([*self.shared[self.current], *self.own[self.current]])

    def read(self, ids: list[str]) -> list[Message]:
        return [self.reading(one) for one in ids if one != TOPIC and one not in self.gone]

    def reading(self, one: str) -> Message:
        text, number = self.answers[one][self.chosen[one]], self.chosen[one]
        variant = self.log.alternatives(one).shown.variant if number else ""
        return replace(self.said[one], text=text, variant=variant, mind="m" if number else "")

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
        assert self.log.thread(1000) == fresh.thread(1000) == self.since_topic()
        assert fresh.set_aside() == {*self.said} - {*self.shared[self.current], *self.own[self.current]}
        assert {one for one, text in fresh.corrections().items() if text is None} == fresh.set_aside() | self.gone
        self.branches_tell_the_same(fresh)
        for day in (*fresh.days()[:2], self.clock.now().date()):
            assert list(fresh.messages(day, day)) == [m for m in shown if m.time.date() == day]
            assert list(self.log.messages(since=day)) == [m for m in shown if m.time.date() >= day]
        for message in shown[:2]:
            assert fresh.get(message.id) == message
            assert fresh.alternatives(message.id).texts == tuple(self.answers[message.id])
            assert fresh.alternatives(message.id).current == self.chosen[message.id]
            before = shown.index(message)
            assert self.log.tail(3, before=message.id) == shown[max(0, before - 3) : before]

    def since_topic(self) -> list[Message]:
        there = [*self.shared[self.current], *self.own[self.current]]
        return self.read(there[len(there) - (there[::-1].index(TOPIC) if TOPIC in there else len(there)) :])

    def branches_tell_the_same(self, fresh: ConversationLog) -> None:
        told = {one.id: one for one in fresh.branches()}
        here = {*self.shared[self.current], *self.own[self.current]}
        asides = {
            branch: words
            for branch, own in self.own.items()
            if (words := [one for one in own if one != TOPIC and one not in self.gone and one not in here])
        }
        assert told.keys() == asides.keys()
        for branch, words in asides.items():
            texts = [self.answers[one][self.chosen[one]] for one in (words[0], words[-1])]
            assert [told[branch].first, told[branch].last] == texts
            assert told[branch].count == len(words)
            shared = [one for one in [*self.shared[branch], *self.own[branch]] if one in here and one != TOPIC]
            assert told[branch].after == (shared[-1] if shared else "")


TestStory = Story.TestCase
TestStory.settings = settings(
    max_examples=16, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
