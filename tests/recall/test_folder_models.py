"""Sentence models in folders, through the real libraries: tiny ones, and ones that are not what they should be."""

import importlib.util
import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from managers.recall.embedders.folder_model import FolderEmbedder
from managers.recall.embedders.offered import Folder
from managers.recall.embedders.tensors import UnreadableTensorsError, read_tensors
from managers.recall.errors import EmbeddingError
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk, caught_up, codes
from tests.recall.tiny_models import TABLE, WORDS, gathering, write_onnx, write_static, write_tensors

pytest.importorskip("tokenizers")
pytest.importorskip("onnxruntime")

Write = Callable[[Path], Path]


def loaded(folder: Path) -> FolderEmbedder:
    embedder = FolderEmbedder(Folder(folder, "tiny"))
    embedder.load()
    return embedder


@pytest.mark.parametrize("write", [write_onnx, write_static])
def test_a_sentence_is_the_mean_of_its_tokens(tmp_path: Path, write: Write) -> None:
    embedder = loaded(write(tmp_path / "model"))
    vectors = embedder.passages(["crane river", "鶴 川", "oven", "piano crane bread"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    expected = TABLE[WORDS.index("crane")] + TABLE[WORDS.index("river")]
    assert vectors[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5)  # padding counts for nothing
    like, unlike = vectors[1:3] @ vectors[0]
    assert like > 0.9
    assert unlike < 0.4
    assert embedder.query("crane river")[0] == pytest.approx(vectors[0], abs=1e-5)
    assert embedder.passages([]).shape[0] == 0
    odd = embedder.passages(["", " ", "\0", "river " * 5000, "🦢", "x" * 100_000])
    assert np.isfinite(odd).all()
    assert (np.linalg.norm(odd, axis=1) < 1.001).all()


def test_weights_and_a_shared_table_are_followed(tmp_path: Path) -> None:
    folder = write_static(tmp_path / "model")
    rows = np.array([0, 0, 1, 1, 2, 2, 3, 1, 1], np.int32)
    table = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float16)
    weights = np.array([1, 1, 3, 1, 1, 1, 1, 1, 1], np.float32)
    write_tensors(folder / "model.safetensors", {"embeddings": table, "mapping": rows, "weights": weights})
    vectors = loaded(folder).passages(["crane bread"])
    assert vectors[0] == pytest.approx(np.array([3, 1]) / np.sqrt(10), abs=1e-3)


@pytest.mark.parametrize("write", [write_onnx, write_static])
def test_a_folder_is_chosen_in_the_settings(open_recall: Open, talk: Talk, tmp_path: Path, write: Write) -> None:
    folder = write(tmp_path / "model")
    talk.user("crane river", "bread")
    recall = caught_up(open_recall(RecallSettings(embedder="sentence-model", embedder_model=str(folder))))
    assert recall.status().notices == ()
    hits = recall.search("oven", 1)
    assert hits[0].text == "bread"
    assert dict(hits[0].why)["semantic"] > 0
    other = open_recall(RecallSettings(embedder="sentence-model", embedder_model=str(folder)))
    assert other._choice.chosen.inner is recall._choice.chosen.inner  # type: ignore[union-attr]  # a cache around it


def test_what_is_missing_is_said(
    open_recall: Open, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.user("bread")
    for model in ("minilm", str(tmp_path / "nothing")):
        recall = open_recall(RecallSettings(embedder="sentence-model", embedder_model=model))
        recall.catch_up()
        assert recall.search("bread")
        assert "embedder-missing" in codes(recall)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    folder = write_onnx(tmp_path / "model")
    recall = open_recall(RecallSettings(embedder="sentence-model", embedder_model=str(folder)))
    (notice,) = recall.status().notices
    assert "tokenizers, onnxruntime" in notice.en


def tensors(header: object, data: bytes = b"\0" * 64) -> bytes:
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


ONE = {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}
NO_TENSORS = (
    b"",
    b"\x80\x04\x95pickle",
    struct.pack("<Q", 1 << 60) + b"{}",
    struct.pack("<Q", 4) + b"\xff\xfe{}",
    struct.pack("<Q", 100_000) + b"[" * 100_000 + b" ",
    tensors([ONE]),
    tensors({"embeddings": {**ONE, "data_offsets": [0, 320]}}),
    tensors({"embeddings": {**ONE, "data_offsets": [-32, 0]}}),
    tensors({"embeddings": {**ONE, "shape": [2, 5]}}),
    tensors({"embeddings": {**ONE, "shape": [1 << 50, 1 << 50]}}),
    tensors({"embeddings": {**ONE, "shape": [True, 8]}}),
    tensors({"embeddings": {**ONE, "shape": [0, 4], "data_offsets": [0, 0]}}),
    tensors({"embeddings": {**ONE, "dtype": "O"}}),
)


def test_a_file_that_is_no_tensors_no_onnx_or_no_tokenizer_is_refused(tmp_path: Path) -> None:
    static, onnx = write_static(tmp_path / "static"), write_onnx(tmp_path / "onnx")
    for data in NO_TENSORS:
        (static / "model.safetensors").write_bytes(data)
        with pytest.raises(UnreadableTensorsError):
            read_tensors(static / "model.safetensors")
        with pytest.raises(EmbeddingError):
            loaded(static)
    for data in (b"", b"no protobuf", gathering(TABLE)[:-40], b"\x80\x04\x95pickle"):
        (onnx / "model.onnx").write_bytes(data)
        with pytest.raises(EmbeddingError):
            loaded(onnx)
    write_static(static)
    for data in (b"", b"{", b'{"model": {"type": "WordLevel"}}', b"\xff"):
        (static / "tokenizer.json").write_bytes(data)
        with pytest.raises(EmbeddingError):
            loaded(static)
