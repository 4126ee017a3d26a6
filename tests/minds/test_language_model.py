"""Language models over the wire: a real server on loopback plays OpenAI's and Gemini's protocols."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, Field

from agent.errors import (
    ContextTooLongError,
    EmptyAnswerError,
    GarbledAnswerError,
    MindError,
    MindTimeoutError,
    NoKeyError,
    NoModelError,
    QuotaError,
    RefusedRequestError,
    SafetyBlockError,
    ServerFailedError,
    StreamBrokenError,
    UnknownModelError,
    UnreachableError,
    UnusableToolCallError,
    WrongKeyError,
)
from agent.minds.endpoint import Endpoint
from agent.minds.language_model import LanguageModelMind, Patience
from agent.minds.making import OPENAI_ADDRESS, gemini_mind, openai_mind
from managers.mind import Cancel, ChatTurn, Image, TextPiece, ToolCall, ToolSpec, Usage
from managers.storage.settings import MindSettings
from tests.minds.talking import KEY, MakeMind, behind_gemini, behind_openai, hear, request, talk
from tests.model_server import (
    Answer,
    BlockPrompt,
    Garbage,
    HalfStream,
    Hang,
    MidStreamError,
    ModelServer,
    Nothing,
    Refuse,
    Say,
    Tool,
)


class Query(BaseModel):
    query: str = Field(description="what to look for")


RECALL = ToolSpec("recall_memories", "Search memories.", Query)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as playing:
        yield playing


@pytest.fixture(params=["openai", "gemini"])
def make(request: pytest.FixtureRequest) -> MakeMind:
    return behind_openai if request.param == "openai" else behind_gemini


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
    server.enqueue(Say("一二三四五六七八", gap=0.3))
    started = time.monotonic()
    pieces = mind.reply(request(), Cancel())
    next(pieces)
    assert time.monotonic() - started < 0.5
    pieces.close()  # type: ignore[attr-defined]  # a generator


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


# Ways of failing


BOTH: list[tuple[str, list[Answer], type[MindError]]] = [
    ("wrong key", [Refuse(401, f"Incorrect API key provided: {KEY}")], WrongKeyError),
    ("forbidden", [Refuse(403, f"key {KEY[:12]}*** has no access")], WrongKeyError),
    ("unknown model", [Refuse(404, "The model `x` does not exist")], UnknownModelError),
    ("too many calls", [Refuse(429, "slow down")] * 3, QuotaError),
    ("server failed", [Refuse(500, "boom"), Refuse(503, "busy"), Refuse(502, "bad gateway")], ServerFailedError),
    ("web page", [Garbage()], GarbledAnswerError),
    ("broken event", [Garbage(b"data: {broken\n\n", "text/event-stream")], GarbledAnswerError),
    ("empty", [Nothing()], EmptyAnswerError),
    ("hung up", [Nothing(hang_up=True)] * 3, ServerFailedError),
    ("too long", [Refuse(400, "This model's maximum context length is 4096 tokens.")], ContextTooLongError),
    ("prompt blocked", [BlockPrompt()], SafetyBlockError),
    ("refused", [Refuse(400, "the moon is in the wrong phase")], RefusedRequestError),
    ("stream error at once", [MidStreamError()] * 3, ServerFailedError),
]


@pytest.mark.parametrize(("answers", "expected"), [row[1:] for row in BOTH], ids=[row[0] for row in BOTH])
def test_each_failure_has_its_name_and_no_key_in_it(
    server: ModelServer,
    make: MakeMind,
    answers: list[Answer],
    expected: type[MindError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.enqueue(*answers)
    mind = make(server)
    heard = talk(mind)
    assert type(heard.error) is expected
    assert heard.text == ""
    assert server.waiting == 0
    shown = [heard.error.sentence("ja"), heard.error.sentence("en"), repr(heard.error), repr(mind), repr(mind.endpoint)]
    shown += [str(heard.error.__cause__), str(heard.error.__context__), str(heard.error.facts), caplog.text]
    for text in shown:
        assert KEY not in text
        assert KEY[:12] not in text
    assert "{" not in heard.error.sentence("ja")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (HalfStream("途中まで"), StreamBrokenError),
        (HalfStream("途中まで", clean=True), StreamBrokenError),
        (MidStreamError("途中まで"), StreamBrokenError),
        (Say("途中まで", finish="content_filter"), SafetyBlockError),
    ],
)
def test_what_was_said_before_it_broke_off_is_kept(
    server: ModelServer, make: MakeMind, answer: Answer, expected: type[MindError]
) -> None:
    server.enqueue(answer)
    heard = talk(make(server))
    assert heard.text == "途中まで"
    assert type(heard.error) is expected
    assert len(server.chats) == 1  # nothing is asked again once something was said


@pytest.mark.parametrize("answer", [Hang(), Hang(headers=True)])
def test_a_server_that_hangs_is_a_timeout(server: ModelServer, make: MakeMind, answer: Answer) -> None:
    mind = make(server, Patience(seconds=0.4, retries=2, first_pause=0.01))
    mind.warm_up()
    server.enqueue(answer)
    started = time.monotonic()
    heard = talk(mind)
    assert isinstance(heard.error, MindTimeoutError)
    assert time.monotonic() - started < 1.5
    assert "0.4" in heard.error.sentence("en")


def test_a_server_that_falls_silent_half_way_is_a_timeout_after_what_was_said(
    server: ModelServer, make: MakeMind
) -> None:
    server.enqueue(Hang("ここまで"))
    heard = talk(make(server, Patience(seconds=0.4)))
    assert heard.text == "ここまで"
    assert isinstance(heard.error, MindTimeoutError)


def test_a_slow_answer_is_no_timeout_as_long_as_pieces_come(server: ModelServer, make: MakeMind) -> None:
    mind = make(server, Patience(seconds=0.5))
    mind.warm_up()
    server.enqueue(Say(pieces=list("ゆっくり話す"), gap=0.2))
    assert talk(mind).text == "ゆっくり話す"


def test_no_server_at_all_is_unreachable(make: MakeMind) -> None:
    with ModelServer() as server:
        mind = make(server)
    heard = talk(mind)
    assert isinstance(heard.error, UnreachableError)
    assert mind.endpoint.address in heard.error.sentence("ja")


@pytest.mark.parametrize(
    "mind",
    [
        openai_mind(Endpoint("OpenAI", OPENAI_ADDRESS, "gpt-5-mini"), MindSettings()),
        gemini_mind(Endpoint("Gemini", "http://127.0.0.1:9", "gemini-2.5-flash"), MindSettings()),
    ],
    ids=["openai", "gemini"],
)
def test_no_key_is_said_before_anything_is_sent(mind: LanguageModelMind) -> None:
    assert isinstance(talk(mind).error, NoKeyError)


def test_a_server_that_wants_a_key_where_none_is_set(server: ModelServer) -> None:
    server.enqueue(Refuse(401, "missing bearer token"))
    mind = openai_mind(Endpoint("test", server.base_url, "test-model"), MindSettings())
    assert isinstance(talk(mind).error, NoKeyError)


def test_no_model_chosen(server: ModelServer) -> None:
    mind = openai_mind(Endpoint("test", server.base_url, ""), MindSettings())
    assert isinstance(talk(mind).error, NoModelError)


def test_a_wrong_gemini_key(server: ModelServer) -> None:
    server.key = "another key"
    heard = talk(behind_gemini(server))
    assert isinstance(heard.error, WrongKeyError)
    assert KEY not in str(heard.error.facts)


# Trying again


def test_a_busy_server_is_asked_again(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Refuse(429, "slow down"), Refuse(503, "busy"), "お待たせしました")
    heard = talk(make(server))
    assert (heard.text, heard.error) == ("お待たせしました", None)
    assert len(server.chats) == 3  # and the libraries' own retries are off


def test_the_pause_that_the_server_asks_for_is_kept(server: ModelServer, make: MakeMind) -> None:
    mind = make(server)
    mind.warm_up()
    server.enqueue(Refuse(429, "slow down", retry_after=0.5), "はい")
    started = time.monotonic()
    assert talk(mind).text == "はい"
    assert 0.5 <= time.monotonic() - started < 1.5


def test_a_pause_too_long_to_wait_for_is_told_at_once(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Refuse(429, "daily quota used up", retry_after=3600))
    assert isinstance(talk(make(server)).error, QuotaError)
    assert len(server.chats) == 1


def test_an_empty_purse_is_not_asked_again(server: ModelServer) -> None:
    server.enqueue(Refuse(429, "You exceeded your current quota, please check your billing", "insufficient_quota"))
    assert isinstance(talk(behind_openai(server)).error, QuotaError)
    assert len(server.chats) == 1


# Stopping


@pytest.mark.parametrize(
    "answer",
    [Hang(), Hang(headers=True), Hang("少しだけ"), Say("長い話", delay=20), Refuse(429, "wait", retry_after=20)],
    ids=["silent", "headers only", "after a word", "thinking", "while waiting to ask again"],
)
def test_stopping_works_at_once(server: ModelServer, make: MakeMind, answer: Answer) -> None:
    mind, cancel = make(server), Cancel()
    mind.warm_up()
    server.enqueue(answer)
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(time.monotonic())
        cancel.set()

    timer = threading.Timer(0.3, stop)
    timer.start()
    heard = hear(mind.reply(request(), cancel))
    timer.join()
    assert time.monotonic() - stopped[0] < 0.5  # 0.06 s where nothing else runs
    assert heard.error is None


def test_stopping_hangs_up_and_leaves_no_thread(server: ModelServer, make: MakeMind) -> None:
    mind = make(server)
    server.enqueue("一度目")
    talk(mind)  # the shared reader is there from now on
    before = threading.active_count()
    for _ in range(5):
        server.enqueue(Hang("a"))
        pieces = mind.reply(request(), Cancel())
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]  # a generator
    deadline = time.monotonic() + 3
    while server.hung_up < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.hung_up == 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert threading.active_count() <= before


def test_two_conversations_at_once_do_not_mix(server: ModelServer) -> None:
    server.otherwise = lambda asked: Say("答え:" + asked.messages[-1]["content"], gap=0.01)
    mind = behind_openai(server)
    mind.warm_up()
    answers: dict[int, str] = {}

    def speak(number: int) -> None:
        answers[number] = talk(mind, request(f"質問{number}")).text

    threads = [threading.Thread(target=speak, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: f"答え:質問{number}" for number in range(6)}


# OpenAI's own


@pytest.fixture
def as_openai(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The server, taken for OpenAI itself."""
    monkeypatch.setattr("agent.minds.openai_protocol.OPENAI", server.base_url)
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
