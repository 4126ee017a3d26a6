"""What somebody asks to have forgotten is forgotten at once, nothing else is, and all of it can come back."""

from datetime import timedelta
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
from tests.agent.conftest import Scene
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


def found(scene: Scene, query: str) -> str:
    scene.memories.recall.catch_up()
    return "\n".join(hit.text for hit in scene.memories.recall.search(query, k=10))


@pytest.mark.parametrize(
    ("told", "wish", "word", "place"),
    [
        ("My brother Tom lost his job at the harbour.", "please forget that", "harbour", "Forgotten"),
        ("My brother Tom lost his job at the harbour.", "Sorry, forget what I just said.", "harbour", "Forgotten"),
        ("弟の健太が会社を辞めたんだ。", "今の話は忘れて", "健太", "忘れたこと"),
        ("弟の健太が会社を辞めたんだ。", "さっきのこと、忘れて", "健太", "忘れたこと"),
    ],
)
def test_what_was_just_said_is_forgotten_and_comes_back(
    scene: Scene, told: str, wish: str, word: str, place: str
) -> None:
    talk(scene, "I planted tulips on the balcony.", told)
    assert word in found(scene, word)
    answer = talk(scene, wish)
    assert place in answer
    assert word not in answer
    assert heard(scene) == ["I planted tulips on the balcony.", wish]
    assert all(word not in message.text for message in scene.memories.log.tail(100))
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
    lines = ["昨日は焼きそばを作ったよ。", "うちの猫が花瓶を割ったんだ。", "夜は映画を見た。"]
    answer = talk(scene, *lines, "さっきの猫の話は忘れて")
    assert "猫の話" in answer
    assert heard(scene) == [lines[0], lines[2], "さっきの猫の話は忘れて"]


def test_the_words_of_a_name_are_whole_words(scene: Scene) -> None:
    lines = ["I'll bake bread tomorrow.", "Tom has a crush on Mia, he told me."]
    talk(scene, *lines, "Please forget what I said about Tom.")
    assert heard(scene)[:1] == lines[:1]
    assert lines[1] not in heard(scene)


@pytest.mark.parametrize(
    ("lines", "wish"),
    [
        ((), "please forget that"),
        (("うちの猫が花瓶を割ったんだ。",), "さっきの犬の話は忘れて"),
        (("I lost my keys at the station.",), "forget everything I ever said"),
        (("I lost my keys at the station.",), "forget it"),
        (("傘を忘れて駅まで走ったよ。",), "今の話は忘れないでね"),
    ],
)
def test_what_is_unclear_is_not_forgotten(scene: Scene, lines: tuple[str, ...], wish: str) -> None:
    talk(scene, *lines, wish)
    assert heard(scene) == [*lines, wish]
    assert forgotten_words(scene.memories.log) == []


def test_what_was_said_long_before_is_not_just_now(scene: Scene) -> None:
    talk(scene, "I lost my keys at the station.")
    scene.clock.move(hours=13)
    assert "which" in talk(scene, "please forget what I just said").lower()
    assert "I lost my keys at the station." in heard(scene)


def test_what_is_named_and_was_said_on_one_day_goes_whenever_that_was(scene: Scene) -> None:
    talk(scene, "Dana is coming on Friday.", "It rains.")
    scene.clock.move(days=2)
    talk(scene, "Please forget what I told you about Dana.")
    assert heard(scene)[0] == "It rains."


def test_of_what_was_said_on_several_days_long_ago_it_is_asked_which(scene: Scene) -> None:
    for line in ("Dana is coming on Friday.", "Dana is gone."):
        talk(scene, line)
        scene.clock.move(days=2)
    assert "which" in talk(scene, "Please forget what I told you about Dana.").lower()
    assert heard(scene)[:2] == ["Dana is coming on Friday.", "Dana is gone."]


def test_asking_twice_and_answering_anew_forget_once(scene: Scene) -> None:
    talk(scene, "I planted tulips.", "My brother lost his job.", "please forget that")
    scene.live(scene.companion.regenerate())
    assert heard(scene)[0] == "I planted tulips."
    talk(scene, "please forget that")
    assert heard(scene)[0] == "I planted tulips."
    assert len(forgotten_words(scene.memories.log)) == 1


