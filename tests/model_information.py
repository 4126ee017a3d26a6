"""What real model servers answer about themselves and their models."""

from collections.abc import Callable, Collection, Sequence

from tests.model_answers import Json, Served


def information(plays: Collection[str], models: Sequence[Served], path: str, body: Json) -> Json | None:
    """Answer what the real servers answer about themselves and their models."""
    pages: dict[str, tuple[str, Callable[[], Json | None]]] = {
        "/api/version": ("ollama", lambda: {"version": "0.12.6"}),
        "/api/tags": ("ollama", lambda: {"models": [{"name": one.id, "model": one.id, **one.extra} for one in models]}),
        "/api/ps": ("ollama", lambda: {"models": [_ollama_loaded(model) for model in models if model.loaded]}),
        "/api/show": ("ollama", lambda: _ollama_show(models, str(body.get("model") or body.get("name")))),
        "/api/v0/models": ("lmstudio", lambda: {"object": "list", "data": [_lm_studio(model) for model in models]}),
        "/props": ("llamacpp", lambda: _llama_props(models[0])),
        "/health": ("llamacpp", lambda: {"status": "ok"}),
        "/v1/models": ("openai", lambda: {"object": "list", "data": [_listed(plays, model) for model in models]}),
        "/v1beta/models": ("gemini", lambda: {"models": [{"name": f"models/{model.id}"} for model in models]}),
    }
    if "echo" in plays and path == "/api/v0/models":  # some answer there with what they show at /v1/models
        path = "/v1/models"
    played, page = pages.get(path, ("", lambda: None))
    return page() if played in plays else None


def _ollama_loaded(model: Served) -> Json:
    return {"name": model.id, "model": model.id, "context_length": model.context}


def _ollama_show(models: Sequence[Served], name: str) -> Json | None:
    model = next((model for model in models if model.id == name), None)
    if model is None:
        return None
    capabilities = {"llm": ["completion", "tools"], "vlm": ["completion", "vision"], "embeddings": ["embedding"]}
    return {
        "parameters": model.parameters,
        "model_info": {"general.architecture": "llama", "llama.context_length": model.max_context},
        "capabilities": capabilities[model.kind],
    }


def _lm_studio(model: Served) -> Json:
    state = {"state": "loaded", "loaded_context_length": model.context} if model.loaded else {"state": "not-loaded"}
    return {"id": model.id, "object": "model", "type": model.kind, "max_context_length": model.max_context, **state}


def _llama_props(model: Served) -> Json:
    return {
        "default_generation_settings": {"n_ctx": model.context},
        "total_slots": 1,
        "model_path": f"/models/{model.id}.gguf",
        "modalities": {"vision": model.kind == "vlm", "audio": False},
    }


def _listed(plays: Collection[str], model: Served) -> Json:
    listed: Json = {"id": model.id, "object": "model", "owned_by": "test"}
    if "llamacpp" in plays:
        listed["owned_by"] = "llamacpp"
        listed["meta"] = {"n_ctx_train": model.max_context}
    if "vllm" in plays:
        listed["owned_by"] = "vllm"
        listed["max_model_len"] = model.context
    if "openrouter" in plays:
        modalities = ["text", "image"] if model.kind == "vlm" else ["text"]
        listed |= {"context_length": model.context, "architecture": {"input_modalities": modalities}}
    return listed | dict(model.extra)
