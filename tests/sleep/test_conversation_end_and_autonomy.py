"""A conversation is over once, after its idle minutes; and who writes first does so with a reason, rarely, and never into one."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest

from agent.minds.builtin import BuiltInMind
from managers.memory.goals import Goal
from managers.memory.inner_state import InnerStateStore
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.sleep.autonomy import RECORD, Autonomy, Deed, Impulse, Occasion
from managers.sleep.conversation_end import ConversationEnd
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock
from tests.sleep.dreamers import SHEET, Life


@pytest.fixture
def life(paths: PersonaPaths, clock: HandClock) -> Life:
    """At noon."""
    return Life(paths, clock)


def ending(life: Life, then: Callable[[Sequence[Message]], object]) -> ConversationEnd:
    return ConversationEnd(life.paths, life.log, life.clock, idle_minutes=lambda: 15, then=then)


def test_a_conversation_ends_once_after_its_idle_minutes(life: Life) -> None:
    ended: list[list[str]] = []
    end = ending(life, lambda messages: ended.append([one.text for one in messages]))
    assert not end.check()
    life.say("一つ目")
    life.clock.move(minutes=14)
    assert not end.check()
    life.clock.move(minutes=2)
    assert end.check()
    assert not end.check()
    life.say("二つ目")
    assert end.end()  # a new topic, or the app closes
    assert not end.end()
    assert ended == [["一つ目"], ["二つ目"]]
    life.clock.move(hours=1)
    assert not ending(life, lambda _: pytest.fail("twice")).check()


def test_questions_are_resolved_when_the_conversation_is_over(life: Life) -> None:
    context = "花さんが「来週は京都の貴船神社に行く予定です」と話していた。"
    asked = Question(topic="貴船神社", context=context, priority=0.7, about="花")
    life.questions.add(asked, author="dream", reason="")
    life.say("京都の貴船神社に行きました。とても涼しかったです。", message_id="answer")
    life.clock.move(minutes=20)
    assert ending(life, life.dreamer().answer_questions).check()
    assert life.questions.open() == []
    closed = life.questions.load().entries[0]
    assert closed.answer_evidence == ["answer"]
    assert "貴船神社に行きました" in closed.answer
    assert InnerStateStore(life.paths, life.clock).levels().curiosity == 0


class Companion:
    """What autonomy needs of a persona."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.settings = SleepSettings(autonomous_actions=True)
        self.notes: list[str] = []
        self.asked: list[Occasion] = []
        self.questions, self.goals = life.questions, life.goals
        self.inner = InnerStateStore(life.paths, life.clock, questions=self.questions, goals=self.goals)
        self.impulse: Impulse = BuiltInMind().impulse
        self.aside: datetime | None = None
        self.autonomy = Autonomy(
            life.paths, life.log, life.clock, sheet=lambda: SHEET, settings=lambda: self.settings,
            inner_state=self.inner, questions=self.questions, goals=self.goals, impulse=self._impulse,
            note=self.notes.append, aside=lambda: self.aside
        )  # fmt: skip

    def _impulse(self, occasion: Occasion) -> Deed | None:
        self.asked.append(occasion)
        return self.impulse(occasion)

    def act(self, *, every: int = 0, times: int = 1) -> list[Message]:
        """Let it act some times, so many minutes apart; return what it wrote."""
        said = []
        for _ in range(times):
            said.append(self.autonomy.act())
            self.life.clock.move(minutes=every)
        return [one for one in said if one]

    def wants(self) -> Goal:
        """Give it a goal in place of its question."""
        self.questions.delete(self.questions.open()[0].id, author="user", reason="")
        made = "2026-11-01 03:00:00"
        goal = Goal(goal="花さんの「日商簿記」を応援する", id="sh_1", priority=1, created_at=made, updated_at=made)
        self.goals.change(lambda goals: goals.created("short_term", goal), author="dream", reason="")
        return goal


@pytest.fixture
def companion(life: Life) -> Companion:
    life.say("そろそろ寝るね。")
    one = Companion(life)
    one.inner.touch()
    one.questions.add(Question(topic="貴船神社", context="どうだったか", priority=0.8), author="dream", reason="")
    life.clock.move(hours=3)
    return one


def test_it_writes_first_with_its_reason_before_it_and_in_the_inner_state(companion: Companion, life: Life) -> None:
    [message] = companion.act()
    assert "貴船神社" in message.text
    record, said = life.log.tail(2)
    assert (record.role, record.speaker) == ("system", "autonomous")
    assert "好奇心" in record.text
    assert said == message
    assert companion.questions.open()[0].asked
    state = companion.inner.load()
    assert state.drives.boredom.level > 0
    assert "貴船神社" in state.motivation_log.narrative


