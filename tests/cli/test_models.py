"""Models on this computer, on the command line: listed, fetched with Ctrl-C in between, used, removed."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from agent.minds import graphics, known_models, model_files, recommending
from agent.minds.known_models import SmallModel
from agent.minds.recommending import Computer
from commands.line import run
from managers.fetching.fetch import Fetch
from managers.storage.paths import Home
from tests.cli.conftest import Told
from tests.fetching.model_registry import COMMIT, Registry, registry
from tests.gguf_files import gguf, text

DATA = gguf({"general.architecture": text("llama")}) + bytes(3_000_000)
TINY = SmallModel(
    "tiny:1b", 0.0, 1, 2048, sees=False, tools=False, thinks=False, languages=["ja", "en"], licence="MIT",
    as_of=date(2026, 1, 2), file_gigabytes=0.003, active=0.1, repository="somebody/tiny", revision=COMMIT,
    file="q4/tiny.gguf", ja="小さな試し。", en="A small one.",
)  # fmt: skip


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """One model is in the table, and huggingface.co is on this computer."""
    for module in (known_models, model_files, recommending):
        monkeypatch.setattr(module, "fetchable_models", lambda: [TINY])
    with registry(TINY.repository, {TINY.file: DATA}, frozenset({TINY.file})) as running:
        monkeypatch.setattr(model_files, "Fetch", lambda source, models: Fetch(source, models, running.address))
        yield running


def test_a_model_is_listed_fetched_used_and_removed(
    there: Registry, own_home: Home, told: Told, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["models", "list", "--json"]) == 0
    (one,) = told()
    assert (one["name"], one["recommended"], one["here"], one["speaks"]) == ("tiny:1b", True, False, [])
    monkeypatch.setattr(graphics, "graphics_card", lambda: "GeForce RTX 3060")
    assert run(["models", "list"]) == 0
    shown = capsys.readouterr().out
    with monkeypatch.context() as patch:
        for memory, disk, states in ((1.0, 10**12, (True, False)), (8.0, 0, (False, True))):
            patch.setattr(recommending, "this_computer", lambda _, m=memory, d=disk: Computer(m, 2, d))
            run(["models", "list", "--json"])
            (one,) = told()
            assert (one["too_large"], one["no_room"]) == states
    assert all(words in shown for words in ("tiny:1b", "2026-01-02", "GeForce RTX 3060"))
    there.mood = "cut"
    assert run(["models", "fetch", "tiny:1b"]) == 1
    assert "broke off" in capsys.readouterr().err
    there.mood = "well"
    assert run(["models", "fetch", "tiny:1b"]) == 0
    assert (own_home.models / "tiny-1b" / "tiny.gguf").read_bytes() == DATA
    assert any(asked.startswith("bytes=") for _, asked in there.requests)
    capsys.readouterr()
    run(["models", "list", "--json"])
    assert told()[0]["here"]
    assert run(["models", "use", "tiny:1b"]) == 1  # it has no chat template, and no weights
    assert '"tiny' in capsys.readouterr().err
    assert not own_home.settings.exists()  # what cannot speak is not chosen
    own_home.settings.write_text('[mind]\nprovider = "engine"\nmodel = "tiny:1b"\n', "utf-8")
    assert run(["models", "remove", "tiny:1b"]) == 1
    assert "everybody" in capsys.readouterr().err
    assert run(["models", "remove", "tiny:1b", "--yes"]) == 0
    assert not (own_home.models / "tiny-1b").exists()


def test_ctrl_c_keeps_what_has_come(there: Registry, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(words: str = "") -> None:
        if words and "(0%)" not in words:
            raise KeyboardInterrupt

    there.mood = "hangs on"
    monkeypatch.setattr("commands.models.show_passing", interrupt)
    assert run(["models", "fetch", "tiny:1b"]) == 130
    assert (home / "models" / "tiny-1b" / "tiny.gguf.part").stat().st_size > 0


def test_what_nobody_knows_is_said_with_what_there_is(there: Registry, own_home: Home, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"no model" * 9)
    for words in (["fetch", "another"], ["use", "another"], ["remove", "another"], ["use", str(tmp_path / "x.gguf")]):
        assert run(["models", *words]) == 1
    assert there.requests == []
    assert not own_home.settings.exists()
