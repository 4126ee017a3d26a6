"""Chats as JSON of no known program."""

import json
from datetime import UTC, datetime
from pathlib import Path

from managers.exchange.items import ReadingWishes
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of

_KINDROID = [
    {"id": "1", "sender": "user", "message": "おはよう", "timestamp": 1735689600000},
    {"id": "2", "sender": "ai", "message": "おはよう、アキ。", "timestamp": 1735689660000},
]
_CHARACTER_AI = {
    "turns": [
        {
            "create_time": "2025-01-01T00:00:00.5Z",
            "author": {"author_id": "9", "name": "Aki", "is_human": True},
            "candidates": [{"candidate_id": "a", "raw_content": "おはよう", "is_final": True}],
            "primary_candidate_id": "a",
        },
        {
            "create_time": "2025-01-01T00:01:00Z",
            "author": {"author_id": "x", "name": "Luna"},
            "candidates": [
                {"candidate_id": one, "raw_content": text} for one, text in (("b", "Yawn."), ("c", "おはよう、アキ。"))
            ],
            "primary_candidate_id": "c",
        },
    ]
}
_MSGS = [
    {"src": {"name": "Aki", "is_human": True}, "text": "おはよう", "created": "2025-01-01T00:00:00Z"},
    {"src": {"name": "Luna", "is_human": False}, "text": "おはよう、アキ。", "created": None},
]
_HISTORIES = {"info": {"name": "Luna"}, "histories": {"history": [{"external_id": "h", "msgs": _MSGS}]}}
_SHARE_GPT = [{"conversations": [{"from": "human", "value": "おはよう"}, {"from": "gpt", "value": "おはよう、アキ。"}]}]
_META = {
    "messages": [
        {"sender_name": name, "timestamp_ms": time, "content": text.encode().decode("latin-1")}
        for name, time, text in (("Aki", 1735689600000, "おはよう"), ("Luna", 1735689660000, "おはよう、アキ。"))
    ]
}
_LINES = "\n".join(json.dumps(one) for one in _KINDROID) + "\n"


def test_the_list_of_messages_is_found_wherever_it_is(tmp_path: Path) -> None:
    for told in (_KINDROID, _CHARACTER_AI, _HISTORIES, _SHARE_GPT, _META, _LINES):
        items = items_of(folder_of(tmp_path, {"chat.json": told}), "text")
        assert [(role, text) for role, _, text in said(items)] == [
            ("user", "おはよう"),
            ("persona", "おはよう、アキ。"),
        ]
        time = datetime(2025, 1, 1, microsecond=500_000 * (told is _CHARACTER_AI), tzinfo=UTC)
        assert messages_of(items)[0].time == (None if told is _SHARE_GPT else time)
        if told is _CHARACTER_AI:
            assert [one.text for one in messages_of(items)[1].answers] == ["Yawn."]
            assert persona_of(items).name == "Luna"


def test_who_is_who_can_be_put_right(tmp_path: Path) -> None:
    told = [
        {"author": {"name": name}, "content": text, "date": date and f"2025-01-01 {date}"}
        for name, text, date in (
            ("Luna", "A long answer about the moon and the tides.", "08:00"),
            ("Aki", "Oh.", "08:01"),
            ("Guest", "Hello, both!", "08:02"),
            ("Aki", "Hi.", None),
        )
    ]
    path = folder_of(tmp_path, {"chat.json": {"messages": told}})

    items = items_of(path, "text")
    assert [role for role, _, _ in said(items)] == ["persona", "user", "system", "user"]
    assert said(items)[2] == ("system", "Guest", "Guest: Hello, both!")
    assert left(items) == {"chats.unsure": 1}
    assert messages_of(items)[3].time == datetime(2025, 1, 1, 8, 2)

    corrected = ReadingWishes(roles={"Luna": "user", "Aki": "persona", "Guest": "user"})
    items = items_of(path, "text", corrected)
    assert [role for role, _, _ in said(items)] == ["user", "persona", "user", "persona"]
    assert left(items) == {}


def test_what_is_no_message_costs_no_other_and_json_without_any_is_refused(tmp_path: Path) -> None:
    told = [*_KINDROID, 5, {"sender": "ai"}, {"sender": "ai", "message": {"odd": 1}}]
    items = items_of(folder_of(tmp_path, {"chat.json": told}), "text")
    assert len(messages_of(items)) == 2
    assert left(items)["chats.no-message"] == 3

    cut = tmp_path / "cut.json"
    cut.write_bytes(json.dumps(_KINDROID * 3).encode()[:-40])
    assert len(messages_of(items_of(cut, "text"))) == 5

    none = tmp_path / "none.json"
    none.write_text('[{"price": 3}]')
    assert trouble_of(none, "text") == "engine.not-of-kind"


def test_a_conversation_is_called_after_the_other_one(tmp_path: Path) -> None:
    said = [{"from": ("Aki", "Luna")[number % 2], "text": "long words " * (2 - number % 2)} for number in range(6)]
    for head, codes in (({"name": "Luna"}, {"chats.guessed": 1}), ({"channel": {"name": "Luna"}}, {"chats.guessed": 1}), ({}, {"chats.unsure": 1})):  # fmt: skip
        items = items_of(folder_of(tmp_path, {"result.json": {**head, "messages": said}}), "text")
        assert left(items) == codes
        if head:
            assert {one.speaker for one in messages_of(items) if one.role == "persona"} == {"Luna"}


def test_two_who_are_no_programs_are_not_both_the_user(tmp_path: Path) -> None:
    said = [{"author": {"name": ("Aki", "Luna")[n % 2], "isBot": False}, "content": f"{n}"} for n in range(6)]
    path = folder_of(tmp_path, {"talk.json": {"messages": said}})
    assert left(items_of(path, "text")) == {"chats.unsure": 1}
    items = items_of(path, "text", ReadingWishes(users=["Aki"]))
    assert {one.role for one in messages_of(items) if one.speaker == "Luna"} == {"persona"}
