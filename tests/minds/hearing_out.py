"""A process that hears out a model and says what that cost it: `python -m tests.minds.hearing_out openai|gemini|anthropic PORT`.

It prints a line when it is ready. For each line on its standard input it asks for one answer, and prints a line of JSON.
"""

import json
import sys

from agent.minds.endpoint import Endpoint
from agent.minds.language_model import LanguageModelMind, Patience
from agent.minds.makers import claude_mind, gemini_mind, openai_mind
from managers.storage.settings import MindSettings
from tests.minds.talking import talk
from tests.peak import peak_megabytes


def _mind(protocol: str, port: str) -> LanguageModelMind:
    address, patience = f"http://127.0.0.1:{port}", Patience(seconds=120, retries=2, first_pause=0.01)
    if protocol == "gemini":
        return gemini_mind(Endpoint("Gemini", address, "gemini-2.5-flash", "key"), MindSettings(), patience)
    if protocol == "anthropic":
        return claude_mind(Endpoint("Anthropic", address, "claude-sonnet-5-5", "key"), MindSettings(), patience)
    return openai_mind(Endpoint("test", f"{address}/v1", "test-model"), MindSettings(), patience)


def main() -> None:
    mind = _mind(*sys.argv[1:])
    talk(mind)  # the libraries are loaded now
    before = peak_megabytes()
    _print("ready")
    for _ in sys.stdin:
        heard = talk(mind)
        told = {
            "text": len(heard.text),
            "thought": len(heard.thought),
            "calls": len(heard.calls),
            "error": type(heard.error).__name__,
            "megabytes": peak_megabytes() - before,
        }
        _print(json.dumps(told))


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
