"""Language models over the wire: a real server on loopback plays OpenAI's, Gemini's and Anthropic's protocols."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from agent.minds import errors
from agent.minds.language_model.calls import Calls
from managers.mind import Cancel, ChatTurn, Image, TakenBack, TextPiece, ToolCall, ToolSpec, Usage
from tests.minds.talking import Heard, MakeMind, behind_claude, behind_gemini, behind_openai, request, talk
from tests.model_server import HalfStream, ModelServer, Refuse, Say, Tool


class Query(BaseModel):
    query: str = Field(description="what to look for")


RECALL = ToolSpec("recall_memories", "Search memories.", Query)


def test_speech_comes_in_pieces_none_waits_for_the_last_and_ends_with_its_cost(
    server: ModelServer, make: MakeMind
) -> None:
    heard_one = threading.Event()

    def pieces() -> Iterator[str]:
        yield "こんにちは、"
        heard_one.wait()
        yield from ("今日は", "どうでしたか?")

    server.enqueue(Say(pieces=pieces(), usage=(21, 9)))
    heard = Heard()
    for piece in make(server).reply(request(), Cancel()):
        heard.pieces.append(piece)
        heard_one.set()
    said = [piece.text for piece in heard.pieces if isinstance(piece, TextPiece)]
    assert said == ["こんにちは、", "今日は", "どうでしたか?"]
    assert heard.usage == [Usage(21, 9)]


def test_the_model_reads_system_prompt_and_turns_in_order(server: ModelServer) -> None:
    turns = (ChatTurn("user", "おはよう"), ChatTurn("persona", "おはよう、花さん"), "今日の予定は?")
    asked = request(*turns, tools=[RECALL])
    talk(behind_openai(server), asked)
    talk(behind_gemini(server), asked)
    openai, gemini = (chat.body for chat in server.chats)
    assert [(message["role"], message["content"]) for message in openai["messages"]] == [
        ("system", "あなたは詩音です。"),
        ("user", "おはよう"),
        ("assistant", "おはよう、花さん"),
        ("user", "今日の予定は?"),
    ]
    assert gemini["systemInstruction"]["parts"][0]["text"] == "あなたは詩音です。"
    assert [entry["role"] for entry in gemini["contents"]] == ["user", "model", "user"]
    function = openai["tools"][0]["function"]
    assert function["name"] == "recall_memories"
    assert function["parameters"]["properties"]["query"]["description"] == "what to look for"


def test_what_is_thought_is_not_said(server: ModelServer) -> None:
    for field in ("reasoning_content", "reasoning"):
        server.enqueue(Say("はい。", reasoning="花さんは疲れているようだ。", reasoning_field=field))
        heard = talk(behind_openai(server))
        assert (heard.text, heard.thought) == ("はい。", "花さんは疲れているようだ。")
    server.enqueue(*[Say("<think>まだ考えている")] * 2)  # asked once more
    heard = talk(behind_openai(server))
    assert heard.text == ""
    assert isinstance(heard.error, errors.EmptyAnswerError)


def test_gemini_and_claude_are_asked_for_their_thoughts_only_where_they_have_them(server: ModelServer) -> None:
    thought = Say("はい。", reasoning="花さんは疲れているようだ。")
    server.enqueue(thought, "はい。", thought, "はい。", Refuse(400, "adaptive thinking is not supported by it"))
    heard = [
        talk(behind_gemini(server)),
        talk(behind_gemini(server, model="gemini-2.0-flash")),
        talk(behind_claude(server)),
        talk(behind_claude(server, model="claude-haiku-5-5")),
    ]
    talk(behind_claude(server))
    assert [(one.text, one.thought) for one in heard] == [("はい。", "花さんは疲れているようだ。"), ("はい。", "")] * 2
    asked = [chat.body.get("generationConfig", chat.body) for chat in server.chats]
    assert ["thinkingConfig" in one or "thinking" in one for one in asked] == [True, False] * 3


def test_think_tags_cut_anywhere_are_thought_not_said(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say(pieces=list("<think>静かに考える</think>\n\nこんばんは")))
    heard = talk(make(server))
    assert (heard.text, heard.thought) == ("こんばんは", "静かに考える")


def test_a_closing_tag_without_an_opening_one_is_learned(server: ModelServer) -> None:
    server.enqueue(Say("隠れた考え。\n</think>\n\nこんにちは"), Say("また考え</think>やあ"), Say("タグなし"))
    mind = behind_openai(server)
    first, second, third = talk(mind), talk(mind), talk(mind)
    assert TakenBack() in first.pieces  # what was thought had been said
    assert (second.text, second.thought) == ("やあ", "また考え")
    assert third.text == "タグなし"


def test_a_tool_call_is_put_together_from_its_pieces(server: ModelServer, make: MakeMind) -> None:
    calls = [Tool("recall_memories", {"query": "京都の旅行"}, "c1"), Tool("recall_memories", {"query": "山"}, "c2")]
    server.enqueue(Say("探してみます。", tools=calls))
    heard = talk(make(server), request(tools=[RECALL]))
    assert [(call.name, call.arguments) for call in heard.calls] == [(call.name, call.arguments) for call in calls]
    assert len({call.id for call in heard.calls}) == 2
    assert heard.text == "探してみます。"


def test_a_tools_answer_goes_back_to_the_model(server: ModelServer, make: MakeMind) -> None:
    for mind in (make(server), behind_gemini(server)):
        server.enqueue(Say(tools=[Tool("recall_memories", {"query": "京都"}, "c1")]), "二年前ですね。")
        (call,) = talk(mind, request("京都はいつ?", tools=[RECALL])).calls
        exchange = (ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "2024年5月", tool_call_id=call.id))
        heard = talk(mind, request("京都はいつ?", *exchange, tools=[RECALL]))
        assert heard.text == "二年前ですね。"
        assert "2024年5月" in server.chats[-1].prompt
    assert (
        "c2lnbmF0dXJlIG9mIHJlY2FsbF9tZW1vcmllcw" in server.chats[-1].prompt
    )  # Gemini's "signature of recall_memories"


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


def test_a_broken_tool_call_is_asked_for_again_then_named_and_never_mended(server: ModelServer) -> None:
    for arguments in ('{"query": "京', "not json", '["a list"]', '"text"'):
        broken = Say(tools=[Tool("recall_memories", arguments)])
        server.enqueue(broken, Say(tools=[Tool("recall_memories", {"query": "海"})]), broken, broken)
        heard = talk(behind_openai(server), request(tools=[RECALL]))
        assert [call.arguments for call in heard.calls] == [{"query": "海"}]
        heard = talk(behind_openai(server), request(tools=[RECALL]))
        assert heard.calls == []
        assert isinstance(heard.error, errors.UnusableToolCallError)
        assert "recall_memories" in heard.error.sentence("ja")


def test_a_model_that_refuses_tools_goes_without_and_that_is_remembered(server: ModelServer) -> None:
    call = ToolCall("c1", "recall_memories", {"query": "京都"})
    exchange = (ChatTurn("persona", "探すね", tool_calls=(call,)), ChatTurn("tool", "2024年5月", tool_call_id="c1"))
    asked = request("京都は?", *exchange, tools=[RECALL])
    for refusal in (
        Refuse(400, "registry.ollama.ai/library/gemma:latest does not support tools"),
        Refuse(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        Refuse(500, "tools param requires --jinja flag"),
        Refuse(404, "No endpoints found that support tool use."),
    ):
        mind = behind_openai(server)
        server.enqueue(refusal, "道具なしで答えます", "二度目")
        first, second = talk(mind, asked), talk(mind, asked)
        assert (first.text, second.text) == ("道具なしで答えます", "二度目")
        assert [notice.code for notice in first.notices] == ["mind-without-tools"]
        assert second.notices == []
        assert ["tools" in chat.body for chat in server.chats[-3:]] == [True, False, False]
        # What tools told earlier is text now.
        assert [message["role"] for message in server.chats[-1].messages] == ["system", "user", "assistant", "user"]
        assert "2024年5月" in server.chats[-1].messages[-1]["content"]


def test_a_refused_temperature_is_left_out_and_a_refused_system_role_becomes_the_users(server: ModelServer) -> None:
    server.enqueue(Refuse(400, "Unsupported value: 'temperature' does not support 0.8 with this model."), "はい")
    assert talk(behind_openai(server)).text == "はい"
    assert ["temperature" in chat.body for chat in server.chats] == [True, False]
    server.enqueue(Refuse(400, "Developer instruction is not enabled for models/gemma-3-4b-it"), "はい")
    assert talk(behind_openai(server)).text == "はい"
    (message,) = server.chats[-1].messages
    assert (message["role"], message["content"]) == ("user", "あなたは詩音です。\n\nやあ")


def test_other_errors_that_mention_tools_take_none_away(server: ModelServer) -> None:
    too_long = "maximum context length is 4096 tokens. Reduce the length of the messages or tools."
    for refusal, error in (
        (Refuse(400, too_long), errors.ContextTooLongError),
        (Refuse(403, "this key may not use tools"), errors.WrongKeyError),
        (Refuse(402, "tool calls need a paid plan"), errors.QuotaError),
    ):
        mind = behind_openai(server)
        server.enqueue(refusal, "はい")
        assert type(talk(mind, request(tools=[RECALL])).error) is error
        talk(mind, request(tools=[RECALL]))
        assert ["tools" in chat.body for chat in server.chats[-2:]] == [True, True]


def test_a_limit_that_the_server_tells_is_learned_and_the_prompt_cut_to_it(server: ModelServer, make: MakeMind) -> None:
    history = [ChatTurn(role, "あ" * 200) for role in ("user", "persona") * 10]
    for said in (
        "This model's maximum context length is 2048 tokens. However, you requested 5000 tokens.",
        "the request exceeds the available context size (2048 tokens), try increasing it",
        "Requested tokens (2285) exceed context window of 2048",
        "The input token count (5000) exceeds the maximum number of tokens allowed (2048).",
    ):
        mind = make(server, context_tokens=8192)
        server.enqueue(Refuse(400, said), "はい")
        assert talk(mind, request(*history, "最後の質問")).text == "はい"
        assert mind.context_tokens == 2048
        refused, again = server.chats[-2:]
        assert len(again.prompt) < len(refused.prompt) / 2
        assert "最後の質問" in again.prompt


def test_an_answer_that_became_too_long_is_kept_and_said_to_end_early(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("とても長い話が", finish="length"))
    heard = talk(make(server))
    assert (heard.text, heard.error) == ("とても長い話が", None)
    assert [notice.code for notice in heard.notices] == ["mind-cut-short"]


def test_an_answer_in_circles_is_stopped_and_what_rhymes_is_none(server: ModelServer, make: MakeMind) -> None:
    song = "\n".join(f"{number} 匹目のひつじが、柵をとびこえた。" for number in range(60)) + "ら" * 500
    server.enqueue(Say("そうだね。" + "それはいいね。" * 5000), Say(song))
    heard, sung = talk(make(server)), talk(make(server))
    assert 600 < len(heard.text) < 1200, "nobody waits for the rest"
    assert [notice.code for notice in heard.notices] == ["mind-in-circles"]
    assert (sung.text, sung.notices) == (song, [])


SHOWN = request(ChatTurn("user", "これは?", images=(Image("image/png", b"\x89PNG not really"),)))


def test_images_go_to_models_that_see_and_the_others_are_told_that_there_is_one(server: ModelServer) -> None:
    heard = talk(behind_openai(server).learn(can_see=True), SHOWN)
    parts = server.chats[0].messages[-1]["content"]
    assert parts[0] == {"type": "text", "text": "これは?"}
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,iVBORyBub3Q")
    assert heard.notices == []
    heard = talk(behind_openai(server), SHOWN)
    assert "画像が1枚" in server.chats[-1].messages[-1]["content"]
    assert [notice.code for notice in heard.notices] == ["mind-cannot-see"]


def test_a_model_that_sees_nothing_is_shown_no_more_but_a_refused_picture_makes_none_blind(server: ModelServer) -> None:
    blind = [
        Refuse(500, "image input is not supported - hint: you may need to provide the mmproj"),
        Refuse(400, "This model does not support image input."),
        Refuse(400, "Invalid content type. image_url is only supported by certain models."),
        Refuse(400, "At most 0 image(s) may be provided in one prompt."),
        Refuse(400, "Model does not support images. Please use a model that does."),
        Refuse(400, "this model is missing data required for image input"),
    ]
    seeing = [
        Refuse(
            400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"
        ),
        Refuse(400, "Could not process image"),
        Refuse(400, "You uploaded an unsupported image. Please make sure your image is valid."),
        Refuse(400, "The image data you provided does not represent a valid image. Please check your input."),
        Refuse(400, "Unable to process input image. Please retry or report"),
        Refuse(400, "At most 4 image(s) may be provided in one prompt."),
        Refuse(400, "Failed to load image or audio file"),
        Refuse(400, "cannot identify image file"),
    ]
    for refusal in [*blind, *seeing]:
        mind = behind_openai(server).learn(can_see=True)
        server.enqueue(refusal, "うん", "次")
        heard = talk(mind, SHOWN)
        assert heard.text == "うん"
        assert "画像が1枚" in server.chats[-1].messages[-1]["content"]
        assert mind.can_see is (refusal in seeing)
        (notice,) = heard.notices
        assert notice.code == ("mind-picture-refused" if mind.can_see else "mind-cannot-see")
        assert not mind.can_see or refusal.message[:40] in notice.en
        talk(mind, SHOWN)
        assert ("image_url" in str(server.chats[-1].messages[-1])) is mind.can_see


def test_openai_is_asked_to_keep_nothing_and_its_newer_protocol_speaks_thinks_and_uses_tools(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.minds.language_model.openai_protocol.OPENAI", server.base_url)
    assert talk(behind_openai(server, model="gpt-5-mini")).text == "test answer"
    assert server.chats[0].body["store"] is False
    assert "temperature" not in server.chats[0].body
    mind = behind_openai(server, model="gpt-6-sol")
    call = Tool("recall_memories", {"query": "京都"}, "c1")
    server.enqueue(Say("探しますね。", reasoning="京都の話だ", tools=[call], usage=(30, 5)), "五月です。")
    heard = talk(mind, request("京都は?", tools=[RECALL]))
    assert (server.chats[1].path, server.chats[1].body["store"]) == ("/v1/responses", False)
    assert (heard.text, heard.thought, heard.error) == ("探しますね。", "京都の話だ", None)
    assert [(used.id, used.arguments) for used in heard.calls] == [("c1", {"query": "京都"})]
    assert heard.usage == [Usage(30, 5)]
    exchange = (ChatTurn("persona", "", tool_calls=tuple(heard.calls)), ChatTurn("tool", "5月", tool_call_id="c1"))
    assert talk(mind, request("京都は?", *exchange, tools=[RECALL])).text == "五月です。"
    assert "5月" in str(server.chats[2].body["input"])
    server.enqueue(HalfStream("途中"), Refuse(404, "no such model"))
    assert type(talk(mind, request(tools=[RECALL])).error) is errors.StreamBrokenError
    assert type(talk(mind, request(tools=[RECALL])).error) is errors.UnknownModelError


def test_an_emoji_in_halves_is_whole_and_half_a_one_breaks_nothing(server: ModelServer, make: MakeMind) -> None:
    halves = {"query": "\ud83d猫"}
    server.enqueue(Say(pieces=["\ud83d", "\ude00 と\ud83d"]), Say(tools=[Tool("recall_memories", halves)]))
    mind = make(server)
    assert talk(mind).text == "😀 と\ufffd"
    assert [call.arguments for call in talk(mind, request(tools=[RECALL])).calls] == [{"query": "\ufffd猫"}]


def test_tool_calls_that_the_server_does_not_count_stay_apart_and_long_ones_take_no_time() -> None:
    piece: Any = {"name": None, "args": None, "id": None, "index": 0, "type": "tool_call_chunk"}
    calls = Calls()
    for written in ({"name": "look"}, {"args": '{"a"'}, {"args": ": 1}"}, {"name": "rest", "args": "{}"}):
        calls.take([piece | written])
    calls.take([piece | {"name": "rest", "args": "{}", "id": "x"}, piece | {"args": " "}])
    assert [(call.name, call.arguments) for call in calls] == [("look", {"a": 1}), ("rest", {}), ("rest", {})]
    calls, begun = Calls(), time.thread_time()
    calls.take([piece | {"name": "note", "args": '{"text": "'}])
    for _ in range(20_000):  # reading all anew with each piece would read 400 million letters here
        calls.take([piece | {"args": "あ"}])
    calls.take([piece | {"args": '"}'}])
    assert next(iter(calls)).arguments == {"text": "あ" * 20_000}
    assert time.thread_time() - begun < 5
