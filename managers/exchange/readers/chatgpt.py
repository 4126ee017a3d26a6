"""The export of ChatGPT: `conversations.json`, alone, in a folder or in its ZIP file; newer ones are in several parts.

A conversation is a tree, of which the branch that leads to `current_node` is what the person saw. Answers that were made
anew stay as other answers; what was said after an edited message is told as left out. Tools' calls and results are kept
with the answer that they were for.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundFile, FoundMemory, FoundMessage, FoundPersona, Item, NotTaken, ReadingWishes
from managers.exchange.readers.chat_exports import begins_with_key, conversations, left_out, objects, string
from managers.exchange.readers.message_tree import Node, shown_branch, timed
from managers.exchange.readers.moments import read_moment
from managers.memory.messages import Role

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "persona"}
_ASSET: Final = re.compile(r"file[-_][A-Za-z0-9]+")
_MARKED: Final = re.compile("\ue200([^\ue200\ue201]*)\ue201")
"""What the page of ChatGPT shows as a link or a card."""
_ABOUT_THE_PERSON: Final = frozenset({"user_editable_context", "model_editable_context"})
_SPOKEN_KINDS: Final = frozenset({"text", "multimodal_text", "code"})


def recognises(source: ImportSource) -> float:
    """Tell whether this is an export of ChatGPT."""
    return begins_with_key(source, b"mapping", b"create_time")


def read(source: ImportSource, _wishes: ReadingWishes) -> Iterator[Item]:
    """Yield all conversations.

    Raises:
        UnusableSourceError: there is none.
    """
    assets = _assets(source.files)
    used: set[str] = set()
    for place, conversation in conversations(source, "mapping"):
        if isinstance(conversation, NotTaken):
            yield conversation
            continue
        for item in _Conversation(conversation, place, assets).items():
            if isinstance(item, FoundMessage):
                used.update(file.path for file in item.files)
            yield item
    yield from left_out(source, used)


class _Conversation:
    """One conversation of the export."""

    def __init__(self, told: dict[str, Any], place: str, assets: Mapping[str, str]) -> None:
        self._told = told
        self._place = place
        self._assets = assets
        self._thread = string(told.get("title"))
        self._mind = string(told.get("default_model_slug"))
        self._besides: list[Item] = []

    def items(self) -> Iterator[Item]:
        mapping = self._told["mapping"]
        found = mapping.items() if isinstance(mapping, dict) else ()
        nodes = {name: self._node(name, node) for name, node in found if isinstance(node, dict)}
        if len(nodes) < len(found):
            yield NotTaken("chats.no-message", self._place, len(found) - len(nodes))
        nodes = _oldest_first(nodes)
        branch = shown_branch(nodes, string(self._told.get("current_node")))
        yield from self._besides
        yield from timed(branch.messages, read_moment(self._told.get("create_time")))
        if branch.aside:
            yield NotTaken("chats.other-branch", self._place, branch.aside)
        if branch.loose:
            yield NotTaken("chats.no-speech", self._place, len(branch.loose))

    def _node(self, name: str, node: dict[str, Any]) -> Node:
        parent, message = string(node.get("parent")), node.get("message")
        if not isinstance(message, dict):
            return Node(parent)
        content, metadata, author = (_object(message.get(key)) for key in ("content", "metadata", "author"))
        kind, role = string(content.get("content_type")), string(author.get("role"))
        if kind == "thoughts":
            return Node(parent, thought=_thoughts(content))
        if kind in _ABOUT_THE_PERSON:
            self._besides += _about_the_person(content, self._place)
            return Node(parent)
        text, files, notes = self._contents(content, metadata)
        label = _label(message, role, kind, metadata)
        if label:
            about = string(message.get("recipient")) if label == "tool_call" else string(author.get("name"))
            told = ": ".join(filter(None, (about, text))) if text else ""
            shown = tuple(("attachment", one.name or one.path) for one in files)
            return Node(parent, notes=(*(((label, told),) if told else ()), *shown, *notes))
        if not text and not files and not notes:
            return Node(parent)
        said = FoundMessage(
            _ROLES[role],
            "",
            text,
            read_moment(message.get("create_time")),
            id=string(message.get("id")) or name,
            mind=(string(metadata.get("model_slug")) or self._mind) if role == "assistant" else "",
            files=files,
            notes=notes,
            thread=self._thread,
            place=self._place,
        )
        return Node(parent, said)

    def _contents(
        self, content: dict[str, Any], metadata: dict[str, Any]
    ) -> tuple[str, tuple[FoundFile, ...], tuple[tuple[str, str], ...]]:
        """Return the text of a message, its files that are in the export, and what else it says."""
        texts: list[str] = []
        assets: dict[str, str] = {}
        parts = content.get("parts")
        for part in parts if isinstance(parts, list) else [content]:
            spoken, asset = _part(part)
            texts += [spoken] if spoken.strip() else []
            if asset:
                assets[_asset_in(asset)] = ""
        for attachment in objects(metadata.get("attachments")):
            name = string(attachment.get("name"))
            assets[_asset_in(string(attachment.get("id"))) or name] = name
        files = [FoundFile(self._assets[asset], name) for asset, name in assets.items() if asset in self._assets]
        notes = [("attachment", name or asset) for asset, name in assets.items() if asset not in self._assets]
        text = _MARKED.sub(_shown, "\n\n".join(texts))
        return text, tuple(files), tuple(notes)


def _about_the_person(content: dict[str, Any], place: str) -> Iterator[Item]:
    """Yield what the person wrote about both of them, and what ChatGPT noted of the person."""
    about, wishes, known = (
        string(content.get(key)).strip() for key in ("user_profile", "user_instructions", "model_set_context")
    )
    if about or wishes:
        yield FoundPersona(user_profile=about, system_prompt=wishes)
    if known:
        yield FoundMemory("core_memory", text=known, place=place)


def _part(part: object) -> tuple[str, str]:
    """Return what a part of a message says, and the file that it points to."""
    if isinstance(part, str):
        return part, ""
    if not isinstance(part, dict):
        return "", ""
    kind = string(part.get("content_type"))
    if kind == "code":
        language = string(part.get("language")).replace("unknown", "")
        return f"```{language}\n{string(part.get('text'))}\n```" if part.get("text") else "", ""
    if asset := string(part.get("asset_pointer")):
        return "", asset
    if isinstance(inner := part.get("audio_asset_pointer"), dict):
        return "", string(inner.get("asset_pointer"))
    keys = ("text", "result", "content", "summary")
    return next((string(part[key]) for key in keys if string(part.get(key))), ""), ""


def _shown(found: re.Match[str]) -> str:
    """Return what people saw of something marked: the name of a thing, nothing of a citation."""
    kind, _, value = found[1].partition("\ue202")
    try:
        told = json.loads(value) if kind == "entity" else None
    except (ValueError, RecursionError):
        return ""
    return str(told[1]) if isinstance(told, list) and len(told) > 1 else ""


def _thoughts(content: dict[str, Any]) -> str:
    lines = ((string(one.get("summary")), string(one.get("content"))) for one in objects(content.get("thoughts")))
    return "\n\n".join("\n".join(filter(None, line)) for line in lines if any(line))


def _label(message: dict[str, Any], role: str, kind: str, metadata: dict[str, Any]) -> str:
    """Return what a message is that nobody says; empty for one that is said."""
    if role == "assistant" and string(message.get("recipient")) not in {"", "all"}:
        return "tool_call"
    if role == "tool":
        return "tool_result"
    if role not in _ROLES or metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    return "" if kind in _SPOKEN_KINDS else kind or "hidden"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _asset_in(pointer: str) -> str:
    """Return the name that a file of the export begins with, out of what points to it."""
    found = _ASSET.match(pointer.rpartition("//")[2])
    return found[0] if found else pointer


def _assets(files: Mapping[str, int]) -> dict[str, str]:
    """Return where files of the export lie, by the names that messages point to them with."""
    named = ((_ASSET.match(PurePosixPath(path).name), path) for path in files)
    return {found[0]: path for found, path in named if found}


def _oldest_first(nodes: dict[str, Node]) -> dict[str, Node]:
    """Return nodes in order of time; one that says none stays behind the one before it."""
    last, keys = 0.0, {}
    for number, (name, node) in enumerate(nodes.items()):
        if node.said is not None and node.said.time is not None:
            last = node.said.time.timestamp()
        keys[name] = (last, number)
    return {name: nodes[name] for name in sorted(nodes, key=keys.__getitem__)}
