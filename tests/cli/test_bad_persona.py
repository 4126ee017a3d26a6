"""One persona that cannot be looked at keeps nobody from the others; every file that cannot be read is named."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent.services import open_services
from commands import doctor
from commands.line import run
from managers.integrity.inspection import examine
from managers.storage.paths import Home, PersonaPaths
from tests.ordinary import closed_to_all

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def folder(own_home: Home, capsys: Shown) -> Path:
    """Hazel's, after a talk; ねむ lives there as well."""
    assert run(["chat", "Hazel", "-m", "The lighthouse is lit again"]) == 0
    assert run(["chat", "ねむ", "-m", "おはよう"]) == 0
    capsys.readouterr()
    return own_home.persona("Hazel").folder


def findings(shown: Shown) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shown.readouterr().out.splitlines()]


def assert_others_are_looked_at(found: list[dict[str, Any]]) -> None:
    """ねむ comes after Hazel."""
    assert any(one["about"] == "ねむ" and "all readable" in one["sentence"] for one in found)


@pytest.mark.parametrize("name", [".history", "rag_index", "log_archives", "memory", "log.txt", "."])
def test_the_doctor_goes_on_to_the_others_and_names_what_cannot_be_read(folder: Path, name: str, capsys: Shown) -> None:
    (folder / "log_archives").mkdir(exist_ok=True)
    with closed_to_all(folder / name):
        run(["doctor", "--json"])
    found = findings(capsys)
    about_hazel = [one for one in found if one["about"] == "Hazel" and one["state"] != "ok"]
    assert any((folder / name).name in one["sentence"] for one in about_hazel)
    assert not any("guest" in one["sentence"] for one in found)
    assert_others_are_looked_at(found)


@pytest.mark.parametrize("target", ["look_at_indexes", "examine_files", "EmbedderChoice"])
def test_the_doctor_goes_on_whatever_is_raised(
    folder: Path, target: str, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    real = getattr(doctor, target)

    def broken(*given: Any, **named: Any) -> Any:
        paths = given[0] if isinstance(given[0], PersonaPaths) else None
        if (paths and paths.name == "Hazel") or (target == "EmbedderChoice" and "Hazel" in str(given[1])):
            raise RecursionError("whatever")
        return real(*given, **named)

    monkeypatch.setattr(doctor, target, broken)
    assert run(["doctor", "--json"]) == 1
    found = findings(capsys)
    assert [one["state"] for one in found if "whatever" in one["sentence"]] == ["problem"]
    assert_others_are_looked_at(found)


def test_the_doctor_names_every_file_that_cannot_be_read(folder: Path, capsys: Shown) -> None:
    names = ["memory/recall_log.jsonl", "memory/emotion_log.json", "log_archives/2024-05.txt", "attachments/a.png"]
    said = {"id": "a:1", "time": "2024-05-01T10:00:00", "role": "user", "speaker": "Aoi", "text": "My boat is green"}
    file = folder.parent / "chat.jsonl"
    file.write_text(json.dumps(said) + "\n", "utf-8")
    assert run(["import", "transcript", str(file), "--persona", "Hazel"]) == 0
    assert (folder / "log_archives" / ".index" / "2024-05.index").exists()
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    capsys.readouterr()
    with closed_to_all(*(folder / name for name in names)):
        run(["doctor", "--json"])
    found = findings(capsys)
    told = " ".join(one["sentence"] for one in found if one["about"] == "Hazel")
    assert all(Path(name).name in told for name in names)
    assert "all readable" not in told


def test_very_many_files_that_cannot_be_read_are_counted(folder: Path, capsys: Shown) -> None:
    cards = [folder / "entity_memory" / f"{number}.md" for number in range(30)]
    cards[0].parent.mkdir()
    for card in cards:
        card.write_text("# Entity Memory: x\n", "utf-8")
    with closed_to_all(*cards):
        run(["doctor", "--json"])
    told = [one["sentence"] for one in findings(capsys) if one["about"] == "Hazel"]
    assert len([one for one in told if "entity_memory" in one]) == 20
    assert any("10 more files" in one for one in told)


@pytest.mark.parametrize("name", [".history", "rag_index", "log.txt", "."])
def test_mending_goes_on_to_the_others(folder: Path, name: str, capsys: Shown) -> None:
    other = folder.with_name("ねむ")
    (other / "notepad.txt.broken-20261120-120000").write_bytes(b"x")
    with closed_to_all(folder / name):
        run(["mend", "--yes"])
    out, err = capsys.readouterr()
    assert "notepad.txt.broken-20261120-120000" in out
    assert (folder / name).name in out + err
    assert not (other / "notepad.txt.broken-20261120-120000").exists()


def test_mending_goes_on_whatever_is_raised(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:

    def broken(paths: PersonaPaths, *given: Any) -> Any:
        if paths.name == "Hazel":
            raise RecursionError("whatever")
        return examine(paths, *given)

    monkeypatch.setattr("agent.health.examine_files", broken)
    other = folder.with_name("ねむ") / "notepad.txt.broken-20261120-120000"
    other.write_bytes(b"x")
    assert run(["mend", "--yes"]) == 1
    assert not other.exists()
    assert "whatever" in capsys.readouterr().err


def test_whoever_cannot_be_read_is_neither_here_nor_a_guest(own_home: Home, folder: Path, capsys: Shown) -> None:
    mark = (folder / ".persona-id").read_bytes()
    with closed_to_all(folder / ".persona-id"):
        assert run(["personas", "list", "--json"]) == 0
        out, err = capsys.readouterr()
        assert [json.loads(line)["name"] for line in out.splitlines()] == ["ねむ"]
        assert ".persona-id" in err
        assert run(["chat", "Hazel", "-m", "Hello"]) == 1
        assert ".persona-id" in capsys.readouterr().err
        run(["personas", "admit", "Hazel", "--yes"])
        with closing(open_services(own_home)) as services:
            assert [notice.code for notice in services.gather_notices()] == ["persona-unreadable"]
    assert (folder / ".persona-id").read_bytes() == mark
    assert run(["chat", "Hazel", "-m", "Hello"]) == 0


def test_a_record_that_cannot_be_read_makes_nobody_a_guest(own_home: Home, folder: Path, capsys: Shown) -> None:
    (record,) = own_home.admitted.iterdir()
    before = record.read_bytes()
    for closed in (record, own_home.admitted, own_home.installation_key):
        with closed_to_all(closed):
            run(["personas", "list", "--json"])
            out, err = capsys.readouterr()
            assert (out, closed.name in err) == ("", True)
            run(["personas", "admit", "--all", "--yes"])
            capsys.readouterr()
    assert record.read_bytes() == before
    assert run(["chat", "Hazel", "-m", "Hello"]) == 0
