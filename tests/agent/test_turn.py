"""Turns through the real graph, on real files."""

import json
import threading
from pathlib import Path
from random import Random

import pytest

from agent.answer_sources import why
from agent.companion import MAX_MESSAGE_CHARACTERS
from agent.errors import EmptyMessageError, MessageTooLongError, StillAnsweringError
from agent.events import Failed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed
from agent.minds.builtin import BuiltInMind
from agent.minds.errors import EmptyAnswerError
from agent.sleeper import CompanionSleeper
from managers.memory.entities import Fact
from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.messages import Message
from managers.mind import Cancel, ReasoningPiece, ReplyPiece, TakenBack, TextPiece, ToolCall
from managers.storage.paths import Home
from tests.agent.conftest import Scene, Waits, sure
from tests.fakes import HandClock
from ui.rooms.talk.view import live_of


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


def test_a_message_is_on_disk_before_the_mind_is_asked_and_of_the_answer_its_words_are_kept(scene: Scene) -> None:
    seen: list[str] = []

    def look(_: object) -> TextPiece:
        seen.append(scene.memories.paths.log.read_text("utf-8"))
        return TextPiece("One, ")

    scene.mind.enqueue([ReasoningPiece("secret thoughts"), look, TextPiece("two.")])
    events = scene.live(scene.companion.say("Count"))
    assert "Count" in seen[0]
    assert isinstance(events[0], Received)
    assert [e.text for e in events if isinstance(e, Speaking)] == ["One, ", "two."]
    assert [e.text for e in events if isinstance(e, Thinking)] == ["secret thoughts"]
    assert holding(scene.memories.paths.folder, "secret thoughts") == set()
    (replied,) = [e.message for e in events if isinstance(e, Replied)]
    assert (replied.text, replied.mind) == ("One, two.", "scripted")
    assert said(scene) == [("user", "Count"), ("persona", "One, two.")]


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


def test_a_mind_that_never_stops_calling_tools_is_made_to_answer(scene: Scene) -> None:
    for number in range(20):
        scene.mind.enqueue([ToolCall(f"c{number}", "list_entity_memories", {})])
    events = scene.live(scene.companion.say("Loop"))
    assert len(scene.mind.requests) <= 7
    assert scene.asked.tools == ()
    (failed,) = [e for e in events if isinstance(e, Failed)]  # never silence
    assert isinstance(failed.error, EmptyAnswerError)


def test_words_before_and_after_a_tool_do_not_run_into_each_other(scene: Scene) -> None:
    call = ToolCall("c1", "list_entity_memories", {})
    scene.mind.enqueue([TextPiece("Let me look."), call], "Nobody yet.")
    events = scene.live(scene.companion.say("Whom do you know?"))
    shown = "".join(e.text for e in events if isinstance(e, Speaking))
    assert shown == said(scene)[-1][1] == "Let me look.\n\nNobody yet."


def test_what_is_taken_back_is_neither_shown_nor_kept(scene: Scene) -> None:
    call = ToolCall("c1", "list_entity_memories", {})
    scene.mind.enqueue([TextPiece("Let me look."), call], [TextPiece("<tool"), TakenBack(), TextPiece("Nobody yet.")])
    turn = scene.companion.say("Whom do you know?")
    scene.live(turn)
    assert said(scene)[-1][1] == "Let me look.\n\nNobody yet."
    assert live_of(turn).speaking.strip() == "Nobody yet."


def test_who_has_said_all_before_a_tool_need_not_speak_again(scene: Scene) -> None:
    call = ToolCall("c1", "edit_notepad", {"text": "buy milk"})
    scene.mind.enqueue([TextPiece("Noted!"), call], [EmptyAnswerError(model="scripted")])
    events = scene.live(scene.companion.say("Remember the milk"))
    assert isinstance(events[-1], Replied)
    assert not events[-1].message.broken_off
    assert said(scene)[-1] == ("persona", "Noted!")
    assert "buy milk" in scene.memories.notes.read("notepad").text
    entry = scene.memories.history.entries(1)[0]
    assert (entry.author, entry.evidence) == ("Nemu", (scene.last,))


