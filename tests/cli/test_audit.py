"""`audit` as people script it."""

from pathlib import Path

from tests.cli.test_commands import lines, run, transcript


def test_exports_imports_and_undo_are_listed_and_a_hand_on_the_record_is_told(home: Path, tmp_path: Path) -> None:
    assert lines(run("audit", "Hazel", "--json")) == []
    assert "Nothing has left" in run("audit", "Hazel").stdout
    run("export", "Hazel", str(tmp_path / "hazel.zip"))
    run("import", "transcript", transcript(tmp_path), "--persona", "Hazel")
    imported, exported = lines(run("audit", "Hazel", "--json"))
    assert (imported["kind"], imported["counts"], imported["to"]) == ("import", {"messages": 1}, "this computer")
    assert (exported["kind"], exported["message_ids"], exported["masked"]) == ("export", [], False)
    assert "Exported to a file  files: " in run("audit", "Hazel").stdout
    (path,) = (home / "characters" / "Hazel" / "memory").glob("audit_*.jsonl")
    path.write_text(path.read_text("utf-8").replace("export", "import", 1), "utf-8")
    assert f"line 1 of {path.name}" in run("audit", "Hazel", expect=1).stderr
