"""A model in a folder of this computer, with a persona's adapter or without one, as a LangChain chat model.

Imported only when such a mind is used: torch takes seconds to load. One model is kept in memory at a time, with the
adapters of those who spoke last: in a conversation of several each has its own, and none waits for the model to be read
anew. One of them speaks at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
_MOST_ADAPTERS = 5
"""As many as there can be in a conversation of several."""
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
        held, adapter = _model(self.folder, self.adapters)
        said = [(_ROLES.get(one.type, "user"), str(one.text)) for one in messages]
        pieces = _Pieces(
            held, adapter, said, int(kwargs.get("max_tokens") or self.most_tokens), self.temperature or 0.0
        )
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

    def __init__(self, held: _Loaded, adapter: str, said: list[tuple[str, str]], most: int, temperature: float) -> None:
        import torch  # noqa: PLC0415  # an extra that takes seconds to import
        from transformers import StoppingCriteriaList, TextIteratorStreamer  # noqa: PLC0415  # the same

        self.stopped = threading.Event()
        self.failure: Exception | None = None
        base = held.base
        self.streamer = TextIteratorStreamer(base.tokenizer, skip_prompt=True, skip_special_tokens=True)
        whole = getattr(base.model.config, "max_position_embeddings", None) or _ANY_LENGTH
        told = base.prompt(said)[-(whole - _LEAST_ANSWER) :]  # its own tokens, which were only estimated before
        ids = torch.tensor([told], device=base.model.device)
        how = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        asked: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "max_new_tokens": min(most, whole - len(told)),
            "pad_token_id": base.tokenizer.eos_token_id,
            "streamer": self.streamer,
            "stopping_criteria": StoppingCriteriaList([lambda *_, **__: torch.tensor([self.stopped.is_set()])]),
            **how,
        }
        threading.Thread(target=self._run, args=(held, adapter, asked), name="local-model", daemon=True).start()

    def _run(self, held: _Loaded, adapter: str, asked: dict[str, Any]) -> None:
        try:
            with held.speaking(adapter) as model:
                if not self.stopped.is_set():
                    model.generate(**asked)
        except Exception as error:  # noqa: BLE001  # handed to whoever listens
            self.failure = error
        finally:
            self.streamer.end()


class _Loaded:
    """A base model that is in memory, and the adapters that lie on it."""

    def __init__(self, digest: str, base: LocalModel) -> None:
        self.digest = digest
        self.base = base
        self._adapters: dict[str, str] = {}  # names by file and time, the one that spoke last at the end
        self._count = 0
        self._lock = threading.Lock()

    def put(self, file: Path) -> str:
        """Return the name of an adapter, which is read where it does not lie on the model yet.

        Raises:
            AdapterUnfitError: it does not fit; the model cannot be used any more.
        """
        key = f"{file}:{file.stat().st_mtime_ns}"
        with self._lock:
            if key not in self._adapters:
                self._count += 1
                name = f"adapter{self._count}"
                self.base = with_adapter(self.base, 1, file, name)
                self.base.model.eval()
                if len(self._adapters) == _MOST_ADAPTERS:
                    self.base.model.delete_adapter(self._adapters.pop(next(iter(self._adapters))))
                self._adapters[key] = name
            self._adapters[key] = self._adapters.pop(key)
            return self._adapters[key]

    @contextmanager
    def speaking(self, adapter: str) -> Iterator[Any]:
        """Give the model as it speaks with an adapter, or (empty) without any; nobody else speaks meanwhile."""
        with self._lock:
            if adapter:
                self.base.model.set_adapter(adapter)
                yield self.base.model
            elif self._adapters:
                with self.base.model.disable_adapter():
                    yield self.base.model
            else:
                yield self.base.model


_loaded: list[_Loaded] = []
"""The one that is in memory, if one is."""
_loading = threading.Lock()


def _model(folder: Path, adapters: Adapters | None) -> tuple[_Loaded, str]:
    """Return a model and the name of the adapter that is in use now; another model that was there is let go.

    Raises:
        LocalModelError: it cannot be loaded.
    """
    try:
        digest = check_base(folder)
        file = adapters.file_in_use(digest) if adapters is not None else None
        with _loading:
            if not _loaded or _loaded[0].digest != digest:
                _loaded.clear()
                base = load_base(folder)
                base.model.eval()
                _loaded.append(_Loaded(digest, base))
            held = _loaded[0]
            try:
                return held, held.put(file) if file else ""
            except UtataneError:
                _loaded.clear()
                raise
    except UtataneError as error:
        raise LocalModelError(
            model=folder.name, cause_ja=error.sentence("ja"), cause_en=error.sentence("en")
        ) from error