def test_a_note_that_was_made_of_it_goes_and_comes_back_with_it(scene: Scene) -> None:
    talk(scene, "Please remember that the safe opens with 4711.")
    assert "4711" in scene.memories.notes.read("notepad").text
    talk(scene, "Sorry, please forget what I just said.")
    assert "4711" not in scene.memories.notes.read("notepad").text
    remember_again(scene.memories, forgotten_words(scene.memories.log)[0].id)
    assert "4711" in scene.memories.notes.read("notepad").text


def test_what_was_dreamt_of_it_goes_and_comes_back_with_it(scene: Scene) -> None:
    talk(scene, "I live in Bremen now.", "My brother Tom lost his job at the harbour.")
    today = scene.clock.now().date()
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream_of(today)
    known = [entity.text() for entity in scene.memories.entities.all()]
    assert any("harbour" in text for text in known)
    assert scene.memories.episodes.get(today) is not None
    talk(scene, "please forget what I just said about Tom")
    left = "\n".join(entity.text() for entity in scene.memories.entities.all())
    assert "harbour" not in left
    assert "Bremen" in left
    assert scene.memories.episodes.get(today) is None
    scene.clock.set(scene.clock.now() + timedelta(days=1))
    assert today in CompanionSleeper(scene.memories, scene.minds, scene.clock).pending_days()
    remember_again(scene.memories, forgotten_words(scene.memories.log)[0].id)
    assert sorted(entity.text() for entity in scene.memories.entities.all()) == sorted(known)
    assert scene.memories.episodes.get(today) is not None


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


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("I forget my umbrella so often.", ""),
        ("forget it, let's go", ""),
        ("Forget about the cake I mentioned, how is the weather?", "cake"),
        ("Look what this page says: please forget what I said.", ""),
        ("Please delete my last message.", "brother"),  # the mind names what the user does not
        ("傘を忘れちゃった", ""),
    ],
)
def test_no_mind_forgets_because_of_words_that_ask_for_nothing_of_the_kind(
    scene: Scene, asked: str, about: str
) -> None:
    scene.mind.enqueue("I see.", "Nice.", [ToolCall("1", "forget_messages", {"about": about})], "As you like.")
    for line in ("My brother lost his job.", "I baked a cake."):
        scene.live(scene.companion.say(line))
    scene.live(scene.companion.say(asked))
    assert heard(scene) == ["My brother lost his job.", "I baked a cake.", asked]


def test_where_the_user_says_it_plainly_no_mind_forgets_something_else(scene: Scene) -> None:
    scene.mind.enqueue("I see.", "Nice.", [ToolCall("1", "forget_messages", {"about": "brother"})], "It is gone.")
    for line in ("My brother lost his job.", "I baked a cake.", "please forget what I just said"):
        scene.live(scene.companion.say(line))
    assert heard(scene) == ["My brother lost his job.", "please forget what I just said"]


def test_off_the_record_it_says_that_nothing_stays(scene: Scene) -> None:
    scene.minds.mind = BuiltInMind()
    scene.live(scene.companion.say("My brother lost his job.", off_record=True))
    events = scene.live(scene.companion.say("please forget that", off_record=True))
    assert "off the record" in next(event.message.text for event in events if isinstance(event, Replied))


def holding(scene: Scene, word: str) -> set[str]:
    """Return the files of the persona in which a word stands, but for the log and the history, which keep all."""
    folder = scene.memories.paths.folder
    files = (path for path in folder.rglob("*") if path.is_file() and ".history" not in path.parts)
    return {path.name for path in files if word.encode() in path.read_bytes()} - {"log.txt"}


@pytest.mark.parametrize(
    ("told", "wish", "word"),
    [
        ("My brother Zebulon lost his job, I am so sad.", "please forget what I just said about Zebulon", "Zebulon"),
        ("弟のゼブロンが会社を辞めて、とても悲しい。", "さっきのゼブロンの話は忘れて", "ゼブロン"),
    ],
)
def test_the_night_makes_no_memory_of_the_wish_itself(scene: Scene, told: str, wish: str, word: str) -> None:
    talk(scene, "I planted tulips on the balcony.", told, wish)
    assert [one.user_text_snippet for one in scene.memories.emotions.recent(2)] == [wish, ""]
    talk(scene, "I finished the book.")
    scene.clock.move(hours=20)
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream(Cancel(), level=1)
    assert holding(scene, word) == set()
    assert heard(scene) == ["I planted tulips on the balcony.", "I finished the book."]
    remember_again(scene.memories, forgotten_words(scene.memories.log)[0].id)
    assert heard(scene) == ["I planted tulips on the balcony.", told, wish, "I finished the book."]
    assert holding(scene, word) >= {"emotion_log.json"}


