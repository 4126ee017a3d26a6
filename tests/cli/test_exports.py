"""`export` and `import archive`, as people script them."""

from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run


@pytest.mark.slow
def test_one_leaves_with_a_passphrase_and_returns(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
