"""Personas are walled off: what one has is not found in another's rooms, as if it had never been; every address is walked."""

import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
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
from agent.services import Services, open_services
from agent.tools import all_tools
from agent.tools.catalogue import ToolAnswer
from agent.tools.context import ToolContext
from managers.memory.goals import Goal
from managers.mind import Cancel, ToolCall
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.ui.rooms import EVENING, NAME, House
from tests.ui.server.routes import Address, addresses_of
from tests.ui.visitors import visitor_of
from ui.server.access import Gate

OTHER = "Hazel"
SECRET = "翡翠色の手紙"
NO_IDS = {"kind", "shelf", "region", "quarter", "table", "day", "version", "place"}
"""Places in addresses that hold a word of the program's own, a number or a day."""
PARTS = {"/p/{persona}/why/{message_id}", "/p/{persona}/around/{message_id}"}
"""What a fold of a page holds: it says there that the message is gone."""
NAMED_ANEW = {"/p/{persona}/memories/people/{name}", "/p/{persona}/memories/network/{centre}"}
"""A name that a person may give anew, and a network in which nobody of that name sits in the middle."""
NEVER = {
    "message_id": "20260101T000000-zzzzzzzz", "branch_id": "20260101T000000-yyyyyyyy", "held": "h_00000000",
    "document": "nothing.txt", "entry": "f" * 40, "name": "誰でもない人", "centre": "誰でもない人",
    "wish": "20260101T000000-xxxxxxxx", "volume": "memory_archived_999.txt", "memory": "in_11111111",
    "pattern": "sp_22222222", "file": "20260101T000000-wwwwwwww.txt", "job": "AAAAAAAAAAAAAAAA",
    "question": "q_00000000", "goal": "g_00000000"
}  # fmt: skip
FORM = {"text": "x", "step": "undo", "on": "1", "index": "0", "answer": "yes", "status": "completed", "back": ""}


