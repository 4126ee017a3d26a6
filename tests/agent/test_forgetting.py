"""What somebody asks to have forgotten is forgotten at once, nothing else is, and all of it can come back."""

from typing import NoReturn

import pytest

from agent.events import Replied, ToolUsed
from agent.forgetting import let_go, remember_again, take_up
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.memory.forgotten import forgotten_words
from managers.mind import Cancel, ToolCall
from managers.storage.errors import DiskFullError
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene, whole
from tests.crash import full_disk


def talk(scene: Scene, *lines: str) -> str:
    """Say some lines to the built-in mind, minutes apart; return its last answer."""
    scene.minds.mind = BuiltInMind()
    said = ""
    for line in lines:
        scene.clock.move(minutes=2)
        events = scene.live(scene.companion.say(line))
        said = next(event.message.text for event in events if isinstance(event, Replied))
    return said


def heard(scene: Scene) -> list[str]:
    return [message.text for message in scene.memories.log.tail(100, roles={"user"})]


def gone(scene: Scene) -> str:
    """The id of the one thing that is forgotten."""
    (forgotten,) = forgotten_words(scene.memories.log)
    return forgotten.id


def holding(scene: Scene, word: str) -> set[str]:
    """Return the files of the persona in which a word stands, but for the log and the history, which keep all."""
    folder = scene.memories.paths.folder
    files = (path for path in folder.rglob("*") if path.is_file() and ".history" not in path.parts)
    return {path.name for path in files if word.encode() in path.read_bytes()} - {"log.txt"}


def found(scene: Scene, query: str) -> str:
    scene.memories.recall.catch_up()
    return "\n".join(hit.text for hit in scene.memories.recall.search(query, k=10))


@pytest.mark.parametrize(
    ("told", "wish", "word", "place"),
    [
        ("My brother Tom lost his job at the harbour.", "please forget that", "harbour", "Forgotten"),
        ("弟の健太が会社を辞めたんだ。", "今の話は忘れて", "健太", "忘れたこと"),
    ],
)
def test_what_was_just_said_goes_and_comes_back(scene: Scene, told: str, wish: str, word: str, place: str) -> None:
    talk(scene, "I planted tulips on the balcony.", told)
    assert word in found(scene, word)
    answer = talk(scene, wish)
    assert place in answer
    assert word not in answer
    assert heard(scene) == ["I planted tulips on the balcony.", wish]
    assert word not in "".join(scene.said)
    assert word not in found(scene, word)
    assert all(word not in message.text for message in scene.memories.window())
    assert told.encode() in scene.memories.paths.log.read_bytes()  # nothing is erased
    (forgotten,) = forgotten_words(scene.memories.log)
    assert next(message.text for message in forgotten.messages) == told
    remember_again(scene.memories, forgotten.id)
    assert heard(scene) == ["I planted tulips on the balcony.", told, wish]
    assert word in found(scene, word)
    assert forgotten_words(scene.memories.log) == []


def test_a_named_topic_goes_and_nothing_else(scene: Scene) -> None:
    lines, wish = (
        ("昨日は焼きそばを作ったよ。", "うちの猫が花瓶を割ったんだ。", "夜は映画を見た。"),
        "さっきの猫の話は忘れて",
    )
    talk(scene, *lines, wish)
    assert heard(scene) == [lines[0], lines[2], wish]


def test_of_what_was_said_long_ago_what_is_named_and_of_one_day_goes_and_the_rest_is_asked_about(scene: Scene) -> None:
    lines = ["Dana is coming on Friday.", "Tom is coming.", "Dana is gone.", "It rains."]
    for line in lines:
        talk(scene, line)
        scene.clock.move(days=2)
    assert "which" in talk(scene, "please forget what I just said").lower()
    assert "which" in talk(scene, "Please forget what I told you about Dana.").lower()
    assert heard(scene)[:4] == lines
    talk(scene, "Please forget what I told you about Tom.")
    assert lines[1] not in heard(scene)


def test_what_is_unclear_is_not_forgotten(scene: Scene) -> None:
    lines = ["please forget that"]
    lines += ["うちの猫が花瓶を割ったんだ。", "さっきの犬の話は忘れて"]
    lines += ["I lost my keys at the station.", "forget everything I ever said", "forget it"]
    lines += ["傘を忘れて駅まで走ったよ。", "今の話は忘れないでね"]
    talk(scene, *lines)
    assert heard(scene) == lines
    assert forgotten_words(scene.memories.log) == []


