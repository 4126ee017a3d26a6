"""`export`, and `import archive`: a persona goes out into a file, and comes back from one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.language import terminal_language
from commands.passphrases import PassphraseFileOption, ask_passphrase, given_passphrase
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell
from commands.terminal import warn
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from managers.exchange.archives.making import MadeArchive

commands = typer.Typer()
_say = Texts("notices/exports")


@commands.command()
def export(
    persona: PersonaArgument,
    file: Annotated[Path, typer.Argument(help="The file to make.")],
    mask: Annotated[
        bool | None, typer.Option("--mask/--no-mask", help="Hide addresses, numbers and keys; as in the settings.")
    ] = None,
    without_forgotten: Annotated[
        bool, typer.Option("--without-forgotten", help="Leave out what was forgotten or deleted, and the history.")
    ] = False,
    encrypt: Annotated[
        bool, typer.Option("--passphrase", help="Encrypt the file (age format); the passphrase is asked for.")
    ] = False,
    passphrase_file: PassphraseFileOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a persona with all memories into one file."""
    from managers.exchange.archives.making import ArchiveWishes, make_archive

    words = given_passphrase(passphrase_file)
    if words is None and encrypt:
        words = ask_passphrase(twice=True)
    with services_at(home) as services, damage_told(services, persona):
        memories = services.memories(persona)
        is_masked = memories.settings().privacy.mask_exports if mask is None else mask
        wishes = ArchiveWishes(is_masked, without_forgotten, words)
        made = make_archive(memories.paths, memories.log, memories.history, file, services.clock.now(), wishes)
        _tell_made(file, made, wishes.is_masked, as_json=as_json)


def _tell_made(file: Path, made: MadeArchive, is_masked: bool, *, as_json: bool) -> None:
    lang = terminal_language()
    told: dict[str, Any] = {"file": str(file), "files": made.count, "forgotten": made.forgotten}
    if made.left_out:
        told["left_out"] = made.left_out
    words = _say(
        "archive.masked" if is_masked else "archive.made", lang, file=file, count=made.count, out=len(made.left_out)
    )
    tell(told, words, as_json=as_json)
    if made.forgotten and not as_json:
        warn(_say("archive.forgotten", lang, count=made.forgotten))


def import_archive(
    file: Annotated[Path, typer.Argument(help="What `export` made.")],
    persona: Annotated[str, typer.Option(help="What the persona is to be called; as it was, if left out.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check all of it and write nothing.")] = False,
    passphrase_file: PassphraseFileOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a persona that was exported, just as it was; an encrypted file asks for its passphrase."""
    from managers.exchange.archives.reading import bring_in, open_archive
    from managers.exchange.encryption import is_encrypted_file

    words = given_passphrase(passphrase_file)
    if words is None and is_encrypted_file(file):
        words = ask_passphrase()
    with services_at(home) as services:
        if dry_run:
            with open_archive(file, words) as archive:
                archive.check()
                name, count, is_masked = (
                    persona or archive.manifest.persona,
                    len(archive.files),
                    archive.manifest.masked,
                )
        else:
            brought = bring_in(services.personas, file, words, persona)
            name, count, is_masked = brought.persona.name, brought.count, brought.is_masked
            if brought.persona.asks:
                warn(_say("archive.asks", terminal_language(), name=name))
    facts = {"persona": name, "files": count, "masked": is_masked, "dry_run": dry_run}
    lang = terminal_language()
    tell(
        facts, _say("archive.checked" if dry_run else "archive.brought", lang, name=name, count=count), as_json=as_json
    )
    if is_masked:
        warn(_say("archive.was-masked", lang))
