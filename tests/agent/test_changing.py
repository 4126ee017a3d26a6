"""Any message can be changed, answered anew and branched off from, through the real graph on real files; any story of that."""

from pathlib import Path
from random import Random

import pytest

from agent.errors import EmptyMessageError, NothingToAnswerError
from agent.events import Failed, Received, Replied
from agent.sleeper import CompanionSleeper
from agent.turn import Turn
from managers.memory.errors import AlternativeNotFoundError, BranchNotFoundError, MessageNotFoundError
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.messages import GREETING, Role
from managers.mind import Cancel, TextPiece
from managers.sleep.autonomy import RECORD
from tests.agent.conftest import Scene, sure
from tests.fakes import HandClock
from tests.recall.looking import assert_sound, contents
from tests.speeds import one_quick


def found(scene: Scene, query: str) -> str:
    return "\n".join(hit.text for hit in scene.memories.recall.recall_memories(query))


def test_every_answer_that_was_given_in_a_place_can_be_shown_there_again(scene: Scene) -> None:
    _, answer = scene.talk("Name a flower", "Rose.")
    scene.mind.enqueue("Tulip.")
    events = scene.live(scene.companion.regenerate())
    assert [event.message.id for event in events if isinstance(event, Replied)] == [answer]
    there = scene.companion.alternatives(answer)
    assert (there.texts, there.current) == (("Rose.", "Tulip."), 1)
    assert scene.companion.choose(answer, 0).text == "Rose."
    assert scene.said == ["Name a flower", "Rose."]
    scene.companion.edit(answer, "A rose.")
    scene.companion.choose(answer, 1)
    assert scene.companion.alternatives(answer).texts == ("A rose.", "Tulip.")
    with pytest.raises(AlternativeNotFoundError):
        scene.companion.choose(answer, 2)
    with pytest.raises(MessageNotFoundError):
        scene.companion.alternatives("nothing")


def test_what_was_said_since_is_not_recalled_for_an_earlier_answer(scene: Scene) -> None:
    words = ["My sister Hanako lives in Sapporo", "I see.", "Where does my sister Hanako live?", "In Sapporo."]
    *_, answer = scene.talk(*words)
    scene.talk("My sister Hanako moved to Kyoto, did you know?", "No!")
    scene.companion.new_topic()
    scene.memories.recall.catch_up()
    scene.settings.conversation.window_turns = 1
    scene.mind.enqueue("Hm.")
    scene.live(scene.companion.regenerate(answer))
    assert "Kyoto" not in scene.asked.turns[-1].quoted


def test_what_was_recalled_belongs_to_each_answer(scene: Scene) -> None:
    scene.talk("My sister Hanako lives in Sapporo", "I see.")
    scene.companion.new_topic()
    scene.settings.recall.enable_auto_retrieval = False
    _, answer = scene.talk("Do you remember where my sister Hanako lives?", "No.")
    assert scene.companion.why(answer) is None
    scene.settings.recall.enable_auto_retrieval = True
    scene.memories.recall.catch_up()
    scene.mind.enqueue("In Sapporo.")
    scene.live(scene.companion.regenerate())
    why = sure(scene.companion.why(answer))
    assert any("Sapporo" in hit.text for hit in why.hits)
    again = sure(scene.memories.log.get(answer))
    assert scene.memories.recall_log.counts(5) == {again.variant: len(why.hits)}
    scene.companion.choose(answer, 0)
    assert scene.companion.why(answer) is None


def test_an_answer_that_fails_leaves_the_old_one_and_a_broken_one_is_marked(scene: Scene) -> None:
    _, answer = scene.talk("Count", "One, two.")
    scene.mind.enqueue([NothingToAnswerError()])
    assert isinstance(scene.live(scene.companion.regenerate())[-1], Failed)
    assert scene.companion.alternatives(answer).texts == ("One, two.",)
    scene.mind.enqueue([TextPiece("One, "), NothingToAnswerError()])
    scene.live(scene.companion.regenerate())
    assert [m.broken_off for m in scene.companion.alternatives(answer).messages] == [False, True]
    assert not scene.companion.choose(answer, 0).broken_off
    assert scene.companion.choose(answer, 1).broken_off
    scene.companion.edit(answer, "One, two, three.")
    assert not scene.memories.log.tail(1)[0].broken_off


