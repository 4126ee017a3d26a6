"""What the built-in mind answers, through the whole graph, when it is asked in passing for what it was told."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from random import Random

import pytest

from agent.companion import Companion
from agent.events import Replied
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

NOW = datetime(2026, 11, 21, 9, 0)  # a Saturday
Live = Callable[[Lang, dict[int, tuple[str, ...]]], Callable[[str], str]]

EN = {
    13: ("The migration deadline at work is the 4th of December.", "I had ramen for lunch."),
    9: ("I bought a red bicycle.", "It has three gears."),
    7: ("The migration deadline has moved to the 18th of December.", "What is the weather like?"),
    2: ("Good morning!", "I went to the aquarium with Nora and we saw jellyfish.", "Then we ate pancakes."),
    1: ("Good morning!", "I cleaned the whole kitchen.", "In the evening I watched a film about whales."),
}
JA = {
    16: ("クロは全身真っ黒で、しっぽの先だけ白いんだ。", "妹の直子は金沢に住んでる。"),
    13: ("猫のモモが入院しちゃった。", "心配で眠れない。"),
    9: ("おはよう！", "モモちゃんが退院しました!"),
    7: ("モモはどうしてるかな？",),
    5: ("猫のモモはどうなった？", "おやすみ！"),
    1: ("おはよう！", "台所を全部掃除した。", "夜は鯨の映画を観た。"),
}


@pytest.fixture
def live(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Live]:
    opened = []

    def begin(lang: Lang, days: dict[int, tuple[str, ...]]) -> Callable[[str], str]:
        """Live through some days with a persona who knows nothing yet; return how it answers today."""
        clock.set(NOW - timedelta(days=20))
        personas = PersonaStore(own_home, clock, rng)
        personas.create("Nemu", language=lang, system_prompt="")
        settings = Settings()
        settings.conversation.window_turns = 1
        memories = open_memories(personas, "Nemu", lambda: settings, clock, rng)
        companion = Companion(memories, Always(BuiltInMind()), clock, rng)
        opened.append(companion)

        def ask(text: str) -> str:
            clock.move(seconds=40)
            turn = companion.say(text, off_record=clock.now() > NOW)
            return "".join(event.message.text for event in turn.events() if isinstance(event, Replied))

        for ago, said in days.items():
            clock.set(NOW - timedelta(days=ago))
            for text in said:
                ask(text)
            companion.settle()
        companion.new_topic()
        companion.settle()
        memories.recall.catch_up()
        clock.set(NOW + timedelta(minutes=1))
        return ask

    yield begin
    for companion in opened:
        companion.close()


def test_in_english(live: Live) -> None:
    ask = live("en", EN)
    assert "18th of December" in ask("What is the migration deadline now?").split("4th")[0]
    assert "three gears" in ask("How many gears does the bicycle have?").lower()
    for question in ("What did we talk about last Thursday?", "What did I tell you the day before yesterday?"):
        told = ask(question)
        assert "jellyfish" in told.split("pancakes")[0]
        assert "Good morning" not in told
    assert "last Thursday" in ask("What did we talk about last Thursday?")
    told = ask("What did I do yesterday?")
    assert "kitchen" in told.split("whales")[0]
    assert "jellyfish" not in told
    for question in ("How does a fridge work?", "What is the capital of France?", "How are you?"):
        assert "you said" not in ask(question), question
        assert "told me: " not in ask(question)


def test_in_japanese(live: Live) -> None:
    ask = live("ja", JA)
    assert "真っ黒" in ask("クロは何色？")
    assert "真っ黒" in ask("クロについて教えて")
    assert "金沢" in ask("直子はどこに住んでる？")
    told = ask("猫のモモはどうなった？")
    assert "退院した" in told.split("入院")[0]
    assert "私のほうから" not in told
    assert "退院した" in ask("モモは元気？")
    assert "退院しました" in ask("先週の木曜、何の話をしたっけ")
    told = ask("昨日、何をしたっけ？")
    assert "台所" in told.split("鯨")[0]
    for question in ("冷蔵庫の仕組みは？", "フランスの首都はどこ？", "元気？"):
        assert "「" not in ask(question)
