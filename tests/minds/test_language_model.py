"""Language models over the wire: a real server on loopback plays OpenAI's, Gemini's and Anthropic's protocols."""

import time
from copy import deepcopy

import pytest
from pydantic import BaseModel, Field

from agent.minds.errors import (
    ContextTooLongError,
    EmptyAnswerError,
    MindError,
    QuotaError,
    StreamBrokenError,
    UnknownModelError,
    UnusableToolCallError,
    WrongKeyError,
)
from agent.minds.language_model.calls import Calls
from agent.minds.tool_schemas import as_function
from agent.tools import all_tools
from managers.mind import Cancel, ChatTurn, Image, TextPiece, ToolCall, ToolSpec, Usage
from tests.minds.talking import MakeMind, behind_claude, behind_gemini, behind_openai, request, talk
from tests.model_server import (
    HalfStream,
    ModelServer,
    Refuse,
    Say,
    Tool,
)


class Query(BaseModel):
    query: str = Field(description="what to look for")


RECALL = ToolSpec("recall_memories", "Search memories.", Query)


def test_speech_comes_in_pieces_and_ends_with_what_it_cost(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("こんにちは、今日はどうでしたか?", usage=(21, 9)))
    heard = talk(make(server))
    assert heard.error is None
    assert heard.text == "こんにちは、今日はどうでしたか?"
    assert len([piece for piece in heard.pieces if isinstance(piece, TextPiece)]) > 2
    assert heard.usage == [Usage(21, 9)]


def test_the_first_piece_does_not_wait_for_the_last(server: ModelServer, make: MakeMind) -> None:
    mind = make(server)
    mind.warm_up()
    server.enqueue(Say("一二三四五六七八", gap=3.0))
    started = time.monotonic()
    pieces = mind.reply(request(), Cancel())
    next(pieces)
    assert time.monotonic() - started < 15  # of twenty-four seconds; the machine may be busy
    pieces.close()


def test_the_model_reads_system_prompt_and_turns_in_order(server: ModelServer) -> None:
    turns = (ChatTurn("user", "おはよう"), ChatTurn("persona", "おはよう、花さん"), "今日の予定は?")
    talk(behind_openai(server), request(*turns))
    roles = [(message["role"], message["content"]) for message in server.chats[0].messages]
    assert roles == [
        ("system", "あなたは詩音です。"),
        ("user", "おはよう"),
        ("assistant", "おはよう、花さん"),
        ("user", "今日の予定は?"),
    ]


def test_gemini_reads_the_same(server: ModelServer) -> None:
    talk(behind_gemini(server), request(ChatTurn("user", "おはよう"), ChatTurn("persona", "おはよう"), "予定は?"))
    body = server.chats[0].body
    assert body["systemInstruction"]["parts"][0]["text"] == "あなたは詩音です。"
    assert [entry["role"] for entry in body["contents"]] == ["user", "model", "user"]


# Reasoning


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields_are_thought_not_said(server: ModelServer, field: str) -> None:
    server.enqueue(Say("はい。", reasoning="花さんは疲れているようだ。", reasoning_field=field))
    heard = talk(behind_openai(server))
    assert (heard.text, heard.thought) == ("はい。", "花さんは疲れているようだ。")


def test_thought_parts_of_gemini_are_thought_not_said(server: ModelServer) -> None:
    server.enqueue(Say("はい。", reasoning="花さんは疲れているようだ。"))
    heard = talk(behind_gemini(server))
    assert (heard.text, heard.thought) == ("はい。", "花さんは疲れているようだ。")


def test_gemini_is_asked_for_its_thoughts_only_where_it_has_them(server: ModelServer) -> None:
    talk(behind_gemini(server))
    talk(behind_gemini(server, model="gemini-2.0-flash"))
    thoughts = ["thinkingConfig" in chat.body["generationConfig"] for chat in server.chats]
    assert thoughts == [True, False]


def test_claude_is_asked_for_its_thoughts_only_where_it_has_them(server: ModelServer) -> None:
    server.enqueue(Say("はい。", reasoning="花さんは疲れているようだ。"))
    heard = talk(behind_claude(server))
    assert (heard.text, heard.thought) == ("はい。", "花さんは疲れているようだ。")
    talk(behind_claude(server, model="claude-haiku-5-5"))
    assert ["thinking" in chat.body for chat in server.chats] == [True, False]