def test_what_answers_nothing_cannot_be_answered_anew(scene: Scene) -> None:
    log = scene.memories.log
    with pytest.raises(NothingToAnswerError):
        scene.companion.regenerate()
    first = log.append("persona", "Nemu", "Hello there.")
    lost = log.append("user", "Aoi", "Lost?")
    last = log.append("user", "Aoi", "Hello")
    log.append("system", RECORD, "restless")
    deed = log.append("persona", "Nemu", "By the way ...")
    for message in (first, lost, deed):
        with pytest.raises(NothingToAnswerError):
            scene.companion.regenerate(message.id)
    with pytest.raises(MessageNotFoundError):
        scene.companion.regenerate("nothing")
    scene.mind.enqueue("Hello to you.")
    turn = scene.companion.regenerate()
    assert (turn.answers, turn.replaces) == (last.id, "")
    scene.live(turn)
    assert [m.text for m in log.tail(2, roles=frozenset[Role]({"persona"}))] == ["By the way ...", "Hello to you."]


def test_a_branch_sets_aside_what_came_after_and_loses_nothing(scene: Scene) -> None:
    _, answer, *_ = scene.talk("I have a cat", "How nice.", "Her name is Zebulon", "Zebulon!", "Yes", "Good.")
    scene.memories.recall.catch_up()
    assert "Zebulon" in found(scene, "Zebulon")
    left = sure(scene.companion.branch(answer))
    told = (left.id, left.first, left.last, left.count, left.after, left.set_aside)
    assert told == (FIRST, "Her name is Zebulon", "Good.", 4, answer, scene.clock.now())
    assert "Zebulon" not in found(scene, "Zebulon")  # before anything is indexed anew at leisure
    scene.talk("I sold her", "Oh.")
    assert [t.text for t in scene.asked.turns] == ["I have a cat", "How nice.", "I sold her"]
    assert scene.companion.branches() == [left]
    scene.companion.switch_branch(left.id)
    scene.companion.settle()
    assert scene.said[2:] == ["Her name is Zebulon", "Zebulon!", "Yes", "Good."]
    assert "Zebulon" in found(scene, "Zebulon")
    assert "sold" not in found(scene, "sold")
    (other,) = scene.companion.branches()
    assert (other.first, other.last, other.count, other.after) == ("I sold her", "Oh.", 2, answer)
    with pytest.raises(BranchNotFoundError):
        scene.companion.switch_branch("nowhere")


def test_what_stands_aside_cannot_be_changed(scene: Scene) -> None:
    first, _, second, answer = scene.talk("One", "A.", "Two", "B.")
    scene.companion.branch(first)
    for change in (
        lambda: scene.companion.edit(second, "x"), lambda: scene.companion.delete(answer),
        lambda: scene.companion.regenerate(answer), lambda: scene.companion.alternatives(answer),
        lambda: scene.companion.choose(answer, 0), lambda: scene.companion.branch(second)
    ):  # fmt: skip
        with pytest.raises(MessageNotFoundError):
            change()
    assert len(scene.companion.branches()) == 1


def test_a_reply_stands_where_its_message_does_though_another_process_goes_elsewhere(scene: Scene) -> None:
    _, answer = scene.talk("One", "A.")
    elsewhere = ConversationLog(scene.memories.paths, HandClock(scene.clock.now()), Random(7))

    def leave(_: object) -> TextPiece:
        elsewhere.branch(answer)
        elsewhere.append("user", "Aoi", "Meanwhile")
        return TextPiece("B.")

    scene.mind.enqueue([leave])
    scene.live(scene.companion.say("Two"))
    assert scene.said == ["One", "A.", "Meanwhile"]
    assert [(one.first, one.last, one.count) for one in scene.companion.branches()] == [("Two", "B.", 2)]


