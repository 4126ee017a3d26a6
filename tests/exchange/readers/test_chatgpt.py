"""The export of ChatGPT."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from managers.exchange.items import FoundFile, FoundMemory
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of, zip_of

_NOON = datetime(2025, 3, 4, 12, 0, tzinfo=UTC).timestamp()


def _node(name: str, parent: str | None, role: str, content: object, at: float | None, **more: Any) -> dict[str, Any]:
    message = {
        "id": name,
        "author": {"role": role, "name": more.pop("by", None), "metadata": {}},
        "create_time": None if at is None else _NOON + at,
        "content": content if isinstance(content, dict) else {"content_type": "text", "parts": [content]},
        "metadata": {},
        "recipient": "all",
        **more,
    }
    return {"id": name, "message": message, "parent": parent, "children": []}


def _conversation(nodes: list[dict[str, Any]], current: str) -> dict[str, Any]:
    root = {"id": "root", "message": None, "parent": None, "children": []}
    whole = [root, *nodes] if any(node["parent"] == "root" for node in nodes) else nodes
    for node in whole:
        node["children"] += [other["id"] for other in whole if other["parent"] == node["id"]]
    return {
        "title": "Tea & 猫",
        "create_time": _NOON,
        "mapping": {node["id"]: node for node in whole},
        "current_node": current,
        "conversation_id": "c-1",
        "default_model_slug": "gpt-4o",
    }


_HIDDEN = {"is_visually_hidden_from_conversation": True}


def _tree() -> dict[str, Any]:
    """A talk with an answer made anew, an edited question, a tool, thoughts and a hidden message."""
    nodes = [
        _node("sys", "root", "system", "", None, metadata=_HIDDEN),
        _node("u1", "sys", "user", "猫を飼っています。名前はミケです。", 1),
        _node("a1", "u1", "assistant", "Cute!", 2),
        _node("a1b", "u1", "assistant", "ミケちゃん、かわいいですね。", 5, metadata={"model_slug": "gpt-5"}),
        _node("u2old", "a1b", "user", "What is tea?", 6),
        _node("a2old", "u2old", "assistant", "A leaf.", 7),
        _node("u2", "a1b", "user", "What is green tea?", 8),
        _node(
            "th",
            "u2",
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "Look it up", "content": "Search for tea."}]},
            9,
        ),
        _node("call", "th", "assistant", {"content_type": "code", "text": "search('tea')"}, 10, recipient="browser"),
        _node("tool", "call", "tool", {"content_type": "execution_output", "text": "Camellia"}, 11, by="browser"),
        _node(
            "a2",
            "tool",
            "assistant",
            'Leaves of \ue200entity\ue202["plant","Camellia sinensis"]\ue201.\ue200cite\ue202turn0search1\ue201',
            12,
        ),
    ]
    return _conversation(nodes, "a2")


def test_the_branch_that_was_shown_is_followed_and_what_was_made_anew_stays_as_an_answer(tmp_path: Path) -> None:
    items = items_of(folder_of(tmp_path, {"conversations.json": [_tree()]}), "chatgpt")

    assert said(items) == [
        ("user", "", "猫を飼っています。名前はミケです。"),
        ("persona", "", "ミケちゃん、かわいいですね。"),
        ("user", "", "What is green tea?"),
        ("persona", "", "Leaves of Camellia sinensis."),
    ]
    first, answer, _, last = messages_of(items)
    assert first.time == datetime(2025, 3, 4, 12, 0, 1, tzinfo=UTC)
    assert (first.id, first.thread) == ("u1", "Tea & 猫")
    assert (answer.mind, last.mind) == ("gpt-5", "gpt-4o")
    assert [(one.text, one.mind) for one in answer.answers] == [("Cute!", "gpt-4o")]
    assert answer.at == 1
    assert last.thought == "Look it up\nSearch for tea."
    assert last.notes == (("tool_call", "browser: ```\nsearch('tea')\n```"), ("tool_result", "browser: Camellia"))
    assert left(items) == {"chats.other-branch": 2}


def test_a_zip_file_of_parts_holds_pictures_voices_and_what_was_said_about_the_person(tmp_path: Path) -> None:
    about = {"content_type": "user_editable_context", "user_profile": "I am Aki.", "user_instructions": "Be brief."}
    known = {"content_type": "model_editable_context", "model_set_context": "Aki likes tea.", "repository": None}
    picture = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC123", "width": 3},
            {"content_type": "audio_transcription", "text": "Look at this!", "direction": "in"},
            {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_000gone", "format": "wav"},
        ],
    }
    named = {"attachments": [{"id": "file-AbC123", "name": "Mike.png"}, {"id": "file-gone", "name": "plan.pdf"}]}
    nodes = [
        _node("i", "root", "user", about, None, metadata=_HIDDEN),
        _node("k", "i", "system", known, None),
        _node("u", "k", "user", picture, 3, metadata=named),
    ]
    early = _conversation([_node("e", "root", "user", "before", -90)], "e")
    path = zip_of(
        tmp_path / "export.zip",
        {
            "conversations-001.json": [early],
            "conversations-000.json": [_conversation(nodes, "u")],
            "file-AbC123-Mike.png": b"\x89PNG",
            "user.json": {"id": "user-1"},
        },
    )

    items = items_of(path, "chatgpt")

    message = messages_of(items)[0]
    assert message.text == "Look at this!"
    assert message.files == (FoundFile("file-AbC123-Mike.png", "Mike.png"),)
    assert set(message.notes) == {("attachment", "file_000gone"), ("attachment", "plan.pdf")}
    assert persona_of(items).user_profile == "I am Aki."
    assert persona_of(items).system_prompt == "Be brief."
    assert [item.text for item in items if isinstance(item, FoundMemory)] == ["Aki likes tea."]
    assert [one.text for one in messages_of(items)] == ["Look at this!", "before"]
    assert left(items) == {"chats.other-file": 1}


def test_a_message_without_a_time_has_the_one_before_it_and_the_first_the_conversations(tmp_path: Path) -> None:
    nodes = [_node("a", "root", "user", "one", None), _node("b", "a", "assistant", "two", 60)]
    nodes.append(_node("c", "b", "user", "three", None))

    found = messages_of(items_of(folder_of(tmp_path, {"conversations.json": [_conversation(nodes, "c")]}), "chatgpt"))

    assert [one.time.timestamp() - _NOON if one.time else None for one in found] == [0, 60, 60]
    assert [one.is_time_certain for one in found] == [False, True, False]


def test_what_is_no_conversation_or_cut_off_costs_no_other(tmp_path: Path) -> None:
    circle = _conversation([_node("a", "b", "user", "round", 1), _node("b", "a", "assistant", "and round", 2)], "b")
    headless = _conversation([_node("x", "root", "user", "end", 1)], "nowhere")
    told = [3, {"title": "no mapping"}, circle, headless, {"mapping": {"q": 5}, "create_time": 1}]
    items = items_of(folder_of(tmp_path, {"conversations.json": [_tree(), *told]}), "chatgpt")
    assert [one.text for one in messages_of(items)][4:] == ["round", "and round", "end"]
    assert left(items)["chats.no-conversation"] == 2
    assert left(items)["chats.no-message"] == 1

    cut = json.dumps([_tree(), _tree()]).encode()[:-200]
    items = items_of(folder_of(tmp_path / "2", {"conversations.json": cut}), "chatgpt")
    assert len(messages_of(items)) == 4
    assert left(items) == {"chats.other-branch": 2, "chats.broken-json": 1}

    path = tmp_path / "talk.json"  # one conversation alone, in another encoding
    path.write_bytes(json.dumps(_tree(), ensure_ascii=False).encode("utf-16"))
    assert said(items_of(path, "chatgpt"))[0] == ("user", "", "猫を飼っています。名前はミケです。")


def test_a_million_brackets_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    for opening in (b"[", b'{"mapping":', b'[{"mapping": {"a": '):
        path.write_bytes(opening + b'{"create_time": [' + b"[" * 1_000_000)
        assert trouble_of(path, "chatgpt") == "chats.too-deep"
