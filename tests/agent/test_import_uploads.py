"""Files that a form brings for an import lie as they stood, and none takes another's place."""

from pathlib import Path

from agent.import_uploads import lay


def test_files_whose_names_are_the_same_on_the_disk_are_all_kept(tmp_path: Path) -> None:
    names = ["room/a?.txt", "room/a*.txt", "room/a_.txt", "room/b/a_.txt"]
    laid = lay(tmp_path, [(name, lambda path, name=name: path.write_text(name, "utf-8")) for name in names])  # type: ignore[misc]  # a default binds it
    assert laid == tmp_path / "room"
    found = {path.relative_to(laid).as_posix(): path.read_text("utf-8") for path in laid.rglob("*.txt")}
    assert sorted(found.values()) == sorted(names)
    assert {"a_.txt", "a_ 2.txt", "a_ 3.txt", "b/a_.txt"} == set(found)
