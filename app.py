"""The command line: settings → services → serve, chat, recall, dream, import, export, doctor. No logic."""

from __future__ import annotations

import logging
import os
import sys

import typer
from typer.exceptions import TyperException

from commands import bringing, personas, remembering, talking, usage
from commands.misuse import misuse_sentence
from commands.shared import terminal_language
from managers.storage.errors import UtataneError

# No library may report anything to anybody: set before any of them is imported.
os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    DO_NOT_TRACK="1",
)

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, help="Utatane (うたた寝): a companion that remembers."
)
app.add_typer(talking.commands)
app.add_typer(remembering.commands)
app.add_typer(usage.commands)
app.add_typer(personas.personas_commands, name="personas")
app.add_typer(bringing.import_commands, name="import")
app.add_typer(bringing.knowledge_commands, name="knowledge")


def main() -> None:
    """Run the command line; without a command, serve."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")  # a Windows console may be set to anything
    known = set(getattr(typer.main.get_command(app), "commands", ()))
    arguments = sys.argv[1:]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in {"--help", "-h"}):
        arguments = ["serve", *arguments]
    elif arguments[0] not in known | {"--help", "-h"}:
        sys.exit(_complain_unknown(arguments[0], sorted(known)))
    try:
        code = app(args=arguments, prog_name="app.py", standalone_mode=False)
    except UtataneError as error:
        print(error.sentence(terminal_language()), file=sys.stderr)
        sys.exit(1)
    except TyperException as error:
        print(misuse_sentence(error, terminal_language()), file=sys.stderr)
        sys.exit(error.exit_code)
    except Exception as error:  # the edge: whatever nobody foresaw is logged whole and said in one line
        from agent.errors import UnexpectedError

        logging.getLogger("utatane").exception("a command failed")
        cause = f"{type(error).__name__}: {error}"
        print(UnexpectedError(cause=cause).sentence(terminal_language()), file=sys.stderr)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _complain_unknown(command: str, known: list[str]) -> int:
    listing = ", ".join(known)
    print(
        f"「{command}」というコマンドはありません。使えるのは {listing} です。"
        if terminal_language() == "ja"
        else f'There is no command "{command}". There are: {listing}.',
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    main()
