"""One writer per persona."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.synchronize import Event

import pytest

from managers.storage.errors import BusyError, MovedAwayError, UnwritableError
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths


def _hold(paths: PersonaPaths, held: Event, done: Event) -> None:
    with writing(paths):
        held.set()
        done.wait()


def test_another_process_waits_and_is_told_who_is_busy(paths: PersonaPaths) -> None:
    context = get_context("spawn")
    held, done = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(paths, held, done))
    child.start()
    try:
        held.wait()
        with pytest.raises(BusyError, match="ねむ"), writing(paths, wait=0.05):
            pass
    finally:
        done.set()
        child.join()
    with writing(paths), writing(PersonaPaths(paths.folder.with_name("Hazel")), wait=0.05):
        pass  # personas do not wait for each other


def test_threads_take_turns_and_one_thread_may_enter_twice(paths: PersonaPaths) -> None:
    inside, most, guard = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with writing(paths, wait=600), writing(paths):
                with guard:
                    inside += 1
                    most = max(most, inside)
                threading.Event().wait(0.002)
                with guard:
                    inside -= 1

    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(lambda _: work(), range(4))]
    assert most == 1


def test_a_failure_inside_lets_go_and_a_place_that_cannot_be_written_is_named(paths: PersonaPaths) -> None:
    with pytest.raises(ZeroDivisionError), writing(paths):
        raise ZeroDivisionError
    with writing(paths, wait=0.05):
        pass
    other = PersonaPaths(paths.folder.parent / "file" / "persona")
    other.folder.parent.write_text("in the way")
    with pytest.raises(UnwritableError, match="persona"), writing(other):
        pass


def test_who_waits_for_a_moving_folder_makes_no_empty_one(paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    moved, trouble = paths.folder.with_name("another name"), list[Exception]()
    begun, real = threading.Event(), time.sleep

    def wait() -> None:
        try:
            with writing(paths, wait=600):
                pass
        except MovedAwayError as error:
            trouble.append(error)

    waiting = threading.Thread(target=wait)
    with writing(paths):

        def sleep(seconds: float) -> None:
            begun.set()
            real(seconds)

        monkeypatch.setattr(time, "sleep", sleep)
        waiting.start()
        begun.wait()  # it has looked for the lock once, and waits
        paths.folder.rename(moved)
    waiting.join()
    assert len(trouble) == 1
    with pytest.raises(MovedAwayError), writing(paths):
        pass
    assert not paths.folder.exists()
    with writing(PersonaPaths(moved)):
        pass
