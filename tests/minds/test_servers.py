"""What servers tell about their models when they are asked; and that nothing is told to anybody else."""

import subprocess
import sys

from agent.minds.server_discovery import describe, find_local, list_models
from tests.model_server import NOBODY, ModelServer, Say, Served


def test_how_much_a_model_reads_is_asked() -> None:
    wrong = []
    for plays, served, context in (
        ("ollama", Served("m", context=8192), 8192),
        ("ollama", Served("m", loaded=False), 0),  # its default, not what the model could read; nobody knows it
        ("ollama", Served("m", loaded=False, parameters="stop x\nnum_ctx    16384"), 16384),
        ("ollama", Served("m", loaded=False, max_context=2048), 2048),
        ("lmstudio", Served("m", context=12000), 12000),
        ("lmstudio", Served("m", loaded=False), 0),
        ("llamacpp", Served("m", context=5120), 5120),
        ("vllm", Served("m", context=40960), 40960),
        ("openrouter", Served("m", context=200000), 200000),
        ("openai", Served("m"), 0),
    ):
        with ModelServer(plays=("openai", plays), models=[served]) as server:
            found = describe(server.base_url, "m")
            wrong += [(plays, served, found)] * (found is None or found.context_tokens != context)
            if plays in {"vllm", "openai"}:
                continue
            for kind in ("vlm", "llm"):
                server.models = [Served("m", kind=kind)]
                found = describe(server.base_url, "m")
                wrong += [(plays, served, found)] * (found is None or found.can_see is not (kind == "vlm"))
    assert wrong == []


def test_a_server_that_lists_nothing_or_is_not_there() -> None:
    with ModelServer(plays=("openai",), models=[]) as server:
        address = server.base_url
        assert describe(address, "") is None
        assert list_models(address) == []
    assert describe(address, "m") is None
    assert list_models(address) == []
    assert find_local({"Ollama": NOBODY}) == []


def test_nothing_is_reported_to_anybody_whatever_the_environment_says(server: ModelServer) -> None:
    program = f"""
import sys
from agent.minds.endpoint import Endpoint
from agent.minds.makers import openai_mind
from managers.storage.settings import MindSettings
from tests.minds.talking import request, talk
assert "langchain_core" not in sys.modules and "httpx" not in sys.modules
print(talk(openai_mind(Endpoint("s", "{server.base_url}", "m"), MindSettings())).text)
"""
    server.enqueue(Say("はい"))
    root = f"http://127.0.0.1:{server.port}"
    environment = {
        "LANGSMITH_TRACING_V2": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_ENDPOINT": root,
        "LANGSMITH_API_KEY": "lsv2_not_a_key",
        "LANGSMITH_GATEWAY": root,
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "PATH": "",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "はい\n", done.stderr
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]
