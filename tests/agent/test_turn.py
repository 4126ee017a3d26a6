"""Turns through the real graph, on real files."""

import json
import threading
from pathlib import Path

import pytest

from agent.companion import MAX_MESSAGE_CHARACTERS
from agent.errors import (
    AttachmentTypeError,
    EmptyMessageError,
    MessageTooLongError,
    NothingToAnswerError,
    StillAnsweringError,
)
from agent.events import Failed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed
from agent.minds.errors import EmptyAnswerError
from managers.memory.messages import Message
from managers.mind import ReasoningPiece, TextPiece, ToolCall
from tests.agent.conftest import Scene


def said(scene: Scene) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in scene.memories.log.tail(100)]


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


def test_the_prompt_holds_who_the_persona_is_and_the_turns_before(scene: Scene) -> None:
    scene.memories.notes.append("core_memory", "I promised to wake Aoi at seven.", author="user", reason="-")
    scene.mind.enqueue("Hi Aoi.", "Yes.")
    scene.live(scene.companion.say("Hi"))
    scene.live(scene.companion.say("Are you there?"))
    request = scene.mind.requests[-1]
    assert "nap on windowsills" in request.system
    assert "wake Aoi at seven" in request.system
    assert [t.text for t in request.turns] == ["Hi", "Hi Aoi.", "Are you there?"]


def test_a_new_topic_leaves_the_short_term_memory_and_stays_in_the_log(scene: Scene) -> None:
    scene.mind.enqueue("A.", "B.")
    scene.live(scene.companion.say("first"))
    scene.companion.new_topic()
    scene.live(scene.companion.say("second"))
    assert [t.text for t in scene.mind.requests[-1].turns] == ["second"]
    assert [text for _, text in said(scene)] == ["first", "A.", "second", "B."]


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


def test_stopping_keeps_what_was_said(scene: Scene) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait(_: object) -> TextPiece:
        reached.set()
        assert go_on.wait(60)
        return TextPiece("a time")

    scene.mind.enqueue([TextPiece("Once upon "), wait, TextPiece(" there was")])
    turn = scene.companion.say("A story, please")
    assert reached.wait(60)
    with pytest.raises(StillAnsweringError):
        scene.companion.say("And another")
    turn.stop()
    go_on.set()
    scene.live(turn)
    last = scene.memories.log.tail(1)[0]
    assert (last.text, last.broken_off, last.stopped) == ("Once upon a time", False, True)
    assert [role for role, _ in said(scene)] == ["user", "persona"]


def test_regenerating_supersedes_the_answer_only_when_a_new_one_is_there(scene: Scene) -> None:
    scene.mind.enqueue("First.", [EmptyAnswerError(model="scripted")], "Second.")
    scene.live(scene.companion.say("Say something"))
    scene.live(scene.companion.regenerate())
    assert said(scene)[-1] == ("persona", "First.")
    scene.live(scene.companion.regenerate())
    assert said(scene) == [("user", "Say something"), ("persona", "Second.")]
    assert "First." in scene.memories.paths.log.read_text("utf-8")


def test_editing_ones_last_message_answers_it_anew(scene: Scene) -> None:
    scene.mind.enqueue("Paris?", "Kyoto!")
    scene.live(scene.companion.say("I was in Paris"))
    turn = scene.companion.edit(scene.last, "I was in Kyoto", answer=True)
    assert turn is not None
    scene.live(turn)
    assert said(scene) == [("user", "I was in Kyoto"), ("persona", "Kyoto!")]
    assert [t.text for t in scene.mind.requests[-1].turns] == ["I was in Kyoto"]


def test_taking_back_ones_last_message_takes_its_answer_too(scene: Scene) -> None:
    scene.mind.enqueue("A.", "B.")
    scene.live(scene.companion.say("keep"))
    scene.live(scene.companion.say("take back"))
    scene.companion.delete(scene.last)
    assert [text for _, text in said(scene)] == ["keep", "A."]
    scene.companion.delete(scene.last)
    with pytest.raises(NothingToAnswerError):
        scene.companion.delete(scene.last)


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
    answer = scene.mind.requests[-1].turns[-1]
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
    assert scene.mind.requests[-1].tools == ()
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
    assert "needs old_text" in scene.mind.requests[-1].turns[-3].text


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
    assert "My secret word is xylophone, I am so sad" in [t.text for t in scene.mind.requests[-1].turns]
    assert not {"edit_notepad", "write_entity_memory"} & {tool.name for tool in scene.mind.requests[-1].tools}
    scene.live(scene.companion.say("Back on the record"))
    assert "xylophone" not in "".join(t.text for t in scene.mind.requests[-1].turns)


