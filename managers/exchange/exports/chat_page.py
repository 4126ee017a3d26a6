"""A conversation as one HTML page that needs nothing else: it reads by day and by night, prints, and runs nothing.

Every word in it is escaped, and a policy in the page forbids whatever would run or fetch something.
"""

import base64
from collections.abc import Callable, Iterator
from datetime import date
from html import escape
from pathlib import Path, PurePosixPath
from typing import Final

from managers.exchange.exports.chat import Chat
from managers.exchange.exports.words import day_in_words
from managers.memory.messages import Message
from managers.storage.opening import NotPlainError, inside, open_plain
from managers.storage.paths import CHECKOUT
from managers.storage.printable import one_line
from managers.storage.texts import Texts

_say = Texts("notices/exports")
_STYLE: Final = CHECKOUT / "assets" / "exports" / "chat.css"
_LARGEST_PICTURE: Final = 2_000_000
_ALL_PICTURES: Final = 40_000_000
"""Bytes; what does not fit is told by its name."""
_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)
"""Told by what is in them, never by their names; of other kinds none is shown."""
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

Render = Callable[[str], str]
"""Makes safe HTML of a persona's Markdown."""


class ChatPage:
    """Makes the page of one conversation."""

    def __init__(self, folder: Path, render: Render, today: date, *, is_masked: bool = False) -> None:
        """Say what it is made with.

        Args:
            folder: the persona's, where attachments lie.
            render: makes safe HTML of Markdown.
            today: when it is made.
            is_masked: pictures that were sent along stay out, for nothing can be hidden in them.
        """
        self._folder = folder
        self._is_masked = is_masked
        self._render = render
        self._today = today
        self._room = _ALL_PICTURES

    def pieces(self, chat: Chat) -> Iterator[str]:
        """Yield the page in pieces."""
        title = escape(_say("chat.title", chat.lang, name=one_line(chat.persona)))
        face = _picture(chat.avatar) if chat.avatar else ""
        yield (
            f'<!doctype html>\n<html lang="{chat.lang}">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            f"<title>{title}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n<body>\n<header>"
            f"{f'<img class=face src={chr(34)}{face}{chr(34)} alt={chr(34)}{chr(34)}>' if face else ''}"
            f"<h1>{title}</h1></header>\n<main>\n"
        )
        day = None
        for message in chat.messages:
            if message.time.date() != day:
                yield "</section>\n" if day else ""
                day = message.time.date()
                words = escape(day_in_words(day, chat.lang))
                yield f'<section>\n<h2><time datetime="{day}">{words}</time></h2>\n'
            yield self._message(message, chat)
        yield "</section>\n" if day else ""
        made = escape(_say("chat.made", chat.lang, day=day_in_words(self._today, chat.lang)))
        yield f"</main>\n<footer>{made}</footer>\n</body>\n</html>\n"

    def _message(self, message: Message, chat: Chat) -> str:
        who = "persona" if message.role == "persona" else "user"
        text = self._render(message.text) if who == "persona" else f"<p>{escape(message.text)}</p>"
        cut = f"<p class=note>{escape(_say('chat.broken-off', chat.lang))}</p>" if message.broken_off else ""
        names = message.attachment_names or tuple(PurePosixPath(path).name for path in message.attachments)
        files = "".join(self._file(*one, chat) for one in zip(message.attachments, names, strict=False))
        return (
            f'<article class="{who}"><h3>{escape(one_line(message.speaker))} '
            f'<time datetime="{message.time.isoformat()}">{message.time:%H:%M}</time></h3>'
            f'<div class="text">{text}</div>{cut}{files}</article>\n'
        )

    def _file(self, path: str, name: str, chat: Chat) -> str:
        key = "chat.file-left-out" if self._is_masked else "chat.file"
        told = escape(_say(key, chat.lang, name=one_line(name)), quote=True)
        picture = "" if self._is_masked else self._read(path)
        if picture:
            return f'<figure><img src="{picture}" alt="{told}"><figcaption>{told}</figcaption></figure>'
        return f"<p class=note>{told}</p>"

    def _read(self, path: str) -> str:
        """Return a picture as an address that holds it; empty where it is none, is gone, or there is no room."""
        limit = min(_LARGEST_PICTURE, self._room)
        try:
            with open_plain(inside(self._folder, path)) as file:
                data = file.read(limit + 1)
        except (NotPlainError, OSError):
            return ""
        found = _picture(data) if len(data) <= limit else ""
        self._room -= len(data) if found else 0
        return found


def _picture(data: bytes) -> str:
    kind = next((kind for begin, kind in _PICTURES if data.startswith(begin)), None)
    return f"data:{kind};base64,{base64.b64encode(data).decode()}" if kind else ""
