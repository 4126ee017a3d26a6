"""Estimates are never too low, and what is sent always fits."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from agent.minds.errors import ContextTooLongError
from agent.minds.tokens import answer_room, count_tokens, fit, turn_tokens
from agent.minds.tool_schemas import TOOLS_SHARE, affordable, as_function, names_of
from agent.tools import all_tools
from managers.mind import ChatTurn, ToolCall, ToolSpec
from managers.storage.errors import Lang
from tests.minds.talking import behind_openai, request, talk
from tests.model_server import ModelServer, Say, Tool


def test_counts_are_above_those_of_current_vocabularies_and_not_far_above() -> None:
    # The largest published counts of these texts: r50k, cl100k and o200k, from OpenAI's cookbook on counting tokens.
    published = {"antidisestablishmentarianism": 6, "2 + 2 = 4": 7, "tiktoken is great!": 6, "お誕生日おめでとう": 9}
    assert {text for text, tokens in published.items() if count_tokens(text) < tokens} == set()
    prose = "I went to the store yesterday to buy some milk, and on the way home I met an old friend from school. " * 20
    words = len(prose.split())
    assert words * 4 / 3 <= count_tokens(prose) <= words * 2
    prose = "今日は朝から雨だったけど、駅前の喫茶店で友達と三時間も話していた。" * 20
    assert len(prose) <= count_tokens(prose) <= 1.5 * len(prose)
    for text in ("", "a", "\n" * 50, "😀🎉", "\ud800", "\x00\x01", "0123456789" * 10):
        assert len(text) <= count_tokens(text) + (text == "a") <= max(1, 4 * len(text))


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_longer_text_never_counts_much_less(first: str, second: str) -> None:
    assert count_tokens(first + second) + 14 >= count_tokens(first)


def _conversation(pairs: int) -> list[ChatTurn]:
    turns = []
    for number in range(pairs):
        turns += [ChatTurn("user", f"質問{number}" + "あ" * 50), ChatTurn("persona", f"答え{number}" + "い" * 50)]
    return [*turns, ChatTurn("user", "最後の質問")]


@given(st.integers(0, 30), st.integers(600, 6000), st.integers(0, 1500))
def test_what_is_kept_fits_and_is_the_newest(pairs: int, context: int, system_length: int) -> None:
    system, turns = "し" * system_length, _conversation(pairs)
    kept = fit(system, turns, 0, context, count_tokens)
    if kept is None:
        last = turn_tokens(turns[-1], count_tokens)
        assert count_tokens(system) + last + answer_room(context) + 8 > context
        return
    assert list(kept) == turns[len(turns) - len(kept) :]
    assert kept[0].role == "user"
    used = count_tokens(system) + sum(turn_tokens(turn, count_tokens) for turn in kept)
    assert used + answer_room(context) <= context


def test_a_tools_answer_is_never_kept_without_its_call() -> None:
    call = ToolCall("c1", "recall", {"query": "x"})
    turns = [
        ChatTurn("user", "古い質問"),
        ChatTurn("persona", "", tool_calls=(call,)),
        ChatTurn("tool", "い" * 400, tool_call_id="c1"),
        ChatTurn("persona", "答え"),
        ChatTurn("user", "新しい質問"),
    ]
    assert (kept := fit("", turns, 0, 600, count_tokens)) is not None
    assert [turn.role for turn in kept] == ["user"]


class Query(BaseModel):
    query: str


class Note(BaseModel):
    """One edit of a note."""

    title: str = Field(max_length=80, description="its heading")
    text: str = ""


def test_tools_are_described_shortly_and_completely() -> None:
    function = as_function(ToolSpec("write_note", "メモを書く", Note))["function"]
    assert function["parameters"] == {
        "properties": {"title": {"description": "its heading", "type": "string"}, "text": {"type": "string"}},
        "required": ["title"],
        "type": "object",
    }


def test_a_small_model_gets_the_first_tools_and_the_conversation_keeps_its_room(server: ModelServer) -> None:
    mind = behind_openai(server, context_tokens=4096)
    tools = [ToolSpec(f"t_{n}", "役に立つ道具。" * 14, create_model(f"Query{n}", __base__=Query)) for n in range(13)]
    asked = request(*_conversation(3), system="あ" * 1600, tools=tools)
    heard = talk(mind, asked)
    assert heard.error is None
    assert [notice.code for notice in heard.notices] == ["mind-fewer-tools"]
    assert talk(mind, asked).notices == []  # said once
    sent = server.chats[0].body["tools"]
    assert [tool["function"]["name"] for tool in sent] == [f"t_{number}" for number in range(len(sent))]
    assert 1 <= len(sent) < 13
    assert count_tokens(json.dumps(sent, ensure_ascii=False)) <= TOOLS_SHARE * 4096


def test_tools_with_the_same_arguments_are_one_where_there_is_little_room(server: ModelServer) -> None:
    mind = behind_openai(server, context_tokens=4096)
    tools = [ToolSpec(f"t_{number}", "とても役に立つ道具。毎日使う。" * 5, Query, "ja") for number in range(13)]
    server.enqueue(Say(tools=[Tool("search", {"what": "tool_3", "query": "猫"})]))
    heard = talk(mind, request("猫のことを覚えてる?", tools=tools))
    (group,) = server.chats[0].body["tools"]
    names = group["function"]["parameters"]["properties"]["what"]["enum"]
    assert names == [tool.name for tool in tools][: len(names)]
    assert all(name in group["function"]["description"] for name in names)
    assert [(call.name, call.arguments) for call in heard.calls] == [("tool_3", {"query": "猫"})]
    assert len(names) == 13 or [notice.code for notice in heard.notices] == ["mind-fewer-tools"]


def test_a_small_model_can_search_note_and_forget_and_is_told_in_its_language() -> None:
    langs: tuple[Lang, ...] = ("en", "ja")
    for lang in langs:
        offered = affordable(all_tools().specs(lang), 4096, count_tokens)
        assert {"recall_memories", "search_past_conversations", "forget_messages", "edit_notepad"} <= names_of(offered)
    described = [as_function(tool)["function"] for tool in offered]
    arguments = [one for tool in described for one in tool["parameters"].get("properties", {}).values()]
    words = [one["description"] for one in [*described, *arguments] if "description" in one]
    assert [text for text in words if not re.search("[ぁ-ん]", text)] == []


def test_a_large_model_gets_all_tools_and_no_reply_longer_than_a_talk_wants_it(server: ModelServer) -> None:
    mind = behind_openai(server, context_tokens=32768)
    tools = [ToolSpec(f"t_{number}", "役に立つ道具", Query) for number in range(13)]
    assert talk(mind, request(tools=tools)).notices == []
    talk(mind, request("やあ"))
    assert len(server.chats[0].body["tools"]) == 13
    assert server.chats[0].body["max_tokens"] <= 4096
    assert server.chats[1].body["max_tokens"] <= 2048


def test_a_model_of_4096_tokens_gets_no_more_than_that(server: ModelServer) -> None:
    mind = behind_openai(server, context_tokens=4096)
    tools = [ToolSpec("recall_memories", "思い出を探す", Query)]
    assert talk(mind, request(*_conversation(200), system="あ" * 1500, tools=tools)).error is None
    sent = server.chats[0]
    total = sum(count_tokens(message["content"]) + 8 for message in sent.messages)
    assert total + sent.body["max_tokens"] <= 4096 + 256
    assert sent.messages[0]["content"] == "あ" * 1500
    assert sent.messages[-1]["content"] == "最後の質問"
    assert len(sent.messages) > 10
    assert isinstance(error := talk(mind, request("長" * 5000)).error, ContextTooLongError)  # it cannot fit
    assert "4096" in error.sentence("ja")
    assert len(server.chats) == 1