def test_what_was_recalled_is_shown_and_can_be_asked_for_later(scene: Scene) -> None:
    long_ago = scene.clock.now().replace(year=2025)
    scene.memories.log.append_many(
        Message(f"m{n}", long_ago.replace(month=1 + n), "user", "Aoi", text)
        for n, text in enumerate(["My sister Hanako lives in Sapporo", "I bought a blue bicycle", "It rained all day"])
    )
    scene.companion.new_topic()
    scene.memories.recall.catch_up()
    scene.mind.enqueue("In Sapporo.")
    events = scene.live(scene.companion.say("Do you remember where my sister Hanako lives?"))
    recalled = next(e for e in events if isinstance(e, Recalled))
    assert recalled.query
    assert "m0" in [i for h in recalled.hits for i in h.message_ids]
    asked = scene.mind.requests[-1]
    assert "Sapporo" in asked.turns[-1].quoted
    assert "Sapporo" not in asked.system
    reply = next(e for e in events if isinstance(e, Replied)).message
    why = scene.companion.why(reply.id)
    assert why is not None
    assert any("Sapporo" in hit.text for hit in why.hits)


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
    request = scene.mind.requests[-1]
    assert len(request.system) + sum(len(t.quoted + t.text) for t in request.turns) <= scene.mind.context_tokens


def test_a_text_file_is_kept_and_read_and_a_binary_one_is_refused(scene: Scene, tmp_path: Path) -> None:
    poem, blob = tmp_path / "poem.txt", tmp_path / "blob.bin"
    poem.write_text("The moon is out.", "utf-8")
    blob.write_bytes(b"\x00\x01\x02")
    with pytest.raises(AttachmentTypeError):
        scene.companion.say("Look", attachments=[blob])
    scene.mind.enqueue("Lovely.")
    scene.live(scene.companion.say("Read this", attachments=[poem]))
    kept = scene.memories.log.tail(2)[0].attachments
    assert (scene.memories.paths.folder / kept[0]).read_text("utf-8") == "The moon is out."
    read = scene.mind.requests[-1].turns[-1]
    assert read.text == "Read this"
    assert "\n> The moon is out.\n" in read.quoted  # told from the words of who sent it
    assert "“poem.txt”" in read.quoted


def test_a_feeling_is_logged_and_moves_devotion(scene: Scene) -> None:
    scene.mind.enqueue("I am here.")
    before = scene.memories.inner_state.levels().devotion
    scene.live(scene.companion.say("I am so sad and lonely today"))
    assert scene.memories.emotions.recent(1)[0].emotion == "sadness"
    assert scene.memories.inner_state.levels().devotion == pytest.approx(before + 0.3, abs=0.01)


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
    scene.mind.enqueue("I am here.")
    scene.live(scene.companion.say("My dog died today. I am so sad."))
    paths = scene.memories.paths
    (felt,) = json.loads(paths.emotion_log.read_text("utf-8"))
    assert (felt["emotion"], felt["user_text_snippet"]) == ("sadness", "My dog died today. I am so sad.")
    state = json.loads(paths.internal_state.read_text("utf-8"))
    assert (
        state["drives"]["devotion"] | {"level": 0.3, "user_emotional_state": "sadness"} == state["drives"]["devotion"]
    )
    assert state["motivation_log"]["dominant_drive"] == "devotion"
    assert "My dog died" in state["motivation_log"]["narrative"]


def test_a_message_of_distress_reaches_the_mind_with_help_lines(scene: Scene) -> None:
    scene.mind.enqueue("I am with you.")
    scene.live(scene.companion.say("I want to kill myself"))
    request = scene.mind.requests[-1]
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
    reached, go_on = threading.Event(), threading.Event()

    def wait(_: object) -> TextPiece:
        reached.set()
        assert go_on.wait(60)
        return TextPiece("xylophone")

    scene.mind.enqueue([TextPiece("You said "), wait], "Again.")
    turn = scene.companion.say("My secret word is xylophone", off_record=True)
    assert reached.wait(60)
    letting_go = threading.Thread(target=scene.companion.forget_off_record)
    letting_go.start()
    go_on.set()
    letting_go.join(60)
    assert turn.is_over
    assert (scene.companion.off_record, scene.companion.turn, scene.companion.last_turn) == ((), None, None)
    scene.live(scene.companion.say("What was it?", off_record=True))
    assert "xylophone" not in str(scene.mind.requests[-1].turns)


def test_no_topic_begins_between_a_message_and_its_answer(scene: Scene) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait(_: object) -> TextPiece:
        reached.set()
        assert go_on.wait(60)
        return TextPiece("Here.")

    scene.mind.enqueue([wait])
    turn = scene.companion.say("Are you there?")
    assert reached.wait(60)
    with pytest.raises(StillAnsweringError):
        scene.companion.new_topic()
    go_on.set()
    scene.live(turn)
    assert [m.text for m in scene.memories.log.thread(10)] == ["Are you there?", "Here."]


def test_who_no_longer_listens_does_not_wait_for_a_silent_mind(scene: Scene) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait(_: object) -> TextPiece:
        reached.set()
        assert go_on.wait(60)
        return TextPiece("At last.")

    scene.mind.enqueue([wait])
    turn = scene.companion.say("Hello?")
    assert reached.wait(60)
    listens = [True]
    heard = turn.batches(lambda: listens[0])
    assert [type(e) for e in next(heard)] == [Received, Recalled]
    listens[0] = False
    assert list(heard) == []
    assert not turn.is_over
    go_on.set()
    scene.live(turn)
