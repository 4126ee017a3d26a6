"""Answers without an end, as a broken, looping or hostile server sends them."""

import itertools
import zlib
from collections.abc import Iterator

from tests.model_answers import Endless, Line
from tests.model_wires import Wire

_BOMB = zlib.compress(b"\0" * 16_000_000, 9, 31)
"""A member of a gzip file; one after the other they are a file as well."""


def flood(line: Line, wire: Wire, answer: Endless) -> None:
    """Send until the client hangs up (the connection raises then) or the test ends."""
    pieces = _flood(wire, answer)
    heads = {
        "body": (200, 'content-type: application/json\r\n\r\n["'),
        "error": (500, 'content-type: application/json\r\n\r\n["'),
        "gzip": (200, "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n\r\n"),
        "headers": (200, ""),
    }
    if answer.what in heads:
        status, head = heads[answer.what]
        line.send_raw(f"HTTP/1.1 {status} OK\r\n{head}".encode())
    else:
        wire.stream(*[wire.text_event(answer.text)] * bool(answer.text), chunked=False)
    for piece in pieces:
        if line.is_closing:
            return
        line.send_raw(piece)


def _flood(wire: Wire, answer: Endless) -> Iterator[bytes]:
    text = "x" * answer.size
    match answer.what:
        case "text":
            events: Iterator[str] = itertools.repeat(wire.text_event(text))
        case "thought":
            events = itertools.repeat(wire.thought_event(text))
        case "hollow":
            events = itertools.repeat(wire.text_event(""))
        case "arguments" | "calls":
            events = wire.endless_calls(text, many=answer.what == "calls")
        case other:
            endless = {
                "line": (b"data: ", b"x" * 65536),
                "event": (b"", b"data: x\n"),
                "gzip": (b"", _BOMB),
                "headers": (b"", b"x-more: " + b"x" * 1000 + b"\r\n"),
            }
            first, again = endless.get(other, (b"", b"x" * 65536))
            yield first
            yield from itertools.repeat(again)
            return
    for event in events:
        yield wire.framed(event).encode()
