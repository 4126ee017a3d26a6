"""Files that a form brings for an import lie as they stood, and none takes another's place."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from agent.import_jobs import ImportJobs
from agent.import_uploads import lay
from agent.services import Services, open_services
from managers.storage.paths import Home
from tests.fakes import HandClock


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(open_services(Home(tmp_path / "home"), HandClock(), Random(1))) as opened:
        yield opened


def test_files_whose_names_are_the_same_on_the_disk_are_all_kept(tmp_path: Path) -> None:
    names = ["room/a?.txt", "room/a*.txt", "room/a_.txt", "room/b/a_.txt"]
    laid = lay(tmp_path, [(name, lambda path, name=name: path.write_text(name, "utf-8")) for name in names])  # type: ignore[misc]  # a default binds it
    assert laid == tmp_path / "room"
    found = {path.relative_to(laid).as_posix(): path.read_text("utf-8") for path in laid.rglob("*.txt")}
    assert sorted(found.values()) == sorted(names)
    assert {"a_.txt", "a_ 2.txt", "a_ 3.txt", "b/a_.txt"} == set(found)


def test_what_a_killed_process_of_the_same_number_left_joins_no_upload(services: Services) -> None:
    left = services.home.importing / f"{os.getpid()}-upload1" / "chats" / "mei.txt"
    left.parent.mkdir(parents=True)
    left.write_text("13/03/2024, 10:00 - Emma: Hello Mei\n13/03/2024, 10:01 - Mei: Hello\n", "utf-8")
    with closing(ImportJobs(services)) as jobs:
        said = "13/03/2024, 10:00 - Emma: Hello Aki\n13/03/2024, 10:01 - Aki: Hello\n"
        sent = [
            ("chats/aki.txt", lambda path: path.write_text(said, "utf-8")),
            ("chats/x.md", lambda path: path.touch()),
        ]
        jobs.look_at_upload(sent, None)
        jobs.settle()
        assert jobs.current is not None
        assert jobs.current.found is not None
        assert {name for _, name, _ in jobs.current.found.speakers} == {"Emma", "Aki"}
