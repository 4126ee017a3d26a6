"""Homes for tests: folders let in, and homes that were lived in, made once a session and copied for each test."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final, Literal

import pytest
from filelock import FileLock

from agent.services import Services, open_services
from managers.language.emotion import read_emotion
from managers.mind import Cancel, EmotionReading
from managers.personas.door import Door
from managers.storage.clock import SystemClock
from managers.storage.errors import Lang
from managers.storage.paths import Home
from tests.fakes import HandClock

Kind = Literal["empty", "two_months_en", "two_months_ja", "group", "ten_years"]
"""`empty`: the samples, met by nobody. `two_months_*`: Hazel or ねむ, told something twice a day, with nights in the last week.
`group`: three samples at one table. `ten_years`: ねむ, on two days of each year. The built-in mind speaks in all."""
LivedIn = Callable[[Kind], Home]

TODAY: Final = datetime(2026, 11, 21)
"""All of them were lived in until the evening before; `HandClock` stands at noon of this day."""
PERSONAS: Final[dict[Lang, str]] = {"en": "Hazel", "ja": "ねむ"}
USERS: Final[dict[Lang, str]] = {"en": "Mina", "ja": "ミナ"}
AT_TABLE: Final = ("Lumina", "Claris", "Nox")
PAST: Final[dict[Lang, Sequence[tuple[str, str]]]] = {
    "ja": (
        (
            "川沿いを散歩したら、カワセミを見かけたよ。うれしかった。",
            "青い背中、見えた? こんど聞いたら、場所も教えて。",
        ),
        ("来週は京都の貴船神社に行く予定です。", "貴船か。川の音がするところだね。"),
        ("うちの猫のモモちゃんが入院していて、とても心配です。", "心配だね。今夜はそばにいるよ。"),
        ("日商簿記の資格を取るために勉強を頑張ろうと思います。", "応援してる。ひと休みもわすれずにね。"),
        ("仕事で失敗して、落ち込んでいます。", "そっか。話してくれてありがとう。"),
        ("モモちゃんが退院しました!ほっとした。うれしいです。", "よかった……! モモちゃんも、ミナも、おつかれさま。"),
        ("今日は疲れた。早く寝るね。", "おやすみ。いい夢を。"),
        ("友達のゆうちゃんとカレーを作って、楽しかった!", "ゆうちゃんと。じゃがいもは大きめ?"),
        ("ピアノの発表会が来月あります。緊張しています。", "なにを弾くの? 指が覚えているよ、きっと。"),
        ("祖母からの手紙に、庭の梅が咲いたと書いてあった。", "梅の便り、いいね。返事は書いた?"),
    ),
    "en": (
        ("I saw a kingfisher by the river today. It made me happy!", "A flash of blue. Where was it, by the bridge?"),
        ("Next week I am going to Kyoto with my sister Mary.", "With Mary! What will you two see first?"),
        ("My cat Momo is in hospital and I am very worried.", "I am here. Tell me as much as you like."),
        ("I want to pass the bookkeeping exam, so I will study hard.", "I believe you. Remember to rest your eyes."),
        ("I made a mistake at work and feel down.", "Thank you for telling me. It weighs less shared."),
        ("Momo came home! I am so happy.", "Oh, good. Give her a scratch behind the ear from me."),
        ("I am tired today. I will go to bed early.", "Sleep well, Mina."),
        ("I cooked curry with my friend Tom. It was fun!", "Did Tom cut the onions, or did you?"),
        ("My piano recital is next month. I am nervous.", "Your hands know it already. What will you play?"),
        (
            "Grandmother wrote that the plum tree in her garden is in bloom.",
            "A letter with plum blossom in it. Have you answered?",
        ),
    ),
}
"""What is told on the days before, and what is answered."""


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    """Return what runs in the test's own home, where the built-in mind speaks."""
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    yield services
    services.close()


