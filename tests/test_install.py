"""Setting up: what is asked of pip, with pip itself replaced (it needs a network)."""

import os
import subprocess
import time
from pathlib import Path

import pytest

import install

PROJECT = """
[project]
dependencies = ["apple>=1"]
[project.optional-dependencies]
dev = ["tester"]
[tool.utatane]
extras-by-default = ["japanese", "engine"]
extras-with-dev = ["engine"]
[tool.utatane.extras-without-dependencies]
japanese = ["words>=5"]
engine = ["motor>=3"]
other = ["bare"]
"""
WORDS, MOTOR = (["--no-deps", "--only-binary", ":all:", package] for package in ("words>=5", "motor>=3"))


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

    def call(command: list[str], stderr: int | None = None) -> int:
        calls.append([one for one in command[command.index("--constraint") + 2 :] if one not in install._BRIEFLY])
        return 0

    monkeypatch.setattr("subprocess.call", call)
    return calls


@pytest.fixture
def offline(asked: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let the Japanese word vectors, and they alone, be out of reach."""
    online = subprocess.call

    def call(command: list[str], stderr: int | None = None) -> int:
        return online(command, stderr=stderr) or int("words>=5" in command)

    monkeypatch.setattr("subprocess.call", call)
    return asked


def test_an_extra_comes_without_what_it_asks_for(asked: list[list[str]]) -> None:
    assert install.main(["other"]) == 0
    assert asked[:2] == [["apple>=1"], [*MOTOR[:3], "bare"]]


def test_the_japanese_word_vectors_come_unasked(asked: list[list[str]]) -> None:
    assert install.main([]) == 0
    assert asked == [["apple>=1"], WORDS, MOTOR]


def test_the_unasked_stops_nothing_and_is_retried(offline: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert install.main([]) == 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "日本語の単語ベクトル" in said
    assert install.main([]) == 0  # no start waits for it
    assert capsys.readouterr() == ("", "")
    assert offline == [["apple>=1"], WORDS, MOTOR]  # one comes though the other does not
    yesterday = time.time() - 25 * 3600
    os.utime(install.FOLDER / "tried-japanese", (yesterday, yesterday))
    assert install.main([]) == 0
    assert offline[3:] == [WORDS]


def test_what_is_asked_for_by_name_is_tried_at_once_and_its_failure_is_one(offline: list[list[str]]) -> None:
    install.main([])
    assert install.main(["japanese"]) == 1
    assert len(offline) == 4


def test_nothing_is_installed_twice(asked: list[list[str]]) -> None:
    install.main(["dev"])
    assert asked == [["apple>=1", "tester"], MOTOR]  # tests are quick without the rest that comes unasked
    install.main([])
    assert asked[2:] == [WORDS]
    install.main(["dev", "other"])
    assert asked[3:] == [[*MOTOR[:3], "bare"]]


def test_another_pin_installs_anew(asked: list[list[str]]) -> None:
    install.main([])
    (install.ROOT / "constraints.txt").write_text("apple==1\nwords==6\n", "utf-8")
    install.main([])
    assert len(asked) == 6


def test_an_unknown_extra_is_refused(asked: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert install.main(["klingon"]) == 1
    assert "Known: dev, japanese, engine, other." in capsys.readouterr().err
    assert asked == []


def test_an_ascii_pipe_stops_nothing(asked: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "said.txt").open("w", encoding="cp1252") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert install.main(["dev"]) == 0
    assert len(asked) == 2
