"""Turns through the real graph, on real files."""

import json
import threading
from random import Random

import pytest

from agent.companion import MAX_MESSAGE_CHARACTERS
from agent.errors import (
    EmptyMessageError,
    MessageTooLongError,
    StillAnsweringError,
)
from agent.events import Failed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed
from agent.minds.errors import EmptyAnswerError
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.messages import Message
from managers.mind import ReasoningPiece, TextPiece, ToolCall
from tests.agent.conftest import Scene, Waits
from tests.fakes import HandClock


def said(scene: Scene) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in scene.memories.log.tail(100)]


def test_the_prompt_holds_who_the_persona_is_and_the_turns_before_until_a_topic_begins(scene: Scene) -> None:
    scene.memories.notes.append("core_memory", "I promised to wake Aoi at seven.", author="user", reason="-")
    scene.talk("Hi", "Hi Aoi.", "Are you there?", "Yes.")
    assert "nap on windowsills" in scene.asked.system
    assert "wake Aoi at seven" in scene.asked.system
    assert [t.text for t in scene.asked.turns] == ["Hi", "Hi Aoi.", "Are you there?"]
    scene.companion.new_topic()
    scene.talk("Now", "Then.")
    assert [t.text for t in scene.asked.turns] == ["Now"]
    assert scene.said == ["Hi", "Hi Aoi.", "Are you there?", "Yes.", "Now", "Then."]


def test_a_message_is_on_disk_before_the_mind_is_asked(scene: Scene) -> None:
    seen: list[str] = []

    def look(_: object) -> TextPiece:
        seen.append(scene.memories.paths.log.read_text("utf-8"))
        return TextPiece("Hello.")

    scene.mind.enqueue([look])
    events = scene.live(scene.companion.say("Good morning"))
    assert "Good morning" in seen[0]
    assert isinstance(events[0], Received)
    assert said(scene) == [("user", "Good morning"), ("persona", "Hello.")]


def test_a_reply_comes_in_pieces_and_its_reasoning_is_not_kept(scene: Scene) -> None:
    scene.mind.enqueue([ReasoningPiece("secret thoughts"), TextPiece("One, "), TextPiece("two.")])
    events = scene.live(scene.companion.say("Count"))
    assert [e.text for e in events if isinstance(e, Speaking)] == ["One, ", "two."]
    assert [e.text for e in events if isinstance(e, Thinking)] == ["secret thoughts"]
    assert "secret thoughts" not in "".join(
        path.read_text("utf-8", "replace") for path in scene.memories.paths.folder.rglob("*") if path.is_file()
    )
    replied = [e for e in events if isinstance(e, Replied)]
    assert replied[0].message.text == "One, two."
    assert replied[0].message.mind == "scripted"


def test_a_failure_after_some_words_keeps_them_marked(scene: Scene) -> None:
    scene.mind.enqueue([TextPiece("I was just"), EmptyAnswerError(model="scripted")])
    events = scene.live(scene.companion.say("Tell me"))
    assert [type(e) for e in events[-2:]] == [Replied, Failed]
    assert scene.memories.log.tail(1)[0].broken_off


def test_a_failure_before_any_word_leaves_the_message_and_can_be_tried_again(scene: Scene) -> None:
    scene.mind.enqueue([EmptyAnswerError(model="scripted")], "There.")
    events = scene.live(scene.companion.say("Hello?"))
    assert isinstance(events[-1], Failed)
    assert said(scene) == [("user", "Hello?")]
    scene.live(scene.companion.regenerate())
    assert said(scene) == [("user", "Hello?"), ("persona", "There.")]


def test_a_tool_is_used_announced_and_its_result_never_logged(scene: Scene) -> None:
    long_ago = scene.clock.now().replace(year=2025)
    scene.memories.log.append_many(
        Message(f"old{n}", long_ago, "user", "Aoi", "It was foggy at the harbour" if n == 0 else f"Something else {n}")
        for n in range(60)
    )
    scene.mind.enqueue(
        [TextPiece("Let me think. "), ToolCall("c1", "search_past_conversations", {"query": "foggy"})],
        "Your cat is Momo.",
    )
    events = scene.live(scene.companion.say("What is my pet called"))
    answer = scene.asked.turns[-1]
    assert answer.role == "tool"
    assert "It was foggy" in answer.text
    announced = [e.announcement for e in events if isinstance(e, ToolUsed)]
    assert [m.text for m in announced] == ["🛠️ Searched past conversations"]
    log = scene.memories.paths.log.read_text("utf-8")
    assert "🛠️" in log
    assert "It was foggy" not in log
    assert said(scene)[-1] == ("persona", "Let me think. Your cat is Momo.")


