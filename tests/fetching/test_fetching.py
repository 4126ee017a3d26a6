"""A model is fetched as the registry describes it, or not at all, whatever comes."""

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from managers.fetching.errors import FetchError
from managers.fetching.fetch import Fetch
from managers.fetching.fetched import is_fetched, is_intact
from managers.recall.embedders.offered import OfferedModel, offered
from managers.storage.errors import DiskFullError
from tests.disks import small_disk
from tests.fetching.model_registry import COMMIT, Mood, Registry, registry

MODEL = OfferedModel(
    "tiny", "Tiny", "somebody/tiny", COMMIT, {"model.onnx": "onnx/model.onnx", "tokenizer.json": "tokenizer.json"},
    4, 128, "MIT", "小さい", "small",
)  # fmt: skip
FILES = {"onnx/model.onnx": bytes(range(256)) * 12_000, "tokenizer.json": b"{}" * 50, "evil/../../x": b"x"}


@pytest.fixture
def there() -> Iterator[Registry]:
    with registry(MODEL.repository, dict(FILES), frozenset({"onnx/model.onnx"})) as running:
        yield running


def fetch(there: Registry, folder: Path, model: OfferedModel = MODEL) -> Fetch:
    return Fetch(model.source, folder, there.address)


def run(one: Fetch) -> None:
    for _ in one.fetch(threading.Event()):
        pass


