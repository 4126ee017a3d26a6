"""Personas are walled off: what one has is not found in another's rooms, as if it had never been; every address is walked."""

import os
import re
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import cast
from urllib.parse import quote

import pytest
from httpx2 import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from agent.approval import ask_for_program
from agent.events import Replied
from agent.exporting import ExportWishes
from agent.forgetting import let_go
from agent.services import Services
from agent.tools import all_tools
from agent.tools.catalogue import ToolAnswer
from agent.tools.context import ToolContext
from managers.memory.goals import Goal
from managers.mind import Cancel, ToolCall
from tests.ui.rooms import EVENING, NAME, House
from tests.ui.server.routes import Address, addresses_of
from tests.ui.visitors import visitor_of
from ui.server.access import Gate

OTHER = "Hazel"
SECRET = "翡翠色の手紙"
NO_IDS = {
    "kind", "shelf", "region", "quarter", "table", "day", "version", "place",
}  # fmt: skip
"""Places in addresses that hold a word of the program's own, a number or a day."""
PARTS = {"/p/{persona}/why/{message_id}", "/p/{persona}/around/{message_id}"}
"""What a fold of a page holds: it says there that the message is gone."""
NAMED_ANEW = {"/p/{persona}/memories/people/{name}", "/p/{persona}/memories/network/{centre}"}
"""A name that a person may give anew, and a network in which nobody of that name sits in the middle."""
NEVER = {
    "message_id": "20260101T000000-zzzzzzzz",
    "branch_id": "20260101T000000-yyyyyyyy",
    "held": "h_00000000",
    "document": "nothing.txt",
    "entry": "f" * 40,
    "name": "誰でもない人",
    "centre": "誰でもない人",
    "wish": "20260101T000000-xxxxxxxx",
    "volume": "memory_archived_999.txt",
    "memory": "in_11111111",
    "pattern": "sp_22222222",
    "file": "20260101T000000-wwwwwwww.txt",
    "job": "AAAAAAAAAAAAAAAA",
}
FORM = {
    "text": "x",
    "step": "undo",
    "on": "1",
    "index": "0",
    "answer": "yes",
    "status": "completed",
    "back": "",
    "allow": "1",
}
SHELVES = ("insights", "goals", "questions")


@dataclass
class Walls:
    """Somebody who has lived, somebody else who has not, and a browser."""

    browser: TestClient
    theirs: Mapping[str, str]
    addresses: list[Address]
    folder: Path


@pytest.fixture
def walls(services: Services, house: House) -> Walls:
    memories = house.memories
    said = house.tell()
    house.dream()
    later = EVENING + timedelta(hours=1)
    asked = memories.log.append("user", "花", "さっきの日商簿記の話は忘れて", time=later)
    let_go(memories, asked.id, "日商簿記")
    memories.log.append("user", "花", SECRET, time=later)
    memories.log.branch(said[1])
    memories.log.append("user", "花", "やっぱりやめた。", time=later)
    memories.log.branch(said[0])
    (memories.paths.knowledge).mkdir(exist_ok=True)
    (memories.paths.knowledge / "letter.txt").write_text(SECRET, "utf-8")
    memories.paths.attachments.mkdir(exist_ok=True)
    (memories.paths.attachments / "letter.txt").write_text(SECRET, "utf-8")
    (memories.paths.memory / "memory_archived_001.txt").write_text(SECRET, "utf-8")
    held = ask_for_program(memories, "notepad", SECRET).held.id
    job = services.exports.begin(memories, ExportWishes("jsonl"), str)
    services.exports.wait()
    theirs = {
        "message_id": said[0],
        "branch_id": next(one.id for one in memories.log.branches() if one.id[:2] == "20"),
        "held": held,
        "document": "letter.txt",
        "entry": memories.history.entries(1)[0].id,
        "name": memories.entities.names()[0],
        "centre": memories.entities.names()[0],
        "wish": asked.id,
        "volume": "memory_archived_001.txt",
        "memory": memories.insights.load().entries[0].id,
        "file": "letter.txt",
        "pattern": memories.insights.load().entries[0].id,
        "job": job.id,
    }
    services.companion(OTHER).settle()
    browser = visitor_of(services)
    assert isinstance(browser.app, Gate)
    routes = cast("Starlette", browser.app._app).routes
    return Walls(browser, theirs, [*addresses_of(routes)], services.home.persona(OTHER).folder)


def asked_with(walls: Walls, persona: str, address: Address, method: str, ids: Mapping[str, str]) -> Response:
    values = {name: quote(value, safe="") for name, value in ids.items()}
    path = address.filled(persona=quote(persona), shelf="insights", kind="notepad", **values)
    form = FORM | {"memory": ids["memory"], "audience": "any"}
    return walls.browser.request(
        method, path, params={"open": "1"}, data=form if method == "POST" else None, headers={"x-utatane": "1"}
    )


