"""What somebody felt last: never calm for want of a reading, and a day's weight before the small talk after it."""

import json
from datetime import timedelta

import pytest

from managers.memory.emotion_names import feeling_name
from managers.memory.emotions import EmotionLog
from managers.memory.inner_state import InnerStateStore
from managers.storage.errors import Lang
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock

DEATH = "昨日、母が亡くなりました。"


@pytest.fixture
def emotions(paths: PersonaPaths, clock: HandClock) -> EmotionLog:
    return EmotionLog(paths, clock)


@pytest.fixture
def inner(paths: PersonaPaths, clock: HandClock) -> InnerStateStore:
    return InnerStateStore(paths, clock, SleepSettings())


def felt(inner: InnerStateStore) -> str:
    found = inner.felt()
    return found.name if found else ""


def test_a_neutral_reading_is_no_calm(inner: InnerStateStore, emotions: EmotionLog) -> None:
    emotions.append("電車に乗った。", "neutral", message_id="m1")
    inner.meet("neutral")
    assert inner.felt() is None
    assert "直近のユーザー感情: とくになし" in inner.full_text("ja")
    assert "What the user last felt: nothing in particular" in inner.full_text("en")
    assert "穏やか" not in feeling_name("neutral", "ja")
    assert "calm" not in feeling_name("neutral", "en")


def test_small_talk_after_a_feeling_does_not_wipe_it_away(
    inner: InnerStateStore, emotions: EmotionLog, clock: HandClock
) -> None:
    emotions.append("試験に落ちて悲しい。", "sadness", message_id="m1")
    for number in range(5):
        clock.move(minutes=1)
        emotions.append("うん。", "neutral", message_id=f"n{number}")
    assert felt(inner) == "sadness"
    clock.move(minutes=1)
    emotions.append("でも、友達が来てくれてうれしい！", "happy", message_id="m2")
    assert felt(inner) == "happy"
    clock.move(hours=30)
    emotions.append("おはよう。", "neutral", message_id="m3")
    assert felt(inner) == ""


@pytest.mark.parametrize(
    ("text", "concern", "name"),
    [(DEATH, "loss", "grief"), ("もう消えてしまいたい。", "self_harm", "distress"), ("My cat died.", "loss", "grief")],
)
def test_what_weighs_on_a_day_outweighs_what_comes_after_it(
    inner: InnerStateStore, emotions: EmotionLog, clock: HandClock, text: str, concern: str, name: str
) -> None:
    emotions.append(text, "neutral", message_id="m1")
    clock.move(hours=3)
    emotions.append("ありがとう、うれしい。", "happy", message_id="m2")
    found = inner.felt()
    assert found is not None
    assert (found.name, found.concern, found.words, found.message_id) == (name, concern, text, "m1")
    langs: tuple[Lang, Lang] = ("ja", "en")
    for lang in langs:
        assert feeling_name(name, lang) in inner.full_text(lang)
    clock.move(hours=30)
    emotions.append("うれしい！", "happy", message_id="m3")
    assert felt(inner) == "happy"


def test_concern_stands_in_the_file_only_where_there_is_one(paths: PersonaPaths, emotions: EmotionLog) -> None:
    emotions.append(DEATH, "sadness", message_id="m1")
    emotions.append("雨だね。", "neutral", message_id="m2")
    emotions.roll()
    entries = {one["message_id"]: one for one in json.loads(paths.emotion_log.read_text("utf-8"))}
    assert entries["m1"]["concern"] == "loss"
    assert set(entries["m2"]) == {"timestamp", "user_text_snippet", "emotion", "message_id"}


def test_words_that_were_taken_back_weigh_no_more(inner: InnerStateStore, emotions: EmotionLog) -> None:
    emotions.append(DEATH, "neutral", message_id="m1")
    emotions.roll()
    assert felt(inner) == "grief"
    emotions.reword({"m1": "昨日、母が来ました。"})
    assert felt(inner) == ""
    emotions.reword({"m1": DEATH})
    assert felt(inner) == "grief"
    emotions.reword({"m1": ""})
    assert felt(inner) == ""


def test_the_narrative_names_the_loss(inner: InnerStateStore, emotions: EmotionLog, clock: HandClock) -> None:
    emotions.append(DEATH, "sadness", message_id="m1")
    inner.meet("sadness")
    clock.move(minutes=1)
    emotions.append("うん。", "neutral", message_id="m2")
    inner.meet("neutral")
    assert inner.motivation("ja", clock.now() + timedelta(minutes=1)).narrative == (
        "喪失の悲しみを打ち明けてくれたことが、心に残っている。そばで力になりたい。"
    )
