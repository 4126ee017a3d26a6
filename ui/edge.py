"""The one edge at which errors become sentences on the page, and how events are wired."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, ParamSpec, TypedDict, TypeVar

import gradio as gr

from agent.errors import UnexpectedError
from managers.storage.errors import UtataneError
from ui.locales import Texts

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


class EventOptions(TypedDict):
    """What all events of the page have in common."""

    api_visibility: Any
    show_progress: Any
    concurrency_limit: int | None


QUIET = EventOptions(api_visibility="private", show_progress="hidden", concurrency_limit=None)
"""No public endpoint, no spinner over the page, and no window waits for another.

For what the page asks by itself. Of a state's changes the last one counts; of a clock's ticks, one at a time.
"""


class InTurn(EventOptions):
    """The same, for what a person asks."""

    trigger_mode: Any


IN_TURN = InTurn(**QUIET, trigger_mode="multiple")
"""Gradio would drop a click while an answer to the one before is still due. Here each is heard, in its turn, which
`assets/page/turns.js` gives it."""


def say_error(error: UtataneError, t: Texts) -> None:
    """Show an error's sentence; its facts may be what a stranger's server said, and toasts render HTML."""
    gr.Warning(escape(error.sentence(t.lang)), title=t("page.problem"), duration=12)


def say_done(sentence: str, t: Texts) -> None:
    """Show that something has been done."""
    gr.Info(escape(sentence), title=t("page.done"), duration=4)


def at_edge(t: Texts) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Wrap a handler: what fails is said in one sentence, and the page stays as it was."""

    def wrap(handler: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(handler)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401  # the handler's type, or gr.skip()
            try:
                return handler(*args, **kwargs)
            except UtataneError as error:
                say_error(error, t)
            except Exception as error:  # noqa: BLE001  # the edge: logged with its traceback, said in a sentence
                say_error(_unexpected(error), t)
            return gr.skip()

        return guarded

    return wrap


def stream_at_edge(t: Texts) -> Callable[[Callable[P, Iterator[R]]], Callable[P, Iterator[R]]]:
    """Wrap a handler that yields, as `at_edge` does."""

    def wrap(handler: Callable[P, Iterator[R]]) -> Callable[P, Iterator[R]]:
        @functools.wraps(handler)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Iterator[Any]:
            try:
                yield from handler(*args, **kwargs)
            except UtataneError as error:
                say_error(error, t)
            except Exception as error:  # noqa: BLE001  # the edge: logged with its traceback, said in a sentence
                say_error(_unexpected(error), t)

        return guarded

    return wrap


def _unexpected(error: Exception) -> UnexpectedError:
    logger.error("a handler of the page failed", exc_info=error)
    return UnexpectedError(cause=f"{type(error).__name__}: {error}")