def told(answer: Response, ids: Mapping[str, str]) -> str:
    """Return what an answer tells, without the id that was asked for."""
    text = answer.text
    for value in sorted(ids.values(), key=len, reverse=True):
        once = quote(value, safe="")
        for shown in (quote(once, safe=""), once, value, value[:8]):
            text = text.replace(shown, "·")
    return re.sub(r"·[^ <\"]*", "·", text)


def test_an_id_of_another_persona_is_not_found_as_one_that_never_was(walls: Walls) -> None:
    before = {path: path.read_bytes() for path in walls.folder.rglob("*") if path.is_file() and "memory" in path.parts}
    wrong, walked = list[tuple[object, ...]](), 0
    for address in walls.addresses:
        places = set(re.findall(r"{(\w+)", address.path)) - {"persona"}
        if "{persona}" not in address.path or not places - NO_IDS or address.path in NAMED_ANEW:
            continue
        assert places <= NO_IDS | NEVER.keys(), f"say in this test what stands in {address.path}"
        for method in address.methods - {"HEAD"}:
            theirs = asked_with(walls, OTHER, address, method, walls.theirs)
            never = asked_with(walls, OTHER, address, method, NEVER)
            walked += 1
            expected = 200 if address.path in PARTS else 404
            if (theirs.status_code, never.status_code) != (expected, expected):
                wrong.append((method, address.path, theirs.status_code, never.status_code))
            elif told(theirs, walls.theirs) != told(never, NEVER):
                wrong.append((method, address.path, told(theirs, walls.theirs)[-400:], told(never, NEVER)[-400:]))
            assert SECRET not in theirs.text
    assert not wrong, "\n".join(map(str, wrong))
    assert walked > 25
    for path, data in before.items():
        assert path.read_bytes() == data


def test_a_name_tells_nothing_of_another_persona(walls: Walls) -> None:
    for path in NAMED_ANEW:
        address = next(one for one in walls.addresses if one.path == path and "GET" in one.methods)
        theirs = asked_with(walls, OTHER, address, "GET", walls.theirs)
        never = asked_with(walls, OTHER, address, "GET", NEVER)
        assert theirs.status_code == never.status_code
        assert told(theirs, walls.theirs) == told(never, NEVER)


def test_whose_it_is_finds_it(walls: Walls) -> None:
    """What the test above asks for is really there."""
    found = 0
    for address in walls.addresses:
        places = set(re.findall(r"{(\w+)", address.path)) - {"persona"}
        if "{persona}" in address.path and places - NO_IDS and "GET" in address.methods:
            answer = asked_with(walls, NAME, address, "GET", walls.theirs)
            is_another_kind = "secret" in address.path or "pattern" in places
            assert is_another_kind or answer.status_code in {200, 303}, address.path
            found += 1
    assert found > 10


def test_forms_that_name_an_id_find_no_other_persona_s(walls: Walls) -> None:
    for place, field in (("memories/archive", "memory"), ("memories/audience", "memory")):
        for ids in (walls.theirs, NEVER):
            form = {field: ids["memory"], "audience": "any", "kind": "insight", "place": ids["memory"]}
            answer = walls.browser.post(f"/p/{OTHER}/{place}", data=form)
            assert answer.status_code == 404
            form = {field: ids["message_id"], "audience": "any"}
            assert walls.browser.post(f"/p/{OTHER}/{place}", data=form).status_code == 404


def test_what_is_sent_in_a_form_tells_and_changes_nothing_of_another_persona(walls: Walls, services: Services) -> None:
    memories = services.memories(NAME)
    copy = memories.working_copy()
    copy.goals = copy.goals.created("short_term", Goal(goal=SECRET, mind="m"))
    memories.apply(copy.files(), author="dream", reason="made")
    (goal,), (question, *_) = ([one.id for one in found] for found in (copy.goals.all, copy.questions.entries))
    theirs = {**walls.theirs, "question": question, "goal": goal}
    never = {**NEVER, "question": "q_00000000", "goal": "g_00000000"}
    sent = (
        ("memories/erase", "what", "message_id"),
        ("memories/erase", "what", "memory"),
        ("memories/erase", "what", "goal"),
        ("memories/erase", "about", "name"),
        ("heart/questions", "question", "question"),
        ("heart/goals", "goal", "goal"),
        ("persona/shared/restore", "chunk", "memory"),
        ("persona/growth", "version", "memory"),
    )
    before = {path: path.read_bytes() for path in memories.paths.memory.rglob("*.json*")}
    for place, key, kind in sent:
        step = "abandon" if kind == "goal" else "delete"
        forms = [{key: ids[kind], "step": step, "yes": "1", "seen": "0" * 16} for ids in (theirs, never)]
        answers = [walls.browser.post(f"/p/{OTHER}/{place}", data=form) for form in forms]
        assert answers[0].status_code == answers[1].status_code, (place, kind)
        assert told(answers[0], theirs) == told(answers[1], never), (place, kind)
        assert SECRET not in answers[0].text
    assert before == {path: path.read_bytes() for path in before}


