"""`personas list|create|rename|duplicate|delete|restore|mend`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.shared import HomeOption, JsonOption, PersonaArgument, read_text, services_at, terminal_language
from managers.storage.errors import Lang

if TYPE_CHECKING:
    pass

personas_commands = typer.Typer(
    help="List, create, rename, duplicate, delete, restore and mend personas.", no_args_is_help=True
)


@personas_commands.command("list")
def list_personas(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List personas, and those in the trash."""
    from agent.as_json import line

    with services_at(home) as services:
        for persona in services.personas.list():
            print(line({"name": persona.name, "language": persona.language}) if as_json else persona.name)
        for gone in services.personas.trashed():
            print(line({"trash": gone.id, "name": gone.name}) if as_json else f"({gone.id})")


@personas_commands.command("create")
def create_persona(
    name: PersonaArgument,
    home: HomeOption = None,
    language: Annotated[str, typer.Option(help="ja or en; default: the terminal's.")] = "",
    prompt: Annotated[Path | None, typer.Option(help="A text file with the system prompt.")] = None,
) -> None:
    """Make a persona."""
    with services_at(home) as services:
        tongue: Lang = "ja" if (language or terminal_language()) == "ja" else "en"
        text = read_text(prompt) if prompt else ""
        print(services.personas.create(name, language=tongue, system_prompt=text).name)


@personas_commands.command("edit")
def edit_persona(
    name: PersonaArgument,
    home: HomeOption = None,
    prompt: Annotated[Path | None, typer.Option(help="A text file with the new system prompt.")] = None,
    greeting: Annotated[str | None, typer.Option(help="What the persona says first.")] = None,
    user_name: Annotated[str | None, typer.Option(help="What this persona calls you.")] = None,
    user_profile: Annotated[str | None, typer.Option(help="What this persona may know of you from the start.")] = None,
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
        print(store.get(name).name)


@personas_commands.command("rename")
def rename_persona(name: PersonaArgument, new_name: str, home: HomeOption = None) -> None:
    """Give a persona another name."""
    with services_at(home) as services:
        print(services.personas.rename(name, new_name).name)


@personas_commands.command("duplicate")
def duplicate_persona(name: PersonaArgument, new_name: str, home: HomeOption = None) -> None:
    """Make a copy of a persona with all memories."""
    with services_at(home) as services:
        print(services.personas.duplicate(name, new_name).name)


@personas_commands.command("delete")
def delete_persona(name: PersonaArgument, home: HomeOption = None) -> None:
    """Move a persona to the trash, from where it can be restored."""
    with services_at(home) as services:
        print(services.personas.delete(name).id)


@personas_commands.command("mend")
def mend_persona(name: PersonaArgument, home: HomeOption = None) -> None:
    """Put a broken persona.json or system prompt aside, and its newest good version in its place."""
    with services_at(home) as services:
        for notice in services.personas.mend(name).notices:
            print(notice.sentence(terminal_language()))


@personas_commands.command("restore")
def restore_persona(
    trash_id: Annotated[str, typer.Argument(help="As `personas list` shows it, without the brackets.")],
    home: HomeOption = None,
    new_name: Annotated[str | None, typer.Option("--as", help="Another name, if the old one is taken.")] = None,
) -> None:
    """Bring a persona back from the trash."""
    with services_at(home) as services:
        print(services.personas.restore(trash_id, new_name).name)
