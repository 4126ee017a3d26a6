"""Ask model servers what they are, which models they have, and how much those read.

Nothing private is sent: these are the information pages of Ollama, LM Studio, llama.cpp, vLLM and
OpenRouter. A server must answer in its own way to be taken for what it claims to be, since any
program may sit at these ports.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from agent.minds.endpoint import is_loopback, runs_elsewhere
from agent.minds.known_models import default_context, family_of
from agent.minds.language_model import event_loop
from managers.transport import client_options

if TYPE_CHECKING:
    import httpx

Kind = str
T = TypeVar("T")

PORTS: Mapping[Kind, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080}
"""Where these servers listen unless told otherwise, in the order of preference."""

FIRST_ANSWER_SECONDS = 0.15
"""A server on loopback that is not busy answers within this."""
_ALL_ANSWERS = 4
"""All questions together may take this many times as long."""
_LISTED_WITHIN = 3.0
"""Seconds for the list of all models."""

_NOT_FOR_TALKING = re.compile(r"embed|bge-|minilm|rerank|whisper|clip|tts|-e5-|^e5-", re.IGNORECASE)
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)
_NAME_CHARACTERS, _DIGITS, _PARAMETERS = 200, 9, 100_000
"""What is believed of names, of numbers of tokens, and read of a model file's parameters."""
_CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length")


@dataclass(frozen=True, slots=True)
class Found:
    """A model on a server (no name: it has none); 0 and None where the server does not say."""

    service: str
    base_url: str
    model: str
    context_tokens: int = 0
    can_see: bool | None = None
    takes_tools: bool | None = None


def find_local(ports: Mapping[Kind, int] = PORTS, seconds: float = FIRST_ANSWER_SECONDS) -> list[Found]:
    """Return a model of each server on this computer, best first; takes four times `seconds` at most."""
    return _answer(_find_local(ports, seconds), _ALL_ANSWERS * seconds) or []


def find_empty(ports: Mapping[Kind, int] = PORTS, seconds: float = FIRST_ANSWER_SECONDS) -> Found | None:
    """Return the Ollama on this computer that has no model to talk with; None where there is none, or it has one."""
    root = f"http://127.0.0.1:{ports.get('Ollama', 0)}"
    found = _answer(_ask("Ollama", root, "", seconds), _ALL_ANSWERS * seconds)
    return found if found is not None and not found.model else None


def describe(base_url: str, model: str, key: str = "", seconds: float = 1.0) -> Found | None:
    """Return what the server at a base URL says about a model (an empty name: about a sensible one)."""
    return _answer(_describe(base_url, model, key, seconds), _ALL_ANSWERS * seconds)


def list_models(base_url: str, key: str = "", *, is_anthropic: bool = False) -> list[str]:
    """Return the names of the models that a server lists, those for talking only; Anthropic takes a key its own way."""
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"} if is_anthropic else {}

    async def ask() -> list[str]:
        async with _client(base_url, _LISTED_WITHIN, "" if is_anthropic else key) as client:
            listed = await _json(client, "GET", f"{base_url}/models", headers=headers)
        return [name for name in _ids(listed) if not _NOT_FOR_TALKING.search(name)]

    return _answer(ask(), _LISTED_WITHIN) or []


def answers(base_url: str) -> bool:
    """Tell whether anything at all answers at an address, whatever it says."""
    import httpx  # noqa: PLC0415  # only where servers are asked

    async def ask() -> bool:
        async with _client(base_url, _LISTED_WITHIN) as client:
            await client.get(f"{base_url}/models")
        return True

    try:
        return bool(_answer(ask(), _LISTED_WITHIN))
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


def _answer(asking: Coroutine[Any, Any, T], seconds: float) -> T | None:
    """Return what was answered in time, else None; what asking imports is loaded before the clock starts."""
    import httpx  # noqa: F401, PLC0415  # only where servers are asked

    try:
        return event_loop.wait_for(asking, seconds)
    except TimeoutError:
        return None


async def _find_local(ports: Mapping[Kind, int], seconds: float) -> list[Found]:
    probes = [_ask(kind, f"http://127.0.0.1:{port}", "", seconds) for kind, port in ports.items()]
    return [server for server in await asyncio.gather(*probes) if server is not None and server.model]


async def _describe(base_url: str, model: str, key: str, seconds: float) -> Found | None:
    if is_loopback(base_url) or base_url.startswith("http://"):
        root = base_url.removesuffix("/v1")
        found = await asyncio.gather(*(_ask(kind, root, model, seconds) for kind in _ASKERS))
        for server in found:
            if server is not None and server.model:
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
    loaded = {name: entry for entry in _objects(running.get("models")) if (name := _name(entry, "name"))}
    offered = [
        e for e in [*loaded.values(), *_objects(tags["models"])] if not e.get("remote_host") and _name(e, "name")
    ]
    names = dict.fromkeys(_name(entry, "name") for entry in offered)
    here = [name for name in names if not _NOT_FOR_TALKING.search(name) and not runs_elsewhere(name)]
    for name in [model] if model else here:
        shown = await _json(client, "POST", f"{root}/api/show", {"model": name})
        abilities = shown.get("capabilities")
        abilities = abilities if isinstance(abilities, list) else None
        if not model and abilities is not None and "completion" not in abilities:
            continue
        context = _ollama_context(loaded.get(name) or loaded.get(f"{name}:latest") or {}, shown)
        sees, calls = (None if abilities is None else one in abilities for one in ("vision", "tools"))
        return Found("Ollama", f"{root}/v1", name, context, sees, calls)
    return Found("Ollama", f"{root}/v1", "")