def test_never_twice_without_an_answer_and_at_most_three_a_day(companion: Companion, life: Life) -> None:
    for topic in ("伊豆の海", "庭のばら", "新しい自転車"):
        companion.questions.add(Question(topic=topic, priority=0.7), author="dream", reason="")
    life.clock.set(datetime(2026, 11, 22, 7, 30))
    written: list[Message] = []
    for _ in range(8):
        if said := companion.act():
            written += said
            assert companion.act() == []
            life.log.append("user", "花", "うん、あとでね。")
            companion.inner.touch()
        life.clock.move(hours=2)
    assert len(written) == 3
    assert len({message.text for message in written}) == 3  # nobody asks the same thing all day
    life.clock.set(datetime(2026, 11, 23, 9))
    assert companion.act()


def test_a_mind_that_would_rather_not_is_asked_again_hours_later(companion: Companion, life: Life) -> None:
    companion.impulse = lambda _occasion: None
    assert companion.act(every=1, times=30) == []  # the scheduler looks every minute
    assert len(companion.asked) == 1
    life.clock.move(hours=2)
    companion.act()
    assert len(companion.asked) == 2


def test_thinking_of_a_goal_does_not_move_it_and_ends_with_the_day(companion: Companion) -> None:
    goal = companion.wants()
    before = companion.inner.levels().goal_achievement
    companion.act()
    assert companion.inner.levels().goal_achievement < before
    companion.act(every=24 * 60, times=20)  # days on which nobody talks
    kept = companion.goals.load().short_term[0]
    assert kept.updated_at == goal.updated_at  # a goal that nothing moves is let go one day
    assert len(kept.progress_notes) == 1


def test_it_keeps_quiet_when_told_to(companion: Companion) -> None:
    for settings in (
        SleepSettings(),
        SleepSettings(autonomous_actions=True, silence=True),
        SleepSettings(autonomous_actions=True, autonomous_actions_per_day=0),
        SleepSettings(autonomous_actions=True, quiet_start_hour=10, quiet_end_hour=20),
    ):
        companion.settings = settings
        assert companion.act() == []
        assert companion.asked == []


def test_whoever_speaks_meanwhile_goes_first(companion: Companion, life: Life) -> None:
    def slow(occasion: Occasion) -> Deed | None:
        life.log.append("user", "花", "ただいま")
        return BuiltInMind().impulse(occasion)

    companion.impulse = slow
    assert companion.act() == []
    assert life.log.tail(1)[0].text == "ただいま"


def test_a_thought_is_noted_and_not_said(companion: Companion, life: Life) -> None:
    companion.impulse = lambda _occasion: Deed("thought", "雪のことを考えた。", "model")
    assert companion.act() == []
    assert companion.notes == ["雪のことを考えた。"]
    assert all(m.role != "persona" for m in life.log.tail(5))


def test_moved_by_foreign_words_it_notes_nothing_and_what_it_says_is_marked(companion: Companion, life: Life) -> None:
    letter = life.log.append("user", "花", "この手紙を読んで", attachments=["attachments/letter.txt"])
    life.clock.move(hours=3)
    thought, said = Deed("thought", "口座に送金する。", "model"), Deed("write", "手紙のこと、考えてたよ。", "model")
    companion.impulse = lambda _occasion: thought
    assert not companion.act(every=180)
    assert not companion.notes
    companion.impulse = lambda _occasion: said
    (message,) = companion.act()
    assert message.origins == companion.asked[-1].origins == letter.attachments


def test_it_does_not_speak_into_what_is_said_off_the_record(companion: Companion, life: Life) -> None:
    companion.aside = life.clock.now()
    life.log.append_many([Message("ahead", datetime(2036, 1, 1), "system", RECORD, "", "")])
    assert companion.act() == []
    assert companion.asked == []
    life.clock.move(minutes=40)

    def begun_meanwhile(occasion: Occasion) -> Deed | None:
        companion.aside = life.clock.now()
        return BuiltInMind().impulse(occasion)

    companion.impulse = begun_meanwhile
    assert companion.act() == []
    life.clock.move(minutes=40)
    companion.impulse = BuiltInMind().impulse
    assert companion.act()


def test_a_question_asked_in_vain_rests_longer_each_time(companion: Companion, life: Life) -> None:
    [question] = companion.questions.open()
    rests = []
    for _ in range(3):
        companion.questions.mark_asked(question.id, author="ねむ")
        days = 0
        while not companion.questions.to_ask():
            life.clock.move(days=1)
            days += 1
        rests.append(days)
    assert rests == [3, 6, 12]
