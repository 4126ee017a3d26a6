"""The one place that writes on the terminal: nothing that it writes is an order to the terminal.

Pipes and files get the same, for they are shown on a terminal later. The linter refuses `print` anywhere else.
"""

import sys
from collections.abc import Collection, Iterator
from typing import Final

from commands.language import terminal_language
from managers.storage.printable import one_line, printable

_YES: Final = frozenset({"y", "yes", "はい", "ok"})
_NO: Final = frozenset({"n", "no", "いいえ"})


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


def decided(question: str) -> bool | None:
    """Return whether the person says yes or no to a question; None where it is neither.

    Raises:
        EOFError: the input has ended.
    """
    answer = ask(question).strip().casefold()
    return True if answer in _YES else False if answer in _NO else None


def agrees(question: str, words: Collection[str] = _YES) -> bool:
    """Tell whether the person says yes, or another of `words`; where the input has ended, nobody does."""
    try:
        return ask(question).strip().casefold() in words
    except EOFError:
        return False


def may_ask(*, as_json: bool = False) -> bool:
    """Tell whether somebody sits there who can answer; a program that reads along is asked nothing."""
    return not as_json and sys.stdin.isatty()


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