def test_a_conversation_of_others_finds_no_message_of_a_persona_that_is_not_in_it(
    walls: Walls, services: Services
) -> None:
    services.personas.create("Nora", language="en", system_prompt="You are Nora.")
    answer = walls.browser.post("/group", data={"name": [OTHER, "Nora"]})
    here = answer.headers["location"].partition("#")[0].partition("?")[0]
    for deed in ("edit", "delete", "erase"):
        for method in ("GET", "POST"):
            answers = [
                walls.browser.request(
                    method, f"{here}/messages/{quote(ids['message_id'])}/{deed}", data=FORM | {"yes": "1", "seen": "0"}
                )
                for ids in (walls.theirs, NEVER)
            ]
            assert answers[0].status_code == answers[1].status_code >= 400, (deed, method)
            asked = [{"all": f"{here}/messages/{ids['message_id']}", **ids} for ids in (walls.theirs, NEVER)]
            assert told(answers[0], asked[0]) == told(answers[1], asked[1]), (deed, method)
    assert services.memories(NAME).log.get(walls.theirs["message_id"]) is not None


def test_what_is_asked_for_in_an_address_tells_nothing_of_another_persona(walls: Walls) -> None:
    asked = (
        ("memories/erase", "what", "message_id"),
        ("memories/erase", "what", "memory"),
        ("memories/erase", "about", "name"),
        ("history", "part", "memory"),
        ("memories/audit", "id", "message_id"),
        ("tables/history.csv", "item", "document"),
    )
    for place, key, kind in asked:
        pages = [walls.browser.get(f"/p/{OTHER}/{place}", params={key: ids[kind]}) for ids in (walls.theirs, NEVER)]
        assert pages[0].status_code == pages[1].status_code, (place, key)
        assert told(pages[0], walls.theirs) == told(pages[1], NEVER), (place, key)
        assert SECRET not in pages[0].text


def test_tools_that_are_given_another_persona_s_ids_find_what_they_find_of_ids_that_never_were(
    walls: Walls, services: Services
) -> None:
    memories, tools, walked = services.memories(OTHER), all_tools(), 0
    for spec in tools.specs("ja"):
        fields = [name for name, one in spec.arguments.model_fields.items() if one.annotation is str]
        for kind in ("message_id", "memory", "name", "document") if fields else ():
            answers = [
                tools.use(
                    ToolCall("c", spec.name, dict.fromkeys(fields, ids[kind])),
                    _context(services, ids["message_id"]),
                    "ja",
                    lambda _, write: ToolAnswer(repr(write)),
                ).text.replace(ids[kind], "·")
                for ids in (walls.theirs, NEVER)
            ]
            assert answers[0].replace(walls.theirs["message_id"], "") == answers[1].replace(NEVER["message_id"], "")
            assert SECRET not in answers[0]
            walked += 1
    assert walked > 20
    assert not memories.entities.names()


def _context(services: Services, evidence: str) -> ToolContext:
    companion = services.companion(OTHER)
    memories, mind = companion.memories, companion.choice().mind
    return ToolContext(memories.sheet(), mind, memories.settings(), memories, memories.clock, (evidence,))


_seen: list[str] | None = None


def _watch(event: str, facts: tuple[object, ...]) -> None:
    if threading.current_thread().name == "watching":
        return  # it looks at the folders of all who are awake, for each by itself
    if _seen is not None and event in {"open", "os.scandir", "os.listdir", "sqlite3.connect"} and facts:
        _seen.append(os.fsdecode(facts[0]) if isinstance(facts[0], str | bytes | os.PathLike) else "")


def test_a_turn_and_a_night_open_nothing_of_another_persona_s_folder(
    walls: Walls, services: Services, house: House
) -> None:
    """Python itself says of every file, folder and database that is opened where it lies."""
    global _seen  # noqa: PLW0603  # a hook of Python's stays for as long as the process
    sys.addaudithook(_watch)
    house.services.companion(house.name).settle()
    companion = services.companion(OTHER)
    _seen = []
    events = list(companion.say(f"Do you remember what Hana wrote? {SECRET}, 花さん、貴船神社").events())
    companion.settle()
    services.sleeper(OTHER).dream(Cancel())
    opened, _seen = _seen, None
    (replied,) = [event for event in events if isinstance(event, Replied)]
    assert all(hit.path and (companion.memories.paths.folder / hit.path).exists() for hit in replied.recalled)
    assert "貴船神社" not in replied.message.text
    assert any(path.startswith(str(companion.memories.paths.folder)) for path in opened)
    assert [path for path in opened if path.startswith(str(house.memories.paths.folder))] == []
