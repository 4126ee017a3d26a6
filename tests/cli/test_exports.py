"""`export` and `import archive`, as people script them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run


@pytest.mark.parametrize("way", ["file", "input", "environment"])
def test_a_persona_goes_out_with_a_passphrase_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    home, file, words = tmp_path / "home", tmp_path / "hazel.age", "きらきら a passphrase"
    run("chat", "Hazel", "-m", "My boat is green", home=home)
    (tmp_path / "words").write_text(words + "\n", "utf-8")
    options, given = [], ""
    if way == "file":
        options = ["--passphrase-file", str(tmp_path / "words")]
    elif way == "input":
        given = words + "\n"
    else:
        monkeypatch.setenv("UTATANE_PASSPHRASE", words)
    made = lines(run("export", "Hazel", str(file), "--passphrase", *options, "--json", home=home, given=given))[0]
    assert file.read_bytes().startswith(b"age-encryption.org/v1\n")
    back = ["import", "archive", str(file), "--persona", "Hazel Two", *options]
    dry = lines(run(*back, "--dry-run", "--json", home=home, given=given))[0]
    assert (dry["files"], dry["dry_run"]) == (made["files"], True)
    assert run(*back, home=home, given=given).stdout.startswith("Hazel Two is back")
    assert (home / "characters" / "Hazel Two" / "log.txt").read_bytes() == (
        home / "characters" / "Hazel" / "log.txt"
    ).read_bytes()
    monkeypatch.delenv("UTATANE_PASSPHRASE", raising=False)
    refused = run("import", "archive", str(file), "--persona", "Three", home=home, given="wrong\n", expect=1)
    assert "does not open" in refused.stderr
    told = (home / ".logs" / "utatane.log").read_text("utf-8") if (home / ".logs" / "utatane.log").exists() else ""
    assert words not in told
    assert words not in "".join(
        path.read_text("utf-8") for path in (home / "characters" / "Hazel" / "memory").glob("audit_*")
    )


def test_one_who_is_there_is_not_written_over(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "hazel.zip"
    run("export", "Hazel", str(file), home=home)
    assert "Hazel" in run("import", "archive", str(file), home=home, expect=1).stderr
