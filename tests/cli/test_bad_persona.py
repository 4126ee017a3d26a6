"""One persona that cannot be looked at keeps nobody from the others; every file that cannot be read is named."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent.services import open_services
from commands import doctor
from commands.line import run
from managers.integrity.inspection import examine
from managers.storage.paths import Home, PersonaPaths
from tests.cli.conftest import Shown, Told
from tests.cli.test_commands import transcript
from tests.ordinary import closed_to_all


@pytest.fixture
def folder(own_home: Home, capsys: Shown) -> Path:
    """Hazel's, after a talk; ねむ lives there as well."""
    assert run(["chat", "Hazel", "-m", "The lighthouse is lit again"]) == 0
    assert run(["chat", "ねむ", "-m", "おはよう"]) == 0
    capsys.readouterr()
    return own_home.persona("Hazel").folder


@pytest.fixture
def amiss(folder: Path) -> Path:
    """Something of ねむ's, who comes after Hazel, that can be mended."""
    path = folder.with_name("ねむ") / "notepad.txt.broken-20261120-120000"
    path.write_bytes(b"x")
    return path


def test_the_doctor_goes_on_and_names_what_cannot_be_read(folder: Path, tmp_path: Path, told: Told) -> None:
    assert run(["import", "transcript", transcript(tmp_path), "--persona", "Hazel", "--json"]) == 0
    assert (folder / "log_archives" / ".index" / "2024-05.index").exists()
    files = ["memory/recall_log.jsonl", "memory/emotion_log.json", "log_archives/2024-05.txt", "attachments/a.png"]
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    told()
    for names in (["rag_index"], ["log.txt"], ["."], files):
        with closed_to_all(*(folder / name for name in names)):
            run(["doctor", "--json"])
        found = told()
        said = " ".join(one["sentence"] for one in found if one["about"] == "Hazel" and one["state"] != "ok")
        assert all((folder / name).name in said for name in names), names
        assert not any("guest" in one["sentence"] for one in found)
        assert any(one["about"] == "ねむ" and "all readable" in one["sentence"] for one in found)


def test_the_doctor_and_mending_go_on_whatever_is_raised(
    folder: Path, amiss: Path, monkeypatch: pytest.MonkeyPatch, told: Told, capsys: Shown
) -> None:
    for target in ("look_at_indexes", "examine_files", "EmbedderChoice"):
        real = getattr(doctor, target)

        def broken(*given: Any, real: Any = real, **named: Any) -> Any:
            about = given[0].name if isinstance(given[0], PersonaPaths) else str(given[1:2])
            if "Hazel" in about:
                raise RecursionError("whatever")
            return real(*given, **named)

        with monkeypatch.context() as patched:
            patched.setattr(doctor, target, broken)
            assert run(["doctor", "--json"]) == 1
        found = told()
        assert [one["state"] for one in found if "whatever" in one["sentence"]] == ["problem"]
        assert any(one["about"] == "ねむ" for one in found)

    def failing(paths: PersonaPaths, *given: Any) -> Any:
        if paths.name == "Hazel":
            raise RecursionError("whatever")
        return examine(paths, *given)

    monkeypatch.setattr("agent.health.examine_files", failing)
    assert run(["mend", "--yes"]) == 1
    assert not amiss.exists()
    assert "whatever" in capsys.readouterr().err


def test_who_cannot_be_read_is_neither_here_nor_guest(own_home: Home, folder: Path, told: Told, capsys: Shown) -> None:
    mark = (folder / ".persona-id").read_bytes()
    with closed_to_all(folder / ".persona-id"):
        assert run(["personas", "list", "--json"]) == 0
        assert [one["name"] for one in told()] == ["ねむ"]
        assert run(["chat", "Hazel", "-m", "Hello"]) == 1
        assert ".persona-id" in capsys.readouterr().err
        run(["personas", "admit", "Hazel", "--yes"])
        with closing(open_services(own_home)) as services:
            assert [notice.code for notice in services.gather_notices()] == ["persona-unreadable"]
    assert (folder / ".persona-id").read_bytes() == mark
    record, _copy = sorted(own_home.admitted.iterdir())
    before = record.read_bytes()
    for closed in (record, own_home.admitted, own_home.installation_key):
        capsys.readouterr()
        with closed_to_all(closed):
            run(["personas", "list", "--json"])
            out, err = capsys.readouterr()
            assert (out, closed.name in err) == ("", True)
            run(["personas", "admit", "--all", "--yes"])
    assert record.read_bytes() == before
    assert run(["chat", "Hazel", "-m", "Hello"]) == 0