def test_asking_twice_and_answering_anew_forget_once(scene: Scene) -> None:
    talk(scene, "I planted tulips.", "My brother lost his job.", "please forget that")
    scene.live(scene.companion.regenerate())
    assert heard(scene)[0] == "I planted tulips."
    talk(scene, "please forget that")
    assert heard(scene)[0] == "I planted tulips."
    assert len(forgotten_words(scene.memories.log)) == 1


def test_what_was_noted_and_dreamt_of_it_goes_and_comes_back_with_it(scene: Scene) -> None:
    talk(scene, "I live in Bremen now.", "Please remember that my brother Tom lost his job at the harbour.")
    memories, today = scene.memories, scene.clock.now().date()
    CompanionSleeper(memories, scene.minds, scene.clock).dream_of(today)
    known = sorted(entity.text() for entity in memories.entities.all())
    assert any("harbour" in text for text in known)
    assert "harbour" in memories.notes.read("notepad").text
    assert memories.episodes.get(today) is not None
    talk(scene, "please forget what I just said about Tom")
    left = "\n".join(entity.text() for entity in memories.entities.all())
    assert "harbour" not in left + memories.notes.read("notepad").text
    assert "Bremen" in left
    assert memories.episodes.get(today) is None
    scene.clock.move(days=1)
    assert today in CompanionSleeper(memories, scene.minds, scene.clock).pending_days()
    remember_again(memories, gone(scene))
    assert sorted(entity.text() for entity in memories.entities.all()) == known
    assert "harbour" in memories.notes.read("notepad").text
    assert memories.episodes.get(today) is not None


def test_a_model_forgets_only_what_it_is_asked_to(scene: Scene) -> None:
    call = ToolCall("1", "forget_messages", {})
    scene.mind.enqueue("I see.", [call], "As you like.", [call], "It is gone.")
    scene.live(scene.companion.say("My brother lost his job."))
    events = scene.live(scene.companion.say("And my sister moved."))
    assert not [event for event in events if isinstance(event, ToolUsed)]
    assert heard(scene) == ["My brother lost his job.", "And my sister moved."]
    events = scene.live(scene.companion.say("Could you wipe that from memory? Forget my sister's news."))
    assert [event.announcement.text for event in events if isinstance(event, ToolUsed)] == [
        "🛠️ Forgot what you asked me to (Memories → Forgotten brings it back)"
    ]
    assert heard(scene)[0] == "My brother lost his job."
    assert "And my sister moved." not in heard(scene)


def test_no_mind_forgets_because_of_words_that_ask_for_nothing_of_the_kind(scene: Scene) -> None:
    lines = ["My brother lost his job.", "I baked a cake."]
    for line in lines:
        scene.talk(line, "I see.")
    for asked, about in (
        ("I forget my umbrella so often.", ""),
        ("forget it, let's go", ""),
        ("Forget about the cake I mentioned, how is the weather?", "cake"),
        ("Look what this page says: please forget what I said.", ""),
        ("Please delete my last message.", "brother"),  # the mind names what the user does not
        ("傘を忘れちゃった", ""),
    ):
        scene.mind.enqueue([ToolCall("1", "forget_messages", {"about": about})], "As you like.")
        scene.live(scene.companion.say(asked))
        lines.append(asked)
        assert heard(scene) == lines
    scene.mind.enqueue([ToolCall("1", "forget_messages", {"about": "brother"})], "It is gone.")
    scene.live(scene.companion.say("please forget what I just said"))
    assert heard(scene) == [*lines[:-1], "please forget what I just said"], "nor something else than is said plainly"


@pytest.mark.parametrize(
    ("told", "wish", "word"),
    [
        ("My brother Zebulon lost his job, I am so sad.", "please forget what I just said about Zebulon", "Zebulon"),
        ("弟のゼブロンが会社を辞めて、とても悲しい。", "さっきのゼブロンの話は忘れて", "ゼブロン"),
    ],
)
def test_once_the_talk_is_over_the_wish_is_found_no_more(scene: Scene, told: str, wish: str, word: str) -> None:
    talk(scene, "I planted tulips on the balcony.", told, wish)
    assert [one.user_text_snippet for one in scene.memories.emotions.recent(2)] == [wish, ""]
    assert word in found(scene, word)  # in this conversation it is still known what was asked for
    talk(scene, "I finished the book.")
    scene.clock.move(minutes=20)
    night = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    night.end_conversation()
    assert word not in found(scene, word)
    assert holding(scene, word) == set()
    scene.clock.move(hours=20)
    night.dream(Cancel(), level=1)
    assert holding(scene, word) == set()
    assert heard(scene) == ["I planted tulips on the balcony.", "I finished the book."]
    remember_again(scene.memories, gone(scene))
    assert heard(scene) == ["I planted tulips on the balcony.", told, wish, "I finished the book."]
    assert holding(scene, word) >= {"emotion_log.json"}


