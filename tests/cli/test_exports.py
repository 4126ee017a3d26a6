"""`export` and `import archive`, as people script them."""

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


def test_the_conversation_a_card_and_a_brief_go_out_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run("chat", "Hazel", "-m", "My boat is green", home=home)
    for form, words in (
        ("markdown", "My boat is green"),
        ("html", "My boat is green"),
        ("brief", "## Before you part"),
    ):
        file = tmp_path / f"hazel.{form}"
        run("export", "Hazel", str(file), "--as", form, home=home)
        assert words in file.read_text("utf-8")
    run("export", "Hazel", str(tmp_path / "hazel.png"), "--as", "card", home=home)
    assert (tmp_path / "hazel.png").read_bytes().startswith(b"\x89PNG")
    none = tmp_path / "none.jsonl"
    refused = run("export", "Hazel", str(none), "--as", "jsonl", "--to", "2020-01-01", home=home, expect=1)
    assert "nothing of the talk" in refused.stderr
    assert not none.exists()
    file = tmp_path / "hazel.jsonl"
    run("export", "Hazel", str(file), "--as", "jsonl", home=home)
    back = lines(run("import", "transcript", str(file), "--persona", "Hazel", "--json", home=home))[0]
    assert (back["added"], back["problems"]) == (0, 0)
    run("import", "transcript", str(file), "--persona", "Other", home=home)
    run("export", "Other", str(tmp_path / "again.jsonl"), "--as", "jsonl", home=home)
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
