"""The one place that writes on the terminal: nothing that it writes is an order to the terminal.

Pipes and files get the same, for they are shown on a terminal later. The linter refuses `print` anywhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from typing import Final

from commands.language import terminal_language
from managers.storage.printable import one_line, printable

YES: Final = frozenset({"y", "yes", "はい"})


def write(text: str = "", *, end: str = "\n") -> None:
    """Write a result on standard output."""
    print(printable(text), end=end, flush=True)


def write_line(text: str) -> None:
    """Write a result as one line, whatever a name in it holds."""
    write(one_line(text))


def warn(sentence: str) -> None:
    """Write what went wrong, or should be known, as one line on standard error."""
    print(one_line(sentence), file=sys.stderr, flush=True)


def ask(question: str) -> str:
    """Return the line that the person types behind a question.

    Raises:
        EOFError: the input has ended.
    """
    return input(f"{one_line(question)} ")


def agrees(question: str, words: Collection[str] = YES) -> bool:
    """Ask for a yes, or another of `words`, where somebody is there to answer; nobody is no yes."""
    if not sys.stdin.isatty():
        return False
    try:
        return ask(question).strip().casefold() in words
    except EOFError:
        return False


def show_progress(done: int, total: int) -> None:
    """Show on standard error how far long work is."""
    print(f"\r{done}/{total}", end="" if done < total else "\n", file=sys.stderr, flush=True)


def show_passing(words: str = "") -> None:
    """Show a few words on standard error, where that is a terminal, until the next ones take their place."""
    if sys.stderr.isatty():
        print(f"\r{words:<40}", end="\r", file=sys.stderr, flush=True)


def typed(name: str, *, quiet: bool) -> Iterator[str]:
    """Yield what the person types, line by line, until the end of the input.

    Args:
        name: theirs, which stands before each line; may be empty.
        quiet: nothing stands there, for a program reads along or writes.
    """
    if quiet:
        for line in sys.stdin:
            yield line.rstrip("\r\n")
        return
    while True:
        try:
            yield ask(f"{name or ('あなた' if terminal_language() == 'ja' else 'You')}>")
        except (EOFError, KeyboardInterrupt):
            write()
            return
