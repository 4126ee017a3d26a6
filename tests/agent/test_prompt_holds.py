"""What a prompt must hold, whatever its words: a mind knows nothing but what stands in it."""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from random import Random

import pytest

from agent.companion import Companion
from agent.events import ToolUsed
from agent.memories import open_memories
from agent.minds.language_model.chat_messages import to_messages
from agent.minds.tokens import count_tokens
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import ToolCall
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always, ScriptedMind
from tests.agent.conftest import Scene
from tests.fakes import HandClock

SAMPLES: dict[Lang, str] = {"ja": "ねむ", "en": "Hazel"}
GRAVE: dict[Lang, str] = {"ja": "もう消えてしまいたい", "en": "I want to kill myself"}
CONTEXTS = (4096, 8192, 32_768)
Open = Callable[..., Scene]


@pytest.fixture
def persona(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Open]:
    scenes: list[Scene] = []

    def open_one(lang: Lang, context: int = 8192, user: str = "") -> Scene:
        personas, name = PersonaStore(own_home, clock, rng), SAMPLES[lang]
        prompt = (CHECKOUT / "characters" / name / "SystemPrompt.txt").read_text("utf-8")
        personas.create(name, language=lang, system_prompt=prompt, user_name=user)
        memories = open_memories(personas, name, Settings, clock, rng)
        mind = ScriptedMind(context_tokens=context)
        mind.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
        scenes.append(
            Scene(Companion(memories, Always(mind), clock, rng), memories, Always(mind), mind, Settings(), clock)
        )
        return scenes[-1]

    yield open_one
    for scene in scenes:
        scene.companion.close()


def say(scene: Scene, text: str, answer: str = "Hm.") -> None:
    scene.mind.enqueue(answer)
    scene.live(scene.companion.say(text))


def prompt_of(scene: Scene) -> list[tuple[str, str]]:
    """Return the newest request as a server gets it: who, and what."""
    request = scene.mind.requests[-1]
    messages = to_messages(request.system, request.turns, request.sheet.language)
    return [(message.type, str(message.content)) for message in messages]


def whole(scene: Scene) -> str:
    return "\n".join(text for _, text in prompt_of(scene))


@pytest.mark.parametrize("lang", SAMPLES)
@pytest.mark.parametrize("context", CONTEXTS)
def test_days_are_told_apart_and_the_persona_is_whole(persona: Open, lang: Lang, context: int) -> None:
    scene = persona(lang, context, "Aoi")
    for kind in ("core_memory", "notepad"):
        scene.memories.notes.append(
            kind, "\n".join(f"Promise {n}: be kind." for n in range(400)), author="user", reason="-"
        )
    for day in range(5):
        say(scene, f"Day {day}, tomorrow I go to the sea.", "Have fun.")
        scene.clock.move(hours=23, minutes=40)
    say(scene, "When did I tell you?")
    system, *talk = [text for _, text in prompt_of(scene)]
    sample = (CHECKOUT / "characters" / SAMPLES[lang] / "SystemPrompt.txt").read_text("utf-8")
    assert sample.strip() in system
    said = [text for text in talk if "tomorrow" in text]
    days = ["11月24日" if lang == "ja" else "24 November", "11月25日" if lang == "ja" else "25 November"]
    assert all(any(day in text.split("\n")[0] for text in said) for day in days)
    assert ("11月26日" if lang == "ja" else "26 November") in talk[-1]
    assert "Promise 0: be kind." in system
    assert "Promise 399: be kind." in system
    notes = [line for line in system.split("\n") if line.startswith("Promise")]
    assert all(line.endswith("be kind.") for line in notes)
    others = "行は、道具で探せます" if lang == "ja" else "lines that did not fit here can be found by searching"
    assert others in system  # by whatever name the tool has: models that read little get one that searches everywhere
    request = scene.mind.requests[-1]
    assert count_tokens(system) + sum(count_tokens(t.quoted + t.text) for t in request.turns) < 0.85 * context


