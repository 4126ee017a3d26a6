"""Chats of SillyTavern."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from managers.exchange.items import FoundMessage, NotTaken, ReadingWishes
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said

_HEAD = {
    "user_name": "Aki",
    "character_name": "Seraphina",
    "create_date": "2024-01-05 @21h 30m 00s 1ms",
    "chat_metadata": {},
}


def _line(name: str, text: str, date: object, **more: Any) -> dict[str, Any]:
    told = {"name": name, "is_user": name == "Aki", "is_system": False, "send_date": date, "mes": text, "extra": {}}
    return {**told, **more}


def _lines(*lines: object) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines) + "\n"


def test_swipes_become_answers_and_each_form_of_date_is_read(tmp_path: Path) -> None:
    swiped = _line(
        "Seraphina",
        "<think>Be warm.</think>Welcome back.",
        "January 5, 2024 9:33pm",
        swipes=["Oh.", "<think>Be warm.</think>Welcome back.", "Hm?"],
        swipe_id=1,
        swipe_info=[{"extra": {"model": "m-1"}}, {}, {"extra": {"model": "m-2", "reasoning": "why"}}],
        extra={"api": "openai", "model": "gpt-4"},
    )
    chat = _lines(
        _HEAD,
        swiped,
        _line("Aki", "ただいま", "2024-01-05 @21h 34m 12s 123ms"),
        _line("Seraphina", "おかえり", "2024-01-05T21:35:00.000", extra={"reasoning": "Aki is home."}),
        _line("Aki", "ミケは?", None),
    )

    items = items_of(folder_of(tmp_path, {"Seraphina/2024-01-05.jsonl": chat}), "sillytavern")

    assert said(items) == [
        ("persona", "Seraphina", "Welcome back."),
        ("user", "Aki", "ただいま"),
        ("persona", "Seraphina", "おかえり"),
        ("user", "Aki", "ミケは?"),
    ]
    first, _, answer, last = messages_of(items)
    assert [(one.text, one.mind, one.thought) for one in first.answers] == [("Oh.", "m-1", ""), ("Hm?", "m-2", "why")]
    assert (first.at, first.mind, first.thought) == (1, "gpt-4", "Be warm.")
    assert first.time == datetime(2024, 1, 5, 21, 33)
    assert answer.thought == "Aki is home."
    assert (last.time, last.is_time_certain) == (datetime(2024, 1, 5, 21, 35), False)
    assert (persona_of(items).name, persona_of(items).user_name) == ("Seraphina", "Aki")


def test_a_bad_line_is_told_with_its_number_and_costs_no_other(tmp_path: Path) -> None:
    chat = _lines(
        _HEAD, "{broken", _line("Aki", "one", 1704490392123), "[" * 100_000, '{"mes": 3}', _line("Aki", "two", 1)
    )

    items = items_of(folder_of(tmp_path, {"chat.jsonl": chat}), "sillytavern")

    assert [one.text for one in messages_of(items)] == ["one", "two"]
    places = [item.place for item in items if isinstance(item, NotTaken) and item.code == "chats.no-line"]
    assert places == ["chat.jsonl: 2", "chat.jsonl: 4", "chat.jsonl: 5"]


def test_branches_deletions_and_leafing_through_swipes_change_no_id(tmp_path: Path) -> None:
    def read(name: str, **files: list[dict[str, Any]]) -> list[FoundMessage]:
        chats = {f"{chat}.jsonl": _lines(_HEAD, *lines) for chat, lines in files.items()}
        return messages_of(items_of(folder_of(tmp_path / name, chats), "sillytavern"))

    same, time = _line("Aki", "Hi", "January 5, 2024 9:33pm"), "January 5, 2024 9:34pm"
    branches = {"a": [same, _line("Seraphina", "Hello", time)], "a - Branch #1": [same, _line("Seraphina", "No", time)]}
    assert sorted({one.id: one.text for one in read("branches", **branches)}.values()) == ["Hello", "Hi", "No"]

    lines = [
        _line("Aki" if one % 2 else "Seraphina", "hm" if one in {3, 5} else f"{one}", f"2024-01-05T21:3{one // 2}:00Z")
        for one in range(8)
    ]
    lines[5]["send_date"] = lines[3]["send_date"]  # the same words of the same moment
    before, after = read("before", a=lines), read("after", a=[*lines[:1], *lines[2:]])
    assert len({one.id for one in before}) == 8
    assert [one.id for one in after] == [one.id for one in before if one.text != "1"]
    undated = read("undated", a=[_line("Aki", "hm", None)] * 3)
    assert len({one.id for one in undated}) == 3  # told by their lines

    def one_id(at: int) -> str:
        swipes = ["Hello", "Hi there"]
        line = _line("Seraphina", swipes[at], f"January 5, 2024 9:3{at}pm", swipes=swipes, swipe_id=at)
        line["swipe_info"] = [{"send_date": "January 5, 2024 9:30pm"}, {"send_date": "January 5, 2024 9:31pm"}]
        return read(f"at {at}", a=[line])[0].id

    assert one_id(0) == one_id(1)


def test_in_a_group_the_others_are_named_and_a_chat_with_somebody_else_is_left(tmp_path: Path) -> None:
    head = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}
    chat = _lines(
        head,
        _line("Seraphina", "Tea?", 1704490392123),
        _line("Bob", "Beer.", 1704490393123),
        _line("Aki", "Water.", 1704490394123),
        _line("Narrator", "Rain falls.", 1704490395123, is_system=True, extra={"type": "narrator"}),
        _line("Aki", "hidden words", 1704490396123, is_system=True),
    )
    path = folder_of(tmp_path, {"group.jsonl": chat})

    assert said(items_of(path, "sillytavern", ReadingWishes(persona="Bob", roles={"Bob": "persona"})))[:2] == [
        ("system", "Seraphina", "Seraphina: Tea?"),
        ("persona", "Bob", "Beer."),
    ]
    items = items_of(path, "sillytavern")
    assert said(items) == [
        ("persona", "Seraphina", "Tea?"),
        ("system", "Bob", "Bob: Beer."),
        ("user", "Aki", "Water."),
        ("system", "narrator", "Rain falls."),
        ("user", "Aki", "hidden words"),
    ]
    other = folder_of(tmp_path, {"x/Bob.jsonl": _lines({**_HEAD, "character_name": "Bob"}, _line("Aki", "Yo", 1))})
    other = folder_of(other, {"x/Sera.jsonl": _lines(_HEAD, _line("Aki", "Ah", 1))})
    assert left(items_of(other, "sillytavern", ReadingWishes(persona="seraphina"))) == {"chats.other-character": 1}
