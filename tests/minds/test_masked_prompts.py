"""What a model is shown, over the wire: placeholders where its server is elsewhere; the person sees the real values."""

import json

from pydantic import BaseModel, Field

from agent.minds.endpoint import Endpoint
from agent.minds.language_model import LanguageModelMind
from agent.minds.makers import openai_mind
from agent.minds.masking import Masking
from managers.mind import ChatTurn, TextPiece, ToolCall, ToolSpec
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
    server.enqueue(Say("<think>[REDACTED_EMAIL]のこと</think>[REDACTED_EMAIL]に送って、[REDACTED_PHONE]に電話して。"))
    heard = talk(elsewhere(server), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
    assert heard.text == f"{MAIL}に送って、{TELEPHONE}に電話して。"
    assert heard.thought == f"{MAIL}のこと"
    assert [private in sent(server) for private in (MAIL, TELEPHONE, CARD)] == [False] * 3
    assert "花の電話は[REDACTED_PHONE]。" in sent(server)
    assert "カード [REDACTED_CC]" in sent(server)
    server.enqueue(Say('{"address": "[REDACTED_EMAIL]"}'))
    assert elsewhere(server).ask("Find the address.", f"user: {MAIL}", Found).address == MAIL
    assert MAIL not in sent(server)
    talk(elsewhere(server), request("やあ"))
    assert "REDACTED" not in sent(server)  # nothing private


def test_each_protocol_is_masked_and_tools_get_the_real_values(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Say("[REDACTED_EMAIL]だね", tools=[Tool("recall_memories", {"query": "[REDACTED_PHONE] 誰"})]))
    heard = talk(make(server).masked(Masking("always")), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
    assert heard.text == f"{MAIL}だね"
    assert [call.arguments for call in heard.calls] == [{"query": f"{TELEPHONE} 誰"}]
    assert [private in sent(server) for private in (MAIL, TELEPHONE, CARD)] == [False] * 3


def test_a_model_on_this_computer_sees_what_was_said(server: ModelServer, make: MakeMind) -> None:
    for masking in (Masking(), Masking("never")):
        talk(make(server).masked(masking), request(*TURNS, system=SYSTEM, tools=(RECALL,)))
        assert MAIL in sent(server)
        assert "REDACTED" not in sent(server)


def test_a_placeholder_that_the_stream_cuts_is_put_back_and_nothing_that_came_is_lost(server: ModelServer) -> None:
    pieces = ["宛先は[RED", "ACTED", "_EMAIL", "]、それと[", "REDACTED_EMAIL_", "2", "]。"]
    server.enqueue(Say(pieces=pieces), HalfStream("宛先は[REDACTED_EMAIL]と[REDA"))
    heard = talk(elsewhere(server), request(f"{MAIL}とken@example.com"))
    assert heard.text == f"宛先は{MAIL}、それとken@example.com。"
    assert not any("REDACTED" in piece.text for piece in heard.pieces if isinstance(piece, TextPiece))
    heard = talk(elsewhere(server), request(f"{MAIL}だよ"))
    assert heard.error is not None
    assert heard.text == f"宛先は{MAIL}と[REDA"


def test_names_are_hidden_where_that_is_wished_for(server: ModelServer) -> None:
    server.enqueue(Say("[REDACTED_NAME]さんは元気?"))
    mind = elsewhere(server, Masking(names=True, known=frozenset({"Mika"}), spared=frozenset({"詩音"})))
    assert talk(mind, request("田中さんとMikaに会った")).text == "田中さんは元気?"
    assert "田中" not in sent(server)
    assert "Mika" not in sent(server)
