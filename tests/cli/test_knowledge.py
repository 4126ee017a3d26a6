"""`knowledge` with documents of all sorts: real processes, real files."""

from pathlib import Path

from tests.cli.test_commands import lines, run


def test_the_list_says_which_document_cannot_be_read_and_why(home: Path) -> None:
    run("personas", "list")
    folder = home / "characters" / "Hazel" / "knowledge"
    folder.mkdir(exist_ok=True)
    (folder / "fine.md").write_text("# Pond\nThe pond is deep.", "utf-8")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\ntorn")
    told = {line["name"]: line["unread"] for line in lines(run("knowledge", "list", "Hazel", "--json"))}
    assert told["fine.md"] is None
    assert "damaged" in told["torn.pdf"]
    assert f"torn.pdf: {told['torn.pdf']}" in run("knowledge", "list", "Hazel").stdout.splitlines()
    refused = run("knowledge", "add", "Hazel", str(folder / "torn.pdf"), expect=1)
    assert refused.stderr.strip() == told["torn.pdf"]
