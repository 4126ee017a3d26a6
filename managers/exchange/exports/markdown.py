"""A conversation as Markdown that reads well anywhere, and comes back message by message.

Each message has a heading, with what a reader needs to bring it back behind it, in a comment that no page shows. A line of
a text that looks like such a heading gets a backslash in front, a link that might lead elsewhere than a page or a letter
(`](javascript:…)`, `<data:…>`) one within, so that it is none; both lose it when they are read.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from managers.exchange.exports.chat import Chat, line_of
from managers.exchange.exports.words import day_in_words
from managers.storage.printable import one_line
from managers.storage.texts import Texts

_say = Texts("notices/exports")
_HEADING: Final = re.compile(r"\\*#{2,3} ")
_LED: Final = r"\s*+(?:<?(?:https?|mailto):|#|[^\s:&\\<>()]{0,300}(?:[\s)]|\Z))"
_LINK: Final = rf"(\](?=\\*[(:](?!{_LED}))|<(?!(?:https?|mailto):)[a-z][a-z0-9+.-]{{1,31}}(?=\\*:))"
_LIVE, _HARMLESS = (re.compile(_LINK + mark, re.IGNORECASE) for mark in ("", r"\\"))
_BEGIN, _END = " <!-- utatane ", " -->"
_ODD: Final = str.maketrans({">": "\\u003e", "<": "\\u003c"})


def as_markdown(chat: Chat) -> Iterator[str]:
    """Yield a conversation in pieces."""
    yield f"# {_say('chat.title', chat.lang, name=_without_links(one_line(chat.persona)))}\n\n"
    day = None
    for message in chat.messages:
        if message.time.date() != day:
            day = message.time.date()
            yield f"## {day_in_words(day, chat.lang)} <!-- utatane day -->\n\n"
        told = json.loads(line_of(message))
        del told["text"]
        comment = json.dumps(told, ensure_ascii=False).translate(_ODD)
        speaker = _without_links(one_line(message.speaker)) or message.role
        yield f"### {speaker} · {message.time:%H:%M} <!-- utatane {comment} -->\n\n{_escaped(message.text)}\n\n"


def looks_like_markdown_chat(beginning: str) -> bool:
    """Tell whether a file begins like a conversation that was exported as Markdown."""
    return any(_comment_in(line) for line in beginning.split("\n"))


def messages_in(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield the messages of such a file, each as an object of the transcript form.

    Args:
        lines: without their line ends. A heading whose comment cannot be read is a part of the text before it.
    """
    told: dict[str, Any] | None = None
    text: list[str] = []
    for line in lines:
        comment = _comment_in(line)
        head = _head(comment) if comment and not line.startswith("\\") else None
        if head is None:
            text.append(line[1:] if comment and line.startswith("\\") else line)
            continue
        if told:
            yield {**told, "text": _whole(text)}
        told, text = head, []
    if told:
        yield {**told, "text": _whole(text)}


def _comment_in(line: str) -> str:
    """Return what stands in the comment of a heading, with backslashes in front or not; empty where it is none."""
    heading, _, comment = line.removesuffix(_END).rpartition(_BEGIN)
    is_ours = comment == "day" or (comment.startswith("{") and comment.endswith("}"))
    return comment if is_ours and line.endswith(_END) and _HEADING.match(heading) else ""


def _head(comment: str) -> dict[str, Any] | None:
    """Return what a heading says of its message; empty for a day's, None where it cannot be read."""
    if comment == "day":
        return {}
    try:
        value = json.loads(comment)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _whole(lines: list[str]) -> str:
    """Return the text of a message: there is an empty line before it and one behind it."""
    begin = 1 if lines[:1] == [""] else 0
    end = len(lines) - 1 if len(lines) > begin and lines[-1] == "" else len(lines)
    return _HARMLESS.sub(r"\1", "\n".join(lines[begin:end]))


def _without_links(text: str) -> str:
    return _LIVE.sub(r"\1\\", text)


def _escaped(text: str) -> str:
    lines = _without_links(text).split("\n")
    return "\n".join(f"\\{line}" if _comment_in(line) else line for line in lines)
