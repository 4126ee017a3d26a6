"""Bodies as servers of the OpenAI protocol sent them, byte for byte: what is heard of each."""

import json
from typing import Any

import pytest

from agent.minds import errors
from agent.minds.errors import MindError
from managers.mind import TakenBack
from tests.minds.talking import Heard, behind_openai, request, talk
from tests.minds.test_answer_text import CALLS, TOOLS
from tests.model_server import Garbage, HalfStream, ModelServer, Say, Tool

EVENTS, JSON, PLAIN = "text/event-stream", "application/json", "text/plain"


def event(delta: Any, finish: str | None = None, **more: Any) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}], **more})}\n\n"


def said(*texts: str) -> str:
    return "".join(event({"content": text}) for text in texts)


ANSWER = {
    "choices": [{"message": {"role": "assistant", "content": "はい。"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3},
}
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "考え"}]}, {"type": "text", "text": "はい。"}]
CALL = {
    "index": 0,
    "id": "c",
    "type": "function",
    "function": {"name": "recall_memories", "arguments": {"query": "京都"}},
}
LEGACY = {"function_call": {"name": "recall_memories", "arguments": '{"query": "京都"}'}}
BODIES: dict[str, tuple[str, str, str, type[MindError] | None]] = {
    "only [DONE]": (EVENTS, said("は", "い。") + "data: [DONE]\n\n", "はい。", None),
    "a clean end": (EVENTS, said("は", "い。"), "はい。", None),
    "no empty line at the end": (EVENTS, said("は", "い。").rstrip("\n"), "はい。", None),
    "no empty line at all": (EVENTS, said("は", "い。").replace("\n\n", "\n"), "はい。", None),
    "an odd finish": (EVENTS, said("はい。") + event({}, "eos_token"), "はい。", None),
    "empty data, retry, comments": (EVENTS, "retry: 300\n\n: ping\n\ndata:\n\nevent: ping\ndata: \n\n" + said("はい。"), "はい。", None),
    "CRLF": (EVENTS, said("は", "い。").replace("\n", "\r\n"), "はい。", None),
    "one event on two lines": (EVENTS, said("はい。").replace('"choices": [', '"choices": [\ndata: '), "はい。", None),
    "a byte order mark": (EVENTS, f"\ufeff{said('はい。')}", "はい。", None),
    "the whole once more at the end": (EVENTS, said("はい。") + event({}, "stop").replace('"delta"', '"message": {"content": "はい。"}, "delta"'), "はい。", None),
    "plain text": (PLAIN, said("は", "い。") + "data: [DONE]\n\n", "はい。", None),
    "one JSON": (JSON, json.dumps(ANSWER), "はい。", None),
    "one JSON over many lines": (f"{JSON}; charset=utf-8", json.dumps(ANSWER, indent=2), "はい。", None),
    "one JSON, said to be events": (EVENTS, json.dumps(ANSWER), "はい。", None),
    "a JSON each line": ("application/x-ndjson", said("は", "い。").replace("data: ", ""), "はい。", None),
    "parts": (EVENTS, event({"content": PARTS}) + event({}, "stop"), "はい。", None),
    "odd types": (EVENTS, event({"content": "はい。", "role": 3}, "stop", id=7, created="now", model=None, usage={"prompt_tokens": None}), "はい。", None),
    "no delta": (EVENTS, event(None) + said("はい。") + event(None, "stop"), "はい。", None),
    "an error in mid-stream": (EVENTS, said("はい。\n<th") + 'data: {"error": "out of memory"}\n\n', "はい。\n<th", errors.StreamBrokenError),
    "an error as vLLM says it": (EVENTS, said("はい。") + 'data: {"object": "error", "message": "x", "code": 500}\n\n', "はい。", errors.StreamBrokenError),
    "an error by its event": (EVENTS, said("はい。") + 'event: error\ndata: {"message": "x"}\n\n', "はい。", errors.StreamBrokenError),
    "an error as its finish": (EVENTS, said("はい。") + event({}, "error"), "はい。", errors.StreamBrokenError),
    "half an event": (EVENTS, said("はい。") + 'data: {"choices": [{"del', "はい。", errors.StreamBrokenError),
    "no protocol": (PLAIN, "It works!", "", errors.GarbledAnswerError),
    "another JSON": (JSON, '{"detail": "Not here"}', "", errors.GarbledAnswerError),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_each_body_is_heard_as_it_is_meant(server: ModelServer, name: str) -> None:
    kind, body, text, error = BODIES[name]
    server.enqueue(Garbage(body.encode(), kind))
    heard = talk(behind_openai(server))  # and no library warns: warnings are errors here
    assert (heard.text, type(heard.error) if heard.error else None) == (text, error)
    assert heard.thought == ("考え" if name == "parts" else "")


def test_what_breaks_off_did_not_end(server: ModelServer) -> None:
    server.enqueue(HalfStream("途中"), HalfStream("途中", clean=True))
    heard = [talk(behind_openai(server)) for _ in range(2)]
    assert [(one.text, type(one.error)) for one in heard] == [("途中", errors.StreamBrokenError), ("途中", type(None))]


def test_calls_are_used_however_they_are_written_where_tools_are_offered(server: ModelServer) -> None:
    for body in (event({"tool_calls": [CALL]}), event(LEGACY), event({"tool_calls": CALL}, "stop"), *map(said, CALLS)):
        server.enqueue(Garbage(body.encode(), EVENTS))
        heard = talk(behind_openai(server), request("京都は?", tools=TOOLS))
        assert [(call.name, call.arguments) for call in heard.calls] == [("recall_memories", {"query": "京都"})], body
        assert (heard.text, heard.error) == ("", None)


def again(server: ModelServer, *answers: str | Say, **about: Any) -> tuple[Heard, str]:
    """Return what is heard, and the last message of what was asked last."""
    server.enqueue(*answers)
    heard = talk(behind_openai(server), request("京都はいつ行ったかな?", **about))
    return heard, str(server.chats[-1].messages[-1]["content"])


def test_what_is_no_answer_is_asked_for_once_more_and_then_said(server: ModelServer) -> None:
    broken, call = '<tool_call>{"name": "recall_memories", "argum', Tool("recall_memories", {"query": "京都"})
    for wrong, told, error in (
        ("", "言葉がありませんでした", errors.EmptyAnswerError),
        ("<think>うーん</think>", "言葉がありませんでした", errors.EmptyAnswerError),
        ("ユーザー: なに?", "言葉がありませんでした", errors.EmptyAnswerError),
        ("Hello! How are you today? I can help you.", "日本語で", errors.OtherLanguageError),
        (f"探すね。\n{broken}", "読みとれませんでした", errors.UnusableToolCallError),
        (Say("探すね。", tools=[call]), "読みとれませんでした", errors.UnusableToolCallError),  # none were offered
    ):
        tools = TOOLS if isinstance(wrong, str) else ()
        heard, asked = again(server, wrong, "春だったね。", tools=tools)
        assert (heard.text.removeprefix("探すね。"), heard.error, heard.calls) == ("春だったね。", None, []), wrong
        assert told in asked
        assert TakenBack() in heard.pieces or "探すね" not in heard.text
        heard, _ = again(server, wrong, wrong, tools=tools)
        assert (heard.text.replace("探すね。", ""), type(heard.error), server.waiting) == ("", error, 0)
    for said_before in ("英語で言って", "この文を訳して: 春"):
        server.enqueue("Hello! How are you today? I can help you.")
        assert talk(behind_openai(server), request(said_before)).text.startswith("Hello")
