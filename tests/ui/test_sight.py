"""Whom a deed in a room is meant for, and where what came of it is shown."""

import inspect
from collections.abc import Iterator

import gradio as gr

from ui.sight import meant, meant_stream, showing, while_shown

FIRST = {"persona": "first"}


def test_a_deed_is_done_to_who_was_shown_and_shown_where_they_still_are() -> None:
    done: list[str] = []

    def forget(persona: str, item: str, event: gr.EventData) -> str:
        done.append(f"{persona} {item} {event.action}")
        return "shown"

    event = gr.EventData(None, {"action": "forget"})
    assert meant(forget)("first", FIRST, "a", event) == "shown"
    assert meant(forget)("second", FIRST, "b", event) == gr.skip()
    assert meant(forget)("", FIRST, "c", event) == "shown"  # the server was started anew
    assert meant(forget)("first", {}, "d", event) == "shown"  # nothing was shown yet
    assert done == ["first a forget", "first b forget", "first c forget", "first d forget"]
    # Gradio finds the place of the event by the signature.
    assert list(inspect.signature(meant(forget)).parameters)[2:] == ["item", "event"]


def test_what_comes_piece_by_piece_is_done_whole_and_shown_to_nobody_else() -> None:
    def read(persona: str) -> Iterator[str]:
        yield from (persona, "done")

    assert list(meant_stream(read)("first", FIRST)) == ["first", "done"]
    assert list(meant_stream(read)("second", FIRST)) == [gr.skip(), gr.skip()]


def test_a_clock_looks_at_nobody_who_is_gone() -> None:
    looked: list[str] = []

    def look(persona: str) -> None:
        looked.append(persona)

    while_shown(look)("second", FIRST)
    assert looked == []
    while_shown(look)("first", FIRST)
    assert looked == ["first"]


def test_what_is_shown_says_whose_it_is() -> None:
    assert showing(lambda persona, item: (persona, item))("first", "a") == ("first", "a", FIRST)