def test_nothing_that_cannot_be_said_is_written(scene: Scene) -> None:
    for text in ("", "  \n\t"):
        with pytest.raises(EmptyMessageError):
            scene.companion.say(text)
    with pytest.raises(MessageTooLongError):
        scene.companion.say("a" * (MAX_MESSAGE_CHARACTERS + 1))
    assert said(scene) == []


@pytest.mark.parametrize(
    "text", ["母が死にました。", "I can't go on living like this.", "My husband hits me every night."]
)
def test_what_weighs_is_logged_as_no_neutral_word_and_stays_the_days_feeling(scene: Scene, text: str) -> None:
    scene.mind.enqueue("I am here.", "Good.")
    scene.live(scene.companion.say(text))
    assert scene.memories.emotions.recent(1)[0].emotion in {"sadness", "fear"}
    scene.clock.move(minutes=5)
    scene.live(scene.companion.say("Thank you, that was nice. I am happy now."))
    assert (felt := scene.memories.inner_state.felt()) is not None
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
def test_during_a_reply_nothing_else_is_done_and_what_came_before_stays(scene: Scene, *, by_person: bool) -> None:
    first, earlier = scene.talk("One", "A.")
    waits = Waits("a time")
    scene.mind.enqueue([TextPiece("Once upon "), waits, TextPiece(" there was")])
    turn = scene.companion.say("A story, please")
    waits.reached.wait()
    for change in (
        lambda: scene.companion.say("And another"), scene.companion.new_topic,
        lambda: scene.companion.edit(first, "x"), lambda: scene.companion.delete(first),
        lambda: scene.companion.regenerate(earlier), lambda: scene.companion.choose(earlier, 0),
        lambda: scene.companion.branch(first), lambda: scene.companion.switch_branch(FIRST)
    ):  # fmt: skip
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


def call(tool: str, /, **arguments: object) -> list[ReplyPiece]:
    return [ToolCall("c1", tool, arguments)]


def answers(scene: Scene) -> str:
    return "\n".join(turn.text for turn in scene.asked.turns if turn.role == "tool")


def use(scene: Scene, text: str, *pieces: list[ReplyPiece]) -> tuple[list[str], str]:
    """Say something to a mind that uses tools and then answers; return what was announced, and the answer's id."""
    scene.mind.enqueue(*pieces, [TextPiece("Done.")])
    events = scene.live(scene.companion.say(text))
    announced = [event.announcement.text for event in events if isinstance(event, ToolUsed)]
    return announced, next(event.message.id for event in events if isinstance(event, Replied))


def test_a_wrong_call_is_answered_with_what_to_mend_and_not_announced(scene: Scene) -> None:
    scene.memories.paths.notepad.unlink(missing_ok=True)
    scene.memories.paths.notepad.mkdir()  # no note can be written there
    scene.memories.notes.append("core_memory", "Aoi likes tea.", author="user", reason="-")
    for pieces, names in (
        (call("rm -rf"), ("recall_memories",)),
        (call("write_entity_memory", name=7), ("write_entity_memory", "call it again")),
        (call("edit_notepad"), ()),
        (call("edit_core_memory", operation="delete"), ("needs old_text",)),
        (call("edit_core_memory", operation="replace", old_text="tea", text="tea"), ()),
        (call("edit_notepad", text="Buy milk."), ("notepad.txt",)),
    ):
        announced, _ = use(scene, "Well?", pieces)
        assert announced == []
        assert [one for one in names if one not in answers(scene)] == []
    announced, _ = use(scene, "Aoi naps.", call("write_entity_memory", name="Aoi", content="Naps.", reason="noon"))
    assert len(announced) == 1, "what a call says beyond the arguments is left aside"