def test_a_form_sent_twice_is_said_once_and_words_off_the_record_are_forgotten(scene: Scene, tmp_path: Path) -> None:
    scene.mind.enqueue("Hello.", "Again.", "Hush.")
    poem = tmp_path / "poem.txt"
    poem.write_text("The moon is out.", "utf-8")
    with pytest.raises(EmptyMessageError):
        scene.companion.say(" ", nonce="n1")
    turn = scene.companion.say("Good morning", attachments=[poem], nonce="n1")
    poem.unlink()  # as the page does once the companion has its own copy
    assert scene.companion.say("Good morning", attachments=[poem], nonce="n1") is turn
    scene.live(turn)
    assert scene.companion.say("Good morning", nonce="n1") is turn
    scene.live(scene.companion.say("Good morning", nonce="n2"))
    assert scene.said == ["Good morning", "Hello.", "Good morning", "Again."]
    secret = scene.companion.say("My secret", off_record=True, nonce="n3")
    scene.live(secret)
    scene.companion.forget_off_record()
    again = scene.companion.say("My secret", off_record=True, nonce="n3")
    assert (again is secret, again.is_over, again.so_far, scene.companion.off_record) == (True, True, (), ())


def test_the_greeting_stays_when_it_is_answered_on_the_record(scene: Scene) -> None:
    path = scene.memories.paths.persona_json
    path.write_text(path.read_text("utf-8").replace('"greeting": ""', '"greeting": "Who are you?"'), "utf-8")
    scene.mind.enqueue("Hush.", "Hello Aoi.", "Good.")
    scene.live(scene.companion.say("My secret", off_record=True))
    assert not scene.memories.paths.log.exists()
    events = scene.live(scene.companion.say("I am Aoi"))
    (received,) = [event for event in events if isinstance(event, Received)]
    logged = scene.memories.log.tail(9)
    assert [(m.role, m.speaker, m.text, m.mind) for m in logged] == [
        ("persona", "Nemu", "Who are you?", GREETING),
        ("user", "Aoi", "I am Aoi", ""),
        ("persona", "Nemu", "Hello Aoi.", "scripted"),
    ]
    assert logged[0] == received.greeting
    assert [(t.role, t.text) for t in scene.asked.turns] == [("persona", "Who are you?"), ("user", "I am Aoi")]
    for message in logged:
        if scene.memories.log.get(message.id):
            scene.companion.delete(message.id)
    scene.companion.new_topic()
    scene.live(scene.companion.say("And now?"))
    assert scene.said == ["And now?", "Good."]  # once only


FELT = ("I am so sad about", "I am so happy about", "I am angry about")


