"""What a window shows, and what goes on unseen."""

from __future__ import annotations

from ui.windows import Windows


def test_a_window_shows_whom_it_was_turned_to_last_and_others_are_their_own() -> None:
    windows = Windows()
    first, other = windows.of("a"), windows.of("b")
    first.persona = other.persona = "ねむ"
    windows.of("a").persona = "Hazel"
    assert first.shows("Hazel")
    assert not first.shows("ねむ")
    assert other.shows("ねむ")


def test_a_window_that_nothing_is_known_of_shows_anybody() -> None:
    assert Windows().of("new").shows("ねむ")


def test_whoever_begins_to_draw_in_a_window_is_the_only_one_who_does() -> None:
    window = Windows().of("a")
    before, elsewhere = window.draw("ねむ"), Windows().of("b").draw("ねむ")
    assert before()
    now = window.draw("ねむ")
    assert (before(), now(), elsewhere()) == (False, True, True)
    window.persona = "Hazel"
    assert (before(), now()) == (False, False)


def test_windows_that_were_closed_long_ago_make_room() -> None:
    windows = Windows()
    windows.of("first").persona = "ねむ"
    for number in range(2_000):
        windows.of(f"{number}")
    assert windows.of("first").shows("Hazel")
