"""The export of Claude."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, said, trouble_of, zip_of


def _message(name: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    told = {"uuid": name, "text": text, "content": [{"type": "text", "text": text}], "sender": sender}
    return {**told, "created_at": f"2025-05-06T07:0{name}:00.123456Z", "attachments": [], "files": [], **more}


def _conversation(*messages: object) -> dict[str, Any]:
    return {"uuid": "c", "name": "Poems", "created_at": "2025-05-06T07:00:00.000000Z", "chat_messages": [*messages]}


def test_messages_keep_thoughts_tools_and_what_was_attached(tmp_path: Path) -> None:
    thinking = [
        {"type": "thinking", "thinking": "A haiku, then."},
        {"type": "tool_use", "name": "search", "input": {"q": "蛙"}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "古池や"}]},
        {"type": "token_budget"},
        {"type": "text", "text": "Old pond"},
        {"type": "text", "text": "frog"},
    ]
    attached = {"file_name": "note.txt", "file_size": 3, "file_type": "txt", "extracted_content": "The frog jumps."}
    talk = _conversation(
        _message("1", "human", "Write a haiku.", attachments=[attached]),
        _message("2", "assistant", "", content=thinking),
        _message("3", "human", "old form", content=[], files=[{"file_name": "frog.png"}]),
    )
    items = items_of(zip_of(tmp_path / "data.zip", {"conversations.json": [talk], "users.json": []}), "claude")

    assert said(items) == [
        ("user", "", "Write a haiku."),
        ("persona", "", "Old pond\n\nfrog"),
        ("user", "", "old form"),
    ]
    asked, answer, last = messages_of(items)
    assert asked.time == datetime(2025, 5, 6, 7, 1, 0, 123456, UTC)
    assert asked.notes == (("attachment", "note.txt\nThe frog jumps."),)
    assert answer.thought == "A haiku, then."
    assert answer.notes[0] == ("tool_call", 'search: {"q": "蛙"}')
    assert "古池や" in answer.notes[1][1]
    assert last.notes == (("attachment", "frog.png"),)
    assert left(items) == {"chats.other-file": 1}


def test_an_answer_that_was_made_anew_is_another_answer(tmp_path: Path) -> None:
    told = _conversation(
        _message("1", "human", "Hi", parent_message_uuid="00000000"),
        _message("2", "assistant", "Hello", parent_message_uuid="1"),
        _message("3", "assistant", "Good morning", parent_message_uuid="1"),
    )
    items = items_of(folder_of(tmp_path, {"conversations.json": [told]}), "claude")
    answer = messages_of(items)[-1]
    assert (answer.text, answer.at, [one.text for one in answer.answers]) == ("Good morning", 1, ["Hello"])
    assert left(items) == {}


def test_what_is_no_message_is_told_and_costs_no_other(tmp_path: Path) -> None:
    told = _conversation(7, {"sender": "nobody"}, _message("1", "human", "Hi"))
    items = items_of(folder_of(tmp_path, {"conversations.json": [told, {"uuid": "?"}]}), "claude")
    assert said(items) == [("user", "", "Hi")]
    assert left(items) == {"chats.no-message": 2, "chats.no-conversation": 1}
    assert trouble_of(folder_of(tmp_path / "2", {"conversations.json": []}), "claude") == "chats.no-conversations"
