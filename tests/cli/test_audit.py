"""`audit` as people script it."""

from pathlib import Path

from tests.cli.test_commands import lines, run


def test_exports_imports_and_undo_are_listed_and_a_hand_on_the_record_is_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert lines(run("audit", "Hazel", "--json", home=home)) == []
    assert "Nothing has left" in run("audit", "Hazel", home=home).stdout
    run("export", "Hazel", str(tmp_path / "hazel.zip"), home=home)
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text(
        '{"id": "D1:1", "time": "2026-01-02T22:00:00", "role": "user", "speaker": "Sara", "text": "Hello"}\n', "utf-8"
    )
    run("import", "transcript", str(transcript), "--persona", "Hazel", home=home)
    imported, exported = lines(run("audit", "Hazel", "--json", home=home))
    assert (imported["kind"], imported["counts"], imported["to"]) == ("import", {"messages": 1}, "this computer")
    assert (exported["kind"], exported["message_ids"], exported["masked"]) == ("export", [], False)
    assert "Exported to a file  files: " in run("audit", "Hazel", home=home).stdout
    (path,) = (home / "characters" / "Hazel" / "memory").glob("audit_*.jsonl")
    path.write_text(path.read_text("utf-8").replace("export", "import", 1), "utf-8")
    changed = run("audit", "Hazel", home=home, expect=1)
    assert f"line 1 of {path.name}" in changed.stderr
