"""Every call on the wire is counted once, however it ends, and none is made that could pass a cap."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from agent.minds.errors import InvalidAnswerError, QuotaError, StreamBrokenError
from agent.minds.language_model import LanguageModelMind, Patience
from managers.mind import Cancel, ChatTurn, TextPiece, ToolCall, ToolSpec
from managers.storage.settings import UsageSettings
from managers.usage.errors import CapReachedError
from managers.usage.ledger import Call
from managers.usage.meter import Meter
from tests.fakes import HandClock
from tests.minds.talking import MakeMind, behind_gemini, behind_openai, hear, pass_time, request, talk
from tests.model_server import HalfStream, Hang, ModelServer, Refuse, Say, Tool


class Books:
    """A meter and what it noted."""

    def __init__(self, folder: Path) -> None:
        self.settings = UsageSettings()
        self.meter = Meter(folder, HandClock(), lambda _: self.settings)

    def charge(self, mind: LanguageModelMind) -> LanguageModelMind:
        return mind.charged_to(self.meter.account("詩音", "talk"))

    @property
    def calls(self) -> list[Call]:
        return self.meter.ledger.calls()

    @property
    def counts(self) -> list[tuple[int, int, bool, str]]:
        return [(call.input_tokens, call.output_tokens, call.is_estimated, call.outcome) for call in self.calls]

    @property
    def under_way(self) -> int:
        return len(list(self.meter.ledger.folder.glob("under_way/*.json")))


@pytest.fixture
def books(tmp_path: Path) -> Books:
    return Books(tmp_path / "usage")


def test_reports_are_noted_the_rest_is_estimated_and_marked(server: ModelServer, make: MakeMind, books: Books) -> None:
    server.enqueue(Say("こんばんは、花さん。", usage=(21, 9)), Say("こんばんは、花さん。", usage=(0, 0)))
    assert talk(books.charge(make(server))).error is None
    (call,) = books.calls
    assert (call.persona, call.purpose, call.input_tokens, call.output_tokens) == ("詩音", "talk", 21, 9)
    assert (call.is_estimated, call.is_local, call.cost, call.outcome) == (False, True, 0, "done")
    assert "こんばんは" not in books.meter.ledger.months()[0].read_text("utf-8")
    talk(books.charge(make(server)))
    read, written, is_estimated, outcome = books.counts[-1]
    assert (is_estimated, outcome) == (True, "done")
    assert 8 <= written <= 20
    assert read >= 10


def test_what_broke_off_is_noted_as_far_as_it_came(server: ModelServer, make: MakeMind, books: Books) -> None:
    server.enqueue(HalfStream("途中まで話して"))
    assert isinstance(talk(books.charge(make(server))).error, StreamBrokenError)
    read, written, is_estimated, outcome = books.counts[-1]
    assert (is_estimated, outcome) == (True, "failed")
    assert read > 0
    assert written > 0
    server.enqueue(Hang(headers=True))  # what never answers may have been read
    mind = make(server, Patience(retries=0))
    pass_time(mind, lambda: len(server.chats) == 2)
    assert talk(books.charge(mind)).error is not None
    read, written, is_estimated, outcome = books.counts[-1]
    assert (written, is_estimated, outcome) == (0, True, "failed")
    assert read > 0


def test_a_refused_try_costs_nothing_the_next_counts_once(server: ModelServer, make: MakeMind, books: Books) -> None:
    server.enqueue(Refuse(429, retry_after=0), Refuse(503), Say("はい。", usage=(30, 3)))
    assert talk(books.charge(make(server))).text == "はい。"
    assert len(server.chats) == 3
    assert books.counts == [(30, 3, False, "done")]


def test_what_no_server_did_costs_nothing(server: ModelServer, make: MakeMind, books: Books) -> None:
    for tokens in (0, 100_000):
        books.settings = UsageSettings(day_tokens=tokens)
        server.enqueue(Refuse(429), Refuse(429), Refuse(429))
        assert isinstance(talk(books.charge(make(server))).error, QuotaError)
        assert (books.counts, books.under_way) == ([], 0)


def test_one_stopped_or_left_is_noted_as_far_as_it_was_heard(server: ModelServer, make: MakeMind, books: Books) -> None:
    books.settings = UsageSettings(day_tokens=100_000)
    for leaves in (False, True):
        server.enqueue(Say("いろはにほへとちりぬ" * 20, gap=0.02, usage=(40, 400)))
        cancel = Cancel()
        pieces = books.charge(make(server)).reply(request(), cancel)
        next(piece for piece in pieces if isinstance(piece, TextPiece))
        assert books.under_way == 1
        if leaves:
            pieces.close()  # nobody listens any more
        else:
            cancel.set()
            assert not any(isinstance(piece, TextPiece) for piece in pieces)
        read, written, is_estimated, outcome = books.counts[-1]
        assert (is_estimated, outcome, books.under_way) == (True, "stopped", 0)
        assert read > 0
        assert 0 < written < 400


class Colour(BaseModel):
    """A colour."""

    name: str


def test_an_answer_asked_for_again_is_two_calls_of_a_tool(server: ModelServer, make: MakeMind, books: Books) -> None:
    server.enqueue(Say("blue", usage=(50, 1)), Say("still blue", usage=(70, 2)))
    with pytest.raises(InvalidAnswerError):
        books.charge(make(server)).ask("Which?", "The sky.", Colour)
    assert books.counts == [(50, 1, False, "done"), (70, 2, False, "done")]
    assert [call.purpose for call in books.calls] == ["tools", "tools"]


def test_rounds_with_tools_are_told_from_the_first_words(server: ModelServer, books: Books) -> None:
    class Query(BaseModel):
        query: str

    recall = ToolSpec("recall_memories", "Search.", Query)
    server.enqueue(Say("", tools=[Tool("recall_memories", {"query": "cat"})]), Say("Mochi."))
    mind = books.charge(behind_openai(server))
    (call,) = talk(mind, request("What was the cat's name?", tools=[recall])).calls
    assert isinstance(call, ToolCall)
    turns = (ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "Mochi", tool_call_id=call.id))
    talk(mind, request("What was the cat's name?", *turns, tools=[recall]))
    assert [noted.purpose for noted in books.calls] == ["talk", "tools"]


def test_a_cap_stops_the_call_before_anything_is_sent(server: ModelServer, make: MakeMind, books: Books) -> None:
    books.settings = UsageSettings(day_tokens=500)
    mind = books.charge(make(server))
    with pytest.raises(CapReachedError):
        hear(mind.reply(request(), Cancel()))
    assert server.chats == []
    assert mind.trouble is None  # nothing is wrong with the model
    assert (books.counts, books.under_way) == ([], 0)


def test_a_cap_in_money_counts_ones_own_price_on_this_computer_too(server: ModelServer, books: Books) -> None:
    books.settings = UsageSettings(day_money=0.02, prices={"test-model": (1.0, 10.0)})
    server.enqueue(Say("はい。", usage=(1_000, 1_900)))
    mind = books.charge(behind_openai(server, context_tokens=30_000))
    assert talk(mind).error is None
    with pytest.raises(CapReachedError):
        talk(mind)
    assert len(server.chats) == 1


def test_the_model_is_told_how_long_it_may_be_where_there_is_a_cap(server: ModelServer, books: Books) -> None:
    books.settings = UsageSettings(day_tokens=20_000, answer_tokens=2_000)
    talk(books.charge(behind_openai(server, context_tokens=30_000)))
    talk(books.charge(behind_gemini(server)))
    openai, gemini = (chat.body for chat in server.chats)
    assert openai["max_tokens"] == 2_000
    assert gemini["generationConfig"]["maxOutputTokens"] == 2_000
    books.settings = UsageSettings()
    talk(books.charge(behind_gemini(server)))
    assert "maxOutputTokens" not in server.chats[-1].body["generationConfig"]


def test_a_server_that_takes_no_limit_is_asked_only_if_all_its_room_fits(server: ModelServer, books: Books) -> None:
    books.settings = UsageSettings(day_tokens=30_000)
    refusal = Refuse(400, "Unsupported parameter: 'max_tokens' is not supported with this model.")
    server.enqueue(refusal, Say("はい。", usage=(20, 5)), Say("いいえ。"))
    mind = books.charge(behind_openai(server, context_tokens=25_000))
    assert talk(mind).text == "はい。"
    assert "max_tokens" not in server.chats[-1].body
    books.settings = UsageSettings(day_tokens=20_000)
    with pytest.raises(CapReachedError):
        talk(mind)


def test_minds_that_talk_at_once_do_not_pass_the_cap(server: ModelServer, books: Books) -> None:
    # However late one comes, what the first has spent leaves too little for another answer.
    books.settings = UsageSettings(day_tokens=1_300, answer_tokens=1_200)
    server.otherwise = Say("はい。", usage=(30, 1_190), delay=0.05)
    minds = [books.charge(behind_openai(server)) for _ in range(3)]
    ready = threading.Barrier(3)

    def is_stopped(mind: LanguageModelMind) -> bool:
        ready.wait()
        try:
            return talk(mind).error is not None
        except CapReachedError:
            return True

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(is_stopped, minds)) == [False, True, True]
    assert sum(call.tokens for call in books.calls) == 1_220


def test_who_shares_a_model_shares_what_it_learned(server: ModelServer, books: Books) -> None:
    mind = behind_openai(server)
    first, second = books.charge(mind), mind.charged_to(books.meter.account("Hazel", "dream"))
    server.enqueue(Say("隠れた考え。\n</think>\n\nこんにちは"), Say("また考え</think>やあ"))
    talk(first)
    assert talk(second).text == "やあ"
    assert [(call.persona, call.purpose) for call in books.calls] == [("詩音", "talk"), ("Hazel", "dream")]
