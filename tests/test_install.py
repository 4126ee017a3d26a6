"""Setting up: what is asked of pip, with pip itself replaced (it needs a network)."""

from __future__ import annotations

from pathlib import Path

import pytest

import install

PROJECT = """
[project]
dependencies = ["apple>=1"]
[project.optional-dependencies]
dev = ["tester"]
[tool.utatane.extras-without-dependencies]
japanese = ["words>=5"]
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return what pip was called with, after `install`."""
    (tmp_path / "pyproject.toml").write_text(PROJECT, "utf-8")
    (tmp_path / "constraints.txt").write_text("apple==1\nwords==5\n", "utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "python").touch()
    monkeypatch.setattr(install, "ROOT", tmp_path)
    monkeypatch.setattr(install, "FOLDER", tmp_path / ".venv")
    monkeypatch.setattr(install, "PYTHON", tmp_path / ".venv" / "python")
    calls: list[list[str]] = []

    def call(command: list[str]) -> int:
        calls.append(command[command.index("--constraint") + 2 :])
        return 0

    monkeypatch.setattr("subprocess.call", call)
    return calls


def test_an_extra_comes_without_what_it_asks_for(asked: list[list[str]]) -> None:
    assert install.main(["japanese"]) == 0
    assert asked == [["apple>=1"], ["--no-deps", "words>=5"]]


def test_nothing_is_installed_twice(asked: list[list[str]]) -> None:
    install.main(["dev"])
    install.main([])
    assert asked == [["apple>=1", "tester"]]
    install.main(["dev", "japanese"])
    assert asked[1:] == [["--no-deps", "words>=5"]]


def test_another_pin_installs_anew(asked: list[list[str]]) -> None:
    install.main(["japanese"])
    (install.ROOT / "constraints.txt").write_text("apple==1\nwords==6\n", "utf-8")
    install.main(["japanese"])
    assert len(asked) == 4


def test_an_unknown_extra_is_refused(asked: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert install.main(["klingon"]) == 1
    assert "Known: dev, japanese." in capsys.readouterr().err
    assert asked == []


def test_a_pipe_that_knows_no_japanese_stops_nothing(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "said.txt").open("w", encoding="cp1252") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert install.main(["dev"]) == 0
    assert len(asked) == 1
