"""Any message can be changed, answered anew and branched off from, through the real graph on real files."""

from pathlib import Path
from random import Random

import pytest

from agent.errors import EmptyMessageError, NothingToAnswerError
from agent.events import Failed, Received, Replied
from managers.memory.errors import AlternativeNotFoundError, BranchNotFoundError, MessageNotFoundError
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.messages import GREETING, Role
from managers.mind import TextPiece
from managers.sleep.autonomy import RECORD
from tests.agent.conftest import Scene, sure
from tests.fakes import HandClock


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
        lambda: scene.companion.edit(second, "x"),
        lambda: scene.companion.delete(answer),
        lambda: scene.companion.regenerate(answer),
        lambda: scene.companion.alternatives(answer),
        lambda: scene.companion.choose(answer, 0),
        lambda: scene.companion.branch(second),
    ):
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
