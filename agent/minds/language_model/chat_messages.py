"""Write a conversation as LangChain's messages, in a form that every server takes.

Chat templates of local models are strict: many want the roles to alternate and the user to begin,
some know no system role, some no tools.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent.minds.language_model.provider import SIGNATURES
from agent.prompts.system_prompt import is_apart
from managers.mind import ChatTurn
from managers.storage.errors import Lang
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_say = Texts("prompts/chat_messages")


def to_messages(
    system: str,
    turns: Sequence[ChatTurn],
    lang: Lang,
    *,
    see: bool = True,
    tools: bool = True,
    system_role: bool = True,
    signatures: Mapping[str, str] | None = None,
) -> list[BaseMessage]:
    """Return the messages of a request.

    Args:
        system: the system prompt, may be empty.
        turns: the conversation, oldest first.
        lang: for the few words that are added.
        see: whether images may be sent; if not, the text says that there were some.
        tools: whether the server takes tool calls and results; if not, they become text.
        system_role: whether the model knows one; if not, the prompt goes before the first user turn.
        signatures: what a model wants back with the tool calls that it made, by their ids.
    """
    from langchain_core.messages import AIMessage, SystemMessage  # noqa: PLC0415  # takes a third of a second

    messages: list[BaseMessage] = []
    for before, turn in zip([None, *turns], turns, strict=False):
        message = _to_message(turn, lang, see=see, tools=tools, signatures=signatures or {})
        if message is None:
            continue
        if before is not None and before.role == turn.role == "user" and _is_apart(before, turn):
            messages.append(AIMessage(_say("unanswered", lang)))  # what was said days apart is not one message
        if turn.role == "persona" and turn.quoted:
            _append(messages, _human(turn.quoted))
        _append(messages, message)
    messages = _begun_by_user(messages, lang)
    if not system:
        return messages
    if system_role:
        return [SystemMessage(system), *messages]
    return [_joined(_human(system), messages[0]), *messages[1:]]


def _is_apart(before: ChatTurn, after: ChatTurn) -> bool:
    return before.time is not None and after.time is not None and is_apart(before.time, after.time)


def _append(messages: list[BaseMessage], message: BaseMessage) -> None:
    """Add a message; roles alternate, so what follows on the same role is joined to it."""
    if messages and messages[-1].type == message.type and message.type in {"human", "ai"}:
        messages[-1] = _joined(messages[-1], message)
    else:
        messages.append(message)


def _to_message(
    turn: ChatTurn, lang: Lang, *, see: bool, tools: bool, signatures: Mapping[str, str]
) -> BaseMessage | None:
    from langchain_core.messages import AIMessage, ToolMessage  # noqa: PLC0415  # takes a third of a second

    if turn.role == "tool":
        if tools:
            return ToolMessage(turn.text, tool_call_id=turn.tool_call_id)
        return _human(_say("tool_said", lang, text=turn.text))
    if turn.role == "user":
        return _user_message(turn, lang, see=see)
    if not (turn.tool_calls and tools):
        return AIMessage(turn.text) if turn.text.strip() else None
    calls = [{"name": call.name, "args": dict(call.arguments), "id": call.id} for call in turn.tool_calls]
    known = {call.id: signatures[call.id] for call in turn.tool_calls if call.id in signatures}
    extra: dict[str, Any] = {SIGNATURES: known} if known else {}
    return AIMessage(turn.text, tool_calls=calls, additional_kwargs=extra)


def _user_message(turn: ChatTurn, lang: Lang, *, see: bool) -> BaseMessage:
    text = f"{turn.quoted}\n{turn.text}".strip() if turn.quoted else turn.text
    if not turn.images:
        return _human(text)
    if not see:
        return _human(f"{text}\n\n{_say('unseen', lang, count=len(turn.images))}".strip())
    parts: list[str | dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    for image in turn.images:
        data = base64.b64encode(image.data).decode()
        parts.append({"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}})
    return _human(parts)


def _human(content: str | list[str | dict[str, Any]]) -> BaseMessage:
    from langchain_core.messages import HumanMessage  # noqa: PLC0415  # takes a third of a second

    return HumanMessage(content)


def _joined(first: BaseMessage, second: BaseMessage) -> BaseMessage:
    """Return two messages of one speaker as one."""
    if isinstance(first.content, str) and isinstance(second.content, str):
        content: Any = f"{first.content}\n\n{second.content}"
    else:
        content = [*_parts(first), *_parts(second)]
    joined = second.model_copy(update={"content": content})
    if calls := getattr(first, "tool_calls", None):
        joined = joined.model_copy(update={"tool_calls": [*calls, *getattr(second, "tool_calls", [])]})
    return joined


def _parts(message: BaseMessage) -> list[Any]:
    return [{"type": "text", "text": message.content}] if isinstance(message.content, str) else list(message.content)


def _begun_by_user(messages: list[BaseMessage], lang: Lang) -> list[BaseMessage]:
    if messages and messages[0].type == "human":
        return messages
    return [_human(_say("begins", lang)), *messages]
