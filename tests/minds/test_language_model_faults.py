"""How talking with a language model goes wrong, is tried again, and is stopped."""

import logging
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from agent.minds import errors
from agent.minds.endpoint import OPENAI_ADDRESS, Endpoint
from agent.minds.language_model import Patience
from agent.minds.makers import claude_mind, gemini_mind, openai_mind
from managers.mind import Cancel, ReplyPiece, TextPiece
from managers.storage.settings import MindSettings
from tests.minds.talking import (
    KEY,
    MakeMind,
    behind_claude,
    behind_gemini,
    behind_openai,
    hear,
    pass_time,
    request,
    talk,
    until,
)
from tests.model_server import (
    Answer,
    BlockPrompt,
    Garbage,
    HalfStream,
    Hang,
    MidStreamError,
    ModelServer,
    Nothing,
    Redirect,
    Refuse,
    Say,
)

BOTH: list[tuple[str, list[Answer], type[errors.MindError]]] = [
    ("wrong key", [Refuse(401, f"Incorrect API key provided: {KEY}")], errors.WrongKeyError),
    ("forbidden", [Refuse(403, f"key {KEY[:12]}*** has no access")], errors.WrongKeyError),
    ("unknown model", [Refuse(404, "The model `x` does not exist")], errors.UnknownModelError),
    ("too many calls", [Refuse(429, "slow down")] * 3, errors.QuotaError),
    ("server failed", [Refuse(500, "boom"), Refuse(503, "busy"), Refuse(502, "bad gateway")], errors.ServerFailedError),
    ("web page", [Garbage()], errors.GarbledAnswerError),
    ("broken event", [Garbage(b"event: message\ndata: {broken\n\n", "text/event-stream")], errors.GarbledAnswerError),
    ("empty", [Nothing()] * 2, errors.EmptyAnswerError),
    ("hung up", [Nothing(hang_up=True)] * 3, errors.ServerFailedError),
    ("too long", [Refuse(400, "The prompt is too long for the context window.")], errors.ContextTooLongError),
    ("prompt blocked", [BlockPrompt()], errors.SafetyBlockError),
    ("refused", [Refuse(400, "the moon is in the wrong phase")], errors.RefusedRequestError),
    ("stream error at once", [MidStreamError()] * 3, errors.ServerFailedError),
]


