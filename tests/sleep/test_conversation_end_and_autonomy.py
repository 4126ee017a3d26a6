from datetime import datetime
from random import Random

import pytest

from agent.minds.builtin import BuiltInMind
from managers.memory.goals import Goal, GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.questions import Question, QuestionStore
from managers.sleep.autonomy import Autonomy, Deed, Impulse, Occasion
from managers.sleep.conversation_end import ConversationEnd
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock
from tests.sleep.dreamers import SHEET, make_dreamer

ON = SleepSettings(autonomous_actions=True)


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock) -> ConversationLog:
    return ConversationLog(paths, clock, Random(3))


def test_a_conversation_ends_once_after_its_idle_minutes(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    ended: list[list[str]] = []
    end = ConversationEnd(
        paths, log, clock, idle_minutes=lambda: 15, then=lambda messages: ended.append([m.text for m in messages])
    )
    assert not end.check()
    log.append("user", "花", "一つ目")
    clock.move(minutes=14)
    assert not end.check()
    clock.move(minutes=2)
    assert end.check()
    assert not end.check()
    log.append("user", "花", "二つ目")
    assert end.end()  # a new topic, or the app closes
    assert not end.end()
    assert ended == [["一つ目"], ["二つ目"]]
    again = ConversationEnd(paths, log, clock, idle_minutes=lambda: 15, then=lambda _messages: pytest.fail("twice"))
    clock.move(hours=1)
    assert not again.check()


def test_what_was_looked_at_is_not_looked_at_again_on_another_branch(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    ended: list[list[str]] = []
    end = ConversationEnd(
        paths, log, clock, idle_minutes=lambda: 15, then=lambda messages: ended.append([m.text for m in messages])
    )
    first = log.append("user", "花", "一つ目")
    clock.move(minutes=1)
    log.append("user", "花", "二つ目")
    end.end()
    log.branch(first.id)
    clock.move(minutes=1)
    log.append("user", "花", "三つ目")
    end.end()
    assert ended == [["一つ目", "二つ目"], ["三つ目"]]


def test_questions_are_resolved_when_the_conversation_is_over(
    paths: PersonaPaths, clock: HandClock, log: ConversationLog
) -> None:
    questions = QuestionStore(paths, clock)
    questions.add(
        Question(
            topic="貴船神社",
            context="花さんが「来週は京都の貴船神社に行く予定です」と話していた。",
            priority=0.7,
            about="花",
        ),
        author="dream",
        reason="",
    )
    log.append("user", "花", "京都の貴船神社に行きました。とても涼しかったです。", message_id="answer")
    dreamer = make_dreamer(paths, clock, log)
    end = ConversationEnd(paths, log, clock, idle_minutes=lambda: 15, then=dreamer.answer_questions)
    clock.move(minutes=20)
    assert end.check()
    assert questions.open() == []
    closed = questions.load().entries[0]
    assert closed.answer_evidence == ["answer"]
    assert "涼しかった" in closed.answer or "貴船神社に行きました" in closed.answer
    assert InnerStateStore(paths, clock).levels().curiosity == 0


class Companion:
    """What autonomy needs of a persona."""

    def __init__(self, paths: PersonaPaths, clock: HandClock, log: ConversationLog) -> None:
        self.settings = ON
        self.notes: list[str] = []
        self.asked: list[Occasion] = []
        self.questions = QuestionStore(paths, clock)
        self.goals = GoalStore(paths, clock)
        self.inner = InnerStateStore(paths, clock, questions=self.questions, goals=self.goals)
        self.impulse: Impulse = BuiltInMind().impulse
        self.autonomy = Autonomy(
            paths,
            log,
            clock,
            sheet=lambda: SHEET,
            settings=lambda: self.settings,
            inner_state=self.inner,
            questions=self.questions,
            goals=self.goals,
            impulse=self._impulse,
            note=self.notes.append,
        )

    def _impulse(self, occasion: Occasion) -> Deed | None:
        self.asked.append(occasion)
        return self.impulse(occasion)


@pytest.fixture
def companion(paths: PersonaPaths, clock: HandClock, log: ConversationLog) -> Companion:
    log.append("user", "花", "そろそろ寝るね。")
    one = Companion(paths, clock, log)
    one.inner.touch()
    one.questions.add(Question(topic="貴船神社", context="どうだったか", priority=0.8), author="dream", reason="")
    clock.move(hours=3)
    return one


def test_it_writes_first_with_its_reason_before_it(companion: Companion, log: ConversationLog) -> None:
    message = companion.autonomy.act()
    assert message is not None
    assert "貴船神社" in message.text
    record, said = log.tail(2)
    assert (record.role, record.speaker) == ("system", "autonomous")
    assert "好奇心" in record.text
    assert said == message
    assert companion.questions.open()[0].asked


def test_never_twice_without_an_answer_and_at_most_three_a_day(
    companion: Companion, log: ConversationLog, clock: HandClock
) -> None:
    for topic in ("伊豆の海", "庭のばら", "新しい自転車"):
        companion.questions.add(Question(topic=topic, priority=0.7), author="dream", reason="")
    clock.set(datetime(2026, 11, 22, 7, 30))
    written: list[Message] = []
    for _ in range(8):
        message = companion.autonomy.act()
        if message is not None:
            written.append(message)
            assert companion.autonomy.act() is None
            log.append("user", "花", "うん、あとでね。")
            companion.inner.touch()
        clock.move(hours=2)
    assert len(written) == 3
    assert len({message.text for message in written}) == 3  # nobody asks the same thing all day
    clock.set(datetime(2026, 11, 23, 9))
    assert companion.autonomy.act() is not None


def test_a_mind_that_would_rather_not_is_asked_again_hours_later(companion: Companion, clock: HandClock) -> None:
    companion.impulse = lambda _occasion: None
    for _ in range(30):  # the scheduler looks every minute
        assert companion.autonomy.act() is None
        clock.move(minutes=1)
    assert len(companion.asked) == 1
    clock.move(hours=2)
    companion.autonomy.act()
    assert len(companion.asked) == 2


def test_a_goal_is_moved_on_once_a_day(companion: Companion, log: ConversationLog, clock: HandClock) -> None:
    companion.questions.delete(companion.questions.open()[0].id, author="user", reason="")
    goal = Goal(goal="花さんの「日商簿記」を応援する", id="sh_1", priority=1, created_at="2026-11-20 03:00:00")
    companion.goals.change(lambda goals: goals.created("short_term", goal), author="dream", reason="")
    for _ in range(40):
        companion.autonomy.act()
        clock.move(minutes=1)
    assert [record.speaker for record in log.messages() if record.role == "system"] == ["autonomous"]
    assert len(companion.goals.load().short_term[0].progress_notes) == 1


def test_the_reason_stands_in_the_inner_state_too(companion: Companion) -> None:
    companion.autonomy.act()
    state = companion.inner.load()
    assert state.drives.boredom.level > 0
    assert "貴船神社" in state.motivation_log.narrative


@pytest.mark.parametrize(
    "settings",
    [
        SleepSettings(),
        SleepSettings(autonomous_actions=True, silence=True),
        SleepSettings(autonomous_actions=True, autonomous_actions_per_day=0),
        SleepSettings(autonomous_actions=True, quiet_start_hour=10, quiet_end_hour=20),
    ],
)
def test_it_keeps_quiet_when_told_to(companion: Companion, settings: SleepSettings) -> None:
    companion.settings = settings
    assert companion.autonomy.act() is None
    assert companion.asked == []


def test_below_every_threshold_nothing_moves_it(companion: Companion, clock: HandClock) -> None:
    companion.questions.delete(companion.questions.open()[0].id, author="user", reason="")
    assert companion.autonomy.act() is None
    clock.move(hours=20)
    message = companion.autonomy.act()
    assert message is not None
    assert "そろそろ寝るね" in message.text


def test_whoever_speaks_meanwhile_goes_first(companion: Companion, log: ConversationLog) -> None:
    def slow(occasion: Occasion) -> Deed | None:
        log.append("user", "花", "ただいま")
        return BuiltInMind().impulse(occasion)

    companion.impulse = slow
    assert companion.autonomy.act() is None
    assert log.tail(1)[0].text == "ただいま"


def test_a_thought_is_noted_and_not_said(companion: Companion, log: ConversationLog) -> None:
    companion.impulse = lambda _occasion: Deed("thought", "雪のことを考えた。", "model")
    assert companion.autonomy.act() is None
    assert companion.notes == ["雪のことを考えた。"]
    assert all(m.role != "persona" for m in log.tail(5))


def test_it_does_not_speak_into_what_is_said_off_the_record(
    paths: PersonaPaths, companion: Companion, log: ConversationLog, clock: HandClock
) -> None:
    aside: list[datetime] = [clock.now()]
    one = companion
    autonomy = Autonomy(
        paths,
        log,
        clock,
        sheet=lambda: SHEET,
        settings=lambda: ON,
        inner_state=one.inner,
        questions=one.questions,
        goals=one.goals,
        impulse=one._impulse,
        note=one.notes.append,
        aside=lambda: aside[-1],
    )
    assert autonomy.act() is None
    assert one.asked == []
    clock.move(minutes=40)

    def begun_meanwhile(occasion: Occasion) -> Deed | None:
        aside.append(clock.now())
        return BuiltInMind().impulse(occasion)

    one.impulse = begun_meanwhile
    assert autonomy.act() is None
    clock.move(minutes=40)
    one.impulse = BuiltInMind().impulse
    assert autonomy.act() is not None


def test_thinking_of_a_goal_does_not_move_it_and_ends_with_the_day(companion: Companion, clock: HandClock) -> None:
    companion.questions.delete(companion.questions.open()[0].id, author="user", reason="")
    made = "2026-11-01 03:00:00"
    goal = Goal(goal="花さんの「日商簿記」を応援する", id="sh_1", priority=1, created_at=made, updated_at=made)
    companion.goals.change(lambda goals: goals.created("short_term", goal), author="dream", reason="")
    before = companion.inner.levels().goal_achievement
    companion.autonomy.act()
    assert companion.inner.levels().goal_achievement < before
    for _ in range(20):  # days on which nobody talks
        clock.move(days=1)
        companion.autonomy.act()
    kept = companion.goals.load().short_term[0]
    assert kept.updated_at == made  # a goal that nothing moves is let go one day
    assert len(kept.progress_notes) == 1


def test_a_question_asked_in_vain_rests_longer_each_time(companion: Companion, clock: HandClock) -> None:
    [question] = companion.questions.open()
    rests = []
    for _ in range(3):
        companion.questions.mark_asked(question.id, author="ねむ")
        days = 0
        while not companion.questions.to_ask():
            clock.move(days=1)
            days += 1
        rests.append(days)
    assert rests == [3, 6, 12]
