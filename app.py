"""The command line: settings → services → serve, chat, recall, dream, import, export, doctor. No logic."""

import os
import sys

from commands.second_start import answer_second_start
from commands.stop_signals import end_when_asked_to_stop, leave_as_asked, say_ended

# No library may report anything to anybody: set before any of them is imported.
os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    DO_NOT_TRACK="1",
)


def main() -> None:
    """Run the command line; without a command, serve."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")  # a Windows console may be set to anything
    arguments = sys.argv[1:]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in {"--help", "-h"}):
        arguments = ["serve", *arguments]
    if arguments[0] == "serve" and (status := answer_second_start(arguments[1:])) is not None:
        sys.exit(status)
    end_when_asked_to_stop()
    try:
        from commands.line import run  # all commands: half a second, which a second start does not need

        sys.exit(run(arguments))
    except BaseException:
        leave_as_asked()
        raise
    finally:
        say_ended()


if __name__ == "__main__":
    main()