@pytest.mark.parametrize(("answers", "expected"), [row[1:] for row in BOTH], ids=[row[0] for row in BOTH])
def test_each_failure_has_its_name_and_no_key_in_it(
    server: ModelServer,
    make: MakeMind,
    answers: list[Answer],
    expected: type[errors.MindError],
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


def test_what_was_said_before_it_broke_off_is_kept(server: ModelServer, make: MakeMind) -> None:
    broken: list[tuple[Answer, type[errors.MindError]]] = [
        (HalfStream("途中まで"), errors.StreamBrokenError),
        (MidStreamError("途中まで"), errors.StreamBrokenError),
        (Say("途中まで", finish="content_filter"), errors.SafetyBlockError),
    ]
    for asked, (answer, expected) in enumerate(broken, start=1):
        server.enqueue(answer)
        heard = talk(make(server))
        assert (heard.text, type(heard.error)) == ("途中まで", expected)
        assert len(server.chats) == asked  # nothing is asked again once something was said


def test_a_server_that_hangs_is_a_timeout(server: ModelServer, make: MakeMind) -> None:
    def is_asked_more(before: int) -> bool:
        return len(server.chats) > before

    for headers in (False, True):
        mind = make(server, Patience(seconds=40, retries=2, first_pause=0.01))
        pass_time(mind, partial(is_asked_more, len(server.chats)))
        server.enqueue(Hang(headers=headers))
        assert isinstance(error := talk(mind).error, errors.MindTimeoutError)
        assert "40" in error.sentence("en")


def test_a_server_that_falls_silent_midway_is_a_timeout_after_what_was_said(
    server: ModelServer, make: MakeMind
) -> None:
    server.enqueue(Hang("ここまで"))
    mind = make(server)
    said: list[ReplyPiece] = []
    pass_time(mind, lambda: said)

    def noted() -> Iterator[ReplyPiece]:
        for piece in mind.reply(request(), Cancel()):
            said.append(piece)
            yield piece

    heard = hear(noted())
    assert heard.text == "ここまで"
    assert isinstance(heard.error, errors.MindTimeoutError)


def test_a_slow_answer_is_no_timeout_as_long_as_pieces_come(server: ModelServer, make: MakeMind) -> None:
    mind = make(server, Patience(seconds=3))
    moment, heard = [0.0], threading.Semaphore()

    def slowly() -> Iterator[str]:
        for letter in "ゆっくり話す":
            heard.acquire()
            moment[0] += 2  # longer than three together, and shorter each
            yield letter

    mind._monotonic = lambda: moment[0]
    server.enqueue(Say(pieces=slowly()))
    said = ""
    for piece in mind.reply(request(), Cancel()):
        if isinstance(piece, TextPiece):
            said += piece.text
            heard.release()
    assert said == "ゆっくり話す"


def test_no_server_at_all_is_unreachable(make: MakeMind) -> None:
    with ModelServer() as server:
        mind = make(server)
    heard = talk(mind)
    assert isinstance(heard.error, errors.UnreachableError)
    assert mind.endpoint.address in heard.error.sentence("ja")


def test_no_key_and_no_model_are_said(server: ModelServer) -> None:
    for mind in (
        openai_mind(Endpoint("OpenAI", OPENAI_ADDRESS, "gpt-5-mini"), MindSettings()),
        gemini_mind(Endpoint("Gemini", server.root_url, "gemini-2.5-flash"), MindSettings()),
        claude_mind(Endpoint("Anthropic", server.root_url, "claude-haiku-5-5"), MindSettings()),
    ):
        assert isinstance(talk(mind).error, errors.NoKeyError)
    assert isinstance(
        talk(openai_mind(Endpoint("test", server.base_url, ""), MindSettings())).error, errors.NoModelError
    )
    assert server.chats == []  # before anything is sent
    server.enqueue(Refuse(401, "missing bearer token"))
    mind = openai_mind(Endpoint("test", server.base_url, "test-model"), MindSettings())
    assert isinstance(talk(mind).error, errors.NoKeyError)


def test_what_gemini_and_claude_refuse_in_their_own_ways_is_understood(server: ModelServer) -> None:
    server.key = "another key"
    for make in (behind_gemini, behind_claude):
        assert isinstance(error := talk(make(server)).error, errors.WrongKeyError)
        assert KEY not in str(error.facts)
    server.key = ""
    server.enqueue(Refuse(404, "model: claude-sonnet-5-5", "not_found_error"))
    assert isinstance(unknown := talk(behind_claude(server)).error, errors.UnknownModelError)
    assert "test-model" in unknown.sentence("en")  # which ones there are
    asked = server.requests[-1]
    assert (asked.path, asked.headers["x-api-key"], "authorization" in asked.headers) == ("/v1/models", KEY, False)
    server.enqueue(Refuse(400, "prompt is too long: 220000 tokens > 200000 maximum"), "はい")
    mind = behind_claude(server, context_tokens=1_000_000)
    assert talk(mind).text == "はい"
    assert mind.context_tokens == 200_000


def test_the_pause_that_a_server_asks_for_is_kept_but_none_too_long(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Refuse(429, "slow down", retry_after=0.3), "はい", Refuse(429, "quota used up", retry_after=3600))
    started = time.monotonic()
    assert talk(make(server)).text == "はい"
    assert time.monotonic() - started >= 0.3
    assert isinstance(talk(make(server)).error, errors.QuotaError)
    assert len(server.chats) == 3


def test_an_empty_purse_is_not_asked_again(server: ModelServer) -> None:
    server.enqueue(
        Refuse(429, "You exceeded your current quota, please check your billing", "insufficient_quota"),
        Refuse(400, "Your credit balance is too low to access the Anthropic API. Go to Plans & Billing."),
    )
    assert isinstance(talk(behind_openai(server)).error, errors.QuotaError)
    assert isinstance(talk(behind_claude(server)).error, errors.QuotaError)
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    "answer",
    [Hang(), Hang(headers=True), Hang("少しだけ"), Say("長い話", delay=9_999), Refuse(429, "wait", retry_after=20)],
    ids=["silent", "headers only", "after a word", "thinking", "while waiting to ask again"],
)
def test_stopping_works_at_once(server: ModelServer, make: MakeMind, answer: Answer) -> None:
    cancel = Cancel()
    server.enqueue(answer)

    def stop() -> None:
        until(lambda: server.chats)
        cancel.set()

    stopping = threading.Thread(target=stop)
    stopping.start()
    heard = hear(make(server).reply(request(), cancel))
    stopping.join()
    assert heard.error is None
    assert heard.text in {"", "少しだけ"}
    assert len(server.chats) == 1  # it would be asked again, or never come back


def test_stopping_hangs_up_and_leaves_no_thread(server: ModelServer, make: MakeMind) -> None:
    mind = make(server)
    server.enqueue("一度目")
    talk(mind)  # the shared reader is there from now on
    before = set(threading.enumerate())
    for _ in range(5):
        server.enqueue(Hang("はい"))
        pieces = mind.reply(request(), Cancel())
        next(pieces)
        pieces.close()
    until(lambda: server.hung_up == 5)
    until(lambda: set(threading.enumerate()) <= before)


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


def test_who_is_sent_elsewhere_takes_neither_the_key_nor_the_words_along(server: ModelServer, make: MakeMind) -> None:
    with ModelServer() as elsewhere:
        server.enqueue(Redirect(elsewhere.base_url.replace("127.0.0.1", "localhost") + "/chat/completions"))
        heard = talk(make(server))
        assert elsewhere.requests == []
    assert isinstance(heard.error, errors.GarbledAnswerError)
    assert len(server.chats) == 1


def test_a_password_in_the_address_is_used_and_never_shown(server: ModelServer) -> None:
    address = server.base_url.replace("://", "://hana:open-sesame@")
    mind = openai_mind(Endpoint("proxy", address, "test-model"), MindSettings(), Patience(retries=0))
    server.enqueue(Refuse(400, "no: http://hana:open-sesame@x"), Garbage())
    for _ in range(2):
        assert (error := talk(mind).error) is not None
        assert "open-sesame" not in error.sentence("ja") + error.sentence("en") + str(error)
    assert server.chats[0].headers["authorization"].startswith(("Basic ", "Bearer "))