@pytest.fixture(scope="session")
def lived_in_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where homes are kept for all processes of a session."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    (shared / "lived-in").mkdir(exist_ok=True)
    return shared / "lived-in"


@pytest.fixture
def lived_in(lived_in_folder: Path, own_home: Home) -> LivedIn:
    """Return what makes the test's own home one that was lived in."""

    def copy(kind: Kind) -> Home:
        made = lived_in_folder / kind
        with FileLock(lived_in_folder / f"{kind}.lock"):
            if not made.exists():
                make(kind, Home(made.with_suffix(".half")))
                made.with_suffix(".half").rename(made)
        shutil.copytree(made, own_home.folder, dirs_exist_ok=True)
        return own_home

    return copy


def make(kind: Kind, home: Home) -> None:
    """Make a home of some kind."""
    clock = HandClock(TODAY)
    services = open_services(home, clock, Random(8))
    services.settings_file.change("mind", provider="builtin")
    match kind:
        case "empty":
            for name in services.personas.list_names():
                services.companion(name).settle()
        case "two_months_en":
            live(services, clock, "en", [TODAY.date() - timedelta(days=left) for left in range(60, 0, -1)], nights=7)
        case "two_months_ja":
            live(services, clock, "ja", [TODAY.date() - timedelta(days=left) for left in range(60, 0, -1)], nights=7)
        case "ten_years":
            days = [date(year, 11, day) for year in range(2017, 2027) for day in (19, 20)]
            live(services, clock, "ja", days, nights=len(days))
        case "group":
            _sit_at_table(services, clock)
    services.close()


def live(services: Services, clock: HandClock, lang: Lang, days: Sequence[date], nights: int) -> None:
    """Let days pass: something is told in the morning and in the evening, and the last nights are dreamt.

    Args:
        services: a home.
        clock: that home's, which is set.
        lang: who is talked to.
        days: on which days, in their order.
        nights: so many of the last days are dreamt of; those before count as settled.
    """
    rng, persona = Random(8), PERSONAS[lang]
    memories = services.companion(persona).memories
    for number, day in enumerate(days):
        for hour in (8, 20):
            clock.set(datetime(day.year, day.month, day.day, hour + rng.randint(0, 2)))
            memories.inner_state.note_course()
            text, answer = PAST[lang][(2 * number + hour // 20 + rng.randint(0, 2)) % len(PAST[lang])]
            message = memories.log.append("user", USERS[lang], text, time=clock.now())
            memories.inner_life.perceive(message, EmotionReading(read_emotion(text).emotion), clock.now())
            memories.log.append("persona", persona, answer, time=clock.now() + timedelta(minutes=1))
        if len(days) - number == nights and nights < len(days):
            settled = [one.isoformat() for one in days[:number]]
            (memories.paths.memory / "dream_state.json").write_text(json.dumps({"settled_days": settled}), "utf-8")
        if len(days) - number <= nights:
            night = day + timedelta(days=1)
            clock.set(datetime(night.year, night.month, night.day, 3))
            services.sleeper(persona).dream(Cancel())
    memories.recall.catch_up()
    for index in memories.recall.indexes.values():
        index.vectors.save(index.store, index.refresh())


def _sit_at_table(services: Services, clock: HandClock) -> None:
    services.settings_file.change("user", name=USERS["ja"])
    clock.set(TODAY - timedelta(hours=4))
    talk = services.groups.of(AT_TABLE)
    for text in ("こんばんは、みんな。", "来週は京都の貴船神社に行く予定です。", "おすすめの映画はある?"):
        clock.move(minutes=2)
        for _ in talk.say(text).events():
            pass
    for name in AT_TABLE:
        services.companion(name).settle()


def let_in(home: Home, *names: str, with_wishes: bool = True) -> None:
    """Let folders in that a test has put into `characters/`, as a person does: all of them, if none is named."""
    door = Door(home, SystemClock())
    for name in names or door.guests():
        question = door.question(name)
        door.admit(name, wishes=question.seen if question else "", grant=with_wishes or None)
