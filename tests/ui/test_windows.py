"""What a window shows, and what goes on unseen."""

from __future__ import annotations

from ui.windows import Windows


def test_a_window_shows_whom_it_was_turned_to_last_and_others_are_their_own() -> None:
    windows = Windows()
    first, other = windows.turn_to("a", "ねむ"), windows.turn_to("b", "ねむ")
    assert first()
    assert windows.turn_to("a", "Hazel")()
    assert not first()
    assert other()
    assert not windows.shows("b", "Hazel")()


def test_a_window_that_nothing_is_known_of_shows_anybody() -> None:
    assert Windows().shows("new", "ねむ")()


def test_windows_that_were_closed_long_ago_make_room() -> None:
    windows = Windows()
    oldest = windows.turn_to("first", "ねむ")
    for number in range(2_000):
        windows.turn_to(f"{number}", "Hazel")
    assert oldest()
    assert windows.shows("first", "Hazel")()