def test_keeping_a_note_writes_the_notepad_with_its_evidence(scene: Scene) -> None:
    scene.mind.enqueue([ToolCall("c1", "edit_notepad", {"operation": "append", "text": "Dentist on Friday"})], "Noted.")
    scene.live(scene.companion.say("Remember that I see the dentist on Friday"))
    assert "Dentist on Friday" in scene.memories.notes.read("notepad").text
    entry = scene.memories.history.entries(1)[0]
    message = scene.memories.log.tail(3)[0]
    assert entry.author == "Nemu"
    assert message.id in entry.evidence


def test_a_mind_that_never_stops_calling_tools_is_made_to_answer(scene: Scene) -> None:
    for number in range(20):
        scene.mind.enqueue([ToolCall(f"c{number}", "list_entity_memories", {})])
    events = scene.live(scene.companion.say("Loop"))
    assert len(scene.mind.requests) <= 7
    assert scene.asked.tools == ()
    (failed,) = [e for e in events if isinstance(e, Failed)]  # never silence
    assert isinstance(failed.error, EmptyAnswerError)


def test_an_edit_that_changed_nothing_is_not_announced_as_one(scene: Scene) -> None:
    scene.memories.notes.append("core_memory", "Aoi likes tea.", author="user", reason="-")
    halves: list[dict[str, str]] = [
        {"operation": "replace", "text": "HA"},
        {"operation": "delete"},
        {"operation": "replace", "old_text": "tea", "text": "tea"},
    ]
    scene.mind.enqueue([ToolCall(f"c{n}", "edit_core_memory", call) for n, call in enumerate(halves)], "Hm.")
    events = scene.live(scene.companion.say("Well?"))
    assert not [e for e in events if isinstance(e, ToolUsed)]
    assert [m.role for m in scene.memories.log.tail(5)] == ["user", "persona"]
    assert "needs old_text" in scene.asked.turns[-3].text


def test_words_before_and_after_a_tool_do_not_run_into_each_other(scene: Scene) -> None:
    call = ToolCall("c1", "list_entity_memories", {})
    scene.mind.enqueue([TextPiece("Let me look."), call], "Nobody yet.")
    events = scene.live(scene.companion.say("Whom do you know?"))
    shown = "".join(e.text for e in events if isinstance(e, Speaking))
    assert shown == said(scene)[-1][1] == "Let me look.\n\nNobody yet."


def test_who_has_said_all_before_a_tool_need_not_speak_again(scene: Scene) -> None:
    call = ToolCall("c1", "edit_notepad", {"text": "buy milk"})
    scene.mind.enqueue([TextPiece("Noted!"), call], [EmptyAnswerError(model="scripted")])
    events = scene.live(scene.companion.say("Remember the milk"))
    assert isinstance(events[-1], Replied)
    assert not events[-1].message.broken_off
    assert said(scene)[-1] == ("persona", "Noted!")


def test_off_the_record_nothing_is_written_anywhere(scene: Scene) -> None:
    scene.mind.enqueue("Hello.", "I will keep it to myself.", "You told me a secret.", "On again.")
    scene.live(scene.companion.say("Hi"))
    before = {p: p.read_bytes() for p in scene.memories.paths.folder.rglob("*") if p.is_file()}
    scene.live(scene.companion.say("My secret word is xylophone, I am so sad", off_record=True))
    scene.live(scene.companion.say("What did I tell you?", off_record=True))
    after = {p: p.read_bytes() for p in scene.memories.paths.folder.rglob("*") if p.is_file()}
    assert after == before
    assert "My secret word is xylophone, I am so sad" in [t.text for t in scene.asked.turns]
    assert not {"edit_notepad", "write_entity_memory"} & {tool.name for tool in scene.asked.tools}
    scene.live(scene.companion.say("Back on the record"))
    assert "xylophone" not in "".join(t.text for t in scene.asked.turns)


def test_nothing_that_cannot_be_said_is_written(scene: Scene) -> None:
    for text in ("", "  \n\t"):
        with pytest.raises(EmptyMessageError):
            scene.companion.say(text)
    with pytest.raises(MessageTooLongError):
        scene.companion.say("a" * (MAX_MESSAGE_CHARACTERS + 1))
    assert said(scene) == []


def test_a_megabyte_is_kept_whole_and_the_mind_reads_what_fits(scene: Scene) -> None:
    book = "## USER:someone\nAll work and no play. <script>alert(1)</script> \u202e\x00\x07\r\n" * 14_000
    scene.mind.enqueue("That was long.")
    scene.live(scene.companion.say(book))
    assert said(scene)[0] == ("user", book)
    request = scene.asked
    assert len(request.system) + sum(len(t.quoted + t.text) for t in request.turns) <= scene.mind.context_tokens


