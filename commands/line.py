"""All commands, and the one edge at which what fails is said in a line."""

from collections.abc import Callable, Sequence
from functools import cache

import typer
from typer.exceptions import TyperException

from commands import (
    archiving,
    audit,
    backup,
    chat,
    domains,
    dreams,
    erase,
    exporting,
    group,
    growing,
    held,
    history,
    importing,
    memories,
    mend,
    models,
    personas,
    recall,
    serve,
    servers,
    usage,
)
from commands.language import terminal_language
from commands.misuse import misuse_sentence
from commands.terminal import warn
from managers.storage.edges import said
from managers.storage.program_log import keep_off_the_terminal
from managers.storage.texts import Texts

_say = Texts("notices/commands")

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, help="Utatane (うたた寝): a companion that remembers."
)
app.add_typer(serve.commands)
app.add_typer(chat.commands)
app.add_typer(group.commands)
app.add_typer(held.commands)
app.add_typer(recall.commands)
app.add_typer(dreams.commands)
app.add_typer(growing.commands)
app.add_typer(memories.commands)
app.add_typer(archiving.commands)
app.add_typer(audit.commands)
app.add_typer(erase.commands)
app.add_typer(history.commands)
app.add_typer(exporting.commands)
app.add_typer(usage.commands)
app.add_typer(servers.commands)
app.add_typer(models.commands, name="models")
app.add_typer(mend.commands)
app.add_typer(personas.personas_commands, name="personas")
app.add_typer(importing.commands)
app.add_typer(backup.commands, name="backup")
app.add_typer(importing.knowledge_commands, name="knowledge")
app.add_typer(domains.commands, name="domains")


def run(arguments: Sequence[str]) -> int:
    """Run a command; return its exit status."""
    keep_off_the_terminal()
    command = all_commands()
    known = set(getattr(command, "commands", ()))
    if arguments[0] not in known | {"--help", "-h"}:
        warn(_say("unknown-command", terminal_language(), command=arguments[0], known=", ".join(sorted(known))))
        return 2
    try:
        code = command(args=list(arguments), prog_name="app.py", standalone_mode=False)
    except TyperException as error:
        warn(misuse_sentence(error, terminal_language()))
        return error.exit_code
    except Exception as error:  # noqa: BLE001  # the edge: whatever nobody foresaw is logged whole and said in one line
        failure = said(error, "a command")
        warn(failure.sentence(terminal_language()))
        return failure.status
    return code if isinstance(code, int) else 0


@cache
def all_commands() -> Callable[..., object]:
    """Return the program's commands, made once: it takes as long as a short command does."""
    return typer.main.get_command(app)