def test_claude_that_refuses_to_tell_its_thoughts_is_asked_without(server: ModelServer) -> None:
    server.enqueue(Refuse(400, "adaptive thinking is not supported on this model"), "はい。")
    assert talk(behind_claude(server)).text == "はい。"
    assert ["thinking" in chat.body for chat in server.chats] == [True, False]


def test_think_tags_cut_anywhere_are_thought_not_said(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say(pieces=list("<think>静かに考える</think>\n\nこんばんは")))
    heard = talk(make(server))
    assert (heard.text, heard.thought) == ("こんばんは", "静かに考える")


def test_a_thought_that_never_ends_is_an_empty_answer(server: ModelServer) -> None:
    server.enqueue(Say("<think>まだ考えている"))
    heard = talk(behind_openai(server))
    assert heard.text == ""
    assert isinstance(heard.error, EmptyAnswerError)


def test_a_closing_tag_without_an_opening_one_is_learned(server: ModelServer) -> None:
    server.enqueue(Say("隠れた考え</think>こんにちは"), Say("また考え</think>やあ"), Say("タグなし"))
    mind = behind_openai(server)
    talk(mind)
    second, third = talk(mind), talk(mind)
    assert (second.text, second.thought) == ("やあ", "また考え")
    assert third.text == "タグなし"


# Tools


def test_a_tool_call_is_put_together_from_its_pieces(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("探してみます。", tools=[Tool("recall_memories", {"query": "京都の旅行"}, "c1")]))
    heard = talk(make(server), request(tools=[RECALL]))
    assert [(call.name, call.arguments) for call in heard.calls] == [("recall_memories", {"query": "京都の旅行"})]
    assert heard.text == "探してみます。"


def test_several_tool_calls_stay_apart(server: ModelServer) -> None:
    calls = [Tool("recall_memories", {"query": "海"}, "c1"), Tool("recall_memories", {"query": "山"}, "c2")]
    server.enqueue(Say(tools=calls))
    heard = talk(behind_openai(server), request(tools=[RECALL]))
    assert [(call.id, call.arguments["query"]) for call in heard.calls] == [("c1", "海"), ("c2", "山")]


def test_the_tools_are_described_to_the_model(server: ModelServer) -> None:
    talk(behind_openai(server), request(tools=[RECALL]))
    (tool,) = server.chats[0].body["tools"]
    assert tool["function"]["name"] == "recall_memories"
    assert tool["function"]["parameters"]["properties"]["query"]["description"] == "what to look for"


def test_a_tools_answer_goes_back_to_the_model(server: ModelServer, make: MakeMind) -> None:
    mind = make(server)
    server.enqueue(Say(tools=[Tool("recall_memories", {"query": "京都"}, "c1")]), "二年前ですね。")
    (call,) = talk(mind, request("京都はいつ?", tools=[RECALL])).calls
    exchange = (ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "2024年5月", tool_call_id=call.id))
    heard = talk(mind, request("京都はいつ?", *exchange, tools=[RECALL]))
    assert heard.text == "二年前ですね。"
    assert "2024年5月" in server.chats[1].prompt


def test_gemini_gets_back_the_signature_of_its_call(server: ModelServer) -> None:
    mind = behind_gemini(server)
    server.enqueue(Say(tools=[Tool("recall_memories", {"query": "京都"})]), "はい")
    (call,) = talk(mind, request("京都はいつ?", tools=[RECALL])).calls
    exchange = (ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "5月", tool_call_id=call.id))
    talk(mind, request("京都はいつ?", *exchange, tools=[RECALL]))
    parts = [part for entry in server.chats[1].body["contents"] for part in entry["parts"] if "functionCall" in part]
    sent = server.chats[1].prompt
    assert parts
    assert "c2lnbmF0dXJlIG9mIHJlY2FsbF9tZW1vcmllcw" in sent  # "signature of recall_memories"


def test_gemini_leaves_the_descriptions_of_tools_as_they_were(server: ModelServer) -> None:
    tools = all_tools().specs("ja")
    described = deepcopy([as_function(tool) for tool in tools])
    talk(behind_gemini(server), request("やあ", tools=tools))
    assert [as_function(tool) for tool in tools] == described


