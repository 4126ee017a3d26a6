"""A whole night with a language model behind a loopback server."""

import json
from datetime import datetime

import pytest

from agent.minds.language_model.model_dreams import LanguageModelDreamMind
from tests.minds.talking import behind_openai
from tests.model_server import ModelServer
from tests.sleep.dreamers import DAY_ONE, Life, messages

CLAIM = {"text": "花さんは有馬温泉で岩盤浴を楽しんだ。", "evidence": ["m3"]}
EPISODE = {
    "summary": "花さんが温泉の話をしてくれた。",
    "evidence": ["m3"],
    "key_events": [CLAIM],
    "emotional_tone": "mixed",
}
ENTITIES = {"entities": [{"name": "有馬温泉", "kind": "place", "facts": [CLAIM]}]}
QUESTIONS = {
    "questions": [{"topic": "モモの入院", "context": "退院できたか知りたい。", "priority": 0.9, "evidence": ["m6"]}]
}
REFLECTION = {
    "trigger_topic": "モモ",
    "insight": "花さんは大切なものの話ほど言葉が短くなる。",
    "strategy": "モモの様子をこちらから尋ねる。",
    "log_entry": "夢の中で、湯けむりの向こうに猫がいた。",
    "evidence": ["m6"],
}

DAY = datetime(2026, 11, 20)


@pytest.fixture
def evening(bare: Life) -> Life:
    bare.log.append_many(messages(DAY.replace(hour=20), DAY_ONE, "a"))
    return bare


def test_a_night_over_the_wire(server: ModelServer, evening: Life) -> None:
    mind = LanguageModelDreamMind(behind_openai(server))
    answers = [{**EPISODE, "evidence": ["m99"]}, EPISODE, ENTITIES, QUESTIONS, REFLECTION]
    server.enqueue(*(json.dumps(answer, ensure_ascii=False) for answer in answers))
    assert evening.dreamer(mind).dream().failures == ()
    assert len(server.chats) == 5
    assert "m99" in server.chats[1].prompt
    episode = evening.episode(DAY.date())
    assert (episode.summary, episode.evidence, episode.mind) == (EPISODE["summary"], ["a2"], mind.name)
    assert evening.entity("有馬温泉").facts[0].evidence == ("a2",)
    assert [one.strategy for one in [evening.insights.with_strategy()] if one] == [REFLECTION["strategy"]]


def test_a_model_that_talks_nonsense_costs_no_day(server: ModelServer, evening: Life) -> None:
    server.enqueue(*(["すみません、わかりません。"] * 12))
    report = evening.dreamer(LanguageModelDreamMind(behind_openai(server))).dream()
    assert {failure.task for failure in report.failures} == {"episode", "entities", "questions", "reflection"}
    episode = evening.episode(DAY.date())
    assert (episode.mind, episode.redo) == ("built-in", True)
    assert "有馬温泉" in episode.summary
