"""The API as other programs use it: Gradio's own client against the server."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any, get_args

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from agent import as_json
from agent.approval import ask_for_program
from agent.minds.errors import MindTimeoutError
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.held_writes import KEPT, MOST
from managers.memory.messages import PROGRAM
from managers.mind import ReplyPiece, ReplyRequest, TextPiece, ToolCall
from managers.storage.audit import Recipient, events, flaws
from managers.storage.paths import CHECKOUT
from tests.agent.choosing import Always, ScriptedMind
from tests.ui.rooms import House
from tests.ui.server.programs import Served, new_house, paths_in
from ui.errors import NoSuchEndpointError
from ui.server.programs.listing import Kind

ASKED = ("モモと京都の予定",)


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[Client]:
    with served.client() as program:
        yield program


def call(client: Client, name: str, *arguments: Any, **named: Any) -> Any:
    return client.predict(*arguments, api_name=f"/{name}", **named)


def failure(client: Client, name: str, *arguments: Any) -> str:
    with pytest.raises(AppError) as raised:
        call(client, name, *arguments)
    return str(raised.value)


def held_back(gate: threading.Event) -> Callable[[ReplyRequest], ReplyPiece]:
    """Return a piece of an answer that comes when it is let go."""

    def piece(_: ReplyRequest) -> ReplyPiece:
        assert gate.wait(60)
        return TextPiece("もう一つ。")

    return piece


def test_an_answer_is_told_while_it_is_made_and_at_the_end_as_chat_prints_it(house: House, client: Client) -> None:
    gate = threading.Event()
    house.services.minds = Always(ScriptedMind([TextPiece("一つ。"), held_back(gate)]))  # type: ignore[assignment]
    coming = iter(client.submit(house.name, "二つ言って", api_name="/say"))
    received, speaking = next(coming), next(coming)
    log = house.memories.log
    asked = log.get(received["message_id"])
    assert received["event"] == "received"
    assert asked is not None
    assert (asked.role, asked.text) == ("user", "二つ言って")
    assert speaking == {"event": "speaking", "text": "一つ。"}
    assert house.name in failure(client, "say", house.name, "二つ目")  # one at a time
    gate.set()
    *rest, reply = coming
    assert [part["event"] for part in rest] in ([], ["speaking"])
    answered = log.get(reply["message_id"])
    assert answered is not None
    assert (answered.text, answered.mind) == ("一つ。もう一つ。", "scripted")
    assert reply["text"] == answered.text
    assert {"event", "message_id", "text", "mind", "broken_off", "recalled", "elapsed_ms"} <= set(reply)
    assert [message.text for message in log.tail(10) if message.role == "user"] == ["二つ言って"]


def test_what_was_recalled_for_an_answer_comes_with_it(house: House, client: Client) -> None:
    house.services.minds = Always(ScriptedMind("モモだね。"))  # type: ignore[assignment]
    (cat, *_) = house.tell()
    companion = house.services.companion(house.name)
    companion.new_topic()  # what still stands before one's eyes is not recalled
    companion.settle()  # the index is begun when somebody wakes, in the background
    house.memories.recall.catch_up()
    house.clock.move(days=30)
    reply = call(client, "say", house.name, "うちの猫のモモのことを覚えてる？")
    assert (reply["event"], reply["text"]) == ("reply", "モモだね。")
    assert cat in [one for hit in reply["recalled"] for one in hit["message_ids"]]
    assert not paths_in(reply)


def test_a_mind_that_fails_is_told_in_a_sentence_and_the_message_is_kept(house: House, client: Client) -> None:
    error = MindTimeoutError(model="scripted", seconds=3)
    house.services.minds = Always(ScriptedMind([TextPiece("えっと"), error]))  # type: ignore[assignment]
    job = client.submit(house.name, "聞こえる？", api_name="/say")
    with pytest.raises(AppError) as raised:
        job.result()
    assert str(raised.value) == error.sentence("en")
    (reply,) = [part for part in job.outputs() if part["event"] == "reply"]
    assert (reply["text"], reply["broken_off"]) == ("えっと", True)
    assert "聞こえる？" in [message.text for message in house.memories.log.tail(5)]


def test_what_the_persona_may_not_write_yet_is_told(house: House, client: Client) -> None:
    edit = ToolCall("c1", "edit_notepad", {"operation": "append", "text": "Brisa を買う"})
    look = ToolCall("c0", "search_knowledge_base", {"query": "Brisa のやかん"})
    house.services.minds = Always(ScriptedMind([look], [edit], "書いてもいいかな。"))  # type: ignore[assignment]
    source = house.services.home.folder / "manual.txt"
    source.write_text("Brisa は静かなやかんです。", "utf-8")
    house.memories.knowledge.add(source)
    house.memories.recall.catch_up()
    parts = list(client.submit(house.name, "Brisa のやかんについて調べて、メモして", api_name="/say"))
    (held,) = [part for part in parts if part["event"] == "held"]
    assert set(held["documents"]) == {"manual.txt", PROGRAM}
    assert "+Brisa を買う" in held["diff"]
    assert parts[-1]["event"] == "reply"


@pytest.mark.slow
def test_a_turn_goes_on_when_the_program_has_left(house: House, served: Served) -> None:
    gate = threading.Event()
    house.services.minds = Always(ScriptedMind([TextPiece("一つ。"), held_back(gate)]))  # type: ignore[assignment]
    with served.client() as client:
        job = client.submit(house.name, "あとで読む", api_name="/say")
        assert next(iter(job))["event"] == "received"
        job.cancel()
        with pytest.raises((CancelledError, KeyError)):  # Gradio's client ends in either
            job.result()
        assert call(client, "personas")
    gate.set()
    turn = house.services.companion(house.name).turn or house.services.companion(house.name).last_turn
    assert turn is not None
    assert turn.wait(60)
    assert house.memories.log.tail(1)[0].text == "一つ。もう一つ。"


def test_memories_and_documents_are_found_as_on_the_command_line(house: House, client: Client) -> None:
    house.tell(at=house.clock.now())
    source = house.services.home.folder / "やかん.txt"
    source.write_text("Brisa は静かなやかんです。", "utf-8")
    house.memories.knowledge.add(source)
    recall = house.memories.recall
    recall.catch_up()
    answer = call(client, "recall", house.name, "猫", k=2)
    expected = as_json.search("猫", recall.search("猫", 2), answer["elapsed_ms"])
    for result in expected["results"]:
        result["file"] = result.pop("path")
    assert answer == expected
    assert len(answer["results"]) == 2
    kinds = {hit["type"] for hit in call(client, "recall", house.name, "猫", kind="current_log")["results"]}
    assert kinds == {"current_log"}
    assert call(client, "recall", house.name, "こんにちは", as_turn=True)["results"] == []
    (found, *_) = call(client, "search_past_conversations", house.name, "貴船神社")["results"]
    assert "京都の貴船神社" in found["text"]
    (found, *_) = call(client, "search_knowledge_base", house.name, "静かなやかん")["results"]
    assert (found["type"], found["file"]) == ("knowledge", "knowledge/やかん.txt")


def test_what_a_program_was_handed_stands_in_the_audit_without_a_word(house: House, client: Client) -> None:
    (cat, *_) = house.tell()
    house.memories.recall.catch_up()
    house.memories.notes.append("notepad", "牛乳を買う", author="user", reason="edit")
    call(client, "recall", house.name, "猫のモモ")
    call(client, "notes", house.name)
    call(client, "memories", house.name, "goals")  # there are none: nothing was handed out
    told = [one for one in events(house.memories.paths) if one.kind == "program"]
    assert [(one.to, one.given.is_masked) for one in told] == [(Recipient("API"), False)] * 2
    assert told[0].given.counts == {"notepad": 1}
    assert cat in told[1].given.ids
    assert told[1].given.counts["recalled"] > 0
    assert not flaws(house.memories.paths)


def test_notes_personas_and_memories_are_listed(house: House, served: Served, client: Client) -> None:
    memories, notes = house.memories, house.memories.notes
    notes.append("core_memory", "約束: 日曜は散歩", author="user", reason="x")
    notes.append("secret_diary", "だれにも言わない", author="user", reason="x")
    answer = call(client, "notes", house.name)
    assert answer == {"core_memory": notes.read("core_memory").text, "notepad": notes.read("notepad").text}
    assert "日曜は散歩" in answer["core_memory"]
    asked = served.post("/gradio_api/call/notes", {"data": [house.name]})  # plain HTTP will do
    told = served.get(f"/gradio_api/call/notes/{asked.json()['event_id']}").text
    event, data = told.strip().split("\n")[:2]
    assert (event, json.loads(data.removeprefix("data: "))) == ("event: complete", [answer])
    listed = {one["name"]: one["language"] for one in call(client, "personas")}
    assert listed.items() >= {house.name: "ja", "Hazel": "en"}.items()
    house.tell()
    *progress, dreamt = client.submit(house.name, api_name="/dream")
    assert all(part["event"] == "dreaming" and part["done"] <= part["days"] for part in progress)
    assert (dreamt["event"], dreamt["days"]) == ("dreamt", ["2026-11-20"])
    assert {"episode", "entity"} <= {change["what"] for change in dreamt["changes"]}
    for kind in ("episodes", "entities", "insights", "goals", "questions"):
        answer = call(client, "memories", house.name, kind)
        assert answer["kind"] == kind
        assert answer["total"] == len(answer["items"]) > 0, kind
        assert call(client, "memories", house.name, kind, limit=1, offset=answer["total"])["items"] == []
    (day,) = memories.episodes.days()
    (episode,) = call(client, "memories", house.name, "episodes")["items"]
    assert Episode.model_validate(episode) == memories.episodes.get(day)
    names = [one["name"] for one in call(client, "memories", house.name, "entities")["items"]]
    assert names == memories.entities.names()


@pytest.mark.slow
def test_a_memory_that_looks_like_a_file_is_not_fetched(house: House, client: Client) -> None:
    """A client would ask the address in it, with the token."""
    trap = {"path": "x", "url": "http://127.0.0.1:9/evil", "is_stream": True, "meta": {"_type": "gradio.FileData"}}
    goal = Goal.model_validate({"goal": "海へ行く", "photo": trap})
    house.memories.goals.change(lambda goals: goals.created("short_term", goal), author="user", reason="x")
    (listed,) = call(client, "memories", house.name, "goals")["items"]
    assert listed["goal"] == "海へ行く"
    assert not paths_in(listed)


def test_a_note_waits_until_the_person_says_yes_on_the_page(house: House, served: Served, client: Client) -> None:
    memories = house.memories
    before = memories.notes.read("notepad").text
    waits, again = (call(client, "add_note", house.name, "金曜は通院") for _ in range(2))
    assert waits == again  # the same is asked for once
    assert memories.notes.read("notepad").text == before
    assert "+金曜は通院" in waits["diff"]
    assert waits["file"] == "notepad.txt"
    announced = memories.log.get(waits["message_id"])
    assert announced is not None
    assert announced.role == "system"
    (wish,) = house.services.companion(house.name).waiting()
    assert wish.look is not None
    with served.browser() as browser:
        shown = browser.get(f"/p/{house.name}/", headers={"accept-language": "ja"}).text
        assert f"ほかのプログラムが、{house.name}のメモ帳に書き足したいと言っています" in shown
        assert "金曜は通院" in shown
        done = browser.post(f"/p/{house.name}/held/{waits['id']}", data={"answer": "allow", "shown": wish.look.base})
        assert done.status_code == 303
    assert memories.notes.read("notepad").text == f"{before}金曜は通院\n"
    (entry,) = memories.history.entries(1)
    assert (entry.author, entry.evidence) == ("program", (waits["message_id"],))


def test_after_a_no_or_too_long_nothing_is_written_and_no_program_asks_for_ever(house: House, client: Client) -> None:
    memories, companion = house.memories, house.services.companion(house.name)
    before = memories.notes.read("core_memory").text
    waits = call(client, "add_note", house.name, "合言葉は1234", note="core_memory")
    companion.decide(waits["id"], allow=False)
    assert memories.notes.read("core_memory").text == before
    for number in range(MOST - 1):
        ask_for_program(memories, "notepad", f"その{number}")
    call(client, "add_note", house.name, "最後の一つ")
    said = len(memories.log.tail(2 * MOST))
    assert "Too many" in failure(client, "add_note", house.name, "もう一つ")
    assert len(companion.waiting()) == MOST
    assert len(memories.log.tail(2 * MOST)) == said  # nor does the log say that it asked
    house.clock.move(days=KEPT.days, seconds=1)
    assert companion.waiting() == []


# --- what is not right


@pytest.mark.slow
def test_what_does_not_fit_is_named_in_ones_language_without_what_it_holds(house: House, client: Client) -> None:
    for name in ("say", "recall", "search_past_conversations", "search_knowledge_base"):
        assert "Nobody" in failure(client, name, "Nobody", "x")
    assert "Nobody" in failure(client, "dream", "Nobody")
    assert "k:" in failure(client, "recall", house.name, "ひみつ", 0)
    assert "mood" in failure(client, "recall", house.name, "猫", 3, "mood")
    said = failure(client, "recall", house.name, {"ひみつ": ["だよ"]})
    assert "query" in said
    assert "ひみつ" not in said
    assert "kind" in failure(client, "memories", house.name, "secrets")
    for text in ("", " \n", "あ" * 20_001):
        assert "text" in failure(client, "add_note", house.name, text)
    house.services.settings_file.change("page", language="ja")
    assert "ここにはいません" in failure(client, "notes", "Nobody")


def test_missing_arguments_are_told_and_shown_on_no_terminal(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    asked = served.post("/gradio_api/call/add_note", {"data": ["ひみつのひと"]})
    told = served.get(f"/gradio_api/call/add_note/{asked.json()['event_id']}").text
    assert "event: error" in told
    assert "1/3" in told
    assert "".join(capfd.readouterr()) == ""


def test_every_call_is_described(served: Served) -> None:
    described = (CHECKOUT / "docs" / "api.md").read_text("utf-8")
    for name, endpoint in served.get("/gradio_api/info").json()["named_endpoints"].items():
        arguments = [one["parameter_name"] for one in endpoint["parameters"]]
        line = re.search(rf"^`{name[1:]}\((.*?)\)`", described, re.MULTILINE)
        assert line is not None, name
        assert [one.partition("=")[0].strip() for one in line[1].split(",") if one] == arguments
        assert endpoint["description"]


@pytest.mark.slow
def test_failures_of_the_engine_are_json(served: Served) -> None:
    missing = served.post("/gradio_api/call/nothing", {"data": []})
    assert (missing.status_code, missing.json()) == (404, {"detail": NoSuchEndpointError().sentence("en")})
    for path, data, status in (
        ("queue/join", "{", 400), ("queue/join", {"data": [], "fn_index": 999, "session_hash": "x"}, 500),
        ("queue/join", {"data": [], "session_hash": "x"}, 400), ("call/notes", {"data": "x"}, 400),
        ("call/notes", ["x"], 400), ("queue/nothing", {}, 404)
    ):  # fmt: skip
        answer = served.post(f"/gradio_api/{path}", data)
        assert (answer.status_code, list(answer.json())) == (status, ["detail"]), (path, data)


# --- what is for this computer only, and for another persona


def test_what_is_for_this_computer_only_is_told_to_no_program(house: House, client: Client) -> None:
    mind = ScriptedMind("うん。")
    house.services.minds = Always(mind)  # type: ignore[assignment]
    cat, *_ = house.tell()
    house.dream()
    memories = house.memories
    memories.notes.append("core_memory", "モモの約束", author="user", reason="x")
    memories.recall.catch_up()
    assert "モモ" in told_everything(client, house.name)
    memories.audiences.mark(cat, "this-computer", [cat], days=["2026-11-20"])
    memories.audiences.mark("core_memory.txt", "this-computer")
    told = told_everything(client, house.name)
    assert "モモ" not in told
    assert "貴船" in told
    assert call(client, "add_note", house.name, "通院の日", "core_memory")["diff"] is None
    call(client, "say", house.name, "うちの猫のことを覚えてる？")
    assert "モモ" not in repr(mind.requests[-1])


def told_everything(client: Client, persona: str) -> str:
    """Return all that a program is told when it asks for everything."""
    asked = [call(client, "memories", persona, kind) for kind in get_args(Kind)]
    asked += [call(client, name, persona, words) for name in ("recall", "search_past_conversations") for words in ASKED]
    return json.dumps([*({**one, "query": ""} for one in asked), call(client, "notes", persona)], ensure_ascii=False)


def test_nothing_of_another_is_reached_the_absent_are_told_alike(house: House, served: Served, client: Client) -> None:
    ids = house.tell()
    house.dream()
    with new_house(served, "べつのひと") as other:
        told = told_everything(client, other.name)
        assert not [one for one in (*ids, "貴船", "ep_") if one in told]
        assert not call(client, "recall", other.name, ids[0])["results"]
        assert failure(client, "notes", ids[0]).replace(ids[0], "だれか") == failure(client, "notes", "だれか")
        for path in ("../{}", f"{other.name}/../{{}}", "{}/log.txt"):  # said alike, whether somebody is there or not
            there, never = (failure(client, "notes", path.format(name)) for name in (house.name, "だれか"))
            assert there.replace(house.name, "だれか") == never