def held(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def test_a_model_comes_whole_and_says_what_it_is(there: Registry, tmp_path: Path) -> None:
    one = fetch(there, tmp_path)
    run(one)
    assert (tmp_path / "tiny" / "model.onnx").read_bytes() == FILES["onnx/model.onnx"]
    assert held(tmp_path) == {"tiny/model.onnx", "tiny/tokenizer.json", "tiny/model.json"}
    assert one.done == one.total == len(FILES["onnx/model.onnx"]) + len(FILES["tokenizer.json"])
    assert json.loads((tmp_path / "tiny" / "model.json").read_text())["commit"] == COMMIT
    assert is_fetched(MODEL.name, tmp_path)
    asked = len(there.requests)
    run(fetch(there, tmp_path))
    assert len(there.requests) == asked  # what is there is only looked at
    unpinned = tmp_path / "unpinned"
    run(fetch(there, unpinned, replace(MODEL, revision="main")))
    assert json.loads((unpinned / "tiny" / "model.json").read_text())["commit"] == COMMIT


@pytest.mark.parametrize("mood", ["well", "no ranges", "lying ranges"])
def test_what_broke_off_goes_on_where_it_stopped(there: Registry, tmp_path: Path, mood: Mood) -> None:
    there.mood, newest = "cut", replace(MODEL, revision="main")
    with pytest.raises(FetchError):
        run(fetch(there, tmp_path, newest))
    assert not is_fetched(MODEL.name, tmp_path)
    had = (tmp_path / "tiny" / "model.onnx.part").stat().st_size
    assert 0 < had < len(FILES["onnx/model.onnx"])
    there.mood, there.commit = mood, "b" * 40  # there is a newer one meanwhile
    if mood == "lying ranges":  # nothing is put behind what it does not belong to
        with pytest.raises(FetchError):
            run(fetch(there, tmp_path, newest))
        assert not is_fetched(MODEL.name, tmp_path)
        there.mood, there.commit = "well", COMMIT
    run(fetch(there, tmp_path, newest))
    assert (tmp_path / "tiny" / "model.onnx").read_bytes() == FILES["onnx/model.onnx"]
    assert ("/kept/onnx/model.onnx", f"bytes={had}-") in there.requests
    assert json.loads((tmp_path / "tiny" / "model.json").read_text())["commit"] == COMMIT


def test_what_fails_is_said_in_one_sentence_and_what_is_not_as_it_was_described_is_thrown_away(
    there: Registry, tmp_path: Path
) -> None:
    kinds: dict[Mood, str] = {"wrong": "wrong", "larger": "wrong", "elsewhere": "unknown", "round": "unknown",
        "gone": "gone", "ill": "refused", "crowded": "crowded", "cut": "cut"}  # fmt: skip
    for there.mood, kind in kinds.items():
        with pytest.raises(FetchError) as caught:
            run(fetch(there, tmp_path))
        assert caught.value.facts["kind"] == kind
        kept = {"cut": ["model.json.part", "model.onnx.part"], "crowded": ["model.json.part"]}.get(kind, [])
        assert sorted(Path(name).name for name in held(tmp_path)) == kept, there.mood
        assert "Tiny" in caught.value.sentence("ja")
    assert "49 percent" in caught.value.sentence("en")
    there.mood = "well"
    (tmp_path / "tiny" / "model.onnx.part").write_bytes(b"not of this file")
    with pytest.raises(FetchError):
        run(fetch(there, tmp_path))
    assert held(tmp_path) == set()
    run(fetch(there, tmp_path))
    assert is_fetched(MODEL.name, tmp_path)


def test_room_is_looked_for_first_and_a_disk_that_fills_meanwhile_is_said(there: Registry, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "2M") as disk, pytest.MonkeyPatch.context() as patch:
        with pytest.raises(FetchError, match="GB are free"):
            run(fetch(there, disk))
        assert held(disk) == {"tiny/model.json.part"}
        patch.setattr("managers.fetching.fetch.SPARE_BYTES", -(10**9))
        with pytest.raises(DiskFullError):
            run(fetch(there, disk))
        assert (disk / "tiny" / "model.onnx.part").stat().st_size > 1_000_000


def test_a_file_that_was_changed_after_it_was_fetched_is_found_out(there: Registry, tmp_path: Path) -> None:
    run(fetch(there, tmp_path))
    file, manifest = tmp_path / "tiny" / "model.onnx", tmp_path / "tiny" / "model.json"
    data, later = file.read_bytes(), manifest.stat().st_mtime_ns + 10**9
    assert is_intact(file)
    os.utime(file, ns=(later, later))  # copied: it is read once more
    assert is_intact(file)
    for changed in (data + b"x", data[:-1], b"x" + data[1:]):
        file.write_bytes(changed)
        os.utime(file, ns=(later + 10**12, later + 10**12))
        assert not is_intact(file)
    assert is_intact(manifest)


def test_a_registry_that_tells_nonsense_gives_nothing(there: Registry, tmp_path: Path) -> None:
    model = {"path": "onnx/model.onnx"}
    for there.told in (
        [],
        [None, 3],
        [{**model, "size": -1, "oid": "a" * 40}],
        [{**model, "size": 10, "oid": "../../x"}],
        [{**model, "size": "10", "lfs": {"oid": "b" * 64}}],
        [{"path": path, "size": 10**12, "lfs": {"oid": "b" * 64, "size": 10**12}} for path in FILES],
    ):
        with pytest.raises(FetchError):
            run(fetch(there, tmp_path))
        assert held(tmp_path) == set(), there.told


def test_it_can_be_stopped_and_goes_on_and_nobody_there_is_said(there: Registry, tmp_path: Path) -> None:
    there.mood = "hangs on"
    one, stopped = fetch(there, tmp_path), threading.Event()
    for done, _ in one.fetch(stopped):
        if done >= 1_000_000:
            stopped.set()
            there.going_on.set()
    assert 1_000_000 <= (tmp_path / "tiny" / "model.onnx.part").stat().st_size < one.total
    there.mood = "well"
    run(one)
    assert is_fetched(MODEL.name, tmp_path)
    with pytest.raises(FetchError, match="Check the network"):
        run(Fetch(MODEL.source, tmp_path / "other", "http://127.0.0.1:9"))


def test_what_is_offered_can_be_fetched() -> None:
    assert "minilm" in offered()
    for model in offered().values():
        assert all("/" not in name and not name.startswith(".") for name in model.files)
        assert model.licence in {"MIT", "Apache-2.0"}
        assert model.ja
        assert model.en
