"""`export` and `import archive`, as people script them."""

from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run


def test_a_persona_goes_out_with_a_passphrase_and_comes_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, words = tmp_path / "hazel.age", "きらきら a passphrase"
    run("chat", "Hazel", "-m", "My boat is green")
    (tmp_path / "words").write_text(words + "\n", "utf-8")
    made = lines(run("export", "Hazel", str(file), "--passphrase", "--json", given=words + "\n"))[0]
    assert file.read_bytes().startswith(b"age-encryption.org/v1\n")
    from_a_file = ["--passphrase-file", str(tmp_path / "words")]
    assert "Hazel" in run("import", "archive", str(file), *from_a_file, expect=1).stderr  # is there already
    back = ["import", "archive", str(file), "--persona", "Hazel Two"]
    assert "does not open" in run(*back, given="wrong\n", expect=1).stderr
    dry = lines(run(*back, *from_a_file, "--dry-run", "--json"))[0]
    assert (dry["files"], dry["dry_run"]) == (made["files"], True)
    monkeypatch.setenv("UTATANE_PASSPHRASE", words)
    assert run(*back).stdout.startswith("Hazel Two is back")
    log, copied = (home / "characters" / name / "log.txt" for name in ("Hazel", "Hazel Two"))
    assert copied.read_bytes() == log.read_bytes()
    assert [path for path in home.rglob("*") if path.is_file() and words.encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_the_conversation_a_card_and_a_brief_go_out_too(tmp_path: Path) -> None:
    run("chat", "Hazel", "-m", "My boat is green")
    for form, words in (
        ("markdown", "My boat is green"),
        ("html", "My boat is green"),
        ("brief", "## Before you part"),
    ):
        file = tmp_path / f"hazel.{form}"
        run("export", "Hazel", str(file), "--as", form)
        assert words in file.read_text("utf-8")
    file, none = tmp_path / "hazel.jsonl", tmp_path / "none.jsonl"
    refused = run("export", "Hazel", str(none), "--as", "jsonl", "--to", "2020-01-01", expect=1)
    assert "nothing of the talk" in refused.stderr
    assert not none.exists()
    run("export", "Hazel", str(file), "--as", "jsonl")
    back = lines(run("import", "transcript", str(file), "--persona", "Hazel", "--json"))[0]
    assert (back["added"], back["problems"]) == (0, 0)
    run("import", "transcript", str(file), "--persona", "Other")
    run("export", "Other", str(tmp_path / "again.jsonl"), "--as", "jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
