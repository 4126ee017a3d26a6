"""A process that hears out a model and says what that cost it: `python -m tests.minds.hearing_out openai|gemini|anthropic PORT`.

It prints a line when it is ready. For each line on its standard input it asks for one answer, and prints a line of JSON.
"""

import json
import sys
from types import SimpleNamespace

from agent.minds.language_model import Patience
from tests.minds.talking import MINDS, talk
from tests.peak import peak_megabytes


def main(protocol: str, port: str) -> None:
    root = f"http://127.0.0.1:{port}"
    server = SimpleNamespace(root_url=root, base_url=f"{root}/v1")
    mind = MINDS[protocol](server, Patience(seconds=600, retries=2, first_pause=0.01))
    talk(mind)  # the libraries are loaded now
    before = peak_megabytes()
    print("ready", flush=True)  # noqa: T201  # as it is read
    for _ in sys.stdin:
        heard = talk(mind)
        lengths = {"text": len(heard.text), "thought": len(heard.thought), "calls": len(heard.calls)}
        told = lengths | {"error": type(heard.error).__name__, "megabytes": peak_megabytes() - before}
        print(json.dumps(told), flush=True)  # noqa: T201  # the same


if __name__ == "__main__":
    main(*sys.argv[1:])
