"""What is done after a turn, off the user's path: one thing after the other, and what fails is said."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from managers.storage.edges import said
from managers.storage.notices import NoticeBoard

T = TypeVar("T")


class Afterwards:
    """Works that nobody waits for."""

    def __init__(self, notices: NoticeBoard) -> None:
        self._notices = notices
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterwards")

    def do(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Do something after what is waiting already."""
        done = self._thread.submit(work, *arguments)
        done.add_done_callback(self._say_failure)
        return done

    def each(self, *works: Callable[[], object]) -> None:
        """Do one thing after the other, at once; a failure keeps none of the others away."""
        for work in works:
            try:
                work()
            except Exception as error:  # noqa: BLE001  # the edge of a thread
                self._say(error)

    def close(self) -> None:
        """Wait until all is done; nothing can be done after."""
        self._thread.shutdown(wait=True)

    def _say_failure(self, done: Future[T]) -> None:
        error = done.exception() if not done.cancelled() else None
        if isinstance(error, Exception):  # nobody above would see it: the edge of a thread
            self._say(error)

    def _say(self, error: Exception) -> None:
        self._notices.post_error("afterwards", said(error, "work after a turn"))
