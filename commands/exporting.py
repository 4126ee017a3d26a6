"""`export`, and `import archive`: a persona goes out into a file, and comes back from one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from commands.language import terminal_language
from commands.passphrases import PassphraseFileOption, ask_passphrase, given_passphrase
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell
from commands.terminal import warn
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.exporting import Exported, ExportWishes

commands = typer.Typer()
_say = Texts("notices/exports")


Form = Literal["archive", "card", "markdown", "jsonl", "html", "brief"]


@commands.command()
def export(  # noqa: PLR0917  # the options of a command
    persona: PersonaArgument,
    file: Annotated[Path, typer.Argument(help="The file to make.")],
    form: Annotated[
        Form, typer.Option("--as", help="All of it, a character card, the conversation, or a brief to talk elsewhere.")
    ] = "archive",
    since: Annotated[
        datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="The conversation's first day.")
    ] = None,
    until: Annotated[datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Its last day.")] = None,
    tokens: Annotated[int, typer.Option(min=400, max=32_000, help="How long a brief may be.")] = 2000,
    mask: Annotated[
        bool | None, typer.Option("--mask/--no-mask", help="Hide addresses, numbers and keys; as in the settings.")
    ] = None,
    without_forgotten: Annotated[
        bool, typer.Option("--without-forgotten", help="Of an archive: leave out what was forgotten, and the history.")
    ] = False,
    without_kept: Annotated[
        bool, typer.Option("--without-kept", help="Of a conversation: leave out what is for this computer only.")
    ] = False,
    encrypt: Annotated[
        bool, typer.Option("--passphrase", help="Encrypt the file (age format); the passphrase is asked for.")
    ] = False,
    passphrase_file: PassphraseFileOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a persona with all memories, or its conversation, a card or a brief of it, into one file."""
    from agent.exporting import CHATS, ExportWishes, kept_messages
    from agent.exporting import export as write
    from managers.exchange.exports.chat import ChatDays
    from ui.components.markdown import render_markdown

    words = given_passphrase(passphrase_file)
    if words is None and encrypt:
        words = ask_passphrase(twice=True)
    with services_at(home) as services, damage_told(services, persona):
        memories = services.memories(persona)
        is_masked = memories.settings().privacy.mask_exports if mask is None else mask
        days = ChatDays(since and since.date(), until and until.date())
        wishes = ExportWishes(form, is_masked, without_forgotten, days, tokens, None, words, without_kept)
        if form in CHATS and not without_kept and (kept := kept_messages(memories)):
            warn(_say("chat.kept", terminal_language(), count=kept))
        _tell_made(file, write(memories, file, wishes, render_markdown), wishes, as_json=as_json)


def _tell_made(file: Path, made: Exported, wishes: ExportWishes, *, as_json: bool) -> None:
    from agent.exporting import CHATS

    lang = terminal_language()
    told: dict[str, Any] = {"file": str(file), "files": made.count, "forgotten": made.forgotten}
    key = "archive.masked" if wishes.is_masked else "archive.made"
    if wishes.form != "archive":
        key = "chat.told" if wishes.form in CHATS else f"{wishes.form}.told"
        told = {"file": str(file), "messages": made.count} if wishes.form in CHATS else {"file": str(file)}
    if made.left_out:
        told["left_out"] = made.left_out
    tell(told, _say(key, lang, file=file, count=made.count, out=len(made.left_out)), as_json=as_json)
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
    from managers.exchange.archives.reading import bring_in, look_through
    from managers.exchange.encryption import is_encrypted_file

    words = given_passphrase(passphrase_file)
    if words is None and is_encrypted_file(file):
        words = ask_passphrase()
    with services_at(home) as services:
        if dry_run:
            found = look_through(file, words)
            name, count, is_masked = persona or found.persona, found.count, found.is_masked
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
