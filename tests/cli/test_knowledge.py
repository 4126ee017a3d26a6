"""`knowledge` with documents of all sorts: real processes, real files."""

from pathlib import Path

from tests.cli.test_commands import lines, run


def test_the_list_says_which_document_cannot_be_read_and_why(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run("personas", "list", home=home)
    folder = home / "characters" / "Hazel" / "knowledge"
    folder.mkdir(exist_ok=True)
    (folder / "fine.md").write_text("# Pond\nThe pond is deep.", "utf-8")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\ntorn")
    told = {line["name"]: line["unread"] for line in lines(run("knowledge", "list", "Hazel", "--json", home=home))}
    assert told["fine.md"] is None
    assert "damaged" in told["torn.pdf"]
    assert f"torn.pdf: {told['torn.pdf']}" in run("knowledge", "list", "Hazel", home=home).stdout.splitlines()
    refused = run("knowledge", "add", "Hazel", str(folder / "torn.pdf"), home=home, expect=1)
    assert refused.stderr.strip() == told["torn.pdf"]