class Story:
    """The model: each branch whole, as a list of ids, and the answers given in each place."""

    def __init__(self, scene: Scene, rng: Random) -> None:
        self.scene, self.rng = scene, rng
        self.companion, self.log = scene.companion, scene.memories.log
        self.branches: dict[str, list[str]] = {FIRST: []}
        self.current = FIRST
        self.texts: dict[str, list[str]] = {}
        self.chosen: dict[str, int] = {}
        self.users: set[str] = set()
        self.number = 0

    @property
    def here(self) -> list[str]:
        return self.branches[self.current]

    def words(self) -> str:
        self.number += 1
        return f"{self.rng.choice(FELT)} number{self.number}"

    def reads(self, one: str) -> str:
        return self.texts[one][self.chosen[one]]

    def takes(self, one: str, text: str) -> None:
        self.texts[one], self.chosen[one] = [text], 0
        self.here.append(one)

    def lives(self, turn: Turn | None, answer: str) -> None:
        assert turn is not None
        self.scene.live(turn)
        if not turn.replaces:
            self.takes(self.log.tail(1)[0].id, answer)
            return
        self.texts[turn.replaces].append(answer)
        self.chosen[turn.replaces] = len(self.texts[turn.replaces]) - 1

    def say(self) -> None:
        text, answer = self.words(), self.words()
        self.scene.mind.enqueue(answer)
        self.scene.live(self.companion.say(text))
        asked, answered = self.log.tail(2)
        self.users.add(asked.id)
        self.takes(asked.id, text)
        self.takes(answered.id, answer)
        before = [turn.text for turn in self.scene.mind.requests[-1].turns]
        assert before == [self.reads(one) for one in self.here[:-1]][-len(before) :]

    def edit(self) -> None:
        one, text = self.rng.choice(self.here), self.words()
        self.companion.edit(one, text)
        self.texts[one][self.chosen[one]] = text

    def edit_and_answer(self) -> None:
        one, text, answer = self.rng.choice(self.here), self.words(), self.words()
        self.scene.mind.enqueue(answer)
        try:
            turn = self.companion.edit(one, text, answer=one in self.users)
        except NothingToAnswerError:
            self.scene.mind._answers.pop()
            return
        self.texts[one][self.chosen[one]] = text
        if turn is None:
            self.scene.mind._answers.pop()
        else:
            self.lives(turn, answer)

    def delete(self) -> None:
        one = self.rng.choice(self.here)
        at = self.here.index(one)
        is_last = one in self.users and not self.users & {*self.here[at + 1 :]}
        gone = {*self.here[at:]} if is_last else {one}
        self.companion.delete(one)
        for branch in self.branches.values():
            branch[:] = [other for other in branch if other not in gone]

    def regenerate(self) -> None:
        one, answer = self.rng.choice(["", *self.here]), self.words()
        self.scene.mind.enqueue(answer)
        try:
            turn = self.companion.regenerate(one)
        except NothingToAnswerError:
            self.scene.mind._answers.pop()
            return
        self.lives(turn, answer)

    def choose(self) -> None:
        one = self.rng.choice(self.here)
        self.chosen[one] = self.rng.randrange(len(self.texts[one]))
        assert self.companion.choose(one, self.chosen[one]).text == self.reads(one)

    def branch(self) -> None:
        one = self.rng.choice(self.here)
        self.companion.branch(one)
        if self.here[-1] != one:
            begun = self.log.current_branch()
            self.branches[begun] = self.here[: self.here.index(one) + 1]
            self.current = begun

    def switch(self) -> None:
        known = [*self.branches]
        self.current = self.rng.choice(known)
        self.companion.switch_branch(self.current)

    def agrees(self) -> None:
        self.companion.settle()
        memories, told = self.scene.memories, [self.reads(one) for one in self.here]
        fresh = ConversationLog(memories.paths, HandClock(self.scene.clock.now()), Random(9))
        for log in (self.log, fresh):
            assert [message.text for message in log.tail(1000)] == told
            assert [message.text for message in log.messages()] == told
        for one in self.here:
            assert self.companion.alternatives(one).texts == tuple(self.texts[one])
        aside = {one for branch in self.branches.values() for one in branch} - {*self.here}
        assert {one for one in fresh.set_aside() if fresh.originals([one]) and one not in fresh.deleted()} == aside
        assert {text for path, _, text, _ in contents(memories.recall) if path.startswith("log")} == {*told}
        assert_sound(memories.recall)
        felt = {entry.message_id: entry.user_text_snippet for entry in memories.emotions.entries()}
        assert felt == {one: self.reads(one) if one in self.here else "" for one in felt}


@pytest.mark.parametrize(("seed", "steps"), one_quick([(0, 20), (1, 45), (2, 45), (34, 45)]))
def test_everything_that_reads_the_conversation_reads_the_same(scene: Scene, seed: int, steps: int) -> None:
    rng = Random(seed)
    story = Story(scene, rng)
    does = [story.edit, story.edit_and_answer, story.delete, story.choose, story.switch]
    does += [story.regenerate, story.branch] * 2
    for _ in range(steps):
        scene.clock.move(minutes=rng.choice((1, 1, 60 * 20)))
        rng.choice([story.say, story.say, *does] if story.here else [story.say, story.switch])()
        if rng.random() < 0.3:
            story.agrees()
    story.agrees()
    scene.clock.move(days=1)
    sleeper = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    for _ in range(2):
        sleeper.dream(Cancel())
        story.switch()
        scene.clock.move(days=1)
        sleeper.dream(Cancel())
        episodes = scene.memories.episodes
        dreamt = {one for day in episodes.days() if (episode := episodes.get(day)) for one in episode.evidence}
        dreamt |= {one for entity in scene.memories.entities.all() for one in entity.evidence}
        assert dreamt <= {*story.here}
        days = {message.time.date() for message in scene.memories.log.messages()}
        assert {*episodes.days()} == days
