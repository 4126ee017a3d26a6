"""`export`, `import archive` and `card`, and what `audit` tells of them, as people script them."""

import base64
import json
from pathlib import Path

import pytest

from managers.exchange.cards.png_chunks import text_chunks
from tests.cli.test_commands import lines, run, transcript
from tests.exchange.cards.made import png, v3


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


@pytest.mark.slow
def test_a_card_goes_in_and_comes_out_as_it_was(home: Path, tmp_path: Path) -> None:
    out, document = tmp_path / "out.png", v3(creator_notes="never tell", my_own={"a": None}, nickname="Ari")
    (tmp_path / "card.png").write_bytes(png(ccv3=document))
    asked = ("import", "card", str(tmp_path / "card.png"), "--persona", "Aria")
    run(*asked, "--dry-run")
    folder = home / "characters" / "Aria"
    assert not folder.exists()
    run(*asked)
    assert (folder / "avatar.png").exists()
    assert "never tell" not in (folder / "SystemPrompt.txt").read_text("utf-8")
    run("export", "Aria", str(out), "--as", "card")
    cards = {
        one.keyword: json.loads(base64.b64decode(one.data)) for one in text_chunks(out.read_bytes(), ("chara", "ccv3"))
    }
    assert cards.keys() == {"chara", "ccv3"}
    assert cards["ccv3"]["data"].items() >= document["data"].items()
    run("import", str(out), "--persona", "Bea")  # recognised by itself


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