@dataclass
class Walls:
    """Somebody who has lived, somebody else who has not, and a browser."""

    house: House
    browser: TestClient
    theirs: Mapping[str, str]
    addresses: list[Address]

    @property
    def services(self) -> Services:
        return self.house.services


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walls]:
    clock = HandClock()
    services = open_services(Home(tmp_path_factory.mktemp("walls")), clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    house = House(services, clock)
    memories, said, later = house.memories, house.tell(), EVENING + timedelta(hours=1)
    house.dream()
    asked = memories.log.append("user", "花", "さっきの日商簿記の話は忘れて", time=later)
    let_go(memories, asked.id, "日商簿記")
    memories.log.append("user", "花", SECRET, time=later)
    memories.log.branch(said[1])
    memories.log.append("user", "花", "やっぱりやめた。", time=later)
    memories.log.branch(said[0])
    for folder in (memories.paths.knowledge, memories.paths.attachments):
        folder.mkdir(exist_ok=True)
        (folder / "letter.txt").write_text(SECRET, "utf-8")
    (memories.paths.memory / "memory_archived_001.txt").write_text(SECRET, "utf-8")
    job = services.exports.begin(memories, ExportWishes("jsonl"), str)
    services.exports.wait()
    copy = memories.working_copy()
    copy.goals = copy.goals.created("short_term", Goal(goal=SECRET, mind="m"))
    memories.apply(copy.files(), author="dream", reason="made")
    name, told = memories.entities.names()[0], memories.insights.load().entries[0].id
    theirs = {
        "message_id": said[0], "branch_id": next(one.id for one in memories.log.branches() if one.id[:2] == "20"),
        "held": ask_for_program(memories, "notepad", SECRET).held.id, "document": "letter.txt",
        "entry": memories.history.entries(1)[0].id, "name": name, "centre": name, "wish": asked.id,
        "volume": "memory_archived_001.txt", "memory": told, "file": "letter.txt", "pattern": told, "job": job.id,
        "question": memories.questions.load().entries[0].id, "goal": copy.goals.all[0].id
    }  # fmt: skip
    services.companion(OTHER).settle()
    browser = visitor_of(services)
    assert isinstance(browser.app, Gate)
    yield Walls(house, browser, theirs, [*addresses_of(cast("Starlette", browser.app._app).routes)])
    services.close()


def asked_with(walls: Walls, persona: str, address: Address, method: str, ids: Mapping[str, str]) -> Response:
    values = {name: quote(value, safe="") for name, value in ids.items()}
    path = address.filled(persona=quote(persona), shelf="insights", kind="notepad", **values)
    form = FORM | {"memory": ids["memory"], "audience": "any", "allow": "1"}
    return walls.browser.request(
        method, path, params={"open": "1"}, data=form if method == "POST" else None, headers={"x-utatane": "1"}
    )


def lasting(folder: Path) -> dict[Path, bytes]:
    """Return the files of a folder, but for those that vanish at any time."""
    found = (path for path in folder.rglob("*") if not path.name.endswith(".utatane-tmp"))
    return {path: path.read_bytes() for path in found if path.is_file()}


def told(answer: Response, ids: Mapping[str, str]) -> str:
    """Return what an answer tells, without the id that was asked for."""
    text = answer.text
    for value in sorted(ids.values(), key=len, reverse=True):
        once = quote(value, safe="")
        for shown in (quote(once, safe=""), once, value, value[:8]):
            text = text.replace(shown, "·")
    return re.sub(r"·[^ <\"]*", "·", text)


def test_an_id_of_another_persona_is_not_found_as_one_that_never_was(walls: Walls) -> None:
    before = lasting(walls.services.home.persona(OTHER).folder / "memory")
    wrong, walked, found = list[tuple[object, ...]](), 0, 0
    for address in walls.addresses:
        places = set(re.findall(r"{(\w+)", address.path)) - {"persona"}
        if "{persona}" not in address.path or not places - NO_IDS:
            continue
        assert places <= NO_IDS | NEVER.keys(), f"say in this test what stands in {address.path}"
        if "GET" in address.methods:  # whose it is finds it
            is_another_kind = "secret" in address.path or "pattern" in places
            answer = asked_with(walls, NAME, address, "GET", walls.theirs)
            assert is_another_kind or answer.status_code in {200, 303}, address.path
            found += 1
        for method in sorted(address.methods & {"GET"} if address.path in NAMED_ANEW else address.methods - {"HEAD"}):
            theirs = asked_with(walls, OTHER, address, method, walls.theirs)
            never = asked_with(walls, OTHER, address, method, NEVER)
            walked += 1
            expected = never.status_code if address.path in NAMED_ANEW else 200 if address.path in PARTS else 404
            if (theirs.status_code, never.status_code) != (expected, expected):
                wrong.append((method, address.path, theirs.status_code, never.status_code))
            elif told(theirs, walls.theirs) != told(never, NEVER):
                wrong.append((method, address.path, told(theirs, walls.theirs)[-400:], told(never, NEVER)[-400:]))
            assert SECRET not in theirs.text
    assert not wrong, "\n".join(map(str, wrong))
    assert walked > 25
    assert found > 10
    assert before == {path: path.read_bytes() for path in before}


def test_what_is_sent_or_asked_for_tells_and_changes_nothing_of_another_persona(walls: Walls) -> None:
    memories = walls.services.memories(NAME)
    before = {path: data for path, data in lasting(memories.paths.memory).items() if ".json" in path.name}
    sent_or_asked = (
        ("POST", "memories/archive", "memory", "memory message_id"),
        ("POST", "memories/audience", "memory", "memory message_id"),
        ("POST", "memories/erase", "what", "message_id memory goal"),
        ("POST", "memories/erase", "about", "name"),
        ("POST", "heart/questions", "question", "question"),
        ("POST", "heart/goals", "goal", "goal"),
        ("POST", "persona/shared/restore", "chunk", "memory"),
        ("POST", "persona/growth", "version", "memory"),
        ("GET", "memories/erase", "what", "message_id memory"),
        ("GET", "memories/erase", "about", "name"),
        ("GET", "history", "part", "memory"),
        ("GET", "memories/audit", "id", "message_id"),
        ("GET", "tables/history.csv", "item", "document"),
    )
    for method, place, key, kind in ((*one[:3], kind) for one in sent_or_asked for kind in one[3].split()):
        step = "abandon" if kind == "goal" else "delete"
        answers = []
        for ids in (walls.theirs, NEVER):
            sent = {key: ids[kind]}
            form = {"step": step, "yes": "1", "seen": "0" * 9, "audience": "any", "kind": "insight", "place": ids[kind]}
            data, params = (form | sent, None) if method == "POST" else (None, sent)
            answers.append(walls.browser.request(method, f"/p/{OTHER}/{place}", data=data, params=params))
        assert answers[0].status_code == answers[1].status_code, (place, kind)
        assert answers[0].status_code == 404 or place not in {"memories/archive", "memories/audience"}
        assert told(answers[0], walls.theirs) == told(answers[1], NEVER), (place, kind)
        assert SECRET not in answers[0].text
    assert before == {path: path.read_bytes() for path in before}


def test_tools_that_are_given_another_persona_s_ids_find_what_they_find_of_ids_that_never_were(walls: Walls) -> None:
    companion, tools, walked = walls.services.companion(OTHER), all_tools(), 0
    memories, mind = companion.memories, companion.choice().mind
    for spec in tools.specs("ja"):
        fields = [name for name, one in spec.arguments.model_fields.items() if one.annotation is str]
        for kind in ("message_id", "memory", "name", "document") if fields else ():
            answers = []
            for ids in (walls.theirs, NEVER):
                evidence = (ids["message_id"],)
                here = ToolContext(memories.sheet(), mind, memories.settings(), memories, memories.clock, evidence)
                call = ToolCall("c", spec.name, dict.fromkeys(fields, ids[kind]))
                text = tools.use(call, here, "ja", lambda _, write: ToolAnswer(repr(write)), tools.specs("ja")).text
                answers.append(text.replace(ids[kind], "·").replace(ids["message_id"], ""))
            assert answers[0] == answers[1]
            assert SECRET not in answers[0]
            walked += 1
    assert walked > 20
    assert not memories.entities.names()


_seen: list[str] | None = None


def _watch(event: str, facts: tuple[object, ...]) -> None:
    if threading.current_thread().name == "watching":
        return  # it looks at the folders of all who are awake, for each by itself
    if _seen is not None and event in {"open", "os.scandir", "os.listdir", "sqlite3.connect"} and facts:
        _seen.append(os.fsdecode(facts[0]) if isinstance(facts[0], str | bytes | os.PathLike) else "")


def test_a_turn_and_a_night_open_nothing_of_another_persona_s_folder(walls: Walls) -> None:
    """Python itself says of every file, folder and database that is opened where it lies."""
    global _seen  # noqa: PLW0603  # a hook of Python's stays for as long as the process
    sys.addaudithook(_watch)
    walls.services.companion(NAME).settle()
    companion = walls.services.companion(OTHER)
    _seen = []
    events = list(companion.say(f"Do you remember what Hana wrote? {SECRET}, 花さん、貴船神社").events())
    companion.settle()
    walls.services.sleeper(OTHER).dream(Cancel())
    opened, _seen = _seen, None
    (replied,) = [event for event in events if isinstance(event, Replied)]
    assert all(hit.path and (companion.memories.paths.folder / hit.path).exists() for hit in replied.recalled)
    assert "貴船神社" not in replied.message.text
    assert any(path.startswith(str(companion.memories.paths.folder)) for path in opened)
    theirs = str(walls.house.memories.paths.folder)
    assert [path for path in opened if path.startswith(theirs)] == []