def test_a_fact_is_replaced_found_again_contradicted_or_ended_and_a_deletion_is_announced_as_one(scene: Scene) -> None:
    def note(**arguments: str) -> list[str]:
        announced, _ = use(scene, "Nora.", call("write_entity_memory", name="Nora", **arguments))
        return announced

    def known() -> list[Fact]:
        return sure(scene.memories.entities.find("Nora")).current_facts

    note(content="Works at the zoo.")
    note(content="Works at the harbour.", old_fact="Works at the zoo.")
    assert [fact.text for fact in known()] == ["Works at the harbour."]
    assert any("zoo" in fact.text and fact.until for fact in sure(scene.memories.entities.find("Nora")).facts)
    assert "no longer holds" in note(old_fact="Works at the harbour.")[0]
    assert known() == []
    assert note(old_fact="Is a dancer.") == []
    assert "Is a dancer." in answers(scene)
    first, again = (f"Feeds the sea lions at {which} zoo of Yokohama on Sundays." for which in ("the", "a"))
    for content in (first, again):
        note(content=content)
    [fact] = known()
    assert (fact.text, len(fact.evidence)) == (first, 2), "it is found again"
    for content in ("Nora likes strong coffee.", "Nora hates strong coffee."):
        note(content=content)
    _, liked, hated = known()
    assert [(move.why, move.severity) for move in liked.standing.moves] == [("contradicted", 0.9)]
    assert hated.standing.moves == []
    use(scene, "Note milk.", call("edit_notepad", text="Buy milk.\nWater the plants on Sunday."))
    announced, _ = use(scene, "I have milk.", call("edit_notepad", operation="delete", old_text="Buy milk."))
    assert announced == ["🛠️ Crossed something out in the notepad"]


@pytest.mark.parametrize("tool", ["search_entity_memory", "read_entity_memory"])
def test_why_knows_the_cards_that_were_read(scene: Scene, tool: str) -> None:
    entities = scene.memories.entities
    entities.note("Ferdinand", "a tortoise of forty", author="user", mind="user")
    wanted = {"query": "Ferdinand"} if tool.startswith("search") else {"name": "Ferdinand"}
    _, answer = use(scene, "And him?", call(tool, **wanted))
    assert "> - a tortoise of forty" in answers(scene)
    found = sure(why(scene.memories, answer))
    assert [(hit.heading, hit.text) for hit in found.hits] == [("Ferdinand", entities.find("Ferdinand").text())]  # type: ignore[union-attr]


SECRET = "Qwxzebra極秘"


def holding(folder: Path, word: str) -> set[str]:
    """Return the names of the files in which a word stands."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name for path in files if word.encode() in path.read_bytes()}


def test_no_veiled_word_stays(scene: Scene, own_home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sent = tmp_path / f"{SECRET}.txt"
    sent.write_text(f"the plan is {SECRET}", encoding="utf-8")
    scene.mind.enqueue(
        [
            ToolCall("1", "recall_memories", {"query": SECRET}),
            ToolCall("2", "append_to_notepad", {"text": SECRET}),
            ToolCall("3", SECRET, {SECRET: SECRET}),
        ],
        f"So it is {SECRET}.",
        [RuntimeError(f"what nobody foresaw: {SECRET}")],
    )
    for line in (f"My secret is {SECRET}.", f"Please remember {SECRET}.", f"{SECRET}のことを覚えておいて"):
        scene.live(scene.companion.say(line, attachments=[sent], off_record=True))
        scene.minds.mind = scene.mind
    scene.minds.mind = BuiltInMind()
    for line in (f"What did I tell you about {SECRET}?", f"please forget what I said about {SECRET}"):
        scene.live(scene.companion.say(line, off_record=True))
    assert SECRET in str(scene.mind.requests[-1].turns)
    assert not {"edit_notepad", "write_entity_memory"} & {tool.name for tool in scene.mind.requests[0].tools}
    scene.minds.mind = scene.mind
    scene.talk("Back on the record.", "On again.")
    assert SECRET not in str(scene.asked)
    scene.minds.mind = BuiltInMind()
    scene.companion.new_topic()
    scene.live(scene.companion.say("Hello again."))
    scene.clock.move(hours=20)
    night = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    night.dream(Cancel())
    night.end_conversation()
    assert holding(own_home.folder, "Qwxzebra") == set()
    assert "a turn off the record failed: RuntimeError" in caplog.text
    assert "Qwxzebra" not in caplog.text
