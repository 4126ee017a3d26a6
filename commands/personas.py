"""`personas list|create|rename|duplicate|delete|restore|mend` (for `admit` see `commands.admission`)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands import admission
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, PersonaArgument, read_text, services_at, tell
from commands.terminal import warn
from managers.storage.errors import Lang

if TYPE_CHECKING:
    from agent.services import Services
    from managers.personas import Persona

personas_commands = typer.Typer(help="List, create, rename, duplicate, delete, restore, mend and let in personas.")
personas_commands.add_typer(admission.commands)


@personas_commands.command("list")
def list_personas(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List personas, guests that wait for a yes, and who is in the trash."""
    asks, guest = (
        ("設定を確認してください: personas admit", "ゲスト。確認は personas admit で")
        if terminal_language() == "ja"
        else ("asks for settings: personas admit", "a guest: personas admit")
    )
    with services_at(home) as services:
        for persona in services.personas.list():
            words = f"{persona.name}  ({asks})" if persona.asks else persona.name
            tell(_facts(services, persona) if as_json else {}, words, as_json=as_json)
        for name in services.personas.door.guests():
            tell({"guest": True, "name": name}, f"{name}  ({guest})", as_json=as_json)
        for error in services.personas.door.unreadable().values():
            warn(error.sentence(terminal_language()))
        for gone in services.personas.trashed():
            tell({"trash": gone.id, "name": gone.name}, f"({gone.id})", as_json=as_json)


def _facts(services: Services, persona: Persona) -> dict[str, object]:
    """Return what scripts are told of a persona: its level is in a database, which takes a tenth of a second to open."""
    kpi = services.memories(persona.name).kpi.all_of()
    facts = {"name": persona.name, "language": persona.language, "level": kpi.level, "kpi": asdict(kpi)}
    return facts | ({"asks": True} if persona.asks else {})


@personas_commands.command("create")
def create_persona(
    name: PersonaArgument,
    home: HomeOption = None,
    language: Annotated[str, typer.Option(help="ja or en; default: the terminal's.")] = "",
    prompt: Annotated[Path | None, typer.Option(help="A text file with the system prompt.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a persona."""
    tongue = _as_language(language) if language else terminal_language()
    with services_at(home) as services:
        text = read_text(prompt) if prompt else ""
        _tell_name(services.personas.create(name, language=tongue, system_prompt=text).name, as_json=as_json)


@personas_commands.command("edit")
def edit_persona(
    name: PersonaArgument,
    home: HomeOption = None,
    prompt: Annotated[Path | None, typer.Option(help="A text file with the new system prompt.")] = None,
    greeting: Annotated[str | None, typer.Option(help="What the persona says first.")] = None,
    user_name: Annotated[str | None, typer.Option(help="What this persona calls you.")] = None,
    user_profile: Annotated[str | None, typer.Option(help="What this persona may know of you from the start.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change who a persona is, and what it knows of you."""
    with services_at(home) as services:
        store, persona = services.personas, services.personas.get(name)
        if prompt is not None:
            store.write_system_prompt(name, read_text(prompt), based_on=persona.system_prompt_digest)
        if greeting is not None:
            store.set_greeting(name, greeting)
        if user_name is not None or user_profile is not None:
            store.set_user(name, user_name=user_name, profile=user_profile)
        _tell_name(store.get(name).name, as_json=as_json)


@personas_commands.command("rename")
def rename_persona(name: PersonaArgument, new_name: str, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Give a persona another name."""
    with services_at(home) as services:
        _tell_name(services.personas.rename(name, new_name).name, as_json=as_json)


@personas_commands.command("duplicate")
def duplicate_persona(
    name: PersonaArgument, new_name: str, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Make a copy of a persona with all memories."""
    with services_at(home) as services:
        _tell_name(services.personas.duplicate(name, new_name).name, as_json=as_json)


@personas_commands.command("delete")
def delete_persona(name: PersonaArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Move a persona to the trash, from where it can be restored."""
    with services_at(home) as services:
        gone = services.personas.delete(name)
        tell({"trash": gone.id, "name": gone.name}, gone.id, as_json=as_json)


@personas_commands.command("mend")
def mend_persona(name: PersonaArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Put a broken persona.json or system prompt aside, and its newest good version in its place."""
    with services_at(home) as services:
        for notice in services.personas.mend(name).notices:
            sentence = notice.sentence(terminal_language())
            tell({"code": notice.code, "sentence": sentence}, sentence, as_json=as_json)


@personas_commands.command("restore")
def restore_persona(
    trash_id: Annotated[str, typer.Argument(help="As `personas list` shows it, without the brackets.")],
    home: HomeOption = None,
    new_name: Annotated[str | None, typer.Option("--as", help="Another name, if the old one is taken.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a persona back from the trash."""
    with services_at(home) as services:
        _tell_name(services.personas.restore(trash_id, new_name), as_json=as_json)


def _tell_name(name: str, *, as_json: bool) -> None:
    tell({"name": name}, name, as_json=as_json)


def _as_language(name: str) -> Lang:
    from commands.errors import CommandError

    found: dict[str, Lang] = {"ja": "ja", "en": "en"}
    if name not in found:
        raise CommandError("unknown-language", name=name)
    return found[name]
