"""The export of Claude: `conversations.json`, alone, in a folder or in its ZIP file.

Messages may say which one they follow; then the branch that the last one stands on is what is taken over. What people
attached as text is kept with the message that it came with.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundMessage, Item, NotTaken, ReadingWishes
from managers.exchange.readers.chat_exports import begins_with_key, conversations, left_out, objects, string
from managers.exchange.readers.message_tree import Node, shown_branch, timed
from managers.exchange.readers.moments import read_moment
from managers.memory.messages import Role

_ROLES: Final[Mapping[str, Role]] = {"human": "user", "user": "user", "assistant": "persona"}


def recognises(source: ImportSource) -> float:
    """Tell whether this is an export of Claude."""
    return begins_with_key(source, b"chat_messages")


def read(source: ImportSource, _wishes: ReadingWishes) -> Iterator[Item]:
    """Yield all conversations.

    Raises:
        UnusableSourceError: there is none.
    """
    for place, conversation in conversations(source, "chat_messages"):
        yield from [conversation] if isinstance(conversation, NotTaken) else _conversation(conversation, place)
    yield from left_out(source, ())


def _conversation(told: dict[str, Any], place: str) -> Iterator[Item]:
    thread = string(told.get("name"))
    listed = told["chat_messages"] if isinstance(told["chat_messages"], list) else []
    nodes: dict[str, Node] = {}
    before = ""
    for number, message in enumerate(listed, 1):
        node = _node(message, thread, f"{place}, {number}") if isinstance(message, dict) else None
        if node is None:
            yield NotTaken("chats.no-message", f"{place}, {number}")
            continue
        name = string(message.get("uuid")) or f"#{number}"
        parent = string(message.get("parent_message_uuid"))
        nodes[name] = Node(parent or before, node.said, node.thought, node.notes)
        before = name
    last = string(told.get("current_leaf_message_uuid"))
    branch = shown_branch(nodes, last or before)
    yield from timed(branch.messages, read_moment(told.get("created_at")))
    if branch.aside:
        yield NotTaken("chats.other-branch", place, branch.aside)
    if branch.loose:
        yield NotTaken("chats.no-speech", place, len(branch.loose))


def _node(message: dict[str, Any], thread: str, place: str) -> Node | None:
    """Return what a message says, without what it follows; None where nobody says it."""
    role = _ROLES.get(string(message.get("sender")))
    if role is None:
        return None
    texts: list[str] = []
    thoughts: list[str] = []
    notes: list[tuple[str, str]] = []
    for part in objects(message.get("content")):
        kind = string(part.get("type"))
        if kind == "text":
            texts.append(string(part.get("text")))
        elif kind == "thinking":
            thoughts.append(string(part.get("thinking")))
        elif kind in {"tool_use", "tool_result"}:
            notes.append(("tool_call" if kind == "tool_use" else "tool_result", _told(part)))
        elif kind != "token_budget":
            notes.append((kind or "unknown", _told(part)))
    text = "\n\n".join(filter(str.strip, texts)) or string(message.get("text"))
    for attachment in (*objects(message.get("attachments")), *objects(message.get("files"))):
        name, extracted = string(attachment.get("file_name")), string(attachment.get("extracted_content"))
        notes.append(("attachment", "\n".join(filter(None, (name, extracted))) or "?"))
    thought = "\n\n".join(filter(str.strip, thoughts))
    if not text.strip() and not any(kind == "attachment" for kind, _ in notes):
        return Node("", None, thought, tuple(notes))
    said = FoundMessage(
        role,
        "",
        text,
        read_moment(message.get("created_at")),
        id=string(message.get("uuid")),
        thought=thought,
        notes=tuple(notes),
        thread=thread,
        place=place,
    )
    return Node("", said)


def _told(part: dict[str, Any]) -> str:
    """Return what a part says that is not speech, with its name before it."""
    shown = part.get("input", part.get("content", part))
    told = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    return ": ".join(filter(None, (string(part.get("name")), told)))
