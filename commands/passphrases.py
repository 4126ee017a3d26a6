"""A passphrase for a command: typed unseen, from a file or from the environment, so that no shell remembers it."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from commands.language import terminal_language
from commands.shared import read_text
from managers.exchange.errors import PassphrasesDifferError
from managers.storage.texts import Texts

VARIABLE: Final = "UTATANE_PASSPHRASE"
_say = Texts("notices/exports")

PassphraseFileOption = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help=f"A file whose first line is the passphrase (or set {VARIABLE})."),
]


def given_passphrase(file: Path | None) -> str | None:
    """Return the passphrase of a file, or else of the environment; None where neither has one.

    Raises:
        NoSuchFileError, UnreadableError: the file.
    """
    if file is not None:
        return (read_text(file).splitlines() or [""])[0]
    return os.environ.get(VARIABLE) or None


def wanted_passphrase(file: Path | None, *, is_needed: bool, twice: bool = False) -> str | None:
    """Return the passphrase that was given, else the one that is asked for where one is needed.

    Raises:
        NoSuchFileError, UnreadableError: the file.
        PassphrasesDifferError: typed twice, it was not the same.
    """
    given = given_passphrase(file)
    return ask_passphrase(twice=twice) if given is None and is_needed else given


def ask_passphrase(*, twice: bool = False) -> str:
    """Ask for a passphrase; where nobody sits at a terminal it is the next line of the input.

    Raises:
        PassphrasesDifferError: typed twice, it was not the same.
    """
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    lang = terminal_language()
    typed = getpass.getpass(f"{_say('passphrase.ask', lang)} ")
    if twice and getpass.getpass(f"{_say('passphrase.again', lang)} ") != typed:
        raise PassphrasesDifferError
    return typed