def test_years_apart_are_not_one_message_and_what_nobody_answered_says_so(persona: Open) -> None:
    scene = persona("en", user="Aoi")
    old = [Message(f"m{n}", datetime(2022, 3, 1, 9, n), "user", "Aoi", f"Old words {n}") for n in range(2)]
    scene.memories.log.append_many([*old, Message("m9", datetime(2026, 11, 20, 9), "user", "Aoi", "New words")])
    say(scene, "Hello")
    said = [text for kind, text in prompt_of(scene) if kind == "human"]
    assert ["Old words 0" in text and "Old words 1" in text for text in said] == [True, False, False]
    assert "1 March 2022" in said[0]
    assert "20 November 2026" in said[1]


@pytest.mark.parametrize("lang", SAMPLES)
def test_who_speaks_first_is_told(persona: Open, lang: Lang) -> None:
    scene = persona(lang, user="Aoi")
    say(scene, "Good night.", "Sleep well.")
    scene.clock.move(hours=20)
    scene.memories.log.append("persona", SAMPLES[lang], "How was the sea?")
    scene.clock.move(minutes=5)
    say(scene, "Lovely.")
    kinds = [kind for kind, _ in prompt_of(scene)]
    assert kinds == ["system", "human", "ai", "human", "ai", "human"]
    assert ("あなたから" if lang == "ja" else "you wrote first") in prompt_of(scene)[3][1]


@pytest.mark.parametrize(
    ("lang", "given", "name"), [("ja", "私の名前は葵です。", "葵"), ("en", "My name is Aoi.", "Aoi")]
)
def test_the_name_is_what_was_said_and_stays_known(persona: Open, lang: Lang, given: str, name: str) -> None:
    scene = persona(lang)
    say(scene, given)
    assert scene.memories.log.tail(2)[0].speaker in {"ユーザー", "User"}  # no pronoun, which would be the persona
    for n in range(24):
        say(scene, f"{n} times I watered the fern.")
    assert {m.speaker for m in scene.memories.log.tail(8) if m.role == "user"} == {name}
    assert f": {name}" in prompt_of(scene)[0][1]


def test_a_transcripts_name_is_the_users(persona: Open) -> None:
    scene = persona("ja")
    scene.memories.log.append("user", "葵", "ひさしぶり。")
    say(scene, "おはよう。")
    assert "名前: 葵" in prompt_of(scene)[0][1]


@pytest.mark.parametrize("lang", SAMPLES)
@pytest.mark.parametrize("context", CONTEXTS)
def test_what_is_known_of_the_user_is_there(persona: Open, lang: Lang, context: int) -> None:
    scene = persona(lang, context, "Aoi")
    scene.memories.entities.note("Aoi", "works at a library", author="user", mind="user", kind="person")
    say(scene, "Hello")
    assert "works at a library" in prompt_of(scene)[0][1]


@pytest.mark.parametrize("lang", SAMPLES)
def test_what_weighs_lasts_the_day_and_silences_what_the_persona_wants(persona: Open, lang: Lang) -> None:
    scene = persona(lang, user="Aoi")
    scene.memories.questions.add(Question(topic="the fern", priority=1.0), author="dream", reason="-")
    goal = Goal(goal="be merry", priority=1)
    scene.memories.goals.change(lambda goals: goals.created("short_term", goal), author="user", reason="-")
    say(scene, "Hello")
    assert "the fern" in whole(scene)
    assert "be merry" in whole(scene)
    say(scene, GRAVE[lang])
    assert "the fern" not in whole(scene)
    scene.clock.move(hours=5)
    say(scene, "It rains." if lang == "en" else "雨だね。")
    newest = prompt_of(scene)[-1][1]
    assert GRAVE[lang] in newest
    assert "the fern" not in whole(scene)
    assert "be merry" not in whole(scene)
    assert -1.0 in [one.value for one in scene.memories.emotions.entries()]
    scene.clock.move(days=1)
    say(scene, "Hello again")
    assert GRAVE[lang] not in prompt_of(scene)[-1][1]
    assert "be merry" in whole(scene)


