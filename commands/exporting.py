"""`export`, and `import archive`: a persona goes out into a file, and comes back from one."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from commands.import_progress import ImportProgress, Manner
from commands.language import terminal_language
from commands.passphrases import PassphraseFileOption, wanted_passphrase
from commands.shared import HomeOption, JsonOption, PersonaArgument, damage_told, services_at, tell
from commands.terminal import warn, write_line
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.exporting import ExportWishes
    from managers.exchange.archives.making import Exported
    from managers.exchange.archives.reading import Brought, Checked

commands = typer.Typer()
_say = Texts("notices/exports")
_say_import = Texts("notices/imports")


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
    from agent import exporting
    from managers.exchange.exports.chat import ChatDays
    from ui.components.markdown import render_markdown

    words = wanted_passphrase(passphrase_file, is_needed=encrypt, twice=True)
    with services_at(home) as services, damage_told(services, persona):
        memories = services.memories(persona)
        is_masked = memories.settings().privacy.mask_exports if mask is None else mask
        days = ChatDays(since and since.date(), until and until.date())
        wishes = exporting.ExportWishes(form, is_masked, without_forgotten, days, tokens, None, words, without_kept)
        if form in exporting.CHATS and not without_kept and (kept := exporting.kept_messages(memories)):
            warn(_say("chat.kept", terminal_language(), count=kept))
        _tell_made(file, exporting.export(memories, file, wishes, render_markdown), wishes, as_json=as_json)


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


def import_archive(file: Path, persona: str, manner: Manner, passphrase_file: Path | None, home: Path | None) -> None:
    """Bring in a persona that was exported, just as it was; an encrypted file asks for its passphrase."""
    from agent.import_told import archived
    from managers.exchange.archives.reading import bring_in, look_through
    from managers.exchange.encryption import is_encrypted_file

    words = wanted_passphrase(passphrase_file, is_needed=is_encrypted_file(file))
    progress, lang = ImportProgress(), terminal_language()
    with services_at(home) as services:
        if manner.dry_run or manner.asks:
            with progress.under_way():
                found = look_through(file, words, partial(progress.note_share, "reading"))
            name = persona or found.persona
            if manner.as_json:
                _tell_archive(name, found, manner)
            else:
                for line in (_say_import("archive.of", lang, persona=found.persona), *archived(found, lang)):
                    write_line(line)
            if not manner.goes_on(name):
                return
        with progress.under_way():
            brought = bring_in(services.personas, file, words, persona, partial(progress.note_share, "writing"))
        name = brought.persona.name
        if brought.persona.asks:
            warn(_say("archive.asks", lang, name=name))
    _tell_archive(name, brought, manner)
    if brought.is_masked:
        warn(_say_import("archive.masked", lang))


def _tell_archive(name: str, found: Checked | Brought, manner: Manner) -> None:
    facts = {"persona": name, "files": found.count, "masked": found.is_masked, "dry_run": manner.dry_run}
    told = _say_import("archive.done", terminal_language(), name=name, count=found.count)
    tell(facts, told, as_json=manner.as_json)