def test_claude_gets_back_its_thoughts_before_its_calls(server: ModelServer) -> None:
    mind = behind_claude(server)
    calls = [Tool("recall_memories", {"query": "京都"}, "c1"), Tool("recall_memories", {"query": "奈良"}, "c2")]
    server.enqueue(Say("探します。", reasoning="いつのことだろう。", tools=calls), "五月です。")
    heard = talk(mind, request("京都はいつ?", tools=[RECALL]))
    exchange = [ChatTurn("persona", heard.text, tool_calls=tuple(heard.calls))]
    exchange += [ChatTurn("tool", "5月", tool_call_id=call.id) for call in heard.calls]
    assert talk(mind, request("京都はいつ?", *exchange, tools=[RECALL])).text == "五月です。"
    sent = server.chats[1].messages[1]["content"]
    assert sent[0] == {"type": "thinking", "thinking": "いつのことだろう。", "signature": "signed"}
    assert [block["type"] for block in sent] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in server.chats[1].messages[2]["content"]] == ["c1", "c2"]


@pytest.mark.parametrize("arguments", ['{"query": "京', "not json", '["a list"]', '"text"'])
def test_a_broken_tool_call_is_named_and_never_mended(server: ModelServer, arguments: str) -> None:
    broken = Say(tools=[Tool("recall_memories", arguments)])
    server.enqueue(broken, broken, broken)
    heard = talk(behind_openai(server), request(tools=[RECALL]))
    assert heard.calls == []
    assert isinstance(heard.error, UnusableToolCallError)
    assert "recall_memories" in heard.error.sentence("ja")


def test_a_broken_tool_call_is_asked_for_again(server: ModelServer) -> None:
    server.enqueue(Say(tools=[Tool("recall_memories", "{{")]), Say(tools=[Tool("recall_memories", {"query": "海"})]))
    heard = talk(behind_openai(server), request(tools=[RECALL]))
    assert [call.arguments for call in heard.calls] == [{"query": "海"}]


@pytest.mark.parametrize(
    "refusal",
    [
        Refuse(400, "registry.ollama.ai/library/gemma:latest does not support tools"),
        Refuse(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        Refuse(500, "tools param requires --jinja flag"),
        Refuse(404, "No endpoints found that support tool use."),
    ],
)
def test_a_model_that_refuses_tools_goes_without_and_that_is_remembered(server: ModelServer, refusal: Refuse) -> None:
    mind = behind_openai(server)
    server.enqueue(refusal, "道具なしで答えます", "二度目")
    first = talk(mind, request(tools=[RECALL]))
    second = talk(mind, request(tools=[RECALL]))
    assert (first.text, second.text) == ("道具なしで答えます", "二度目")
    assert [notice.code for notice in first.notices] == ["mind-without-tools"]
    assert second.notices == []
    assert ["tools" in chat.body for chat in server.chats] == [True, False, False]


def test_without_tools_earlier_tool_exchanges_become_text(server: ModelServer) -> None:
    mind = behind_openai(server)
    call = ToolCall("c1", "recall_memories", {"query": "京都"})
    server.enqueue(Refuse(400, "this model does not support tools"), "はい")
    exchange = (ChatTurn("persona", "探すね", tool_calls=(call,)), ChatTurn("tool", "2024年5月", tool_call_id="c1"))
    talk(mind, request("京都は?", *exchange, tools=[RECALL]))
    assert [message["role"] for message in server.chats[1].messages] == ["system", "user", "assistant", "user"]
    assert "2024年5月" in server.chats[1].messages[-1]["content"]


# Other things that servers refuse


def test_a_refused_temperature_is_left_out(server: ModelServer) -> None:
    server.enqueue(Refuse(400, "Unsupported value: 'temperature' does not support 0.8 with this model."), "はい")
    heard = talk(behind_openai(server))
    assert heard.text == "はい"
    assert ["temperature" in chat.body for chat in server.chats] == [True, False]


def test_a_model_without_a_system_role_reads_the_prompt_as_the_users(server: ModelServer) -> None:
    server.enqueue(Refuse(400, "Developer instruction is not enabled for models/gemma-3-4b-it"), "はい")
    heard = talk(behind_openai(server))
    assert heard.text == "はい"
    (message,) = server.chats[1].messages
    assert message["role"] == "user"
    assert message["content"] == "あなたは詩音です。\n\nやあ"


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (
            Refuse(400, "maximum context length is 4096 tokens. Reduce the length of the messages or tools."),
            ContextTooLongError,
        ),
        (Refuse(403, "this key may not use tools"), WrongKeyError),
        (Refuse(402, "tool calls need a paid plan"), QuotaError),
    ],
)
def test_other_errors_that_mention_tools_take_none_away(
    server: ModelServer, refusal: Refuse, error: type[MindError]
) -> None:
    mind = behind_openai(server)
    server.enqueue(refusal, "はい")
    assert type(talk(mind, request(tools=[RECALL])).error) is error
    talk(mind, request(tools=[RECALL]))
    assert ["tools" in chat.body for chat in server.chats] == [True, True]


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 5000 tokens.",
        "the request exceeds the available context size (2048 tokens), try increasing it",
        "Requested tokens (2285) exceed context window of 2048",
        "The input token count (5000) exceeds the maximum number of tokens allowed (2048).",
    ],
)
def test_a_limit_that_the_server_tells_is_learned_and_the_prompt_cut_to_it(
    server: ModelServer, make: MakeMind, said: str
) -> None:
    mind = make(server, context_tokens=8192)
    history = [ChatTurn(role, "あ" * 200) for role in ("user", "persona") * 10]
    server.enqueue(Refuse(400, said), "はい")
    assert talk(mind, request(*history, "最後の質問")).text == "はい"
    assert mind.context_tokens == 2048
    assert len(server.chats[1].prompt) < len(server.chats[0].prompt) / 2
    assert "最後の質問" in server.chats[1].prompt


