"""What a model is shown, over the wire: placeholders where its server is elsewhere; the person sees the real values."""

import json

import pytest
from pydantic import BaseModel, Field

from agent.minds.endpoint import Endpoint
from agent.minds.language_model import LanguageModelMind
from agent.minds.makers import openai_mind
from agent.minds.masking import Masking
from managers.mind import ChatTurn, ReasoningPiece, TextPiece, ToolCall, ToolSpec
from managers.storage.settings import MindSettings
from tests.minds.talking import KEY, QUICK, MakeMind, request, talk
from tests.model_server import HalfStream, ModelServer, Say, Tool

MAIL, TELEPHONE, CARD = "hana@example.jp", "090-1234-5678", "4111 1111 1111 1111"
TURNS = (
    ChatTurn("user", f"前のメールは{MAIL}だったよ"),
    ChatTurn("persona", f"{MAIL}だね", tool_calls=(ToolCall("c1", "recall_memories", {"query": TELEPHONE}),)),
    ChatTurn("tool", f"> {TELEPHONE}にかけた", tool_call_id="c1"),
    ChatTurn("user", "送り先を教えて", quoted=f"> 資料: カード {CARD}"),
)
SYSTEM = f"花の電話は{TELEPHONE}。"


class Query(BaseModel):
    query: str = Field(description="what to look for")


class Found(BaseModel):
    """What was told."""

    address: str


RECALL = ToolSpec("recall_memories", "Search memories.", Query)


def elsewhere(server: ModelServer, masking: Masking | None = None) -> LanguageModelMind:
    """Return a mind whose model runs on its makers' computers, by way of a server on this one."""
    endpoint = Endpoint("test server", server.base_url, "test:cloud", KEY)
    return openai_mind(endpoint, MindSettings(), QUICK).masked(masking or Masking())


def sent(server: ModelServer) -> str:
    return json.dumps(server.chats[-1].body, ensure_ascii=False)


def test_a_model_elsewhere_sees_placeholders_and_the_person_the_real_values(server: ModelServer) -> None:
    server.enqueue(Say("[REDACTED_EMAIL]に送って、[REDACTED_PHONE]に電話して。"))
    heard = talk(elsewhere(server), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
    assert heard.text == f"{MAIL}に送って、{TELEPHONE}に電話して。"
    assert [private in sent(server) for private in (MAIL, TELEPHONE, CARD)] == [False] * 3
    assert "花の電話は[REDACTED_PHONE]。" in sent(server)
    assert "カード [REDACTED_CC]" in sent(server)


def test_each_protocol_is_masked(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("[REDACTED_EMAIL]だね"))
    heard = talk(make(server).masked(Masking("always")), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
    assert heard.text == f"{MAIL}だね"
    assert [private in sent(server) for private in (MAIL, TELEPHONE, CARD)] == [False] * 3


@pytest.mark.parametrize("masking", [Masking(), Masking("never")])
def test_a_model_on_this_computer_sees_what_was_said(server: ModelServer, make: MakeMind, masking: Masking) -> None:
    talk(make(server).masked(masking), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
    assert MAIL in sent(server)
    assert "REDACTED" not in sent(server)


def test_a_prompt_without_anything_private_is_as_it_was(server: ModelServer) -> None:
    talk(elsewhere(server), request("やあ"))
    assert "REDACTED" not in sent(server)


def test_a_placeholder_that_the_stream_cuts_is_put_back(server: ModelServer) -> None:
    server.enqueue(Say(pieces=["宛先は[RED", "ACTED", "_EMAIL", "]、それと[", "REDACTED_EMAIL_", "2", "]。"]))
    heard = talk(elsewhere(server), request(f"{MAIL}とken@example.com"))
    assert heard.text == f"宛先は{MAIL}、それとken@example.com。"
    assert not any("REDACTED" in piece.text for piece in heard.pieces if isinstance(piece, TextPiece))


def test_arguments_of_tools_get_the_real_values(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say(tools=[Tool("recall_memories", {"query": "[REDACTED_PHONE] 誰"})]))
    heard = talk(make(server).masked(Masking("always")), request(f"{TELEPHONE}って誰?", tools=(RECALL,)))
    assert [piece.arguments for piece in heard.pieces if isinstance(piece, ToolCall)] == [{"query": f"{TELEPHONE} 誰"}]


def test_what_is_thought_has_the_real_values(server: ModelServer) -> None:
    server.enqueue(Say("<think>[REDACTED_EMAIL]のこと</think>そうだね"))
    heard = talk(elsewhere(server), request(f"{MAIL}だよ"))
    assert "".join(piece.text for piece in heard.pieces if isinstance(piece, ReasoningPiece)) == f"{MAIL}のこと"


def test_an_answer_that_breaks_off_keeps_all_that_came(server: ModelServer) -> None:
    server.enqueue(HalfStream("宛先は[REDACTED_EMAIL]と[REDA"))
    heard = talk(elsewhere(server), request(f"{MAIL}だよ"))
    assert heard.error is not None
    assert heard.text == f"宛先は{MAIL}と[REDA"


def test_a_structured_answer_has_the_real_values(server: ModelServer) -> None:
    server.enqueue(Say('{"address": "[REDACTED_EMAIL]"}'))
    answer = elsewhere(server).ask("Find the address.", f"user: {MAIL}", Found)
    assert answer.address == MAIL
    assert MAIL not in sent(server)


def test_names_are_hidden_where_that_is_wished_for(server: ModelServer) -> None:
    server.enqueue(Say("[REDACTED_NAME]さんは元気?"))
    mind = elsewhere(server, Masking(names=True, known=frozenset({"Mika"}), spared=frozenset({"詩音"})))
    assert talk(mind, request("田中さんとMikaに会った")).text == "田中さんは元気?"
    assert "田中" not in sent(server)
    assert "Mika" not in sent(server)
