"""Sentence embeddings from a folder, without PyTorch: an ONNX model, or a static table of word vectors.

A folder holds `tokenizer.json` and either `model.onnx` (a transformer, run by onnxruntime; its tokens' mean is the
sentence's vector) or `model.safetensors` (a row for each token, as model2vec and StaticEmbedding write them).
"""

import importlib.util
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors
from managers.recall.embedders.local import LocalEmbedder, first_line
from managers.recall.embedders.offered import Folder
from managers.recall.embedders.tensors import UnreadableTensorsError, read_tensors
from managers.recall.errors import EmbeddingError
from managers.storage.errors import Notice, UtataneError
from managers.storage.files import read_bytes
from managers.storage.texts import Texts

_say = Texts("notices/recall")

_ONNX: Final = ("model.onnx", "model_optimized.onnx", "onnx/model.onnx")
_TABLE: Final = ("model.safetensors", "0_StaticEmbedding/model.safetensors")
_TOKENIZERS: Final = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")
_MOST_BYTES: Final = 4 << 30
_TOKENIZER_BYTES: Final = 64 << 20
_CONFIG_BYTES: Final = 1 << 20
_PROVIDERS: Final = ("CUDAExecutionProvider", "DmlExecutionProvider", "CPUExecutionProvider")
"""Where onnxruntime computes, the fastest first; which there are depends on how it was installed."""
_THREADS: Final = max(1, min(4, (os.cpu_count() or 2) // 2))
_TOKENS_WITHOUT_A_WORD: Final = ("[UNK]", "<unk>")
_PADDINGS: Final = ("<pad>", "[PAD]")
_SENTENCES, _TOKENS = 2, 3
"""How many dimensions an answer has whose rows are sentences, or tokens."""


def lacking(folder: Path) -> tuple[str, ...]:
    """Return the packages that a model in a folder needs and that are not installed."""
    return lacking_for(is_onnx=_first(folder, _ONNX) is not None)


def lacking_for(*, is_onnx: bool) -> tuple[str, ...]:
    """Return the packages that a model of a kind needs and that are not installed."""
    needed = ("tokenizers", "onnxruntime") if is_onnx else ("tokenizers",)
    return tuple(name for name in needed if importlib.util.find_spec(name) is None)


def holds_model(folder: Path) -> bool:
    """Whether there is a model in a folder."""
    return _first(folder, _TOKENIZERS) is not None and _first(folder, (*_ONNX, *_TABLE)) is not None


class FolderEmbedder(LocalEmbedder):
    """A model in a folder."""

    def __init__(self, folder: Folder) -> None:
        """Take the folder; nothing is read yet but how large the model is."""
        super().__init__(folder.title)
        self._folder = folder
        self._onnx = _first(folder.path, _ONNX)
        self._file = self._onnx or _first(folder.path, _TABLE)
        self._size = self._file.stat().st_size if self._file else 0
        self._tokenizer: Any = None
        self._session: Any = None
        self._inputs: frozenset[str] = frozenset()
        self._padding = 0
        self._table: npt.NDArray[Any] = np.zeros((0, 0), np.float32)
        self._weights: npt.NDArray[Any] | None = None
        self._rows: npt.NDArray[Any] | None = None
        self._unknown: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        return f"{'onnx' if self._onnx else 'table'}:{self._folder.title}:{self._size}"

    @property
    def factor(self) -> float:
        return self._folder.factor

    def _load(self) -> None:
        if missing := lacking(self._folder.path):
            raise EmbeddingError(cause=f"{', '.join(missing)}: not installed")
        tokenizer = _first(self._folder.path, _TOKENIZERS)
        if self._file is None or tokenizer is None or self._size > _MOST_BYTES:
            raise EmbeddingError(cause=f"{self._folder.path}: no model")
        try:
            self._load_tokenizer(tokenizer)
            if self._onnx:
                self._load_onnx(self._file)
            else:
                self._load_table(self._file)
        except UtataneError:
            raise
        except Exception as error:  # a library's own, of any kind: the file is not what it should be
            raise EmbeddingError(cause=first_line(error)) from error

    def _load_tokenizer(self, path: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  # an extra

        data = read_bytes(path, _TOKENIZER_BYTES) or b""
        self._tokenizer = Tokenizer.from_str(data.decode("utf-8"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._folder.tokens)
        ids = (self._tokenizer.token_to_id(word) for word in _TOKENS_WITHOUT_A_WORD)
        self._unknown = frozenset(number for number in ids if number is not None)
        paddings = (self._tokenizer.token_to_id(word) for word in _PADDINGS)
        self._padding = next((number for number in paddings if number is not None), 0)

    def _load_onnx(self, path: Path) -> None:
        import onnxruntime  # noqa: PLC0415  # an extra that takes a second to load

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _THREADS
        options.log_severity_level = 4
        there = set(onnxruntime.get_available_providers())
        providers = [one for one in _PROVIDERS if one in there]
        self._session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        self._inputs = frozenset(one.name for one in self._session.get_inputs())

    def _load_table(self, path: Path) -> None:
        tensors = read_tensors(path)
        table = tensors.get("embeddings", tensors.get("embedding.weight"))
        if table is None or table.ndim != _SENTENCES:
            raise UnreadableTensorsError("no table of vectors")
        self._table, self._rows, self._weights = table, tensors.get("mapping"), tensors.get("weights")
        config = read_bytes(path.with_name("config.json"), _CONFIG_BYTES)
        held = json.loads(config) if config else {}
        if not isinstance(held, dict):
            raise UnreadableTensorsError("a configuration that is no table")

    def _encode(self, texts: list[str]) -> Vectors:
        if self._session is not None:
            return self._sentences(self._tokenizer.encode_batch(texts))
        return np.stack([self._mean(one.ids) for one in self._tokenizer.encode_batch(texts, add_special_tokens=False)])

    def _sentences(self, encodings: Sequence[Any]) -> Vectors:
        """Return what a transformer makes of some sentences."""
        longest = max(1, *(len(one.ids) for one in encodings), 1)
        ids = np.full((len(encodings), longest), self._padding, np.int64)
        mask = np.zeros((len(encodings), longest), np.int64)
        for row, one in enumerate(encodings):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        answers = self._session.run(None, {name: given[name] for name in self._inputs})
        whole = next((one for one in answers if one.ndim == _SENTENCES), None)
        if whole is not None:
            return np.asarray(whole, np.float32)
        tokens = next(one for one in answers if one.ndim == _TOKENS).astype(np.float32)
        share = mask[:, :, None].astype(np.float32)
        mean: Vectors = (tokens * share).sum(axis=1) / np.maximum(share.sum(axis=1), 1)
        return mean

    def _mean(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        known = np.array([number for number in ids if number not in self._unknown], np.int64)
        if not len(known):
            return np.zeros(self._table.shape[1], np.float32)
        rows = known if self._rows is None else np.asarray(self._rows)[known]
        vectors = np.asarray(self._table[rows], np.float32)
        if self._weights is not None:
            vectors = vectors * np.asarray(self._weights[known], np.float32).reshape(-1, 1)
        mean: npt.NDArray[np.float32] = vectors.mean(axis=0)
        return mean


def _first(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the first of some files that is there, a plain one."""
    return next((path for name in names if (path := folder / name).is_file()), None)


def missing_notice(folder: Folder) -> Notice:
    """Say what is missing: the model, or the packages that read it."""
    packages = ", ".join(lacking(folder.path))
    if holds_model(folder.path):
        return _say.notice("embedder-missing.packages", packages=packages)
    return _say.notice("embedder-missing.folder", title=folder.title)