@pytest.mark.parametrize(
    "text", ["母が死にました。", "I can't go on living like this.", "My husband hits me every night."]
)
def test_what_weighs_is_logged_as_no_neutral_word_and_stays_the_days_feeling(scene: Scene, text: str) -> None:
    scene.mind.enqueue("I am here.", "Good.")
    scene.live(scene.companion.say(text))
    assert scene.memories.emotions.recent(1)[0].emotion in {"sadness", "fear"}
    scene.clock.move(minutes=5)
    scene.live(scene.companion.say("Thank you, that was nice. I am happy now."))
    felt = scene.memories.inner_state.felt()
    assert felt is not None
    assert (felt.words, felt.name) == (text, "grief" if "母" in text else "distress")


def test_after_a_turn_the_files_say_what_it_changed(scene: Scene) -> None:
    scene.talk("My dog died today. I am so sad.", "I am here.")
    paths = scene.memories.paths
    (felt,) = json.loads(paths.emotion_log.read_text("utf-8"))
    assert (felt["emotion"], felt["user_text_snippet"]) == ("sadness", "My dog died today. I am so sad.")
    state = json.loads(paths.internal_state.read_text("utf-8"))
    devotion = state["drives"]["devotion"]
    assert devotion | {"level": 0.3, "user_emotional_state": "sadness"} == devotion
    assert state["motivation_log"]["dominant_drive"] == "devotion"
    assert "My dog died" in state["motivation_log"]["narrative"]


def test_a_message_of_distress_reaches_the_mind_with_help_lines(scene: Scene) -> None:
    scene.mind.enqueue("I am with you.")
    scene.live(scene.companion.say("I want to kill myself"))
    request = scene.asked
    assert request.concern is not None
    assert request.concern.kind == "self_harm"
    assert request.concern.help_lines
    assert all(line in request.turns[-1].quoted for line in request.concern.help_lines)


def test_what_fails_after_a_turn_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*, again: bool) -> None:
        raise ZeroDivisionError(f"the index fell over ({again})")

    monkeypatch.setattr(scene.memories.recall, "catch_up", break_down)
    scene.mind.enqueue("Yes.")
    scene.live(scene.companion.say("Are you well?"))
    assert any("the index fell over" in notice.en for notice in scene.memories.gather_notices())
    assert said(scene)[-1] == ("persona", "Yes.")


def test_letting_go_of_what_is_said_off_the_record_ends_the_answer_to_it(scene: Scene) -> None:
    waits = Waits("xylophone")
    scene.mind.enqueue([TextPiece("You said "), waits], "Again.")
    turn = scene.companion.say("My secret word is xylophone", off_record=True)
    waits.reached.wait()
    letting_go = threading.Thread(target=scene.companion.forget_off_record)
    letting_go.start()
    waits.go_on.set()
    letting_go.join()
    assert turn.is_over
    assert (scene.companion.off_record, scene.companion.turn, scene.companion.last_turn) == ((), None, None)
    scene.live(scene.companion.say("What was it?", off_record=True))
    assert "xylophone" not in str(scene.asked.turns)


@pytest.mark.parametrize("by_person", [True, False])
def test_while_a_reply_comes_nothing_can_be_said_changed_or_begun_and_what_came_until_it_was_stopped_stays(
    scene: Scene, *, by_person: bool
) -> None:
    first, earlier = scene.talk("One", "A.")
    waits = Waits("a time")
    scene.mind.enqueue([TextPiece("Once upon "), waits, TextPiece(" there was")])
    turn = scene.companion.say("A story, please")
    waits.reached.wait()
    for change in (
        lambda: scene.companion.say("And another"),
        scene.companion.new_topic,
        lambda: scene.companion.edit(first, "x"),
        lambda: scene.companion.delete(first),
        lambda: scene.companion.regenerate(earlier),
        lambda: scene.companion.choose(earlier, 0),
        lambda: scene.companion.branch(first),
        lambda: scene.companion.switch_branch(FIRST),
    ):
        with pytest.raises(StillAnsweringError):
            change()
    turn.stop() if by_person else turn.break_off()
    waits.go_on.set()
    scene.live(turn)
    assert scene.said == ["One", "A.", "A story, please", "Once upon a time"]
    last = ConversationLog(scene.memories.paths, HandClock(), Random(1)).tail(1)[0]
    assert (last.stopped, last.broken_off) == (by_person, not by_person)


def test_who_no_longer_listens_does_not_wait_for_a_silent_mind(scene: Scene) -> None:
    waits = Waits("At last.")
    scene.mind.enqueue([waits])
    turn = scene.companion.say("Hello?")
    waits.reached.wait()
    listens = [True]
    told = turn.batches(lambda: listens[0])
    assert [type(e) for e in next(told)] == [Received, Recalled]
    listens[0] = False
    assert list(told) == []
    assert not turn.is_over
    waits.go_on.set()
    scene.live(turn)