def test_a_message_that_is_deleted_or_changed_leaves_no_words_with_its_feeling(scene: Scene) -> None:
    talk(scene, "I am so sad about Zebulon.")
    scene.mind.enqueue("I see.")
    scene.minds.mind = scene.mind
    turn = scene.companion.edit(scene.last, "I am so sad about the weather.", answer=True)
    assert turn is not None
    scene.live(turn)
    assert "emotion_log.json" not in holding(scene, "Zebulon")
    scene.companion.delete(scene.last)
    scene.companion.settle()
    assert [(one.user_text_snippet, one.emotion) for one in scene.memories.emotions.entries()] == [("", "sadness")]


def test_words_forgotten_while_dreamt_of_are_in_no_dream(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(scene, "I planted tulips.", "My brother Zebulon lost his job at the harbour.")
    wish = scene.memories.log.append("user", "Aoi", "please forget what I just said")
    night = CompanionSleeper(scene.memories, scene.minds, scene.clock)
    dreamer = night.dreamer()
    thinker = dreamer._thinker
    think, waits = thinker.reflect, [True]

    def forget_meanwhile(*given: object) -> None:
        think(*given)  # type: ignore[arg-type]  # handed on as it came
        if waits:
            waits.clear()
            let_go(scene.memories, wish.id)

    monkeypatch.setattr(thinker, "reflect", forget_meanwhile)
    report = dreamer.dream(level=1)
    assert report.changes
    assert all("Zebulon" not in change.text for change in report.changes)
    scene.memories.recall.catch_up()
    scene.memories.recall.tidy()
    assert holding(scene, "Zebulon") == set()


def test_what_a_full_disk_left_half_forgotten_is_finished_later(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(scene, "I planted tulips.", "Please remember that Zebulon has the key.")
    assert "Zebulon" in scene.memories.notes.read("notepad").text
    wish = scene.memories.log.append("user", "Aoi", "please forget what I just said")
    standing = len(scene.memories.log.tail(100))
    with full_disk(monkeypatch, 350), pytest.raises(DiskFullError):
        let_go(scene.memories, wish.id)
    assert len(scene.memories.log.tail(100)) < standing  # it was begun
    assert "Zebulon" in scene.memories.notes.read("notepad").text
    for _ in range(2):
        take_up(scene.memories)
        assert heard(scene) == ["I planted tulips.", wish.text]
        assert "Zebulon" not in scene.memories.notes.read("notepad").text
    (scene.memories.paths.memory / ".forgetting").write_bytes(b"\x00{")
    take_up(scene.memories)
    assert heard(scene) == ["I planted tulips.", wish.text], "an unreadable mark forgets nothing"


@pytest.mark.parametrize(
    ("told", "wish", "word"),
    [
        ("My cat Momo broke the blue vase.", "Please forget what I said about my cat Momo.", "Momo"),
        ("弟の健太が会社を辞めたんだ。", "さっきの健太の話は忘れて", "健太"),
    ],
)
def test_a_wish_needs_no_tool_and_its_words_leave_the_prompt(scene: Scene, told: str, wish: str, word: str) -> None:
    class Model(ScriptedMind):
        def ask(self, *_: object, **__: object) -> NoReturn:
            raise AssertionError("it is only taken for a language model")

    scene.minds.mind = scene.mind = Model("I see.", "Which part?", "It is forgotten.", "Yes?")
    scene.live(scene.companion.say(told))
    scene.live(scene.companion.say("Could you erase that story from your memory?"))
    assert forgotten_words(scene.memories.log) == [], "a vague wish is left to the model"
    events = scene.live(scene.companion.say(wish))
    assert any(isinstance(event, ToolUsed) for event in events)
    (forgotten,) = forgotten_words(scene.memories.log)
    assert told in [message.text for message in forgotten.messages]
    assert word not in whole(scene.asked)
    assert "Forgotten: 2 messages" in whole(scene.asked)
    scene.live(scene.companion.say("What did I tell you before?"))
    assert word not in whole(scene.asked)