def test_an_answer_that_became_too_long_is_kept_and_said_to_end_early(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("とても長い話が", finish="length"))
    heard = talk(make(server))
    assert (heard.text, heard.error) == ("とても長い話が", None)
    assert [notice.code for notice in heard.notices] == ["mind-cut-short"]


# Images

PICTURE = Image("image/png", b"\x89PNG not really")


def test_images_go_to_models_that_see(server: ModelServer) -> None:
    talk(behind_openai(server).learn(can_see=True), request(ChatTurn("user", "これは?", images=(PICTURE,))))
    parts = server.chats[0].messages[-1]["content"]
    assert parts[0] == {"type": "text", "text": "これは?"}
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,iVBORyBub3Q")


def test_models_that_do_not_see_are_told_that_there_is_an_image(server: ModelServer) -> None:
    heard = talk(behind_openai(server), request(ChatTurn("user", "これは?", images=(PICTURE,))))
    assert "画像が1枚" in server.chats[0].messages[-1]["content"]
    assert [notice.code for notice in heard.notices] == ["mind-cannot-see"]


def test_a_model_that_refuses_images_is_asked_again_without(server: ModelServer) -> None:
    mind = behind_openai(server).learn(can_see=True)
    server.enqueue(Refuse(500, "image input is not supported - hint: you may need to provide the mmproj"), "見えません")
    heard = talk(mind, request(ChatTurn("user", "これは?", images=(PICTURE,))))
    assert heard.text == "見えません"
    assert not mind.can_see


@pytest.mark.parametrize(
    "said",
    [
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        "Could not process image",
        "You uploaded an unsupported image. Please make sure your image is valid.",
        "The image data you provided does not represent a valid image. Please check your input and try again.",
        "Unable to process input image. Please retry or report",
        "At most 4 image(s) may be provided in one prompt.",
        "Failed to load image or audio file",
        "cannot identify image file",
    ],
)
def test_a_picture_that_a_server_does_not_take_makes_no_model_blind(server: ModelServer, said: str) -> None:
    mind = behind_openai(server).learn(can_see=True)
    server.enqueue(Refuse(400, said), "うん", "見えた")
    heard = talk(mind, request(ChatTurn("user", "これは?", images=(PICTURE,))))
    assert heard.text == "うん"
    assert [notice.code for notice in heard.notices] == ["mind-picture-refused"]
    assert said[:40] in heard.notices[0].en
    assert "画像が1枚" in server.chats[1].messages[-1]["content"]
    assert mind.can_see
    assert talk(mind, request(ChatTurn("user", "これは?", images=(PICTURE,)))).text == "見えた"
    assert "image_url" in str(server.chats[2].messages[-1])


