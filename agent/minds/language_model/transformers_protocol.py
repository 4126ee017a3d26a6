"""A model in a folder of this computer, with a persona's adapter or without one, as a LangChain chat model.

Imported only when such a mind is used: torch takes seconds to load. One model is kept in memory at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from agent.minds.errors import LocalModelError
from managers.growth.adapters import Adapters
from managers.growth.base_model import LocalModel, check_base, load_base, with_adapter
from managers.storage.errors import UtataneError

_ROLES = {"system": "system", "human": "user", "ai": "assistant"}
_loaded: dict[tuple[str, str], LocalModel] = {}
_loading = threading.Lock()
_LEAST_ANSWER = 64
_ANY_LENGTH = 1 << 30


class LocalChat(BaseChatModel):
    """Speaks with the weights in a folder."""

    folder: Path
    adapters: Any = None
    """The persona's `Adapters`; None: the base model alone."""
    temperature: float | None = 0.8
    most_tokens: int = 512

    @property
    def _llm_type(self) -> str:
        return "utatane-local"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401  # LangChain's own
    ) -> ChatResult:
        text = "".join(str(one.message.content) for one in self._stream(messages, stop, run_manager, **kwargs))
        return ChatResult(generations=[ChatGeneration(message=AIMessageChunk(content=text))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401  # LangChain's own
    ) -> Iterator[ChatGenerationChunk]:
        del stop, run_manager
        held = _model(self.folder, self.adapters)
        said = [(_ROLES.get(one.type, "user"), str(one.text)) for one in messages]
        pieces = _Pieces(held, said, int(kwargs.get("max_tokens") or self.most_tokens), self.temperature or 0.0)
        try:
            for piece in pieces.streamer:
                if piece:
                    yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if pieces.failure is not None:
                raise pieces.failure
            end = {"finish_reason": "stop"}
            yield ChatGenerationChunk(message=AIMessageChunk(content=""), generation_info=end)
        finally:
            pieces.stopped.set()


class _Pieces:
    """An answer that is made in a thread of its own, and ends as soon as nobody listens."""

    def __init__(self, held: LocalModel, said: list[tuple[str, str]], most: int, temperature: float) -> None:
        import torch  # noqa: PLC0415  # an extra that takes seconds to import
        from transformers import StoppingCriteriaList, TextIteratorStreamer  # noqa: PLC0415  # the same

        self.stopped = threading.Event()
        self.failure: Exception | None = None
        self.streamer = TextIteratorStreamer(held.tokenizer, skip_prompt=True, skip_special_tokens=True)
        whole = getattr(held.model.config, "max_position_embeddings", None) or _ANY_LENGTH
        told = held.prompt(said)[-(whole - _LEAST_ANSWER) :]  # its own tokens, which were only estimated before
        ids = torch.tensor([told], device=held.model.device)
        how = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        asked: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "max_new_tokens": min(most, whole - len(told)),
            "pad_token_id": held.tokenizer.eos_token_id,
            "streamer": self.streamer,
            "stopping_criteria": StoppingCriteriaList([lambda *_, **__: torch.tensor([self.stopped.is_set()])]),
            **how,
        }
        threading.Thread(target=self._run, args=(held, asked), name="local-model", daemon=True).start()

    def _run(self, held: LocalModel, asked: dict[str, Any]) -> None:
        try:
            held.model.generate(**asked)
        except Exception as error:  # noqa: BLE001  # handed to whoever listens
            self.failure = error
        finally:
            self.streamer.end()


def _model(folder: Path, adapters: Adapters | None) -> LocalModel:
    """Return a model with the adapter that is in use now; the one before it is let go.

    Raises:
        LocalModelError: it cannot be loaded.
    """
    try:
        digest = check_base(folder)
        file = adapters.file_in_use(digest) if adapters is not None else None
        key = (digest, f"{file}:{file.stat().st_mtime_ns}" if file else "")
        with _loading:
            if key not in _loaded:
                _loaded.clear()
                base = load_base(folder)
                _loaded[key] = with_adapter(base, 1, file) if file else base
                _loaded[key].model.eval()
            return _loaded[key]
    except UtataneError as error:
        raise LocalModelError(
            model=folder.name, cause_ja=error.sentence("ja"), cause_en=error.sentence("en")
        ) from error
