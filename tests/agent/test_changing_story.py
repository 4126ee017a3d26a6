"""Any story of saying, changing, answering anew and branching: what the mind, the searches, the feelings and the dreams
have before them is what a few lists would tell."""

from random import Random

import pytest

from agent.errors import NothingToAnswerError
from agent.sleeper import CompanionSleeper
from agent.turn import Turn
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.mind import Cancel
from tests.agent.conftest import Scene
from tests.fakes import HandClock
from tests.recall.looking import assert_sound, contents
from tests.speeds import one_quick

STEPS = 45
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


@pytest.mark.parametrize("seed", one_quick([0, 1, 2, 34]))
def test_everything_that_reads_the_conversation_reads_the_same(scene: Scene, seed: int) -> None:
    rng = Random(seed)
    story = Story(scene, rng)
    does = [story.edit, story.edit_and_answer, story.delete, story.choose, story.switch]
    does += [story.regenerate, story.branch] * 2
    for _ in range(STEPS):
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