@pytest.mark.parametrize("lang", SAMPLES)
def test_what_was_said_last_stands_beside_what_weighs(persona: Open, lang: Lang) -> None:
    scene = persona(lang, 4096, "Aoi")
    scene.mind.count_tokens = lambda text: count_tokens(text) * 13 // 10  # type: ignore[method-assign]
    words = {"ja": ("最近眠れないんだ。", "いつごろから?"), "en": ("I hardly sleep.", "Since when?")}[lang]
    scene.memories.notes.append("core_memory", "It rains.\n" * 40, author="user", reason="-")
    say(scene, *words)
    say(scene, GRAVE[lang], "I am here with you.")
    assert all(one in whole(scene) for one in words)
    say(scene, "It rains." if lang == "en" else "雨だね。")
    assert "I am here with you." in whole(scene)


def test_off_the_record_it_lasts_too(persona: Open) -> None:
    scene = persona("en", user="Aoi")
    for text in (GRAVE["en"], "It rains."):
        scene.mind.enqueue("I am here.")
        scene.live(scene.companion.say(text, off_record=True))
    assert GRAVE["en"] in prompt_of(scene)[-1][1]


def test_what_does_not_fit_is_found_by_searching(persona: Open) -> None:
    scene = persona("en", 4096, "Aoi")
    lines = [f"Promise {n}: water plant {n}." for n in range(300)]
    lines[150] = "Promise: bring the accordion to Lisbon."
    scene.memories.notes.append("core_memory", "\n".join(lines), author="user", reason="-")
    scene.memories.recall.catch_up()
    scene.mind.enqueue([ToolCall("1", "recall_memories", {"query": "accordion Lisbon"})], "Yes.")
    events = scene.live(scene.companion.say("Hello"))
    assert any(isinstance(event, ToolUsed) for event in events)
    assert "accordion" not in prompt_of(scene)[0][1]
    assert "accordion to Lisbon" in scene.mind.requests[-1].turns[-1].text


def test_what_changes_with_each_message_stands_behind_all_that_does_not(persona: Open) -> None:
    scene = persona("en", 32_768, "Aoi")
    scene.memories.episodes.save(Episode(date=date(2026, 11, 18), summary="It rained."), author="user", reason="-")
    systems = []
    for n in range(3):
        say(scene, f"Message {n}")
        systems.append(prompt_of(scene)[0][1])
        scene.clock.move(minutes=3)
    assert len(set(systems)) == 1
    assert "12:06" in prompt_of(scene)[-1][1]
    assert "Name: Aoi" in systems[0]
    assert systems[0].index("Hazel") < systems[0].index("It rained.")


def test_what_is_due_to_be_asked_takes_nothing_from_the_message_itself(persona: Open) -> None:
    scene = persona("en", 2048, "Aoi")
    scene.memories.notes.append("notepad", "Buy milk. " * 400, author="user", reason="-")
    context = "How did it turn out in the end, and is there anything that still has to be done about it by somebody?"
    for topic in ("the exam in biology", "the leaking roof", "the letter to the council"):
        question = Question(topic=topic, context=context, priority=0.9)
        scene.memories.questions.add(question, author="dream", reason="-")
    message = "I walked along the river with my sister and we talked about the garden. " * 12
    say(scene, message)
    assert scene.mind.requests[-1].turns[-1].text == message
    say(scene, "Hello")
    assert "the leaking roof" in whole(scene)


@pytest.mark.parametrize("sentences", [6, 10])
def test_nobody_is_told_to_ask_one_of_nothing(persona: Open, sentences: int) -> None:
    scene = persona("en", 2048, "Aoi")
    scene.memories.notes.append("notepad", "Buy milk. " * 400, author="user", reason="-")
    context = "How did it turn out in the end, and is there anything that still has to be done about it by somebody?"
    scene.memories.questions.add(Question(topic="the roof", context=context), author="dream", reason="-")
    say(scene, "I walked along the river with my sister and we talked about the garden. " * sentences)
    assert ("Ask about one of these" in whole(scene)) == ("the roof" in whole(scene))