def test_once_the_conversation_is_over_the_wish_is_found_no_more(scene: Scene) -> None:
    talk(scene, "My brother Zebulon lost his job.", "please forget what I said about Zebulon")
    assert "Zebulon" in found(scene, "Zebulon")  # in this conversation it is still known what was asked for
    scene.clock.move(minutes=20)
    CompanionSleeper(scene.memories, scene.minds, scene.clock).end_conversation()
    assert "Zebulon" not in found(scene, "Zebulon")
    assert holding(scene, "Zebulon") == set()


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


def test_words_that_are_forgotten_while_they_are_dreamt_of_are_in_no_dream(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    take_up(scene.memories)
    assert heard(scene) == ["I planted tulips.", wish.text]
    assert "Zebulon" not in scene.memories.notes.read("notepad").text
    take_up(scene.memories)
    assert heard(scene) == ["I planted tulips.", wish.text]


def test_an_unreadable_mark_forgets_nothing(scene: Scene) -> None:
    talk(scene, "I planted tulips.")
    (scene.memories.paths.memory / ".forgetting").write_bytes(b"\x00{")
    take_up(scene.memories)
    assert heard(scene) == ["I planted tulips."]


def test_words_come_back_beside_what_a_night_made_without_them(scene: Scene) -> None:
    talk(scene, "I live in Bremen now.", "My brother Tom lost his job at the harbour.")
    day = scene.clock.now().date()
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream_of(day)
    talk(scene, "please forget what I just said about Tom")
    scene.clock.move(hours=20)
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream(Cancel())
    for _ in range(310):  # many changes later
        scene.memories.notes.append("notepad", "a line", author="user", reason="")
    remember_again(scene.memories, forgotten_words(scene.memories.log)[0].id)
    assert "harbour" in "\n".join(entity.text() for entity in scene.memories.entities.all())
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream(Cancel())
    episode = scene.memories.episodes.get(day)
    assert episode is not None
    assert "harbour" in "\n".join([episode.summary, *episode.key_events])


class AskedMind(ScriptedMind):
    """A mind that can be asked, as language models can."""

    def ask(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError


def prompt_of(mind: ScriptedMind) -> str:
    """Return all that the mind was given the last time."""
    request = mind.requests[-1]
    return "\n".join([request.system, *(f"{turn.quoted}\n{turn.text}" for turn in request.turns)])


@pytest.mark.parametrize(
    ("told", "wish", "word"),
    [
        ("My cat Momo broke the blue vase.", "Please forget what I said about my cat Momo.", "Momo"),
        ("弟の健太が会社を辞めたんだ。", "さっきの健太の話は忘れて", "健太"),
    ],
)
def test_a_wish_is_done_though_the_model_calls_no_tool_and_its_words_leave_the_prompt(
    scene: Scene, told: str, wish: str, word: str
) -> None:
    scene.minds.mind = scene.mind = mind = AskedMind("I see.", "It is forgotten.", "Yes?", "Fine.")
    scene.live(scene.companion.say(told))
    events = scene.live(scene.companion.say(wish))
    assert any(isinstance(event, ToolUsed) for event in events)
    (forgotten,) = forgotten_words(scene.memories.log)
    assert told in [message.text for message in forgotten.messages]
    assert word not in prompt_of(mind)
    assert "Forgotten: 2 messages" in prompt_of(mind)
    scene.live(scene.companion.say("What did I tell you before?"))
    assert word not in prompt_of(mind)


def test_a_vague_wish_is_left_to_the_model(scene: Scene) -> None:
    scene.minds.mind = AskedMind("I see.", "Which part?")
    scene.live(scene.companion.say("My cat Momo broke the blue vase."))
    scene.live(scene.companion.say("Could you erase that story from your memory?"))
    assert forgotten_words(scene.memories.log) == []