def _ollama_context(loaded: Mapping[str, Any], shown: Mapping[str, Any]) -> int:
    """Return what Ollama reads: as loaded, or as the model file says; 0 where it does not tell.

    What the model could read at most is no answer unless that is less than any default: its OpenAI endpoint cuts at what is
    set, silently.
    """
    limits = shown.get("model_info")
    known = limits.items() if isinstance(limits, Mapping) else ()
    most = next((_tokens(value) for key, value in known if key.endswith(".context_length") and value), 0)
    written = _NUM_CTX.search(str(shown.get("parameters") or "")[:_PARAMETERS])
    context = _tokens(loaded.get("context_length")) or _tokens(written[1] if written else 0)
    return min(context, most) if context and most else context or _less_than_default(most)


def _less_than_default(most: int) -> int:
    return most if most < default_context(loopback=True) else 0


async def _lm_studio(client: httpx.AsyncClient, root: str, model: str) -> Found | None:
    listed = (await _json(client, "GET", f"{root}/api/v0/models")).get("data")
    if not isinstance(listed, list) or not any("state" in entry and "type" in entry for entry in _objects(listed)):
        return None  # other servers answer here too, some with the list that they show everywhere
    talkers = [e for e in _objects(listed) if e.get("type") in ("llm", "vlm") and _name(e, "id")]
    talkers.sort(key=lambda entry: entry.get("state") != "loaded")
    entry = next((entry for entry in talkers if not model or entry.get("id") == model), None)
    if entry is None:
        return Found("LM Studio", f"{root}/v1", model) if model and listed else None
    most, context = _tokens(entry.get("max_context_length")), _tokens(entry.get("loaded_context_length"))
    context = context or _less_than_default(most)
    return Found("LM Studio", f"{root}/v1", _name(entry, "id"), context, entry.get("type") == "vlm")


async def _llama_cpp(client: httpx.AsyncClient, root: str, model: str) -> Found | None:
    props, listed = await asyncio.gather(
        _json(client, "GET", f"{root}/props"), _json(client, "GET", f"{root}/v1/models")
    )
    settings = props.get("default_generation_settings")
    names = _ids(listed)
    if not isinstance(settings, Mapping) or not (model or names):
        return None
    sees, calls = (
        _said(props.get(page), ability)
        for page, ability in (("modalities", "vision"), ("chat_template_caps", "supports_tools"))
    )
    return Found("llama.cpp", f"{root}/v1", model or names[0], _tokens(settings.get("n_ctx")), sees, calls)


async def _listed(client: httpx.AsyncClient, base_url: str, model: str) -> Found | None:
    """Read a plain list of models, with the fields that vLLM, OpenRouter and others add."""
    listed = (await _json(client, "GET", f"{base_url}/models")).get("data")
    if not isinstance(listed, list):
        return None
    usable = [entry for entry in _objects(listed) if _name(entry, "id")]
    talkers = [entry for entry in usable if not _NOT_FOR_TALKING.search(_name(entry, "id"))]
    wanted = [entry for entry in usable if entry["id"] == model] if model else talkers[:1]
    if not wanted:
        return None
    entry = wanted[0]
    context = next((known for name in _CONTEXT_FIELDS if (known := _tokens(entry.get(name)))), 0)
    architecture = entry.get("architecture")
    modalities = architecture.get("input_modalities") if isinstance(architecture, Mapping) else None
    name = _name(entry, "id")
    return Found(
        "", base_url, name, context, "image" in modalities if isinstance(modalities, list) else family_of(name).can_see
    )


_Asker = Callable[["httpx.AsyncClient", str, str], Awaitable[Found | None]]
_ASKERS: dict[Kind, _Asker] = {"Ollama": _ollama, "LM Studio": _lm_studio, "llama.cpp": _llama_cpp}


def _said(page: object, ability: str) -> bool | None:
    said = page.get(ability) if isinstance(page, Mapping) else None
    return said if isinstance(said, bool) else None


def _ids(listed: Mapping[str, Any]) -> list[str]:
    return [name for entry in _objects(listed.get("data")) if (name := _name(entry, "id"))]


def _objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list that a server sent; whatever else it sent is none."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _name(entry: Mapping[str, Any], key: str) -> str:
    """Return a name that can be shown and written down as it is, or an empty string."""
    name = entry.get(key)
    return name if isinstance(name, str) and len(name) <= _NAME_CHARACTERS and name.isprintable() else ""


def _tokens(value: object) -> int:
    """Return how many tokens a server says; 0 if that is no number that a model may have."""
    number = int(value) if isinstance(value, str) and len(value) < _DIGITS and value.isdecimal() else value
    return number if isinstance(number, int) and 0 < number < 10**_DIGITS else 0


def _client(base_url: str, seconds: float, key: str = "") -> httpx.AsyncClient:
    import httpx  # noqa: PLC0415  # only where servers are asked

    options = client_options(httpx, base_url, local=is_loopback(base_url))
    if key:
        options["headers"] |= {"authorization": f"Bearer {key}"}
    return httpx.AsyncClient(timeout=seconds, **options)


async def _json(
    client: httpx.AsyncClient, method: str, url: str, body: object = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the page's JSON object, an empty one if it is none, or if nobody answers in time."""
    import httpx  # noqa: PLC0415  # only where servers are asked

    try:
        response = await client.request(method, url, json=body, headers=headers)
        page = response.json() if response.is_success else {}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
        return {}
    return page if isinstance(page, dict) else {}
