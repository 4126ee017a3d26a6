"""Ask model servers what they are, which models they have, and how much those read.

Nothing private is sent: these are the information pages of Ollama, LM Studio, llama.cpp, vLLM and
OpenRouter. A server must answer in its own way to be taken for what it claims to be, since any
program may sit at these ports.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.minds.language_model import background
from agent.minds.language_model.endpoint import is_loopback, runs_elsewhere
from agent.minds.language_model.families import default_context, family_of

if TYPE_CHECKING:
    import httpx

Kind = str

PORTS: Mapping[Kind, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080}
"""Where these servers listen unless told otherwise, in the order of preference."""

FIRST_ANSWER_SECONDS = 0.15
"""A server on loopback that is not busy answers within this."""
_ALL_ANSWERS = 4
"""All questions together may take this many times as long."""

_NOT_FOR_TALKING = re.compile(r"embed|bge-|minilm|rerank|whisper|clip|tts|-e5-|^e5-", re.IGNORECASE)
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)
_CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length")


@dataclass(frozen=True, slots=True)
class Found:
    """A model on a server; 0 and None where the server does not say."""

    service: str
    base_url: str
    model: str
    context_tokens: int = 0
    can_see: bool | None = None


def find_local(ports: Mapping[Kind, int] = PORTS, seconds: float = FIRST_ANSWER_SECONDS) -> Found | None:
    """Return a model to talk to on this computer, None if there is none; takes four times `seconds` at most."""
    _load()
    try:
        return background.wait_for(_find_local(ports, seconds), _ALL_ANSWERS * seconds)
    except TimeoutError:
        return None


def describe(base_url: str, model: str, key: str = "", seconds: float = 1.0) -> Found | None:
    """Return what the server at a base URL says about a model (an empty name: about a sensible one)."""
    _load()
    try:
        return background.wait_for(_describe(base_url, model, key, seconds), _ALL_ANSWERS * seconds)
    except TimeoutError:
        return None


def list_models(base_url: str, key: str = "", seconds: float = 3.0) -> list[str]:
    """Return the names of the models that a server lists, those for talking only."""

    async def ask() -> list[str]:
        async with _client(base_url, seconds, key) as client:
            listed = await _json(client, "GET", f"{base_url}/models")
        return [name for name in _ids(listed) if not _NOT_FOR_TALKING.search(name)]

    try:
        return background.wait_for(ask(), seconds)
    except TimeoutError:
        return []


async def _find_local(ports: Mapping[Kind, int], seconds: float) -> Found | None:
    probes = [_ask(kind, f"http://127.0.0.1:{port}", "", seconds) for kind, port in ports.items()]
    found = await asyncio.gather(*probes)
    return next((server for server in found if server is not None), None)


async def _describe(base_url: str, model: str, key: str, seconds: float) -> Found | None:
    if is_loopback(base_url):
        root = base_url.removesuffix("/v1")
        found = await asyncio.gather(*(_ask(kind, root, model, seconds) for kind in _ASKERS))
        for server in found:
            if server is not None:
                return server
    async with _client(base_url, seconds, key) as client:
        return await _listed(client, base_url, model)


async def _ask(kind: Kind, root: str, model: str, seconds: float) -> Found | None:
    async with _client(root, seconds) as client:
        return await _ASKERS[kind](client, root, model)


async def _ollama(client: httpx.AsyncClient, root: str, model: str) -> Found | None:
    version, running, tags = await asyncio.gather(
        _json(client, "GET", f"{root}/api/version"),
        _json(client, "GET", f"{root}/api/ps"),
        _json(client, "GET", f"{root}/api/tags"),
    )
    if "version" not in version or "models" not in tags:
        return None
    loaded = {str(entry.get("name")): entry for entry in running.get("models") or []}
    offered = [entry for entry in [*loaded.values(), *(tags["models"] or [])] if not entry.get("remote_host")]
    names = dict.fromkeys(str(entry.get("name")) for entry in offered)
    here = [name for name in names if not _NOT_FOR_TALKING.search(name) and not runs_elsewhere(name)]
    for name in [model] if model else here:
        shown = await _json(client, "POST", f"{root}/api/show", {"model": name})
        abilities = shown.get("capabilities")
        if not model and abilities is not None and "completion" not in abilities:
            continue
        context = _ollama_context(loaded.get(name) or loaded.get(f"{name}:latest") or {}, shown)
        return Found("Ollama", f"{root}/v1", name, context, None if abilities is None else "vision" in abilities)
    return None


def _ollama_context(loaded: Mapping[str, Any], shown: Mapping[str, Any]) -> int:
    """Return what Ollama reads: as loaded, as the model file says, or its small default.

    What the model could read at most is no answer: its OpenAI endpoint cuts at what is set, silently.
    """
    limits = (shown.get("model_info") or {}).items()
    most = next((int(value) for key, value in limits if key.endswith(".context_length") and value), 0)
    written = _NUM_CTX.search(str(shown.get("parameters") or ""))
    context = int(loaded.get("context_length") or (written[1] if written else default_context(loopback=True)))
    return min(context, most) if most else context


async def _lm_studio(client: httpx.AsyncClient, root: str, model: str) -> Found | None:
    listed = (await _json(client, "GET", f"{root}/api/v0/models")).get("data")
    if not isinstance(listed, list):
        return None
    talkers = [entry for entry in listed if entry.get("type") in {"llm", "vlm"}]
    talkers.sort(key=lambda entry: entry.get("state") != "loaded")
    entry = next((entry for entry in talkers if not model or entry.get("id") == model), None)
    if entry is None:
        return Found("LM Studio", f"{root}/v1", model) if model and listed else None
    most = int(entry.get("max_context_length") or 0)
    context = int(entry.get("loaded_context_length") or 0)
    if not context:
        context = min(most, default_context(loopback=True)) if most else 0
    return Found("LM Studio", f"{root}/v1", str(entry["id"]), context, entry.get("type") == "vlm")


async def _llama_cpp(client: httpx.AsyncClient, root: str, model: str) -> Found | None:
    props, listed = await asyncio.gather(
        _json(client, "GET", f"{root}/props"), _json(client, "GET", f"{root}/v1/models")
    )
    settings = props.get("default_generation_settings")
    names = _ids(listed)
    if not isinstance(settings, Mapping) or not (model or names):
        return None
    sees = (props.get("modalities") or {}).get("vision")
    return Found("llama.cpp", f"{root}/v1", model or names[0], int(settings.get("n_ctx") or 0), sees)


async def _listed(client: httpx.AsyncClient, base_url: str, model: str) -> Found | None:
    """Read a plain list of models, with the fields that vLLM, OpenRouter and others add."""
    listed = (await _json(client, "GET", f"{base_url}/models")).get("data")
    if not isinstance(listed, list):
        return None
    usable = [entry for entry in listed if isinstance(entry, Mapping) and entry.get("id")]
    talkers = [entry for entry in usable if not _NOT_FOR_TALKING.search(str(entry["id"]))]
    wanted = [entry for entry in usable if entry["id"] == model] if model else talkers[:1]
    if not wanted:
        return None
    entry = wanted[0]
    context = next((int(entry[name]) for name in _CONTEXT_FIELDS if isinstance(entry.get(name), int)), 0)
    modalities = (entry.get("architecture") or {}).get("input_modalities")
    sees = None if modalities is None else "image" in modalities
    return Found("", base_url, str(entry["id"]), context, family_of(str(entry["id"])).can_see if sees is None else sees)


_Asker = Callable[["httpx.AsyncClient", str, str], Awaitable[Found | None]]
_ASKERS: dict[Kind, _Asker] = {"Ollama": _ollama, "LM Studio": _lm_studio, "llama.cpp": _llama_cpp}


def _ids(listed: Mapping[str, Any]) -> list[str]:
    entries = listed.get("data")
    return [str(entry["id"]) for entry in entries if entry.get("id")] if isinstance(entries, list) else []


def _load() -> None:
    """Import what asking needs before the clock starts."""
    import httpx  # noqa: F401, PLC0415  # only where servers are asked


def _client(base_url: str, seconds: float, key: str = "") -> httpx.AsyncClient:
    import httpx  # noqa: PLC0415  # only where servers are asked

    headers = {"authorization": f"Bearer {key}"} if key else {}
    local = is_loopback(base_url)
    return httpx.AsyncClient(
        timeout=seconds, trust_env=not local, headers=headers, verify=not base_url.startswith("http:")
    )


async def _json(client: httpx.AsyncClient, method: str, url: str, body: object = None) -> dict[str, Any]:
    """Return the page's JSON object, an empty one if it is none, or if nobody answers in time."""
    import httpx  # noqa: PLC0415  # only where servers are asked

    try:
        response = await client.request(method, url, json=body)
        page = response.json() if response.is_success else {}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return {}
    return page if isinstance(page, dict) else {}
