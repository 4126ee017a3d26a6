"""Structured answers: validated, asked for once more with what was wrong, then given up."""

import json

import pytest
from pydantic import BaseModel, Field

from agent.minds.errors import InvalidAnswerError, QuotaError
from agent.minds.language_model.answers import UnusableAnswerError, checked_form, parse
from tests.minds.talking import MakeMind, behind_claude, behind_gemini, behind_openai, talk
from tests.model_server import ModelServer, Refuse, Say


class Day(BaseModel):
    """A day in short."""

    summary: str = Field(min_length=1, description="what happened")
    mood: int = Field(ge=0, le=10)


GOOD = {"summary": "雨の日に京都へ行った。", "mood": 7}


def test_a_good_answer_is_returned_typed(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(json.dumps(GOOD, ensure_ascii=False))
    assert make(server).ask("一日は。", "雨。", Day, language="ja") == Day(summary="雨の日に京都へ行った。", mood=7)
    assert "雨。" in server.chats[0].prompt
    assert "what happened" in server.chats[0].prompt


def test_the_server_is_asked_for_json_of_that_form(server: ModelServer) -> None:
    server.enqueue(Say('<think>{"summary": "wrong", "mood": 1}</think>' + json.dumps(GOOD)), json.dumps(GOOD))
    assert behind_openai(server).ask("sum up", "rain", Day).mood == 7
    behind_gemini(server).ask("sum up", "rain", Day)
    openai, gemini = (chat.body for chat in server.chats)
    assert openai["response_format"]["type"] == "json_schema"
    schema = openai["response_format"]["json_schema"]["schema"]
    assert set(schema["properties"]) == {"summary", "mood"}
    assert schema["properties"]["summary"]["maxLength"] <= 600  # small models find no end
    assert gemini["generationConfig"]["responseMimeType"] == "application/json"
    assert "summary" in json.dumps(gemini["generationConfig"]["responseJsonSchema"])


def test_evidence_can_name_only_the_labels_that_were_given(server: ModelServer) -> None:
    class Known(Day):
        evidence: list[str] = []

    server.enqueue(json.dumps(GOOD))
    behind_openai(server).ask("sum up", "[m1] rain", checked_form(Known, lambda _: None, "en", ["m1", "m2"]))
    schema = server.chats[0].body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["evidence"]["items"]["enum"] == ["m1", "m2"]


def test_structured_answers_have_a_low_temperature_speech_the_chosen_one(server: ModelServer, make: MakeMind) -> None:
    mind = make(server, temperature=0.9)
    server.enqueue(json.dumps(GOOD), "やあ")
    mind.ask("sum up", "rain", Day)
    talk(mind)
    bodies = [chat.body.get("generationConfig", chat.body) for chat in server.chats]
    wanted = [None, None] if make is behind_claude else [0.3, 0.9]  # Claude's current models refuse any
    assert [body.get("temperature") for body in bodies] == wanted


def test_a_server_without_json_mode_is_asked_in_plain_words(server: ModelServer) -> None:
    server.enqueue(
        Refuse(400, "'response_format.type' must be 'json_object' or 'text'"),
        f"Sure!\n```json\n{json.dumps(GOOD)}\n```",
    )
    mind = behind_openai(server)
    assert mind.ask("sum up", "rain", Day).mood == 7
    server.enqueue(json.dumps(GOOD))
    mind.ask("sum up", "rain", Day)
    assert ["response_format" in chat.body for chat in server.chats] == [True, False, False]


def test_a_wrong_answer_is_asked_for_once_more_with_what_was_wrong(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(json.dumps({"summary": "雨", "mood": 11}), json.dumps(GOOD), "", json.dumps(GOOD))
    for wrong in ("mood は 10 以下にする", "答えが空です"):  # in the language of the prompt
        if wrong == "答えが空です" and make is not behind_openai:
            break
        assert make(server).ask("まとめて", "雨", Day, language="ja").mood == 7
        assert wrong in server.chats[-1].prompt


def test_twice_wrong_is_given_up(server: ModelServer, make: MakeMind) -> None:
    server.enqueue("わかりません", "やはりわかりません", json.dumps(GOOD))
    with pytest.raises(InvalidAnswerError) as caught:
        make(server).ask("まとめて", "雨", Day)
    assert "決まった形の答え" in caught.value.sentence("ja")
    assert server.waiting == 1


def test_other_failures_keep_their_names(server: ModelServer) -> None:
    server.enqueue(*[Refuse(429, "slow down")] * 3)
    with pytest.raises(QuotaError):
        behind_openai(server).ask("sum up", "rain", Day)


def test_answers_are_found_in_what_models_write_around_them() -> None:
    for text in (
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here you are: {json.dumps(GOOD)} I hope it helps {{}}",
        f"{{not this}} but {json.dumps(GOOD)}",
        '{"summary": "line\nbreak", "mood": 3}',
        '{"answer": 1} {"summary": "second", "mood": 3}',
    ):
        assert parse(text, Day, "en").summary
    for text in ("", "no", "{", "[1, 2]", '{"summary": "", "mood": 3}', '{"mood": 3}', "null"):
        with pytest.raises(UnusableAnswerError) as caught:
            parse(text, Day, "ja")
        assert len(str(caught.value)) < 200  # it is not quoted
