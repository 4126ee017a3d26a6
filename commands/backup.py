"""`backup`: made now, listed, checked, brought back; encrypted, unlocked, deleted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import CommandError
from commands.language import page_texts, terminal_language
from commands.passphrases import ask_passphrase, given_passphrase
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import agrees, may_ask, warn, write_line
from managers.storage.paths import find_home
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from managers.exchange.backups.keeping import Backups
    from managers.exchange.backups.listing import Head
    from ui.locales import Texts as PageTexts

_say = Texts("notices/backups")
commands = typer.Typer(help="Backups: made by themselves each day, proved by restoring them.")

PlaceOption = Annotated[
    Path | None, typer.Option("--place", help="The folder they lie in, if not where the settings say.")
]
PassphraseOption = Annotated[
    bool, typer.Option("--passphrase", help="Ask for the passphrase (typed here, or a line of standard input).")
]
BackupArgument = Annotated[str, typer.Argument(help="Its id, as `backup list` shows it; latest: the newest good one.")]


@commands.command("now")
def now(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Make a backup now, and prove it by restoring it."""
    backups = _backups(home)
    head = backups.make()
    _tell([head], as_json=as_json)
    if not as_json:
        _say_where(backups, page_texts())
    _fail_if_bad([head])


@commands.command("list")
def list_backups(home: HomeOption = None, place: PlaceOption = None, as_json: JsonOption = False) -> None:
    """List all backups, the newest first: when, why, how much, and how far each is known to be good."""
    backups, t = _backups(home, place), page_texts()
    found = backups.heads()
    _tell(found, as_json=as_json)
    if not as_json:
        if not found:
            write_line(t("backups.none"))
        _say_where(backups, t)


@commands.command("check")
def check(
    name: Annotated[str, typer.Argument(help="Its id; all of them, if none is named.")] = "",
    home: HomeOption = None,
    place: PlaceOption = None,
    passphrase: PassphraseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Restore backups into a folder that is thrown away, and compare every byte."""
    found = _backups(home, place, passphrase=passphrase).check(name)
    _tell(found, as_json=as_json)
    _fail_if_bad(found)


@commands.command("restore")
def restore(
    name: BackupArgument = "latest",
    *,  # the options of a command
    home: HomeOption = None,
    place: PlaceOption = None,
    persona: Annotated[str, typer.Option(help="Bring back this persona, under a name that is free.")] = "",
    file: Annotated[str, typer.Option(help="Bring back this file or folder of the home (characters/Hazel/…).")] = "",
    to: Annotated[Path | None, typer.Option(help="Where to: a place where nothing is.")] = None,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="In place of what is here; a companion that is here goes to the trash."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    passphrase: PassphraseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a whole home, a persona or a file back, beside what is there or in its place."""
    from managers.exchange.backups.returning import restore_home, restore_path

    backups, t = _backups(home, place, passphrase=passphrase), page_texts()
    head = backups.find(name)
    if persona and to is None:
        back = _bring_back(backups, head, persona, in_place=in_place, yes=yes)
        tell({"restored": back, "backup": head.id}, t("backups.persona_back", name=back), as_json=as_json)
        return
    if to is None and in_place:
        _restore_here(backups, head, file.strip("/"), yes=yes, as_json=as_json)
        return
    if to is None:
        raise CommandError("restore-where")
    path = f"characters/{persona}" if persona else file.strip("/")
    count = restore_path(backups, head, path, to) if path else restore_home(backups, head, to)
    facts = {"restored": str(to), "files": count, "backup": head.id}
    tell(facts, t("backups.restored", place=to, count=count), as_json=as_json)
    if not path and not as_json:
        write_line(t("backups.home_restored", place=to))


@commands.command("delete")
def delete(
    names: Annotated[list[str], typer.Argument(help="Their ids, as `backup list` shows them.")],
    home: HomeOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete backups for good."""
    backups, t = _backups(home), page_texts()
    heads = [backups.find(name) for name in names]
    if not yes and not _agrees(
        t("backups.delete_ask", names=", ".join(head.id for head in heads), word=t("erasing.word")), t
    ):
        raise typer.Exit(1)
    freed = backups.remove([head.id for head in heads])
    write_line(t("backups.deleted", count=len(heads), megabytes=f"{freed / 1e6:.1f}"))


@commands.command("encrypt")
def encrypt(
    home: HomeOption = None,
    off: Annotated[bool, typer.Option("--off", help="Encrypt no more, from the next one on.")] = False,
) -> None:
    """Encrypt backups from the next one on, with a passphrase that only you know."""
    backups, t = _backups(home), page_texts()
    if off:
        backups.stop_encrypting()
        write_line(t("backups.encrypted_off"))
        return
    backups.encrypt(_passphrase(twice=True))
    write_line(t("backups.encrypted_on"))


@commands.command("unlock")
def unlock(home: HomeOption = None) -> None:
    """Let this computer know the key of encrypted backups, with the passphrase."""
    _backups(home).unlock(_passphrase())
    write_line(page_texts()("backups.unlocked"))


def _backups(home: Path | None, place: Path | None = None, *, passphrase: bool = False) -> Backups:
    """Return the backups; no services are opened: where a home was lost, none must be made in its stead."""
    from managers.exchange.backups.keeping import backups_of, lying_in

    backups = backups_of(find_home(home))
    if place is not None:
        backups = lying_in(backups, place)
    if passphrase:
        backups.key = backups.repository().unlock(_passphrase())
    return backups


def _restore_here(backups: Backups, head: Head, file: str, *, yes: bool, as_json: bool) -> None:
    from managers.exchange.backups.returning import restore_home_in_place, restore_in_place

    t = page_texts()
    what = file or ", ".join(backups.personas_in(head))
    if not yes and not _agrees(t("backups.in_place_ask", name=what, word=t("backups.yes_word")), t):
        raise typer.Exit(1)
    if file:
        restore_in_place(backups, head, file)
    else:
        with services_at(backups.home.folder) as services:
            what = ", ".join(restore_home_in_place(backups, services.personas, head, services.away))
    tell({"restored": what, "backup": head.id}, t("backups.persona_back", name=what), as_json=as_json)


def _bring_back(backups: Backups, head: Head, persona: str, *, in_place: bool, yes: bool) -> str:
    from managers.exchange.backups.returning import restore_persona

    t = page_texts()
    if in_place and not yes and not _agrees(t("backups.in_place_ask", name=persona, word=t("backups.yes_word")), t):
        raise typer.Exit(1)
    with services_at(backups.home.folder) as services:
        away = services.away if in_place else None
        return restore_persona(backups, services.personas, head, persona, away=away)


def _tell(heads: Iterable[Head], *, as_json: bool) -> None:
    from dataclasses import asdict

    from ui.rooms.backups.view import in_a_line

    for head in heads:
        tell(asdict(head), in_a_line(head, page_texts()), as_json=as_json)


def _say_where(backups: Backups, t: PageTexts) -> None:
    from managers.exchange.backups.state import same_disk

    write_line(t("backups.lie_in", place=backups.place))
    if same_disk(backups.place, backups.home):
        warn(_say("same-disk", terminal_language()))


def _fail_if_bad(heads: Iterable[Head]) -> None:
    if any(head.proof.level == "failed" for head in heads):
        raise typer.Exit(1)


def _passphrase(*, twice: bool = False) -> str:
    return given_passphrase(None) or ask_passphrase(twice=twice)


def _agrees(question: str, t: PageTexts) -> bool:
    return may_ask() and agrees(question, {t("erasing.word"), t("backups.yes_word")})