@pytest.mark.parametrize(
    "said",
    [
        "This model does not support image input.",
        "Invalid content type. image_url is only supported by certain models.",
        "At most 0 image(s) may be provided in one prompt.",
        "Model does not support images. Please use a model that does.",
        "this model is missing data required for image input",
    ],
)
def test_a_model_that_sees_nothing_is_shown_no_more(server: ModelServer, said: str) -> None:
    mind = behind_openai(server).learn(can_see=True)
    server.enqueue(Refuse(400, said), "うん")
    heard = talk(mind, request(ChatTurn("user", "これは?", images=(PICTURE,))))
    assert [notice.code for notice in heard.notices] == ["mind-cannot-see"]
    assert not mind.can_see


# OpenAI's own


@pytest.fixture
def as_openai(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The server, taken for OpenAI itself."""
    monkeypatch.setattr("agent.minds.language_model.openai_protocol.OPENAI", server.base_url)
    return server


def test_openai_is_asked_to_keep_nothing_and_to_think_at_its_own_temperature(as_openai: ModelServer) -> None:
    assert talk(behind_openai(as_openai, model="gpt-5-mini")).text == "test answer"
    body = as_openai.chats[0].body
    assert body["store"] is False
    assert "temperature" not in body


def test_models_that_know_only_the_newer_protocol_speak_think_and_use_tools(as_openai: ModelServer) -> None:
    mind = behind_openai(as_openai, model="gpt-6-sol")
    call = Tool("recall_memories", {"query": "京都"}, "c1")
    as_openai.enqueue(Say("探しますね。", reasoning="京都の話だ", tools=[call], usage=(30, 5)))
    heard = talk(mind, request("京都は?", tools=[RECALL]))
    assert as_openai.chats[0].path == "/v1/responses"
    assert as_openai.chats[0].body["store"] is False
    assert (heard.text, heard.thought, heard.error) == ("探しますね。", "京都の話だ", None)
    assert [(used.id, used.arguments) for used in heard.calls] == [("c1", {"query": "京都"})]
    assert heard.usage == [Usage(30, 5)]
    as_openai.enqueue("五月です。")
    exchange = (
        ChatTurn("persona", heard.text, tool_calls=tuple(heard.calls)),
        ChatTurn("tool", "5月", tool_call_id="c1"),
    )
    assert talk(mind, request("京都は?", *exchange, tools=[RECALL])).text == "五月です。"
    assert "5月" in str(as_openai.chats[1].body["input"])
    as_openai.enqueue(HalfStream("途中"), Refuse(404, "no such model"))
    assert type(talk(mind, request(tools=[RECALL])).error) is StreamBrokenError
    assert type(talk(mind, request(tools=[RECALL])).error) is UnknownModelError


def test_an_emoji_that_comes_in_halves_is_whole_and_half_a_one_breaks_nothing(
    server: ModelServer, make: MakeMind
) -> None:
    server.enqueue(
        Say(pieces=["\ud83d", "\ude00 と\ud83d"]), Say(tools=[Tool("recall_memories", {"query": "\ud83d猫"})])
    )
    mind = make(server)
    assert talk(mind).text == "😀 と\ufffd"
    assert [call.arguments for call in talk(mind, request(tools=[RECALL])).calls] == [{"query": "\ufffd猫"}]


def test_tool_calls_that_the_server_does_not_count_stay_apart() -> None:
    calls = Calls()
    piece = {"name": None, "args": None, "id": None, "index": 0, "type": "tool_call_chunk"}
    for written in ({"name": "look"}, {"args": '{"a"'}, {"args": ": 1}"}, {"name": "rest", "args": "{}"}):
        calls.take([piece | written])  # type: ignore[list-item]  # the library's own, in a shorter way
    calls.take([piece | {"name": "rest", "args": "{}", "id": "x"}, piece | {"args": " "}])  # type: ignore[list-item]
    assert [(call.name, call.arguments) for call in calls] == [("look", {"a": 1}), ("rest", {}), ("rest", {})]


def test_a_page_written_into_a_tool_is_put_together_in_no_time() -> None:
    """Reading all anew with each piece would read 400 million letters here."""
    calls, begun = Calls(), time.thread_time()
    piece = {"name": None, "args": "あ", "id": None, "index": 0, "type": "tool_call_chunk"}
    calls.take([piece | {"name": "note", "args": '{"text": "'}])  # type: ignore[list-item]
    for _ in range(20_000):
        calls.take([piece])  # type: ignore[list-item]
    calls.take([piece | {"args": '"}'}])  # type: ignore[list-item]
    assert next(iter(calls)).arguments == {"text": "あ" * 20_000}
    assert time.thread_time() - begun < 5
